#include <flowray/tf/train.h>

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/apply_op.h"
#include "tf/train/update_rule.h"

#include <fmt/format.h>

namespace flowray::tf::train {
namespace {

/// First value of a slot that TensorFlow makes outside of the slot's scope.
Tensor filled_beside(const Variable& variable, double value) {
  const ColocationGuard with = colocate_with(variable.op());
  return constant(value, {.dtype = base_dtype(variable.dtype()), .shape = variable.shape()});
}

// ---- AdagradDA

class AdagradDARule : public OpRule<AdagradDARule, AdagradDAOptions> {
 public:
  AdagradDARule(const Input& learning_rate, const Input& global_step, const AdagradDAOptions& options)
      : OpRule(learning_rate, options), global_step_(given_number(global_step, "global_step")) {
    check_positive(options.initial_gradient_squared_accumulator_value,
                   "initial_gradient_squared_accumulator_value");
  }

  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      const Tensor zero = filled_beside(variable, 0.0);
      const Tensor first = filled_beside(variable, options_.initial_gradient_squared_accumulator_value);
      slot(variable, "gradient_accumulator", zero);
      slot(variable, "gradient_squared_accumulator", first);
    }
  }
  void prepare() override {
    learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate");
    const ColocationGuard with = colocate_with(learning_rate_tensor_.op());
    const Tensor done = identity(global_step_);
    step_tensor_ = done + 1;
  }

 private:
  Operation update(const std::string& form, const Variable& variable,
                   const std::vector<Tensor>& gradient) override;

  Input global_step_;
  Tensor step_tensor_;
};

Operation AdagradDARule::update(const std::string& form, const Variable& variable,
                                const std::vector<Tensor>& gradient) {
  Tensor step;
  {
    const DeviceGuard there = device(variable.op().device());
    step = identity(step_tensor_);
  }
  const DType dtype = base_dtype(variable.dtype());
  const Tensor rate = cast_to(learning_rate_tensor_, variable);
  const Tensor l1 = cast(options_.l1_regularization_strength, dtype);
  const Tensor l2 = cast(options_.l2_regularization_strength, dtype);
  std::vector<Input> inputs = joined({variable, get_slot(variable, "gradient_accumulator"),
                                      get_slot(variable, "gradient_squared_accumulator")},
                                     gradient);
  return apply(form + "AdagradDA", joined(std::move(inputs), {rate, l1, l2, step}));
}

// ---- Ftrl

class FtrlRule : public OpRule<FtrlRule, FtrlOptions> {
 public:
  FtrlRule(const Input& learning_rate, const FtrlOptions& options) : OpRule(learning_rate, options) {
    const auto at_least_zero = [](double number, const char* name) {
      if (number < 0) throw ValueError(fmt::format("{} {:f} needs to be positive or zero", name, number));
    };
    at_least_zero(options.initial_accumulator_value, "initial_accumulator_value");
    if (options.learning_rate_power > 0) {
      throw ValueError(
          fmt::format("learning_rate_power {:f} needs to be negative or zero", options.learning_rate_power));
    }
    at_least_zero(options.l1_regularization_strength, "l1_regularization_strength");
    at_least_zero(options.l2_regularization_strength, "l2_regularization_strength");
    at_least_zero(options.l2_shrinkage_regularization_strength, "l2_shrinkage_regularization_strength");
  }

  void create_slots(const std::vector<Variable>& variables) override;
  void prepare() override;

 private:
  Operation update(const std::string& form, const Variable& variable,
                   const std::vector<Tensor>& gradient) override;

  Tensor l1_tensor_;
  Tensor l2_tensor_;
  Tensor shrinkage_tensor_;
  Tensor power_tensor_;
};

void FtrlRule::create_slots(const std::vector<Variable>& variables) {
  const double first = options_.initial_accumulator_value;
  const Initializer filled = Initializer::Function(
      [first](const TensorShape& shape, DType dtype) { return ones(shape, dtype) * first; });
  for (const Variable& variable : variables) {
    slot(variable, "accum", filled, options_.accum_name);
    slot(variable, "linear", zeros_initializer(), options_.linear_name);
  }
}

void FtrlRule::prepare() {
  learning_rate_tensor_ = hyperparameter(learning_rate_, "learning_rate");
  l1_tensor_ = hyperparameter(options_.l1_regularization_strength, "l1_regularization_strength");
  const Tensor rate = maximum(learning_rate_, 1e-36);
  const Tensor by_rate = options_.beta / (2.0 * rate);
  l2_tensor_ = options_.l2_regularization_strength + by_rate;
  hyperparameter(options_.beta, "beta");
  shrinkage_tensor_ =
      hyperparameter(options_.l2_shrinkage_regularization_strength, "l2_shrinkage_regularization_strength");
  power_tensor_ = hyperparameter(options_.learning_rate_power, "learning_rate_power");
}

Operation FtrlRule::update(const std::string& form, const Variable& variable,
                           const std::vector<Tensor>& gradient) {
  const bool shrinks = options_.l2_shrinkage_regularization_strength > 0;
  std::vector<Input> inputs =
      joined({variable, get_slot(variable, "accum"), get_slot(variable, "linear")}, gradient);
  std::vector<Tensor> numbers = {learning_rate_tensor_, l1_tensor_, l2_tensor_};
  if (shrinks) numbers.push_back(shrinkage_tensor_);
  numbers.push_back(power_tensor_);
  for (const Tensor& number : numbers) inputs.push_back(cast_to(number, variable));
  return apply(form + (shrinks ? "FtrlV2" : "Ftrl"), inputs);
}

// ---- the proximal ones, whose numbers stay in their own dtype, as in TensorFlow

template <class Rule, class Options>
class ProximalRule : public OpRule<Rule, Options> {
 public:
  using OpRule<Rule, Options>::OpRule;

  void prepare() override {
    const Options& options = this->options_;
    const Tensor rate = this->hyperparameter(this->learning_rate_, "learning_rate");
    const Tensor l1 = this->hyperparameter(options.l1_regularization_strength, "l1_regularization_strength");
    const Tensor l2 = this->hyperparameter(options.l2_regularization_strength, "l2_regularization_strength");
    numbers_ = {rate, l1, l2};
  }

 protected:
  std::vector<Tensor> numbers_;  // learning rate, l1, l2
};

class ProximalGradientDescentRule
    : public ProximalRule<ProximalGradientDescentRule, ProximalGradientDescentOptions> {
 public:
  using ProximalRule::ProximalRule;

  void create_slots(const std::vector<Variable>& /*variables*/) override {}

 private:
  Operation update(const std::string& form, const Variable& variable,
                   const std::vector<Tensor>& gradient) override {
    return apply(form + "ProximalGradientDescent", joined(joined({variable}, numbers_), gradient));
  }
};

class ProximalAdagradRule : public ProximalRule<ProximalAdagradRule, ProximalAdagradOptions> {
 public:
  ProximalAdagradRule(const Input& learning_rate, const ProximalAdagradOptions& options)
      : ProximalRule(learning_rate, options) {
    check_positive(options.initial_accumulator_value, "initial_accumulator_value");
  }

  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables)
      slot(variable, "accumulator", filled_beside(variable, options_.initial_accumulator_value));
  }

 private:
  Operation update(const std::string& form, const Variable& variable,
                   const std::vector<Tensor>& gradient) override {
    return apply(form + "ProximalAdagrad",
                 joined(joined({variable, get_slot(variable, "accumulator")}, numbers_), gradient));
  }
};

}  // namespace

AdagradDAOptimizer::AdagradDAOptimizer(const Input& learning_rate, const Input& global_step,
                                       const AdagradDAOptions& options)
    : RuledOptimizer(options.name, options.use_locking,
                     std::make_unique<AdagradDARule>(learning_rate, global_step, options)) {}

FtrlOptimizer::FtrlOptimizer(const Input& learning_rate, const FtrlOptions& options)
    : RuledOptimizer(options.name, options.use_locking, std::make_unique<FtrlRule>(learning_rate, options)) {}

ProximalGradientDescentOptimizer::ProximalGradientDescentOptimizer(
    const Input& learning_rate, const ProximalGradientDescentOptions& options)
    : RuledOptimizer(options.name, options.use_locking,
                     std::make_unique<ProximalGradientDescentRule>(learning_rate, options)) {}

ProximalAdagradOptimizer::ProximalAdagradOptimizer(const Input& learning_rate,
                                                   const ProximalAdagradOptions& options)
    : RuledOptimizer(options.name, options.use_locking,
                     std::make_unique<ProximalAdagradRule>(learning_rate, options)) {}

}  // namespace flowray::tf::train
