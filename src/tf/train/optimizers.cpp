#include <flowray/tf/train.h>

#include <flowray/tf/control_flow.h>
#include <flowray/tf/errors.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/apply_op.h"
#include "tf/build/resource_variable.h"
#include "tf/train/update_rule.h"

#include <algorithm>

namespace flowray::tf::train {

std::map<std::string, Variable> UpdateRule::own_variables_of(const Optimizer& optimizer) {
  const auto* const ruled = dynamic_cast<const RuledOptimizer*>(&optimizer);
  return ruled != nullptr ? ruled->rule_->own_variables() : std::map<std::string, Variable>();
}

void UpdateRule::set_learning_rate(const Input&) {
  throw errors::InternalError("An optimizer was given a learning rate that its rule does not take.");
}

void UpdateRule::set_learning_rate_of(Optimizer& optimizer, const Input& learning_rate) {
  dynamic_cast<RuledOptimizer&>(optimizer).rule().set_learning_rate(learning_rate);
}

namespace {

// ---- GradientDescent

/// ResourceScatterAdd.
Operation scatter_add(const Variable& variable, const Tensor& rows, const Tensor& values) {
  return Operation(apply_op_node({.op = "ResourceScatterAdd", .args = {Input(variable), rows, values}}));
}

class GradientDescentRule : public CopiedRule<GradientDescentRule> {
 public:
  explicit GradientDescentRule(const Input& learning_rate)
      : learning_rate_(given_number(learning_rate, "learning_rate")) {}

  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse_duplicates(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                                    const Variable& variable) override;
  void set_learning_rate(const Input& learning_rate) override { learning_rate_ = learning_rate; }

 private:
  Input learning_rate_;
  Tensor learning_rate_tensor_;
};

void GradientDescentRule::create_slots(const std::vector<Variable>&) {}

void GradientDescentRule::prepare() {
  learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate");
}

Operation GradientDescentRule::apply_dense(const Tensor& gradient, const Variable& variable) {
  return apply("ApplyGradientDescent", {variable, cast_to(learning_rate_tensor_, variable), gradient});
}

Operation GradientDescentRule::apply_sparse_duplicates(const Tensor& values, const Tensor& indices,
                                                       const Tensor&, const Variable& variable) {
  if (variable.state()->is_resource) {
    const Tensor down = -values;
    const Tensor scaled = down * learning_rate_tensor_;
    return scatter_add(variable, indices, scaled);
  }
  const Tensor scaled = values * cast_to(learning_rate_tensor_, variable);
  return apply("ScatterSub", {variable, indices, scaled});
}

// ---- Momentum

class MomentumRule : public OpRule<MomentumRule, MomentumOptions> {
 public:
  MomentumRule(const Input& learning_rate, const Input& momentum, const MomentumOptions& options)
      : OpRule(learning_rate, options), momentum_(given_number(momentum, "momentum")) {}

  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) slot(variable, "momentum");
  }
  void prepare() override {
    learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate");
    momentum_tensor_ = hyperparameter(momentum_, "momentum");
  }

 private:
  Operation update(const std::string& form, const Variable& variable,
                   const std::vector<Tensor>& gradient) override {
    std::vector<Input> inputs = joined(
        {variable, get_slot(variable, "momentum"), cast_to(learning_rate_tensor_, variable)}, gradient);
    inputs.push_back(cast_to(momentum_tensor_, variable));
    return apply(form + "Momentum", std::move(inputs), {{"use_nesterov", options_.use_nesterov}});
  }

  Input momentum_;
  Tensor momentum_tensor_;
};

// ---- Adam

class AdamRule : public CopiedRule<AdamRule> {
 public:
  AdamRule(const Input& learning_rate, const AdamOptions& options)
      : learning_rate_(given_number(learning_rate, "learning_rate")), options_(options) {}

  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override;
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                         const Variable& variable) override;
  Operation finish(const std::vector<Operation>& updates, const std::string& name) override;
  void set_learning_rate(const Input& learning_rate) override { learning_rate_ = learning_rate; }
  std::map<std::string, Variable> own_variables() const override {
    if (!beta1_power_.has_value()) return {};
    return {{"beta1_power", beta1_power_}, {"beta2_power", beta2_power_}};
  }

 private:
  static Input power_for(const Variable& power, const Variable& variable);
  Input learning_rate_;
  AdamOptions options_;
  Variable beta1_power_;
  Variable beta2_power_;
  Tensor learning_rate_tensor_;
  Tensor beta1_tensor_;
  Tensor beta2_tensor_;
  Tensor epsilon_tensor_;
};

void AdamRule::create_slots(const std::vector<Variable>& variables) {
  if (!beta1_power_.has_value()) {
    // The powers stand with the first variable by name, so that any process makes the same graph.
    const Variable first =
        *std::min_element(variables.begin(), variables.end(),
                          [](const Variable& a, const Variable& b) { return a.name() < b.name(); });
    const ColocationGuard with = colocate_with(first.op());
    const bool use_resource = first.is_resource();
    beta1_power_ =
        Variable(options_.beta1, {.trainable = false, .name = "beta1_power", .use_resource = use_resource});
    beta2_power_ =
        Variable(options_.beta2, {.trainable = false, .name = "beta2_power", .use_resource = use_resource});
  }
  for (const Variable& variable : variables) {
    slot(variable, "m");
    slot(variable, "v");
  }
}

void AdamRule::prepare() {
  learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate");
  beta1_tensor_ = hyperparameter(options_.beta1, "beta1");
  beta2_tensor_ = hyperparameter(options_.beta2, "beta2");
  epsilon_tensor_ = hyperparameter(options_.epsilon, "epsilon");
}

/// A power in the variable's dtype. That of resource variables is read where it is used.
Input AdamRule::power_for(const Variable& power, const Variable& variable) {
  if (!power.state()->is_resource) return cast_to(power.value(), variable);
  const DType dtype = base_dtype(variable.dtype());
  if (power.dtype() == dtype) return power;
  return apply_op({.op = "Cast", .args = {Input(power)}, .attrs = {{"DstT", dtype}}});
}

Operation AdamRule::apply_dense(const Tensor& gradient, const Variable& variable) {
  return apply("ApplyAdam", {variable, get_slot(variable, "m"), get_slot(variable, "v"),
                             power_for(beta1_power_, variable), power_for(beta2_power_, variable),
                             cast_to(learning_rate_tensor_, variable), cast_to(beta1_tensor_, variable),
                             cast_to(beta2_tensor_, variable), cast_to(epsilon_tensor_, variable), gradient});
}

/// The moments of all rows decay, as if the other rows' gradients were 0; so there is no op for it, but
/// a few.
Operation AdamRule::apply_sparse(const Tensor& values, const Tensor& indices, const Tensor&,
                                 const Variable& variable) {
  const Input beta1_power = power_for(beta1_power_, variable);
  const Input beta2_power = power_for(beta2_power_, variable);
  const Tensor rate = cast_to(learning_rate_tensor_, variable);
  const Tensor beta1 = cast_to(beta1_tensor_, variable);
  const Tensor beta2 = cast_to(beta2_tensor_, variable);
  const Tensor epsilon = cast_to(epsilon_tensor_, variable);
  const Tensor corrected = rate * sqrt(1 - beta2_power);
  const Tensor step = corrected / (1 - beta1_power);
  const auto moment = [&](const char* name, const Tensor& beta, const Tensor& scaled) {
    const Variable moments = get_slot(variable, name);
    const Tensor decayed = moments.assign(moments * beta, {.use_locking = use_locking()});
    const ControlDependenciesGuard wait = control_dependencies({assignment_behind(decayed)});
    if (moments.state()->is_resource) {
      const ControlDependenciesGuard added = control_dependencies({scatter_add(moments, indices, scaled)});
      return moments.value();
    }
    return apply("ScatterAdd", {moments, indices, scaled}).output(0);
  };
  const Tensor scaled_values = values * (1 - beta1);
  const Tensor m = moment("m", beta1, scaled_values);
  const Tensor squares = values * values;
  const Tensor scaled_squares = squares * (1 - beta2);
  const Tensor v = moment("v", beta2, scaled_squares);
  const Tensor root = sqrt(v);
  const Tensor moved = step * m;
  const Tensor update = variable.assign_sub(moved / (root + epsilon), {.use_locking = use_locking()});
  return group({assignment_behind(update), m, v});
}

Operation AdamRule::finish(const std::vector<Operation>& updates, const std::string& name) {
  std::vector<Operation> all = updates;
  {
    const ControlDependenciesGuard wait =
        control_dependencies(std::vector<Dependency>(updates.begin(), updates.end()));
    const ColocationGuard with = colocate_with(beta1_power_.op());
    all.push_back(
        assignment_behind(beta1_power_.assign(beta1_power_ * beta1_tensor_, {.use_locking = use_locking()})));
    all.push_back(
        assignment_behind(beta2_power_.assign(beta2_power_ * beta2_tensor_, {.use_locking = use_locking()})));
  }
  return CopiedRule::finish(all, name);
}

// ---- Adagrad

class AdagradRule : public OpRule<AdagradRule, AdagradOptions> {
 public:
  AdagradRule(const Input& learning_rate, const AdagradOptions& options) : OpRule(learning_rate, options) {
    check_positive(options.initial_accumulator_value, "initial_accumulator_value");
  }

  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      slot(variable, "accumulator", constant_initializer(options_.initial_accumulator_value));
    }
  }
  void prepare() override { learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate"); }

 private:
  Operation update(const std::string& form, const Variable& variable,
                   const std::vector<Tensor>& gradient) override {
    return apply(form + "Adagrad", joined({variable, get_slot(variable, "accumulator"),
                                           cast_to(learning_rate_tensor_, variable)},
                                          gradient));
  }
};

// ---- RMSProp

class RMSPropRule : public OpRule<RMSPropRule, RMSPropOptions> {
 public:
  using OpRule::OpRule;

  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      slot(variable, "rms", ones_initializer());
      if (options_.centered) slot(variable, "mg");
      slot(variable, "momentum");
    }
  }
  void prepare() override {
    learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate");
    decay_tensor_ = hyperparameter(options_.decay, "decay");
    momentum_tensor_ = hyperparameter(options_.momentum, "momentum");
    epsilon_tensor_ = hyperparameter(options_.epsilon, "epsilon");
  }

 private:
  /// The variable, its slots, the hyperparameters and the gradient, in the order of the op's inputs.
  Operation update(const std::string& form, const Variable& variable,
                   const std::vector<Tensor>& gradient) override {
    std::vector<Input> inputs = {variable};
    if (options_.centered) inputs.push_back(get_slot(variable, "mg"));
    inputs.push_back(get_slot(variable, "rms"));
    inputs.push_back(get_slot(variable, "momentum"));
    for (const Tensor* value : {&learning_rate_tensor_, &decay_tensor_, &momentum_tensor_, &epsilon_tensor_})
      inputs.push_back(cast_to(*value, variable));
    return apply(form + (options_.centered ? "CenteredRMSProp" : "RMSProp"),
                 joined(std::move(inputs), gradient));
  }

  Tensor decay_tensor_;
  Tensor momentum_tensor_;
  Tensor epsilon_tensor_;
};

// ---- Adadelta

class AdadeltaRule : public OpRule<AdadeltaRule, AdadeltaOptions> {
 public:
  using OpRule::OpRule;

  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      slot(variable, "accum");
      slot(variable, "accum_update");
    }
  }
  void prepare() override {
    learning_rate_tensor_ = hyperparameter(learning_rate_, "lr");
    rho_tensor_ = hyperparameter(options_.rho, "rho");
    epsilon_tensor_ = hyperparameter(options_.epsilon, "epsilon");
  }

 private:
  Operation update(const std::string& form, const Variable& variable,
                   const std::vector<Tensor>& gradient) override {
    std::vector<Input> inputs = {variable, get_slot(variable, "accum"), get_slot(variable, "accum_update")};
    for (const Tensor* value : {&learning_rate_tensor_, &rho_tensor_, &epsilon_tensor_})
      inputs.push_back(cast_to(*value, variable));
    return apply(form + "Adadelta", joined(std::move(inputs), gradient));
  }

  Tensor rho_tensor_;
  Tensor epsilon_tensor_;
};

}  // namespace

GradientDescentOptimizer::GradientDescentOptimizer(const Input& learning_rate,
                                                   const OptimizerOptions& options)
    : RuledOptimizer(options.name.empty() ? "GradientDescent" : options.name, options.use_locking,
                     std::make_unique<GradientDescentRule>(learning_rate)) {}

MomentumOptimizer::MomentumOptimizer(const Input& learning_rate, const Input& momentum,
                                     const MomentumOptions& options)
    : RuledOptimizer(options.name, options.use_locking,
                     std::make_unique<MomentumRule>(learning_rate, momentum, options)) {}

AdamOptimizer::AdamOptimizer(const Input& learning_rate, const AdamOptions& options)
    : RuledOptimizer(options.name, options.use_locking, std::make_unique<AdamRule>(learning_rate, options)) {}

AdagradOptimizer::AdagradOptimizer(const Input& learning_rate, const AdagradOptions& options)
    : RuledOptimizer(options.name, options.use_locking,
                     std::make_unique<AdagradRule>(learning_rate, options)) {}

RMSPropOptimizer::RMSPropOptimizer(const Input& learning_rate, const RMSPropOptions& options)
    : RuledOptimizer(options.name, options.use_locking,
                     std::make_unique<RMSPropRule>(learning_rate, options)) {}

AdadeltaOptimizer::AdadeltaOptimizer(const Input& learning_rate, const AdadeltaOptions& options)
    : RuledOptimizer(options.name, options.use_locking,
                     std::make_unique<AdadeltaRule>(learning_rate, options)) {}

}  // namespace flowray::tf::train
