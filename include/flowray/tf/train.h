#pragma once
/// tf.train: optimizers, learning rates, averages of variables and the global step. Queues between what reads
/// and what trains (input_pipeline.h, which comes along), savers, servers and supervisors
/// have their own headers.

#include <flowray/tf/gradients.h>
#include <flowray/tf/initializers.h>
#include <flowray/tf/input.h>
#include <flowray/tf/input_pipeline.h>
#include <flowray/tf/variable.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

// ---- optimizers

/// One (gradient, variable) pair; the gradient may be None.
struct GradientAndVariable {
  /// The gradient of the loss by the variable; None where nothing flows.
  Tensor gradient;
  /// What the gradient is to change.
  Variable variable;
};

/// When gradients may be used: at once, when all of an operation's are there, or when all are there.
enum class Gate { kNone, kOperation, kGraph };

struct ComputeGradientsOptions {
  /// Empty: the graph's trainable variables.
  std::vector<Variable> var_list = {};
  /// What the gradients wait for; see Gate.
  Gate gate_gradients = Gate::kOperation;
  /// How gradients that come from several places are added.
  AggregationMethod aggregation_method = AggregationMethod::DEFAULT;
  /// Whether the gradient of an operation is placed where the operation is; true keeps the gradients of a
  /// model that is spread over devices or tasks beside its operations; false leaves them to the device scopes
  /// around.
  bool colocate_gradients_with_ops = false;
  /// Gradient of the loss to start from.
  Tensor grad_loss = {};
};

struct ApplyGradientsOptions {
  /// Increased by one after the update; none if left out.
  Variable global_step = {};
  /// What the update's nodes are called; empty: as the optimizer.
  std::string name = {};
};

struct MinimizeOptions {
  /// Increased by one after the update; none if left out.
  Variable global_step = {};
  /// Empty: the graph's trainable variables.
  std::vector<Variable> var_list = {};
  /// What the gradients wait for; see Gate.
  Gate gate_gradients = Gate::kOperation;
  /// How gradients that come from several places are added.
  AggregationMethod aggregation_method = AggregationMethod::DEFAULT;
  /// Whether the gradient of an operation is placed where the operation is; true keeps the gradients of a
  /// model that is spread over devices or tasks beside its operations; false leaves them to the device scopes
  /// around.
  bool colocate_gradients_with_ops = false;
  /// What the update's nodes are called; empty: as the optimizer.
  std::string name = {};
  /// Gradient of the loss to start from; none: ones.
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
  /// The same of the loss that a function gives: minimize([&] { return loss(x); }). While tf::eager() is on
  /// the loss is one, which runs under a GradientTape; of no list the variables are those that it has read.
  Operation minimize(const std::function<Tensor()>& loss, const MinimizeOptions& options = {},
                     Input::Where where = Input::Where::current());
  /// The gradient of the loss for each variable, None where nothing flows. Here `loss` is a function that
  /// gives it: while tf::eager() is on it runs under a GradientTape, and of no list the variables are those
  /// that it has read. Throws ValueError "No variables to optimize.",
  /// and for a loss whose dtype is not floating-point.
  std::vector<GradientAndVariable> compute_gradients(const std::function<Tensor()>& loss,
                                                     const ComputeGradientsOptions& options = {},
                                                     Input::Where where = Input::Where::current());
  /// The gradient of the loss for each variable, None where nothing flows. Throws ValueError "No variables
  /// to optimize.", and for a loss whose dtype is not floating-point.
  virtual std::vector<GradientAndVariable> compute_gradients(const Tensor& loss,
                                                             const ComputeGradientsOptions& options = {},
                                                             Input::Where where = Input::Where::current());
  /// The operation that updates all variables.
  virtual Operation apply_gradients(const std::vector<GradientAndVariable>& grads_and_vars,
                                    const ApplyGradientsOptions& options = {},
                                    Input::Where where = Input::Where::current());

  /// The slot `name` of a variable; none if there is no such slot.
  virtual Variable get_slot(const Variable& variable, const std::string& name,
                            Input::Where where = Input::Where::current()) const;
  /// The names of the slots that were made until now, sorted.
  virtual std::vector<std::string> get_slot_names() const;

 protected:
  /// For optimizers of a program's own: `name` is what scopes and slots are called.
  Optimizer(std::string name, bool use_locking) : name_(std::move(name)), use_locking_(use_locking) {}

  // ---- for optimizers of a program's own: the rule, as TensorFlow's subclasses give it

  /// Makes what is kept for each variable, by slot(). Called by apply_gradients, before prepare().
  virtual void create_slots(const std::vector<Variable>& variables) = 0;
  /// Makes the tensors of the hyperparameters.
  virtual void prepare() = 0;
  /// The operation that updates `variable` by a gradient of its shape.
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
  /// Makes the node of an op that updates a variable, with `use_locking` as the optimizer has it.
  Operation apply(const char* op, std::vector<Input> arguments,
                  std::vector<std::pair<std::string, bool>> flags = {}) const;

  /// What its scope and, unless they have names of their own, its slots are called.
  const std::string& name() const { return name_; }
  /// What the nodes of its updates say; nothing changes by it here.
  bool use_locking() const { return use_locking_; }

 private:
  Operation apply_either(const GradientAndVariable& pair);

  std::string name_;
  bool use_locking_;
  std::map<std::string, std::map<std::string, Variable>> slots_;  // slot name -> variable's name -> slot
};

class UpdateRule;

/// What all of the library's own optimizers are: one whose update rule is the library's matter.
class RuledOptimizer : public Optimizer {
 public:
  /// A copy has slots and numbers of its own.
  RuledOptimizer(const RuledOptimizer& other);
  RuledOptimizer& operator=(const RuledOptimizer& other);
  ~RuledOptimizer() override;

 protected:
  RuledOptimizer(std::string name, bool use_locking, std::unique_ptr<UpdateRule> rule);

 private:
  friend class UpdateRule;
  /// The rule, with this optimizer as its owner.
  UpdateRule& rule();
  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  Operation apply_sparse_duplicates(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                                    const Variable& variable) override;
  Operation finish(const std::vector<Operation>& updates, const std::string& name) override;

  std::unique_ptr<UpdateRule> rule_;
};

struct OptimizerOptions {
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  std::string name = {};  // the optimizer's own
};

/// var -= learning_rate * gradient
class GradientDescentOptimizer : public RuledOptimizer {
 public:
  /// `learning_rate` is a number or a scalar tensor, as in all of these; a tensor may change from step
  /// to step.
  explicit GradientDescentOptimizer(const Input& learning_rate, const OptimizerOptions& options = {});
};

struct MomentumOptions {
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// What its scope and the variables of its slots are called.
  std::string name = "Momentum";
  /// Moves the variable by gradient + momentum * accumulation, where the next step would take it. Source:
  /// Sutskever et al., 2013.
  bool use_nesterov = false;
};

/// accumulation = momentum * accumulation + gradient; var -= learning_rate * accumulation
class MomentumOptimizer : public RuledOptimizer {
 public:
  /// `momentum`, from 0 to 1, is how much of the accumulation is left after a step.
  MomentumOptimizer(const Input& learning_rate, const Input& momentum, const MomentumOptions& options = {});
};

struct AdamOptions {
  /// How much of the mean of gradients is left after a step, from 0 to 1.
  double beta1 = 0.9;
  /// The same of the mean of their squares.
  double beta2 = 0.999;
  /// Added to the square root that a move is divided by; above 0. More makes moves smaller where gradients
  /// are small: 0.1 or 1 steady what swings.
  double epsilon = 1e-8;
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// What its scope and the variables of its slots are called.
  std::string name = "Adam";
};

/// Adam as Kingma and Ba's section 2.1 writes it at its end (epsilon outside of the bias correction).
class AdamOptimizer : public RuledOptimizer {
 public:
  /// Makes the slots "m" and "v", and the variables beta1_power and beta2_power.
  explicit AdamOptimizer(const Input& learning_rate = 0.001, const AdamOptions& options = {});
};

struct AdagradOptions {
  /// Where the sums of squared gradients begin: more makes the first steps smaller.
  double initial_accumulator_value = 0.1;
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// What its scope and the variables of its slots are called.
  std::string name = "Adagrad";
};

/// accumulator += gradient^2; var -= learning_rate * gradient / sqrt(accumulator). Source: Duchi, Hazan,
/// Singer, 2011.
class AdagradOptimizer : public RuledOptimizer {
 public:
  /// Throws ValueError unless the initial value is positive.
  explicit AdagradOptimizer(const Input& learning_rate, const AdagradOptions& options = {});
};

struct RMSPropOptions {
  /// How much of the mean of squares is left after a step, from 0 to 1.
  double decay = 0.9;
  /// How much of the last move is left in the next, from 0 to 1.
  double momentum = 0.0;
  /// Added to ms, so that its root is not 0; above 0. More makes moves smaller where gradients are small.
  double epsilon = 1e-10;
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// Whether the mean of gradients is subtracted before they are squared; true may help where training is
  /// unsteady; it costs a third slot of the variable's size.
  bool centered = false;
  /// What its scope and the variables of its slots are called.
  std::string name = "RMSProp";
};

/// ms = decay * ms + (1 - decay) * gradient^2; mom = momentum * mom + learning_rate * gradient / sqrt(ms +
/// epsilon); var -= mom. Source: Hinton's lecture 6e.
class RMSPropOptimizer : public RuledOptimizer {
 public:
  /// Makes the slots "rms" and "momentum", and "mg" where it is centered.
  explicit RMSPropOptimizer(const Input& learning_rate, const RMSPropOptions& options = {});
};

struct AdadeltaOptions {
  /// How much of the means of squares is left after a step, from 0 to 1.
  double rho = 0.95;
  /// Added to both means of squares; above 0. It decides how large the first moves are.
  double epsilon = 1e-8;
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// What its scope and the variables of its slots are called.
  std::string name = "Adadelta";
};

/// accum = rho * accum + (1 - rho) * gradient^2; update = gradient * sqrt(accum_update + epsilon) /
/// sqrt(accum + epsilon); accum_update = rho * accum_update + (1 - rho) * update^2; var -= learning_rate *
/// update. Source: Zeiler, 2012.
class AdadeltaOptimizer : public RuledOptimizer {
 public:
  /// Makes the slots "accum" and "accum_update".
  explicit AdadeltaOptimizer(const Input& learning_rate = 0.001, const AdadeltaOptions& options = {});
};

// ---- optimizers with l1 and l2 regularization of their own, for models whose weights are mostly zero

struct AdagradDAOptions {
  /// Where the sums of squared gradients begin; above 0. More makes the first steps smaller.
  double initial_gradient_squared_accumulator_value = 0.1;
  /// How strongly weights are drawn to 0 by their size; at least 0. More makes more of them exactly 0.
  double l1_regularization_strength = 0.0;
  /// How strongly weights are drawn to 0 by their square; at least 0.
  double l2_regularization_strength = 0.0;
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// What its scope and the variables of its slots are called.
  std::string name = "AdagradDA";
};

/// Adagrad by dual averaging: what rows that no batch had would be by now is worked out when they come.
/// Throws ValueError unless the initial value is positive. Source: Duchi, Hazan, Singer, 2011.
class AdagradDAOptimizer : public RuledOptimizer {
 public:
  /// `global_step` counts the steps, integer [].
  AdagradDAOptimizer(const Input& learning_rate, const Input& global_step,
                     const AdagradDAOptions& options = {});
};

struct FtrlOptions {
  /// How the learning rate falls, not above 0; 0: not at all.
  double learning_rate_power = -0.5;
  /// Where the sums of squared gradients begin: more makes the first steps smaller.
  double initial_accumulator_value = 0.1;
  /// How strongly weights are drawn to 0 by their size; at least 0. More makes more of them exactly 0.
  double l1_regularization_strength = 0.0;
  /// How strongly weights are drawn to 0 by their square; at least 0.
  double l2_regularization_strength = 0.0;
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// What its scope and the variables of its slots are called.
  std::string name = "Ftrl";
  /// What the slots' variables are called; empty: as the optimizer.
  std::string accum_name = {};
  /// What the variable of the slot "linear" is called; empty: as the optimizer.
  std::string linear_name = {};
  /// A penalty on the weights' size, beside l2's on their change.
  double l2_shrinkage_regularization_strength = 0.0;
  /// Added to l2_regularization_strength as beta / (2 * learning_rate).
  double beta = 0.0;
};

/// Follow the regularized leader. Throws ValueError for numbers of the wrong sign. Source: McMahan et
/// al., 2013.
class FtrlOptimizer : public RuledOptimizer {
 public:
  /// Makes the slots "accum" and "linear".
  explicit FtrlOptimizer(const Input& learning_rate, const FtrlOptions& options = {});
};

struct ProximalGradientDescentOptions {
  /// How strongly weights are drawn to 0 by their size; at least 0. More makes more of them exactly 0.
  double l1_regularization_strength = 0.0;
  /// How strongly weights are drawn to 0 by their square; at least 0.
  double l2_regularization_strength = 0.0;
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// What its scope and the variables of its slots are called.
  std::string name = "ProximalGradientDescent";
};

/// A step of gradient descent, then the nearest point that the regularization prefers. Source: Duchi,
/// Singer, 2009.
class ProximalGradientDescentOptimizer : public RuledOptimizer {
 public:
  /// Has no slots.
  explicit ProximalGradientDescentOptimizer(const Input& learning_rate,
                                            const ProximalGradientDescentOptions& options = {});
};

struct ProximalAdagradOptions {
  /// Where the sums of squared gradients begin: more makes the first steps smaller.
  double initial_accumulator_value = 0.1;
  /// How strongly weights are drawn to 0 by their size; at least 0. More makes more of them exactly 0.
  double l1_regularization_strength = 0.0;
  /// How strongly weights are drawn to 0 by their square; at least 0.
  double l2_regularization_strength = 0.0;
  /// Written into the nodes; nothing changes by it here. Set it only for a graph that TensorFlow is to run,
  /// which then locks the variable while it changes.
  bool use_locking = false;
  /// What its scope and the variables of its slots are called.
  std::string name = "ProximalAdagrad";
};

/// A step of Adagrad, then the nearest point that the regularization prefers. Throws ValueError unless the
/// initial value is positive.
class ProximalAdagradOptimizer : public RuledOptimizer {
 public:
  /// Makes the slot "accumulator".
  explicit ProximalAdagradOptimizer(const Input& learning_rate, const ProximalAdagradOptions& options = {});
};

// ---- the global step

/// The graph's global step: what is in its collection "global_step", else its tensor "global_step:0"; None if
/// there is neither, or more than one. Throws as assert_global_step does.
Tensor get_global_step(Input::Where where = Input::Where::current());
/// A new one: int64, "global_step". Throws ValueError where the graph has one.
Variable create_global_step(Input::Where where = Input::Where::current());
/// The graph's global step (int64, "global_step"), made if there is none.
Variable get_or_create_global_step(Input::Where where = Input::Where::current());
/// Throws TypeError for a step that is not an integer, or whose shape is known not to be a scalar's.
void assert_global_step(const Tensor& global_step, Input::Where where = Input::Where::current());

// ---- learning rates that change with the number of steps

struct DecayOptions {
  /// Changes only where decay_steps divide the number of steps. For a rate that falls once an epoch; false
  /// lowers it in each step.
  bool staircase = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};

/// learning_rate * decay_rate ^ (global_step / decay_steps)
Tensor exponential_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                         const Input& decay_rate, const DecayOptions& options = {});
/// learning_rate * exp(-decay_rate * global_step / decay_steps)
Tensor natural_exp_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                         const Input& decay_rate, const DecayOptions& options = {});
/// learning_rate / (1 + decay_rate * global_step / decay_steps)
Tensor inverse_time_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                          const Input& decay_rate, const DecayOptions& options = {});

struct PolynomialDecayOptions {
  /// The rate from decay_steps on.
  Input end_learning_rate = 0.0001;
  /// 1: a straight line; more: it falls faster at first.
  Input power = 1.0;
  /// Begins anew, with as many more steps, when decay_steps are over; false: the rate stays at its end; true
  /// for training that goes on past it.
  bool cycle = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// (learning_rate - end) * (1 - min(global_step, decay_steps) / decay_steps) ^ power + end
Tensor polynomial_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                        const PolynomialDecayOptions& options = {});

/// values[0] up to boundaries[0], values[1] from there up to boundaries[1], ..., the last one behind the last
/// boundary. Throws ValueError unless there is one value more than boundaries.
Tensor piecewise_constant(const Input& x, const List<Input>& boundaries, const List<Input>& values,
                          const NameOption& options = {});

// ---- along a cosine, from the first rate at 0 steps to the last one at decay_steps

struct CosineDecayOptions {
  /// The last rate as a part of the first one.
  double alpha = 0.0;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// learning_rate * ((1 - alpha) * (1 + cos(pi * part)) / 2 + alpha), part = min(global_step, decay_steps) /
/// decay_steps. Source: Loshchilov, Hutter, 2017.
Tensor cosine_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                    const CosineDecayOptions& options = {});

struct CosineDecayRestartsOptions {
  /// How much longer than the one before, and how much smaller, each period is.
  Input t_mul = 2.0;
  /// How much of a period's first rate is left at the beginning of the next.
  Input m_mul = 1.0;
  /// What stays at a period's end, as a part of `learning_rate`.
  Input alpha = 0.0;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// cosine_decay, begun anew after `first_decay_steps` and after each further period. Source: Loshchilov,
/// Hutter, 2017.
Tensor cosine_decay_restarts(const Input& learning_rate, const Input& global_step,
                             const Input& first_decay_steps, const CosineDecayRestartsOptions& options = {});

struct LinearCosineDecayOptions {
  /// Waves until the end: a half is from the top to the bottom.
  Input num_periods = 0.5;
  /// Added to 1 - part before the cosine is multiplied.
  Input alpha = 0.0;
  /// What stays at the end, as a part of the first rate.
  Input beta = 0.001;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// learning_rate * ((alpha + 1 - part) * (1 + cos(2 * pi * num_periods * part)) / 2 + beta). Source: Bello et
/// al., 2017.
Tensor linear_cosine_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                           const LinearCosineDecayOptions& options = {});

struct NoisyLinearCosineDecayOptions {
  /// The noise is normal, of variance initial_variance / (1 + global_step) ^ variance_decay.
  Input initial_variance = 1.0;
  /// How fast the noise becomes less with the steps; 0: not at all.
  Input variance_decay = 0.55;
  /// Waves until the end: a half is from the top to the bottom.
  Input num_periods = 0.5;
  /// Added to 1 - part before the cosine is multiplied.
  Input alpha = 0.0;
  /// What stays at the end, as a part of the first rate.
  Input beta = 0.001;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// linear_cosine_decay with noise added to 1 - part. Source: Bello et al., 2017.
Tensor noisy_linear_cosine_decay(const Input& learning_rate, const Input& global_step,
                                 const Input& decay_steps, const NoisyLinearCosineDecayOptions& options = {});

// ---- averages of variables, or tensors, over the steps of training

struct ExponentialMovingAverageOptions {
  /// How many updates there were: the decay is then at most (1 + num_updates) / (10 + num_updates).
  OptionalInput num_updates = {};
  /// Whether averages of tensors, which begin at 0, are divided by what they lack; true for averages that are
  /// read early, as of losses.
  bool zero_debias = false;
  /// What shadows are called: "VARIABLE/NAME".
  std::string name = "ExponentialMovingAverage";
};

/// What an average is of: a Variable or a Tensor.
class Averaged {
 public:
  Averaged(const Variable& variable)
      : variable_(variable), tensor_(variable.ref()) {}  // NOLINT: implicit, as the next
  Averaged(const Tensor& tensor) : tensor_(tensor) {}    // NOLINT
  /// The variable; None where it is of a tensor.
  const Variable& variable() const { return variable_; }
  /// The tensor; for a variable its reference.
  const Tensor& tensor() const { return tensor_; }

 private:
  Variable variable_;
  Tensor tensor_;
};

/// Each variable has a shadow, a variable "VARIABLE/ExponentialMovingAverage", which an update moves towards
/// it: shadow -= (1 - decay) * (shadow - variable). A shadow begins with its variable's value.
class ExponentialMovingAverage {
 public:
  /// `decay`, from 0 to 1, is how much of a shadow is left after an update: a number, or a scalar tensor.
  explicit ExponentialMovingAverage(const Input& decay, const ExponentialMovingAverageOptions& options = {});

  /// What shadows are called after.
  const std::string& name() const { return options_.name; }

  /// The operation that updates the shadows of `var_list`, or of all trainable variables; those that have
  /// none get one. Throws TypeError for variables that are not floating-point.
  Operation apply(Input::Where where = Input::Where::current());
  /// The same of these.
  Operation apply(const std::vector<Averaged>& var_list, Input::Where where = Input::Where::current());

  /// The shadow; none where there is none.
  Variable average(const Averaged& of) const;
  /// What the shadow of a variable is called, or will be.
  std::string average_name(const Variable& variable) const;
  /// For a Saver that restores variables from their shadows: names in the checkpoint, with the variables.
  /// Those without average, all but `moving_avg_variables` (trainable variables and those that have been
  /// averaged), keep their names.
  std::map<std::string, Variable> variables_to_restore(
      const std::optional<std::vector<Variable>>& moving_avg_variables = std::nullopt) const;

 private:
  Variable make_shadow(const Averaged& of) const;

  Input decay_;
  ExponentialMovingAverageOptions options_;
  std::map<std::string, Variable> shadows_;  // by the name of what they are of
};

}  // namespace flowray::tf::train

#pragma GCC visibility pop
