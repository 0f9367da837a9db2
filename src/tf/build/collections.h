#pragma once
/// Graph collections (tf.GraphKeys): lists of variables and nodes by name that belong to a graph.

#include "core/guarded.h"
#include "graph/graph.h"

#include <algorithm>
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
inline constexpr const char* kMovingAverageVariables = "moving_average_variables";
inline constexpr const char* kTrainOp = "train_op";
inline constexpr const char* kSummaries = "summaries";
inline constexpr const char* kLosses = "losses";
inline constexpr const char* kUpdateOps = "update_ops";
inline constexpr const char* kTableInitializers = "table_initializer";
inline constexpr const char* kRegularizationLosses = "regularization_losses";

/// Whether a collection holds operations, and not tensors.
inline bool holds_operations(std::string_view key) {
  return key == kTrainOp || key == kUpdateOps || key == kTableInitializers;
}

/// What stands behind tf::Variable. It belongs to the graph, so it points at nodes without holding the graph.
struct VariableState {
  graph::Node* node = nullptr;
  graph::Node* initializer = nullptr;
  graph::Endpoint initial_value;
  graph::Endpoint snapshot;  // "v/read:0"
  bool trainable = true;
};

/// Safe from many threads, as TensorFlow's are: what is given is what there was when it was asked for.
class Collections {
 public:
  using Variables = std::vector<std::shared_ptr<VariableState>>;
  using Nodes = std::vector<graph::Node*>;

  void add(const std::string& name, std::shared_ptr<VariableState> variable) {
    lists_.lock()->variables[name].push_back(std::move(variable));
  }
  void add(const std::string& name, graph::Node* node) { lists_.lock()->operations[name].push_back(node); }
  /// Not a second time.
  void add_once(const std::string& name, graph::Node* node) {
    const auto lists = lists_.lock();
    Nodes& nodes = lists->operations[name];
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  }

  Variables variables(const std::string& name) const { return list_of(lists_.lock()->variables, name); }
  Nodes operations(const std::string& name) const { return list_of(lists_.lock()->operations, name); }
  /// Whether anything has been added under the name since it was cleared.
  bool contains(const std::string& name) const {
    const auto lists = lists_.lock();
    return lists->variables.contains(name) || lists->operations.contains(name);
  }
  void clear(const std::string& name) {
    const auto lists = lists_.lock();
    lists->variables.erase(name);
    lists->operations.erase(name);
  }

  struct Lists {
    std::map<std::string, Variables> variables;
    std::map<std::string, Nodes> operations;
  };
  Lists all() const { return *lists_.lock(); }

 private:
  template <class List>
  static List list_of(const std::map<std::string, List>& lists, const std::string& name) {
    const auto found = lists.find(name);
    return found == lists.end() ? List() : found->second;
  }

  Guarded<Lists> lists_;
};

inline Collections& collections_of(graph::Graph& graph) {
  return graph.attachment<Collections>("collections");
}

}  // namespace flowray::tf::internal
