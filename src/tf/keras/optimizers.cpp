#include "tf/keras/optimizers.h"

#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/keras/rated_optimizer.h"

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
  void prepare() override { rate_now_ = hyperparameter(rate_, "learning_rate"); }
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    const Variable squares = get_slot(variable, kSlot);
    const Tensor square_now = square(gradient);
    const Tensor next = decay_ < 1 ? squares * decay_ + square_now * (1 - decay_) : squares + square_now;
    const Tensor kept = squares.assign(next);
    return variable.assign_sub(gradient * cast_to(rate_now_, variable) / (sqrt(kept) + epsilon_)).op();
  }

 private:
  static constexpr const char* kSlot = "accumulator";
  tf::Input rate_;
  Tensor rate_now_;
  double first_;  // of the squares
  double decay_;  // 1: they are summed up
  double epsilon_;
};

/// Momentum as tf.keras has it: what goes on is the last move, which a rate set later leaves as it is, while
/// tf.train's goes on with the sum of gradients. Moves as gradients of that op, at a rate of -1, do so.
class MomentumOfMoves : public train::Optimizer {
 public:
  MomentumOfMoves(tf::Input rate, double momentum, bool use_nesterov)
      : Optimizer("Momentum", /*use_locking=*/false),
        rate_(std::move(rate)),
        momentum_(momentum),
        use_nesterov_(use_nesterov) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) slot(variable, kSlot);
  }
  void prepare() override {
    rate_now_ = hyperparameter(rate_, "learning_rate");
    momentum_now_ = hyperparameter(momentum_, "momentum");
    minus_one_ = hyperparameter(-1.0, "minus_one");
  }
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    return update("ApplyMomentum", variable, {move_of(gradient, variable)});
  }
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& /*gradient*/,
                         const Variable& variable) override {
    return update("SparseApplyMomentum", variable, {move_of(values, variable), indices});
  }

 private:
  static constexpr const char* kSlot = "momentum";
  Tensor move_of(const Tensor& gradient, const Variable& variable) const {
    return gradient * -cast_to(rate_now_, variable);
  }
  Operation update(const char* op, const Variable& variable, const std::vector<Tensor>& moves) const {
    std::vector<tf::Input> inputs = {variable, get_slot(variable, kSlot), cast_to(minus_one_, variable)};
    inputs.insert(inputs.end(), moves.begin(), moves.end());
    inputs.emplace_back(cast_to(momentum_now_, variable));
    return apply(op, std::move(inputs), {{"use_nesterov", use_nesterov_}});
  }

  tf::Input rate_;
  double momentum_;
  bool use_nesterov_;
  Tensor rate_now_;
  Tensor momentum_now_;
  Tensor minus_one_;
};

}  // namespace

OptimizerArgument optimizers::SGD(const SGDOptions& options) {
  return std::make_shared<RatedOptimizer>(
      "SGD", options.learning_rate,
      [momentum = options.momentum,
       nesterov = options.nesterov](const tf::Input& rate) -> std::shared_ptr<train::Optimizer> {
        if (momentum == 0 && !nesterov) return std::make_shared<train::GradientDescentOptimizer>(rate);
        return std::make_shared<MomentumOfMoves>(rate, momentum, nesterov);
      });
}

OptimizerArgument optimizers::Adam(const AdamOptions& options) {
  const train::AdamOptions rule{.beta1 = options.beta_1, .beta2 = options.beta_2, .epsilon = options.epsilon};
  return std::make_shared<RatedOptimizer>("Adam", options.learning_rate, [rule](const tf::Input& rate) {
    return std::make_shared<train::AdamOptimizer>(rate, rule);
  });
}

OptimizerArgument optimizers::RMSprop(const RMSpropOptions& options) {
  return std::make_shared<RatedOptimizer>(
      "RMSprop", options.learning_rate,
      [rho = options.rho, epsilon = options.epsilon](const tf::Input& rate) {
        return std::make_shared<RootOfSquares>("RMSprop", rate, 0.0, rho, epsilon);
      });
}

OptimizerArgument optimizers::Adagrad(const AdagradOptions& options) {
  return std::make_shared<RatedOptimizer>(
      "Adagrad", options.learning_rate,
      [first = options.initial_accumulator_value, epsilon = options.epsilon](const tf::Input& rate) {
        return std::make_shared<RootOfSquares>("Adagrad", rate, first, 1.0, epsilon);
      });
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
