#pragma once
/// tf.Variable: a tensor whose value stays from step to step, and the functions that change it.

#include <flowray/tf/device_functions.h>
#include <flowray/tf/function_of.h>
#include <flowray/tf/input.h>
#include <flowray/tf/session.h>

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

namespace internal {
struct VariableState;
}

/// Where a variable is read: a device, or a function that chooses one.
class CachingDevice {
 public:
  CachingDevice() = default;                 // none: with the variable
  CachingDevice(const std::string& device);  // NOLINT: implicit, all of these
  CachingDevice(const char* device) : CachingDevice(std::string(device)) {}
  /// One that gives the device of an Operation.
  template <class F>
    requires std::is_invocable_r_v<std::string, const F&, const Operation&>
  CachingDevice(F function) : function_(std::move(function)) {}
  /// Whether there is one.
  bool has_value() const { return function_ != nullptr; }
  /// Chooses the device; empty where there is none.
  const DeviceFunction& function() const { return function_; }

 private:
  DeviceFunction function_;
};

/// When the copies of a variable on several replicas are made one again. There is one of each here, so all of
/// them are alike, but for ON_READ.
enum class VariableSynchronization {
  AUTO = 0,
  NONE = 1,
  ON_WRITE = 2,
  /// No variable to be trained.
  ON_READ = 3,
};

/// How updates by several replicas become one. There is one of them here, so all of these are alike.
enum class VariableAggregation { NONE = 0, SUM = 1, MEAN = 2, ONLY_FIRST_REPLICA = 3 };

/// Gives the value that a variable is to have after each step of an optimizer, such as one clipped to a norm.
using Constraint = FunctionOf<Variable>;

struct VariableOptions {
  /// Whether optimizers change the variables that are made; left out: they do, but with ON_READ; false for
  /// counters, and for values that were trained before.
  std::optional<bool> trainable = std::nullopt;
  /// Graph collections to add it to; empty: GLOBAL_VARIABLES (and TRAINABLE_VARIABLES if trainable).
  std::vector<std::string> collections = {};
  /// Whether the initial value must have a known shape, and later assignments keep it; false for a variable
  /// that grows.
  bool validate_shape = true;
  /// Where it is read; none: where it stands.
  CachingDevice caching_device = {};
  /// The variable's name, made unique; empty: "Variable".
  std::string name = {};
  /// The dtype of the variable; kInvalid: the initial value's.
  DType dtype = DType::kInvalid;
  /// What the initial value's shape must be compatible with; left out: any. ValueError where it is not.
  std::optional<TensorShape> expected_shape = std::nullopt;
  /// What optimizers put the value through after each update.
  Constraint constraint = {};
  /// Whether it is a resource variable, whose reads and writes follow control dependencies; left out: as
  /// get_variable_scope() or else the program says; false for nodes as TensorFlow 1 made them by default.
  std::optional<bool> use_resource = std::nullopt;
  /// Kept with the variable, in .meta files, too. ValueError for ON_READ of one that is to be trained.
  VariableSynchronization synchronization = VariableSynchronization::AUTO;
  /// Kept with the variable, in .meta files, too.
  VariableAggregation aggregation = VariableAggregation::NONE;
};

/// Options of assign, assign_add and assign_sub.
struct AssignUpdateOptions {
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};

/// tf.Variable as compat.v1 makes it: nodes "Variable" (VariableV2), "Variable/Assign" and "Variable/read". A
/// resource variable is "Variable" (VarHandleOp), and each use makes a node that reads it, "ReadVariableOp",
/// which sees what was assigned before it runs and nothing that is assigned later. A handle; copies stand for
/// the same variable.
class Variable {
 public:
  Variable() = default;  // none
  /// Throws ValueError for an initial value of unknown shape where validate_shape asks for one, TypeError
  /// for a value that the dtype cannot hold.
  explicit Variable(const Input& initial_value, const VariableOptions& options = {});
  /// The initial value is made inside of "NAME/Initializer/", where the node stands with the variable.
  template <class F>
    requires std::is_invocable_r_v<Tensor, const F&>
  Variable(const F& initial_value, const VariableOptions& options,
           Input::Where where = Input::Where::current())
      : Variable(from_function(initial_value, options, where)) {}

  /// Whether it is a variable at all; of none all else throws ValueError, which names the line of the call:
  /// that is what the last parameter of methods is for.
  bool has_value() const noexcept { return state_ != nullptr; }
  /// Whether both stand for one variable.
  bool operator==(const Variable& other) const { return state_ == other.state_; }
  /// "Variable:0".
  std::string name(Input::Where where = Input::Where::current()) const;
  /// float32_ref, ...; of a resource variable float32, ...
  DType dtype(Input::Where where = Input::Where::current()) const;
  /// Its shape, as far as it is known.
  const TensorShape& shape(Input::Where where = Input::Where::current()) const;
  /// shape() by TensorFlow's name.
  TensorShape get_shape(Input::Where where = Input::Where::current()) const { return shape(where); }
  /// The node that holds the value.
  Operation op(Input::Where where = Input::Where::current()) const;
  /// The graph that it belongs to.
  Graph graph(Input::Where where = Input::Where::current()) const;
  /// Whether optimizers change it where they are given no list.
  bool trainable(Input::Where where = Input::Where::current()) const;
  /// Whether it is a resource variable.
  bool is_resource(Input::Where where = Input::Where::current()) const;
  /// What optimizers put its value through after each update; may be none.
  Constraint constraint(Input::Where where = Input::Where::current()) const;
  /// What it was made with.
  VariableSynchronization synchronization(Input::Where where = Input::Where::current()) const;
  /// What it was made with.
  VariableAggregation aggregation(Input::Where where = Input::Where::current()) const;

  /// Whether a partitioner has cut it (flowray/tf/partitioner.h). Then its parts are the variables, and it
  /// has a name, a dtype, a shape and a value, which is that of all parts; what else a variable has, an
  /// operation and an initializer among it, is ValueError.
  bool is_partitioned(Input::Where where = Input::Where::current()) const;
  /// The variables that it is cut into, by their place; the variable itself where it is not.
  std::vector<Variable> parts(Input::Where where = Input::Where::current()) const;
  /// How many parts there are of each dimension; all 1 where it is not cut, of an unknown rank none.
  std::vector<int64_t> partitions(Input::Where where = Input::Where::current()) const;

  /// "Variable/read:0"; of a resource variable a new ReadVariableOp.
  Tensor value(Input::Where where = Input::Where::current()) const;
  /// Part of its value; see Tensor::operator[].
  Tensor operator[](const Index& index) const;
  /// The same for several dimensions.
  Tensor operator[](std::initializer_list<Index> indices) const;
  /// A new Identity that reads when it runs (of a resource variable's new "Read/ReadVariableOp").
  Tensor read_value(Input::Where where = Input::Where::current()) const;
  /// The reference itself, or the handle, "Variable:0".
  Tensor ref() const;
  /// "Variable/Assign".
  Operation initializer(Input::Where where = Input::Where::current()) const;
  /// What the initializer assigns.
  Tensor initial_value(Input::Where where = Input::Where::current()) const;

  /// Sets the value when it runs; gives the reference, or what is read of a resource variable afterwards.
  /// Adds nodes to the graph each time, as the next two do; to set values in a loop use load()
  /// or TensorFlowVariables.
  Tensor assign(const Input& value, const AssignUpdateOptions& options = {}) const;
  /// Adds to the value when it runs; gives the reference.
  Tensor assign_add(const Input& delta, const AssignUpdateOptions& options = {}) const;
  /// Subtracts from the value when it runs; gives the reference.
  Tensor assign_sub(const Input& delta, const AssignUpdateOptions& options = {}) const;
  /// Adds one to an integer scalar when it runs, and gives the value before; errors::OutOfRangeError of the
  /// step once it has reached `limit`.
  Tensor count_up_to(int64_t limit, Input::Where where = Input::Where::current()) const;

  /// The value in `session`, or in the default one.
  Array eval(Session* session = nullptr, Input::Where where = Input::Where::current()) const;
  /// Sets the value without adding a node: runs the initializer with the initial value fed.
  void load(const Array& value, Session* session = nullptr,
            Input::Where where = Input::Where::current()) const;

  /// For Flowray itself. (A template, as 0 would be a null pointer, and Variable(0) is a variable.)
  template <std::same_as<std::shared_ptr<internal::VariableState>> State>
  explicit Variable(State state) {
    stand_for(std::move(state));
  }
  /// For Flowray itself.
  const std::shared_ptr<internal::VariableState>& state() const { return state_; }

 private:
  static Variable from_function(const std::function<Tensor()>& initial_value, const VariableOptions& options,
                                Input::Where where);
  void stand_for(std::shared_ptr<internal::VariableState> state);
  Tensor read_now() const;
  std::shared_ptr<internal::VariableState> state_;
  Tensor ref_;  // keeps the graph alive; the state, which the graph holds, does not
};

/// Variables that are made from now on, in any thread, are resource variables where nothing else is said.
void enable_resource_variables();
/// They are reference variables, as at first.
void disable_resource_variables();
/// Whether they are resource variables.
bool resource_variables_enabled();

/// <tf.Variable 'v:0' shape=() dtype=float32_ref>
std::ostream& operator<<(std::ostream& out, const Variable& variable);

/// Variables of the default graph that sessions share and checkpoints keep. These five give them in the
/// order in which they were made; of a `scope` those at the beginning of whose names this regular expression
/// is. What else a graph collects is in flowray/tf/collections.h.
std::vector<Variable> global_variables(const std::string& scope = {},
                                       Input::Where where = Input::Where::current());
/// Variables that optimizers change where they are given no list.
std::vector<Variable> trainable_variables(const std::string& scope = {},
                                          Input::Where where = Input::Where::current());
/// Variables that no checkpoint keeps: metrics count in them.
std::vector<Variable> local_variables(const std::string& scope = {},
                                      Input::Where where = Input::Where::current());
/// Variables of tf::contrib::layers: what a model is, without what its training needs.
std::vector<Variable> model_variables(const std::string& scope = {},
                                      Input::Where where = Input::Where::current());
/// Variables that a tf::train::ExponentialMovingAverage follows.
std::vector<Variable> moving_average_variables(const std::string& scope = {},
                                               Input::Where where = Input::Where::current());

/// NoOp "init" that runs all initializers.
Operation variables_initializer(const std::vector<Variable>& variables, const std::string& name = "init",
                                Input::Where where = Input::Where::current());
/// NoOp "init" that runs the initializers of all global variables.
Operation global_variables_initializer(Input::Where where = Input::Where::current());
/// NoOp "init" that runs the initializers of all local variables.
Operation local_variables_initializer(Input::Where where = Input::Where::current());

// ---- functions that change variables: the same as their methods

struct AssignOptions {
  /// Whether the value must have the variable's shape (InvalidArgumentError of the step where it shows only
  /// there); false lets a variable change its shape, for one that was made with validate_shape = false.
  bool validate_shape = true;
  /// Written into the nodes; nothing changes by it here. In a graph that TensorFlow is to run, false lets a
  /// reader see half of an assignment.
  bool use_locking = true;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Sets the variable when it runs; gives its reference. Throws TypeError for another dtype (ValueError of a
/// resource variable), ValueError for another shape. For resource variables only the name counts.
Tensor assign(const Variable& ref, const Input& value, const AssignOptions& options = {});

/// Adds to the variable when it runs; gives its reference. Throws as assign does.
Tensor assign_add(const Variable& ref, const Input& value, const AssignUpdateOptions& options = {});
/// Subtracts from the variable when it runs.
Tensor assign_sub(const Variable& ref, const Input& value, const AssignUpdateOptions& options = {});

/// assign to each part of a variable that is cut, of values in its shape or one for each part (a list). Gives
/// what the parts' give. Throws ValueError for another number of values.
std::vector<Tensor> assign_parts(const Variable& ref, const Input& value,
                                 const AssignUpdateOptions& options = {});
/// The same by assign_add.
std::vector<Tensor> assign_add_parts(const Variable& ref, const Input& value,
                                     const AssignUpdateOptions& options = {});
/// The same by assign_sub.
std::vector<Tensor> assign_sub_parts(const Variable& ref, const Input& value,
                                     const AssignUpdateOptions& options = {});

/// Variable::count_up_to as a function.
Tensor count_up_to(const Variable& ref, int64_t limit, const NameOption& options = {},
                   Input::Where where = Input::Where::current());

/// Whether the variable has a value when it runs, bool.
Tensor is_variable_initialized(const Variable& ref, const NameOption& options = {},
                               Input::Where where = Input::Where::current());

/// The ranks of the variables, [N], which a step can only give where all of them have values; None for no
/// variables. Without a list: of all global variables and then the local ones.
Tensor assert_variables_initialized(const std::vector<Variable>& variables,
                                    Input::Where where = Input::Where::current());
/// The same of all global variables and then the local ones.
Tensor assert_variables_initialized(Input::Where where = Input::Where::current());

/// The names of those of the variables that have no value when it runs, [?] strings. Without a list: of all
/// global variables and then the local ones.
Tensor report_uninitialized_variables(const std::vector<Variable>& variables, const NameOption& options = {},
                                      Input::Where where = Input::Where::current());
/// The same of all global variables and then the local ones.
Tensor report_uninitialized_variables(const NameOption& options = {},
                                      Input::Where where = Input::Where::current());

/// A NoOp that runs what fills the graph's tables: the operations of its collection "table_initializer".
Operation tables_initializer(const std::string& name = "init_all_tables",
                             Input::Where where = Input::Where::current());

}  // namespace flowray::tf

#pragma GCC visibility pop
