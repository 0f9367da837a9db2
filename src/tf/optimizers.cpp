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

}  // namespace flowray::tf::train
