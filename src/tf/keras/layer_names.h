#pragma once
/// Names of layers and models.

#include "graph/graph.h"

#include <string>

namespace flowray::tf::keras {

/// "MaxPooling2D" as "max_pooling2d".
std::string snake_case(const std::string& class_name);
/// `base`, base_1, base_2, ...: the next one in this graph.
std::string next_name(graph::Graph& graph, const std::string& base);

}  // namespace flowray::tf::keras
