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
  /// Variables that sessions share and checkpoints keep.
  static constexpr const char* GLOBAL_VARIABLES = "variables";
  /// GLOBAL_VARIABLES by its older name.
  static constexpr const char* VARIABLES = "variables";
  /// Variables that no checkpoint keeps, such as counts of epochs.
  static constexpr const char* LOCAL_VARIABLES = "local_variables";
  /// Local variables in which metrics count.
  static constexpr const char* METRIC_VARIABLES = "metric_variables";
  /// Variables of tf::contrib::layers: what a model is, without what its training needs.
  static constexpr const char* MODEL_VARIABLES = "model_variables";
  /// Variables that optimizers change where they are given no list.
  static constexpr const char* TRAINABLE_VARIABLES = "trainable_variables";
  /// Variables that an ExponentialMovingAverage follows.
  static constexpr const char* MOVING_AVERAGE_VARIABLES = "moving_average_variables";
  /// What has to run with each step of training: the moving averages of batch normalisation.
  static constexpr const char* UPDATE_OPS = "update_ops";
  /// Operations that train: those that apply_gradients and minimize have given.
  static constexpr const char* TRAIN_OP = "train_op";
  /// Losses of tf::losses, which get_total_loss adds up.
  static constexpr const char* LOSSES = "losses";
  /// What regularizers have made of variables and layers' results.
  static constexpr const char* REGULARIZATION_LOSSES = "regularization_losses";
  /// Summaries, which tf::summary::merge_all merges.
  static constexpr const char* SUMMARIES = "summaries";
  /// The summary that TensorFlow's Supervisor writes.
  static constexpr const char* SUMMARY_OP = "summary_op";
  /// The variable that counts training's steps; see tf::train::get_global_step.
  static constexpr const char* GLOBAL_STEP = "global_step";
  /// Operations that fill tables; tables_initializer runs them.
  static constexpr const char* TABLE_INITIALIZERS = "table_initializer";
  /// The operation by which TensorFlow's Supervisor initializes a model.
  static constexpr const char* INIT_OP = "init_op";
  /// The operation by which it initializes what is local to a process.
  static constexpr const char* LOCAL_INIT_OP = "local_init_op";
  /// The tensor that tells it which variables have no value.
  static constexpr const char* READY_OP = "ready_op";
  /// The operation by which it saves checkpoints.
  static constexpr const char* SAVE_OP = "save_op";
  /// Weights of layers that a program collects itself.
  static constexpr const char* WEIGHTS = "weights";
  /// Biases of layers that a program collects itself.
  static constexpr const char* BIASES = "biases";
  /// Results of layers that a program collects itself.
  static constexpr const char* ACTIVATIONS = "activations";
  /// The variable that counts an evaluation's steps.
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

  /// The tensor, or null for anything else.
  const Tensor* tensor() const { return std::get_if<Tensor>(&item_); }
  /// The operation, or null for anything else.
  const Operation* operation() const { return std::get_if<Operation>(&item_); }
  /// The variable, or null for anything else.
  const Variable* variable() const { return std::get_if<Variable>(&item_); }
  /// Its name in the graph: "loss:0", "train", "v:0".
  std::string name() const;
  /// The graph that it belongs to.
  Graph graph() const;
  /// Whether both stand for one tensor, operation or variable.
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
  /// A collection of items that are there; for the program's own lists of such things.
  explicit Collection(std::vector<CollectionItem> items) : items_(std::move(items)) {}

  /// The number of items.
  size_t size() const { return items_.size(); }
  /// Whether there are no items.
  bool empty() const { return items_.empty(); }
  /// The first item, and the end, for a loop.
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  /// Item i. Throws std::out_of_range for an index out of range.
  const CollectionItem& operator[](size_t i) const { return items_.at(i); }

  /// All of it as what it is: tensors (of a variable its value), operations, variables. Throws TypeError
  /// where an item is something else.
  std::vector<Tensor> tensors(Input::Where where = Input::Where::current()) const;
  /// All of it as operations. Throws TypeError where an item is something else.
  std::vector<Operation> operations(Input::Where where = Input::Where::current()) const;
  /// All of it as variables. Throws TypeError where an item is something else.
  std::vector<Variable> variables(Input::Where where = Input::Where::current()) const;

  /// To wait for.
  operator std::vector<Dependency>() const;  // NOLINT: implicit, all of these
  /// To be added up, merged, ...; throws as tensors() does.
  operator std::vector<Input>() const;
  /// To be run.
  operator std::vector<Fetch>() const;
  /// As tensors() and its siblings, wherever such a vector is wanted.
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
  /// The collection `key` of the graph, whether anything is in it or not.
  CollectionRef(Graph graph, std::string key) : graph_(std::move(graph)), key_(std::move(key)) {}

  /// What is in it now.
  Collection items() const;
  /// The number of items now.
  size_t size() const { return items().size(); }
  /// Whether there are no items now.
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
/// beginning of whose names this regular expression is. Throws ValueError for a scope that is not
/// a regular expression.
Collection get_collection(const std::string& key, const std::string& scope = {},
                          Input::Where where = Input::Where::current());
/// The list, to be changed.
CollectionRef get_collection_ref(const std::string& key);
/// Adds one thing, again if it is there already. Throws ValueError for what is unset or of another graph.
void add_to_collection(const std::string& name, const CollectionItem& value);
/// Adds one thing to the collections of several names.
void add_to_collections(const std::vector<std::string>& names, const CollectionItem& value);

}  // namespace flowray::tf

#pragma GCC visibility pop
