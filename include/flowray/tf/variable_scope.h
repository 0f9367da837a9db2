#pragma once
/// tf.variable_scope and tf.get_variable: variables that are shared by name.

#include <flowray/tf/function_of.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/partitioner.h>
#include <flowray/tf/variable.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// Whether get_variable makes variables or finds those that are there.
class Reuse {
 public:
  /// kInherit: as the scope around; kNo: makes; kYes: finds; kAuto: finds those that exist, makes the others.
  enum class Mode { kInherit, kNo, kYes, kAuto };
  constexpr Reuse() = default;
  constexpr Reuse(bool reuse) : mode_(reuse ? Mode::kYes : Mode::kNo) {}  // NOLINT: implicit, {.reuse = true}
  constexpr explicit Reuse(Mode mode) : mode_(mode) {}
  /// What it asks for; kInherit: what the scope around it says.
  constexpr Mode mode() const { return mode_; }

 private:
  Mode mode_ = Mode::kInherit;
};
/// Reuses variables that exist and makes the others.
inline constexpr Reuse AUTO_REUSE{Reuse::Mode::kAuto};

/// Makes the loss that keeps a variable small (contrib::layers::l2_regularizer and its siblings); an empty
/// tensor adds none. What get_variable makes with it is in the collection "regularization_losses".
using Regularizer = FunctionOf<Variable>;

struct GetVariableCall;
/// What get_variable does by itself.
using VariableGetterFunction = std::function<Variable(const GetVariableCall& call)>;
/// Stands between get_variable and the variable: it may change what is asked for and ask `getter` for that,
/// or give a variable of its own.
///
///     const auto frozen = [](const tf::VariableGetterFunction& getter, tf::GetVariableCall call) {
///       call.options.trainable = false;
///       return getter(call);
///     };
///     auto scope = tf::variable_scope("net", {.custom_getter = frozen});
///
/// That of an inner scope has those around as its `getter`.
using CustomGetter =
    std::function<Variable(const VariableGetterFunction& getter, const GetVariableCall& call)>;

/// A descriptor of a variable scope, apart from the guard that keeps it open: `as sp` in Python. It may be
/// entered again.
class VariableScope {
 public:
  /// The scope's full name, without a trailing '/'.
  const std::string& name() const { return name_; }
  /// The name scope that belongs to it, with a trailing '/'.
  const std::string& original_name_scope() const { return original_name_scope_; }
  /// Whether get_variable only finds in it.
  bool reuse() const { return reuse_.mode() == Reuse::Mode::kYes; }
  /// What get_variable takes where it is given none.
  const Initializer& initializer() const { return initializer_; }
  /// What get_variable takes where it is given none.
  const Regularizer& regularizer() const { return regularizer_; }
  /// The dtype of variables that are given none.
  DType dtype() const { return dtype_; }
  /// Where variables are read that are given no caching device.
  const CachingDevice& caching_device() const { return caching_device_; }
  /// Whether variables are resource variables that are not told; left out: resource_variables_enabled().
  const std::optional<bool>& use_resource() const { return use_resource_; }
  /// What variables of get_variable get that are given none.
  const Constraint& constraint() const { return constraint_; }
  /// How variables of get_variable are cut that are given no partitioner; may be none.
  const Partitioner& partitioner() const { return partitioner_; }
  /// What get_variable goes through in it; may be none.
  const CustomGetter& custom_getter() const { return custom_getter_; }

  // What these change holds from now on in the scope while it is open,
  // and where it is entered again by this descriptor.

  /// From now on get_variable finds variables in the scope instead of making them.
  void reuse_variables();
  /// What get_variable takes where it is given none; empty: glorot_uniform, zeros for integers and bool.
  void set_initializer(const Initializer& initializer);
  /// What get_variable takes where it is given none; empty: none.
  void set_regularizer(const Regularizer& regularizer);
  /// The dtype of variables that are given none.
  void set_dtype(DType dtype);
  /// Where variables are read that are given no caching device.
  void set_caching_device(const CachingDevice& caching_device);
  /// Whether variables are resource variables that are not told; left out: resource_variables_enabled().
  void set_use_resource(std::optional<bool> use_resource);
  /// How variables are cut that are given no partitioner; null: not at all.
  void set_partitioner(const Partitioner& partitioner);
  /// What get_variable goes through; null: nothing.
  void set_custom_getter(const CustomGetter& custom_getter);

 private:
  friend class VariableScopeGuard;
  friend class VariableGetter;
  friend struct ThreadVariableScopes;
  void change(const std::function<void(VariableScope&)>& how);
  std::string name_;
  std::string original_name_scope_;
  Initializer initializer_;
  Regularizer regularizer_;
  Reuse reuse_{false};
  DType dtype_ = float32;
  CachingDevice caching_device_;
  std::optional<bool> use_resource_;
  Constraint constraint_;
  Partitioner partitioner_;
  CustomGetter custom_getter_;
  uint64_t number_ = 0;  // that of the open scope which it describes
};

struct VariableScopeOptions {
  /// Used, made unique, where the name is empty.
  std::string default_name = {};
  /// What get_variable takes in the scope where it is given none; empty: that of the scope around.
  Initializer initializer = {};
  /// The same of regularizers.
  Regularizer regularizer = {};
  /// The same of caching devices.
  CachingDevice caching_device = {};
  /// The same of partitioners.
  Partitioner partitioner = nullptr;
  /// What get_variable goes through in the scope, before the custom getters of the scopes around.
  CustomGetter custom_getter = nullptr;
  /// true: get_variable only finds variables in the scope; AUTO_REUSE: it makes those that are not there,
  /// too; left out: as the scope around, which false does not undo.
  Reuse reuse = {};
  /// The dtype of variables in the scope that are given none; kInvalid: that of the scope around,
  /// which is float32 at first.
  DType dtype = DType::kInvalid;
  /// Whether variables in the scope are resource variables that are not told; left out: as around it. As in
  /// VariableOptions.
  std::optional<bool> use_resource = std::nullopt;
  /// What get_variable takes in the scope where it is given none; empty: that of the scope around.
  Constraint constraint = {};
  /// Whether it opens a name scope too; false to enter a scope again without a new name scope ("layer_1") for
  /// its operations.
  bool auxiliary_name_scope = true;
};

/// Keeps a variable scope open while it lives.
class [[nodiscard]] VariableScopeGuard {
 public:
  /// For Flowray itself: tf::variable_scope opens one.
  VariableScopeGuard(std::string_view name, const VariableScope* existing,
                     const VariableScopeOptions& options);
  VariableScopeGuard(const VariableScopeGuard&) = delete;
  VariableScopeGuard& operator=(const VariableScopeGuard&) = delete;
  ~VariableScopeGuard();

  /// The scope's descriptor, to enter it again.
  const VariableScope& scope() const;
  /// From now on get_variable in this scope finds instead of making.
  void reuse_variables();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `auto scope = tf::variable_scope("layer1", {.initializer = tf::zeros_initializer()});`
VariableScopeGuard variable_scope(std::string_view name, const VariableScopeOptions& options = {},
                                  Input::Where where = Input::Where::current());
/// Enters a scope again from wherever the program is.
VariableScopeGuard variable_scope(const VariableScope& scope, const VariableScopeOptions& options = {},
                                  Input::Where where = Input::Where::current());
/// The innermost open scope.
VariableScope get_variable_scope();
/// From now on get_variable in the innermost open scope finds instead of making:
/// Python's tf.get_variable_scope().reuse_variables().
void reuse_variables();

struct GetVariableOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  DType dtype = DType::kInvalid;  // the scope's, which is float32 unless said otherwise
  Initializer initializer = {};   // the scope's, else glorot_uniform (zeros for integers and bool)
  Regularizer regularizer = {};   // the scope's
  /// Whether optimizers change the variables that are made; left out: they do, but with ON_READ; false for
  /// counters, and for values that were trained before.
  std::optional<bool> trainable = std::nullopt;
  /// Graph collections to add the variable to; empty:
  /// GLOBAL_VARIABLES (and TRAINABLE_VARIABLES if trainable).
  std::vector<std::string> collections = {};
  CachingDevice caching_device = {};  // the scope's
  Partitioner partitioner = nullptr;  // the scope's; of a scalar none counts
  /// Whether the initial value must have a known shape, and later assignments keep it; false for a variable
  /// that grows.
  bool validate_shape = true;
  std::optional<bool> use_resource = std::nullopt;  // the scope's, else resource_variables_enabled()
  /// What this call goes through in place of the scope's.
  CustomGetter custom_getter = nullptr;
  Constraint constraint = {};  // the scope's
  /// Kept with the variable. ValueError for ON_READ of one that is to be trained.
  VariableSynchronization synchronization = VariableSynchronization::AUTO;
  /// Kept with the variable.
  VariableAggregation aggregation = VariableAggregation::NONE;
};

/// A call of get_variable, on its way through custom getters.
struct GetVariableCall {
  /// With the scope's.
  std::string name;
  /// Left out where the initializer is a value.
  std::optional<TensorShape> shape;
  /// With what the scope says where the call does not.
  GetVariableOptions options;
  /// Whether a variable is made or found.
  Reuse reuse;
};

/// The variable "SCOPE/name": made, or found where the scope reuses. With a partitioner it is cut into parts,
/// "SCOPE/name/part_0" and so on (Variable::parts). Throws ValueError "Variable v already
/// exists, disallowed. ...", "Variable v does not exist, ...", "Trying to share variable v, but specified
/// shape ...".
Variable get_variable(const std::string& name, const TensorShape& shape,
                      const GetVariableOptions& options = {}, Input::Where where = Input::Where::current());
/// With its first value as the initializer: tf::get_variable("rate", {.initializer = 0.5}). (A template, so
/// that in get_variable("v", {}) the braces are the shape of a scalar.)
Variable get_variable_of_value(const std::string& name, const GetVariableOptions& options,
                               Input::Where where);
/// The same, of an initializer that is a value: its shape is the variable's.
template <int = 0>
Variable get_variable(const std::string& name, const GetVariableOptions& options,
                      Input::Where where = Input::Where::current()) {
  return get_variable_of_value(name, options, where);
}

struct PartitionedVariablesOptions {
  /// The dtype of an initializer that is a function.
  DType dtype = float32;
  /// Whether optimizers change them; false keeps them as they are set, as for layers that were trained
  /// before.
  bool trainable = true;
  /// Graph collections to add them to; empty: as get_variable.
  std::vector<std::string> collections = {};
  /// The scope that they stand in; empty: "PartitionedVariable", made unique.
  std::string name = {};
  /// Whether they are made or found; left out: as the scope says.
  Reuse reuse = {};
};
/// A variable cut into so many parts of each dimension, one of which may be more than 1; gives the parts.
/// Throws ValueError where `slicing` has not a number for each dimension.
std::vector<Variable> create_partitioned_variables(const TensorShape& shape,
                                                   const std::vector<int64_t>& slicing,
                                                   const Initializer& initializer,
                                                   const PartitionedVariablesOptions& options = {},
                                                   Input::Where where = Input::Where::current());

}  // namespace flowray::tf

#pragma GCC visibility pop
