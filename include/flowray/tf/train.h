#pragma once
/// tf.train: optimizers and the global step.

#include <flowray/tf/gradients.h>
#include <flowray/tf/init_ops.h>
#include <flowray/tf/variable.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

/// One (gradient, variable) pair; the gradient may be None.
struct GradientAndVariable {
  Tensor gradient;
  Variable variable;
};

/// When gradients may be used: at once, when all of an operation's are there, or when all are there.
enum class Gate { kNone, kOperation, kGraph };

struct ComputeGradientsOptions {
  /// Empty: the graph's trainable variables.
  std::vector<Variable> var_list = {};
  Gate gate_gradients = Gate::kOperation;
  bool colocate_gradients_with_ops = false;
  /// Gradient of the loss to start from.
  Tensor grad_loss = {};
};

struct ApplyGradientsOptions {
  /// Increased by one after the update; none if left out.
  Variable global_step = {};
  std::string name = {};
};

struct MinimizeOptions {
  Variable global_step = {};
  std::vector<Variable> var_list = {};
  Gate gate_gradients = Gate::kOperation;
  bool colocate_gradients_with_ops = false;
  std::string name = {};
  Tensor grad_loss = {};
};

/// tf.train.Optimizer. An object belongs to one graph. Its slots (accumulators) are variables
/// "VARIABLE/NAME". A variable that is only gathered from (tf.gather, embeddings) is updated row by row, as
/// in TensorFlow: the cost is that of the rows, and with momentum or moments other rows stay as they are
/// (Adam's moments decay everywhere).
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  /// compute_gradients, then apply_gradients. Throws ValueError "No variables to optimize.", "No gradients
  /// provided for any variable, ...".
  Operation minimize(const Tensor& loss, const MinimizeOptions& options = {},
                     Input::Where where = Input::Where::current());
  std::vector<GradientAndVariable> compute_gradients(const Tensor& loss,
                                                     const ComputeGradientsOptions& options = {},
                                                     Input::Where where = Input::Where::current());
  /// The operation that updates all variables.
  Operation apply_gradients(const std::vector<GradientAndVariable>& grads_and_vars,
                            const ApplyGradientsOptions& options = {},
                            Input::Where where = Input::Where::current());

  /// The slot `name` of a variable; none if there is no such slot.
  Variable get_slot(const Variable& variable, const std::string& name) const;
  std::vector<std::string> get_slot_names() const;

 protected:
  Optimizer(std::string name, bool use_locking) : name_(std::move(name)), use_locking_(use_locking) {}

  virtual void create_slots(const std::vector<Variable>& variables) = 0;
  /// Makes the tensors of the hyperparameters.
  virtual void prepare() = 0;
  virtual Operation apply_dense(const Tensor& gradient, const Variable& variable) = 0;
  /// Some rows of a variable, which was gathered from: `values` are the rows of its gradient, `indices` their
  /// numbers, none twice. An optimizer without a rule for that gets `gradient`, which is all of it.
  virtual Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                                 const Variable& variable);
  /// The same where a row may come more than once: it is summed up first.
  virtual Operation apply_sparse_duplicates(const Tensor& values, const Tensor& indices,
                                            const Tensor& gradient, const Variable& variable);
  /// The operation that ends the update.
  virtual Operation finish(const std::vector<Operation>& updates, const std::string& name);

  /// A slot of the variable's shape and dtype, made on first use. Its variable is called "VARIABLE/OWNER", or
  /// by the optimizer's name.
  Variable slot(const Variable& variable, const std::string& slot_name,
                const Initializer& initializer = zeros_initializer(), const std::string& owner = {});
  /// A hyperparameter as a tensor called `name`, made in the optimizer's scope.
  Tensor hyperparameter(const Input& value, const std::string& name) const;
  /// The same in the variable's dtype.
  static Tensor cast_to(const Tensor& value, const Variable& variable);
  Operation apply(const char* op, std::vector<Input> arguments,
                  std::vector<std::pair<std::string, bool>> flags = {}) const;

  const std::string& name() const { return name_; }
  bool use_locking() const { return use_locking_; }

 private:
  Operation apply_either(const GradientAndVariable& pair);

  std::string name_;
  bool use_locking_;
  std::map<std::string, std::map<std::string, Variable>> slots_;  // slot name -> variable's name -> slot
};

struct OptimizerOptions {
  bool use_locking = false;
  std::string name = {};  // the optimizer's own
};

/// var -= learning_rate * gradient
class GradientDescentOptimizer : public Optimizer {
 public:
  explicit GradientDescentOptimizer(const Input& learning_rate, const OptimizerOptions& options = {});

 private:
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse_duplicates(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                                    const Variable& variable) override;
  Input learning_rate_;
  Tensor learning_rate_tensor_;
};

struct MomentumOptions {
  bool use_locking = false;
  std::string name = "Momentum";
  bool use_nesterov = false;
};

/// accumulation = momentum * accumulation + gradient; var -= learning_rate * accumulation
class MomentumOptimizer : public Optimizer {
 public:
  MomentumOptimizer(const Input& learning_rate, const Input& momentum, const MomentumOptions& options = {});

 private:
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  Input learning_rate_;
  Input momentum_;
  bool use_nesterov_;
  Tensor learning_rate_tensor_;
  Tensor momentum_tensor_;
};

struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool use_locking = false;
  std::string name = "Adam";
};

/// Adam as Kingma and Ba's section 2.1 writes it at its end (epsilon outside of the bias correction).
class AdamOptimizer : public Optimizer {
 public:
  explicit AdamOptimizer(const Input& learning_rate = 0.001, const AdamOptions& options = {});

 private:
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  Operation finish(const std::vector<Operation>& updates, const std::string& name) override;
  Input learning_rate_;
  AdamOptions options_;
  Variable beta1_power_;
  Variable beta2_power_;
  Tensor learning_rate_tensor_;
  Tensor beta1_tensor_;
  Tensor beta2_tensor_;
  Tensor epsilon_tensor_;
};

struct AdagradOptions {
  double initial_accumulator_value = 0.1;
  bool use_locking = false;
  std::string name = "Adagrad";
};

/// accumulator += gradient^2; var -= learning_rate * gradient / sqrt(accumulator). Source: Duchi, Hazan,
/// Singer, 2011.
class AdagradOptimizer : public Optimizer {
 public:
  explicit AdagradOptimizer(const Input& learning_rate, const AdagradOptions& options = {});

 private:
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  Input learning_rate_;
  double initial_accumulator_value_;
  Tensor learning_rate_tensor_;
};

struct RMSPropOptions {
  double decay = 0.9;
  double momentum = 0.0;
  double epsilon = 1e-10;
  bool use_locking = false;
  /// Whether the mean of gradients is subtracted before they are squared.
  bool centered = false;
  std::string name = "RMSProp";
};

/// ms = decay * ms + (1 - decay) * gradient^2; mom = momentum * mom + learning_rate * gradient / sqrt(ms +
/// epsilon); var -= mom. Source: Hinton's lecture 6e.
class RMSPropOptimizer : public Optimizer {
 public:
  explicit RMSPropOptimizer(const Input& learning_rate, const RMSPropOptions& options = {});

 private:
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  /// The variable, its slots and the hyperparameters, in the order of the op's inputs.
  std::vector<Input> arguments(const Variable& variable) const;
  Input learning_rate_;
  RMSPropOptions options_;
  Tensor learning_rate_tensor_;
  Tensor decay_tensor_;
  Tensor momentum_tensor_;
  Tensor epsilon_tensor_;
};

struct AdadeltaOptions {
  double rho = 0.95;
  double epsilon = 1e-8;
  bool use_locking = false;
  std::string name = "Adadelta";
};

/// accum = rho * accum + (1 - rho) * gradient^2; update = gradient * sqrt(accum_update + epsilon) /
/// sqrt(accum + epsilon); accum_update = rho * accum_update + (1 - rho) * update^2; var -= learning_rate *
/// update. Source: Zeiler, 2012.
class AdadeltaOptimizer : public Optimizer {
 public:
  explicit AdadeltaOptimizer(const Input& learning_rate = 0.001, const AdadeltaOptions& options = {});

 private:
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  std::vector<Input> arguments(const Variable& variable) const;
  Input learning_rate_;
  AdadeltaOptions options_;
  Tensor learning_rate_tensor_;
  Tensor rho_tensor_;
  Tensor epsilon_tensor_;
};

/// The graph's global step: what is in its collection "global_step", else its tensor "global_step:0"; None if
/// there is neither, or more than one. Throws as assert_global_step does.
Tensor get_global_step();
/// A new one: int64, "global_step". Throws ValueError where the graph has one.
Variable create_global_step(Input::Where where = Input::Where::current());
/// The graph's global step (int64, "global_step"), made if there is none.
Variable get_or_create_global_step(Input::Where where = Input::Where::current());
/// Throws TypeError for a step that is no integer or, of a known shape, no scalar.
void assert_global_step(const Tensor& global_step);

}  // namespace flowray::tf::train

#pragma GCC visibility pop
