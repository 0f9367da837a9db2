#pragma once
/// tf.graph_util: graphs cut down to what is used, with their variables' values in them.

#include <flowray/tf/graph_def.h>
#include <flowray/tf/session.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::graph_util {

/// The nodes that those of these names need, in the order in which they were. Throws AssertionError for a
/// name that is not there.
GraphDef extract_sub_graph(const GraphDef& graph_def, const std::vector<std::string>& dest_nodes);

/// The same with constants of the values that the variables have in the session.
GraphDef convert_variables_to_constants(Session& session, const GraphDef& graph_def,
                                        const std::vector<std::string>& output_node_names);

}  // namespace flowray::tf::graph_util

#pragma GCC visibility pop
