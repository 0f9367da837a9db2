#pragma once
/// Names of layers and models.

#include "graph/graph.h"

#include <string>

namespace flowray::tf::keras {

/// "MaxPooling2D" as "max_pooling2d".
std::string snake_case(const std::string& class_name);
/// `base`, base_1, base_2, ...: the next name of a layer or model in this graph.
std::string next_name(graph::Graph& graph, const std::string& base);
/// 1, 2, ...: the next number of a prefix in this graph, counted apart from the names of layers (K.get_uid).
int next_uid(graph::Graph& graph, const std::string& prefix);
/// Names and numbers count from the beginning in each graph (K.reset_uids).
void reset_uids();

}  // namespace flowray::tf::keras
