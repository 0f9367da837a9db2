#pragma once
/// Names of layers and models.

#include "graph/graph.h"

#include <string>

namespace flowray::tf::keras {

/// "MaxPooling2D" as "max_pooling2d".
std::string snake_case(const std::string& class_name);
/// `base`, base_1, base_2, ...: the next one in this graph.
/// `first`: what the first one has behind its name, 0 for nothing.
std::string next_name(graph::Graph& graph, const std::string& base, int first = 0);

}  // namespace flowray::tf::keras
