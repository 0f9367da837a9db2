#include <flowray/tf/train.h>

#include <flowray/tf/operators.h>

#include "tf/apply_op.h"

#include <algorithm>

namespace flowray::tf::train {

// ---- GradientDescent

GradientDescentOptimizer::GradientDescentOptimizer(const Input& learning_rate, const OptimizerOptions& options)
    : Optimizer(options.name.empty() ? "GradientDescent" : options.name, options.use_locking),
      learning_rate_(learning_rate) {}

void GradientDescentOptimizer::create_slots(const std::vector<Variable>&) {}

void GradientDescentOptimizer::prepare() { learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate"); }

Operation GradientDescentOptimizer::apply_dense(const Tensor& gradient, const Variable& variable) {
  return apply("ApplyGradientDescent", {variable, cast_to(learning_rate_tensor_, variable), gradient});
}

// ---- Momentum

MomentumOptimizer::MomentumOptimizer(const Input& learning_rate, const Input& momentum, const MomentumOptions& options)
    : Optimizer(options.name, options.use_locking),
      learning_rate_(learning_rate),
      momentum_(momentum),
      use_nesterov_(options.use_nesterov) {}

void MomentumOptimizer::create_slots(const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) slot(variable, "momentum");
}

void MomentumOptimizer::prepare() {
  learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate");
  momentum_tensor_ = hyperparameter(momentum_, "momentum");
}

Operation MomentumOptimizer::apply_dense(const Tensor& gradient, const Variable& variable) {
  return apply("ApplyMomentum",
               {variable, get_slot(variable, "momentum"), cast_to(learning_rate_tensor_, variable), gradient,
                cast_to(momentum_tensor_, variable)},
               {{"use_nesterov", use_nesterov_}});
}

// ---- Adam

AdamOptimizer::AdamOptimizer(const Input& learning_rate, const AdamOptions& options)
    : Optimizer(options.name, options.use_locking), learning_rate_(learning_rate), options_(options) {}

void AdamOptimizer::create_slots(const std::vector<Variable>& variables) {
  if (!beta1_power_) {
    // The powers stand with the first variable by name, so that any process makes the same graph.
    const Variable first = *std::min_element(variables.begin(), variables.end(), [](const Variable& a, const Variable& b) {
      return a.name() < b.name();
    });
    const ColocationGuard with = colocate_with(first.op());
    beta1_power_ = Variable(options_.beta1, {.trainable = false, .name = "beta1_power"});
    beta2_power_ = Variable(options_.beta2, {.trainable = false, .name = "beta2_power"});
  }
  for (const Variable& variable : variables) {
    slot(variable, "m");
    slot(variable, "v");
  }
}

void AdamOptimizer::prepare() {
  learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate");
  beta1_tensor_ = hyperparameter(options_.beta1, "beta1");
  beta2_tensor_ = hyperparameter(options_.beta2, "beta2");
  epsilon_tensor_ = hyperparameter(options_.epsilon, "epsilon");
}

Operation AdamOptimizer::apply_dense(const Tensor& gradient, const Variable& variable) {
  return apply("ApplyAdam", {variable, get_slot(variable, "m"), get_slot(variable, "v"),
                             cast_to(beta1_power_.value(), variable), cast_to(beta2_power_.value(), variable),
                             cast_to(learning_rate_tensor_, variable), cast_to(beta1_tensor_, variable),
                             cast_to(beta2_tensor_, variable), cast_to(epsilon_tensor_, variable), gradient});
}

Operation AdamOptimizer::finish(const std::vector<Operation>& updates, const std::string& name) {
  std::vector<Operation> all = updates;
  {
    const ControlDependenciesGuard wait =
        control_dependencies(std::vector<Dependency>(updates.begin(), updates.end()));
    const ColocationGuard with = colocate_with(beta1_power_.op());
    all.push_back(beta1_power_.assign(beta1_power_ * beta1_tensor_, use_locking()).op());
    all.push_back(beta2_power_.assign(beta2_power_ * beta2_tensor_, use_locking()).op());
  }
  return Optimizer::finish(all, name);
}

// ---- Adagrad

AdagradOptimizer::AdagradOptimizer(const Input& learning_rate, const AdagradOptions& options)
    : Optimizer(options.name, options.use_locking),
      learning_rate_(learning_rate),
      initial_accumulator_value_(options.initial_accumulator_value) {
  if (initial_accumulator_value_ <= 0) {
    throw ValueError("initial_accumulator_value must be positive: " + std::to_string(initial_accumulator_value_));
  }
}

void AdagradOptimizer::create_slots(const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    slot(variable, "accumulator", constant_initializer(initial_accumulator_value_));
  }
}

void AdagradOptimizer::prepare() { learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate"); }

Operation AdagradOptimizer::apply_dense(const Tensor& gradient, const Variable& variable) {
  return apply("ApplyAdagrad",
               {variable, get_slot(variable, "accumulator"), cast_to(learning_rate_tensor_, variable), gradient});
}

// ---- RMSProp

RMSPropOptimizer::RMSPropOptimizer(const Input& learning_rate, const RMSPropOptions& options)
    : Optimizer(options.name, options.use_locking), learning_rate_(learning_rate), options_(options) {}

void RMSPropOptimizer::create_slots(const std::vector<Variable>& variables) {
  for (const Variable& variable : variables) {
    slot(variable, "rms", ones_initializer());
    if (options_.centered) slot(variable, "mg");
    slot(variable, "momentum");
  }
}

void RMSPropOptimizer::prepare() {
  learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate");
  decay_tensor_ = hyperparameter(options_.decay, "decay");
  momentum_tensor_ = hyperparameter(options_.momentum, "momentum");
  epsilon_tensor_ = hyperparameter(options_.epsilon, "epsilon");
}

Operation RMSPropOptimizer::apply_dense(const Tensor& gradient, const Variable& variable) {
  const Tensor rate = cast_to(learning_rate_tensor_, variable);
  const Tensor decay = cast_to(decay_tensor_, variable);
  const Tensor momentum = cast_to(momentum_tensor_, variable);
  const Tensor epsilon = cast_to(epsilon_tensor_, variable);
  if (options_.centered) {
    return apply("ApplyCenteredRMSProp", {variable, get_slot(variable, "mg"), get_slot(variable, "rms"),
                                          get_slot(variable, "momentum"), rate, decay, momentum, epsilon, gradient});
  }
  return apply("ApplyRMSProp", {variable, get_slot(variable, "rms"), get_slot(variable, "momentum"), rate, decay, momentum,
                                epsilon, gradient});
}

}  // namespace flowray::tf::train
