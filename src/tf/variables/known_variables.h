#pragma once
/// The variables that get_variable has made in a graph.

#include "tf/build/collections.h"

#include <map>
#include <memory>
#include <string>

namespace flowray::tf::internal {

/// By their names; of those that are cut the parts.
std::map<std::string, std::shared_ptr<VariableState>> known_variables(graph::Graph& graph);

}  // namespace flowray::tf::internal
