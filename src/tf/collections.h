#pragma once
/// Graph collections (tf.GraphKeys): lists of variables and nodes by name that belong to a graph.

#include "graph/graph.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::tf::internal {

inline constexpr const char* kGlobalVariables = "variables";
inline constexpr const char* kTrainableVariables = "trainable_variables";
inline constexpr const char* kLocalVariables = "local_variables";
inline constexpr const char* kMetricVariables = "metric_variables";
inline constexpr const char* kTrainOp = "train_op";
inline constexpr const char* kSummaries = "summaries";
inline constexpr const char* kLosses = "losses";
inline constexpr const char* kUpdateOps = "update_ops";
inline constexpr const char* kRegularizationLosses = "regularization_losses";

/// Whether a collection holds operations, and not tensors.
inline bool holds_operations(std::string_view key) { return key == kTrainOp || key == kUpdateOps; }

/// What stands behind tf::Variable. It belongs to the graph, so it points at nodes without holding the graph.
struct VariableState {
  graph::Node* node = nullptr;
  graph::Node* initializer = nullptr;
  graph::Endpoint initial_value;
  graph::Endpoint snapshot;  // "v/read:0"
  bool trainable = true;
};

struct Collections {
  std::map<std::string, std::vector<std::shared_ptr<VariableState>>> variables;
  std::map<std::string, std::vector<graph::Node*>> operations;
};

inline Collections& collections_of(graph::Graph& graph) {
  return graph.attachment<Collections>("collections");
}

}  // namespace flowray::tf::internal
