#include "tf/keras/optimizers.h"

#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace flowray::tf::keras {
namespace {

/// Rules of tf.keras that tf.train has otherwise: epsilon is added to the root, not below it.
class RootOfSquares : public train::Optimizer {
 public:
  RootOfSquares(const std::string& name, tf::Input rate, double first, double decay, double epsilon)
      : Optimizer(name, /*use_locking=*/false),
        rate_(std::move(rate)),
        first_(first),
        decay_(decay),
        epsilon_(epsilon) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) slot(variable, kSlot, constant_initializer(first_));
  }
  void prepare() override {}
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    const Variable squares = get_slot(variable, kSlot);
    const Tensor square_now = square(gradient);
    const Tensor next = decay_ < 1 ? squares * decay_ + square_now * (1 - decay_) : squares + square_now;
    const Tensor kept = squares.assign(next);
    return variable.assign_sub(gradient * rate_ / (sqrt(kept) + epsilon_)).op();
  }

 private:
  static constexpr const char* kSlot = "accumulator";
  tf::Input rate_;
  double first_;  // of the squares
  double decay_;  // 1: they are summed up
  double epsilon_;
};

}  // namespace

OptimizerArgument optimizers::SGD(const SGDOptions& options) {
  if (options.momentum == 0 && !options.nesterov)
    return std::make_shared<train::GradientDescentOptimizer>(options.learning_rate);
  return std::make_shared<train::MomentumOptimizer>(options.learning_rate, options.momentum,
                                                    train::MomentumOptions{.use_nesterov = options.nesterov});
}

OptimizerArgument optimizers::Adam(const AdamOptions& options) {
  return std::make_shared<train::AdamOptimizer>(
      options.learning_rate,
      train::AdamOptions{.beta1 = options.beta_1, .beta2 = options.beta_2, .epsilon = options.epsilon});
}

OptimizerArgument optimizers::RMSprop(const RMSpropOptions& options) {
  return std::make_shared<RootOfSquares>("RMSprop", options.learning_rate, 0.0, options.rho, options.epsilon);
}

OptimizerArgument optimizers::Adagrad(const AdagradOptions& options) {
  return std::make_shared<RootOfSquares>("Adagrad", options.learning_rate, options.initial_accumulator_value,
                                         1.0, options.epsilon);
}

std::shared_ptr<train::Optimizer> optimizer_of(const OptimizerArgument& argument) {
  if (argument.optimizer() != nullptr) return argument.optimizer();
  const std::string& name = argument.name();
  const auto is = [&](std::string_view small, std::string_view proper) {
    return name == small || name == proper;
  };
  if (is("sgd", "SGD")) return optimizers::SGD().optimizer();
  if (is("adam", "Adam")) return optimizers::Adam().optimizer();
  if (is("rmsprop", "RMSprop")) return optimizers::RMSprop().optimizer();
  if (is("adagrad", "Adagrad")) return optimizers::Adagrad().optimizer();
  throw ValueError(
      fmt::format("Unknown optimizer: '{}'. Please ensure you are using a `keras.utils.custom_object_scope` "
                  "and that this object is "
                  "included in the scope.\nKnown are sgd, adam, rmsprop and adagrad; any "
                  "tf::train::Optimizer may be given instead.",
                  name));
}

}  // namespace flowray::tf::keras
