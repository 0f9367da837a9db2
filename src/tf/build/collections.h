#pragma once
/// Graph collections (tf.GraphKeys): lists of variables and nodes by name that belong to a graph.

#include <flowray/tf/device_functions.h>
#include <flowray/tf/tensor.h>

#include "core/guarded.h"
#include "graph/graph.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace flowray::tf::internal {

inline constexpr const char* kGlobalVariables = "variables";
inline constexpr const char* kTrainableVariables = "trainable_variables";
inline constexpr const char* kLocalVariables = "local_variables";
inline constexpr const char* kMetricVariables = "metric_variables";
inline constexpr const char* kModelVariables = "model_variables";
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

/// Which part of a whole a variable is: checkpoints keep it under the name of the whole.
struct SaveSlice {
  std::string full_name;
  std::vector<int64_t> full_shape;
  std::vector<int64_t> offset;
  std::vector<int64_t> shape;

  /// As ops that save and restore take it: "10 4 5,5:0,4".
  std::string spec() const;
};

/// What stands behind tf::Variable. It belongs to the graph, so it points at nodes without holding the graph.
struct VariableState {
  graph::Node* node = nullptr;  // VariableV2, or VarHandleOp of a resource variable
  graph::Node* initializer = nullptr;
  graph::Endpoint initial_value;
  graph::Endpoint
      snapshot;  // "v/read:0"; of a resource variable what a fetch gives, "v/Read/ReadVariableOp:0"
  bool trainable = true;
  Tensor held = {};  // of eager execution: the node, which no graph holds
  bool is_resource = false;
  DType dtype = DType::kInvalid;  // of a resource variable
  TensorShape shape = {};         // of a resource variable
  bool validate_shape = true;
  graph::Endpoint cached = {};         // what reads of a resource variable with a caching device give
  graph::Node* assigned = nullptr;     // what each read waits for: the variable as an assignment leaves it
  DeviceFunction caching_device = {};  // where it is read
  std::function<Tensor(const std::shared_ptr<VariableState>&)> constraint = {};
  std::optional<SaveSlice> slice = {};  // of a part
  int synchronization = 0;
  int aggregation = 0;

  // For a variable in parts, whose node is that of the first part:
  std::vector<std::shared_ptr<VariableState>> parts = {};
  std::vector<int64_t> partitions = {};
  std::string whole_name = {};
};

/// One thing in a collection. What a function of the language adds as a node stands for its first output,
/// except in collections of operations.
using Collected = std::variant<std::shared_ptr<VariableState>, graph::Endpoint, graph::Node*>;

/// The node of a tensor or operation; null of a variable.
inline graph::Node* node_of(const Collected& item) {
  if (const auto* tensor = std::get_if<graph::Endpoint>(&item)) return tensor->node;
  const auto* operation = std::get_if<graph::Node*>(&item);
  return operation == nullptr ? nullptr : *operation;
}

/// Safe from many threads, as TensorFlow's are: what is given is what there was when it was asked for.
class Collections {
 public:
  using Variables = std::vector<std::shared_ptr<VariableState>>;
  using Nodes = std::vector<graph::Node*>;
  using Items = std::vector<Collected>;
  using Lists = std::map<std::string, Items>;

  void add(const std::string& name, Collected item) { (*lists_.lock())[name].push_back(std::move(item)); }
  void add(const std::string& name, std::shared_ptr<VariableState> variable) {
    add(name, Collected(std::move(variable)));
  }
  void add(const std::string& name, graph::Node* node) { add(name, as_item(name, node)); }
  /// Not a second time.
  void add_once(const std::string& name, graph::Node* node) {
    const auto lists = lists_.lock();
    Items& items = (*lists)[name];
    const Collected item = as_item(name, node);
    if (std::ranges::find(items, item) == items.end()) items.push_back(item);
  }
  /// Takes the first such item out; false where there is none.
  bool remove(const std::string& name, const Collected& item) {
    const auto lists = lists_.lock();
    const auto list = lists->find(name);
    if (list == lists->end()) return false;
    const auto found = std::ranges::find(list->second, item);
    if (found == list->second.end()) return false;
    list->second.erase(found);
    return true;
  }

  Items items(const std::string& name) const {
    const auto lists = lists_.lock();
    const auto found = lists->find(name);
    return found == lists->end() ? Items() : found->second;
  }
  /// Its variables alone.
  Variables variables(const std::string& name) const {
    Variables found;
    for (Collected& item : items(name)) {
      if (auto* variable = std::get_if<std::shared_ptr<VariableState>>(&item))
        found.push_back(std::move(*variable));
    }
    return found;
  }
  /// The nodes of its tensors and operations.
  Nodes operations(const std::string& name) const {
    Nodes found;
    for (const Collected& item : items(name)) {
      if (graph::Node* node = node_of(item)) found.push_back(node);
    }
    return found;
  }
  /// Whether anything has been added under the name since it was cleared.
  bool contains(const std::string& name) const { return lists_.lock()->contains(name); }
  void clear(const std::string& name) { lists_.lock()->erase(name); }
  Lists all() const { return *lists_.lock(); }

 private:
  static Collected as_item(const std::string& name, graph::Node* node) {
    if (holds_operations(name)) return node;
    return graph::Endpoint{node, 0};
  }

  Guarded<Lists> lists_;
};

inline Collections& collections_of(graph::Graph& graph) {
  return graph.attachment<Collections>("collections");
}

/// Regularisation of the variables of eager execution. It is computed when it is asked for, of the values
/// that they have then, and goes with its variable.
class EagerRegularization {
 public:
  struct Loss {
    std::string name;
    std::weak_ptr<VariableState> variable;
    std::function<Tensor(const std::shared_ptr<VariableState>&)> compute;
  };

  void add(Loss loss) {
    const auto losses = losses_.lock();
    std::erase_if(*losses, [](const Loss& known) { return known.variable.expired(); });
    losses->push_back(std::move(loss));
  }
  std::vector<Loss> all() const { return *losses_.lock(); }

 private:
  Guarded<std::vector<Loss>> losses_;
};

inline EagerRegularization& eager_regularization_of(graph::Graph& graph) {
  return graph.attachment<EagerRegularization>("eager_regularization");
}

/// RuntimeError: what runs at once is in no collection.
[[noreturn]] void throw_no_eager_collections();

}  // namespace flowray::tf::internal
