#pragma once
/// Collections of a graph: tensors, operations and variables by the name of what they are for. The language
/// fills some (tf.GraphKeys), a program may have others. tf::train::export_meta_graph writes them all.

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>
#include <flowray/tf/variable.h>

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// tf.GraphKeys: the names of the language's own collections.
struct GraphKeys {
  static constexpr const char* GLOBAL_VARIABLES = "variables";
  static constexpr const char* VARIABLES = "variables";
  static constexpr const char* LOCAL_VARIABLES = "local_variables";
  static constexpr const char* METRIC_VARIABLES = "metric_variables";
  static constexpr const char* MODEL_VARIABLES = "model_variables";
  static constexpr const char* TRAINABLE_VARIABLES = "trainable_variables";
  static constexpr const char* MOVING_AVERAGE_VARIABLES = "moving_average_variables";
  /// What has to run with each step of training: the moving averages of batch normalisation.
  static constexpr const char* UPDATE_OPS = "update_ops";
  static constexpr const char* TRAIN_OP = "train_op";
  static constexpr const char* LOSSES = "losses";
  static constexpr const char* REGULARIZATION_LOSSES = "regularization_losses";
  static constexpr const char* SUMMARIES = "summaries";
  static constexpr const char* SUMMARY_OP = "summary_op";
  static constexpr const char* GLOBAL_STEP = "global_step";
  static constexpr const char* TABLE_INITIALIZERS = "table_initializer";
  static constexpr const char* INIT_OP = "init_op";
  static constexpr const char* LOCAL_INIT_OP = "local_init_op";
  static constexpr const char* READY_OP = "ready_op";
  static constexpr const char* SAVE_OP = "save_op";
  static constexpr const char* WEIGHTS = "weights";
  static constexpr const char* BIASES = "biases";
  static constexpr const char* ACTIVATIONS = "activations";
  static constexpr const char* EVAL_STEP = "eval_step";
};

/// One thing in a collection: a Tensor, an Operation or a Variable. It remembers the line where it was made,
/// which errors name.
class CollectionItem {
 public:
  CollectionItem(const Tensor& tensor, Input::Where where = Input::Where::current())  // NOLINT: implicit, all
      : item_(tensor), where_(where) {}
  CollectionItem(const Operation& operation, Input::Where where = Input::Where::current())
      : item_(operation), where_(where) {}
  CollectionItem(const Variable& variable, Input::Where where = Input::Where::current())
      : item_(variable), where_(where) {}

  /// The tensor, or null for what is none. So are the next two.
  const Tensor* tensor() const { return std::get_if<Tensor>(&item_); }
  const Operation* operation() const { return std::get_if<Operation>(&item_); }
  const Variable* variable() const { return std::get_if<Variable>(&item_); }
  /// Its name in the graph: "loss:0", "train", "v:0".
  std::string name() const;
  /// The graph that it belongs to.
  Graph graph() const;
  bool operator==(const CollectionItem& other) const;
  /// The line of the program where it was made.
  Input::Where where() const { return where_; }

 private:
  std::variant<Tensor, Operation, Variable> item_;
  Input::Where where_;
};

/// What was in a collection when it was asked for, in the order in which it was added. It goes where a list
/// of such things does: control_dependencies(get_collection(..)), add_n(get_collection(..)).
class Collection {
 public:
  Collection() = default;
  explicit Collection(std::vector<CollectionItem> items) : items_(std::move(items)) {}

  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  /// Item i. Throws std::out_of_range for a number that is none.
  const CollectionItem& operator[](size_t i) const { return items_.at(i); }

  /// All of it as what it is: tensors (of a variable its value), operations, variables. Throws TypeError
  /// where an item is none.
  std::vector<Tensor> tensors(Input::Where where = Input::Where::current()) const;
  std::vector<Operation> operations(Input::Where where = Input::Where::current()) const;
  std::vector<Variable> variables(Input::Where where = Input::Where::current()) const;

  /// To wait for.
  operator std::vector<Dependency>() const;  // NOLINT: implicit, all of these
  /// To be added up, merged, ...; throws as tensors() does.
  operator std::vector<Input>() const;
  /// To be run.
  operator std::vector<Fetch>() const;
  operator std::vector<Tensor>() const { return tensors(); }
  operator std::vector<Operation>() const { return operations(); }
  operator std::vector<Variable>() const { return variables(); }

 private:
  std::vector<CollectionItem> items_;
};

/// The list itself: what is done to it is done to the graph's collection. Python's list that
/// tf.get_collection_ref gives.
class CollectionRef {
 public:
  CollectionRef(Graph graph, std::string key) : graph_(std::move(graph)), key_(std::move(key)) {}

  /// What is in it now.
  Collection items() const;
  size_t size() const { return items().size(); }
  bool empty() const { return items().empty(); }
  /// Throws ValueError for what is unset or of another graph, as tf::add_to_collection does.
  void append(const CollectionItem& item) const;
  /// Takes the first such item out. Throws ValueError where there is none.
  void remove(const CollectionItem& item) const;
  /// Takes all out.
  void clear() const;

 private:
  Graph graph_;
  std::string key_;
};

// ---- of the default graph; a tf::Graph has methods of the same names

/// What is in the collection, empty for a name that nothing was added under. Of a `scope` the items at the
/// beginning of whose names this regular expression is. Throws ValueError for a scope that is none.
Collection get_collection(const std::string& key, const std::string& scope = {},
                          Input::Where where = Input::Where::current());
/// The list, to be changed.
CollectionRef get_collection_ref(const std::string& key);
/// Adds one thing, again if it is there already. Throws ValueError for what is unset or of another graph.
void add_to_collection(const std::string& name, const CollectionItem& value);
/// The same under several names.
void add_to_collections(const std::vector<std::string>& names, const CollectionItem& value);

}  // namespace flowray::tf

#pragma GCC visibility pop
