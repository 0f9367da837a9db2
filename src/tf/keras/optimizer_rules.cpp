// Rules of tf.keras that tf.train has otherwise, or not at all.
#include "tf/keras/optimizer_rules.h"

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/ops/reduce_ops.h>

#include <string_view>
#include <utility>

namespace flowray::tf::keras {
namespace {

/// Epsilon is added to the root, where tf.train has it below.
class RootOfSquares : public KerasRule {
 public:
  RootOfSquares(const std::string& name, const SquaresOptions& numbers)
      : KerasRule(name), numbers_(numbers) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      slot(variable, kSquares, constant_initializer(numbers_.first));
      if (numbers_.is_centered) slot(variable, "mg");
    }
  }
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    Tensor spread = kept(get_slot(variable, kSquares), square(gradient));
    if (numbers_.is_centered) spread = spread - square(kept(get_slot(variable, "mg"), gradient));
    return variable.assign_sub(gradient * rate(variable) / (sqrt(spread) + numbers_.epsilon)).op();
  }

 private:
  Tensor kept(const Variable& sum, const Tensor& now) const {
    const double decay = numbers_.decay;
    return sum.assign(numbers_.is_sum ? sum + now : sum * decay + now * (1 - decay));
  }

  SquaresOptions numbers_;
};

/// Momentum as tf.keras has it: what goes on is the last move, which a rate set later leaves as it is, while
/// tf.train's goes on with the sum of gradients. Moves as gradients of that op, at a rate of -1, do so.
class MomentumOfMoves : public KerasRule {
 public:
  MomentumOfMoves(double momentum, bool use_nesterov)
      : KerasRule("Momentum"), momentum_(momentum), use_nesterov_(use_nesterov) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) slot(variable, kSlot);
  }
  void prepare() override {
    KerasRule::prepare();
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
    return gradient * -rate(variable);
  }
  Operation update(const char* op, const Variable& variable, const std::vector<Tensor>& moves) const {
    std::vector<tf::Input> inputs = {variable, get_slot(variable, kSlot), cast_to(minus_one_, variable)};
    inputs.insert(inputs.end(), moves.begin(), moves.end());
    inputs.emplace_back(cast_to(momentum_now_, variable));
    return apply(op, std::move(inputs), {{"use_nesterov", use_nesterov_}});
  }

  double momentum_;
  bool use_nesterov_;
  Tensor momentum_now_;
  Tensor minus_one_;
};

/// The mean of squares with momentum, by the op, which adds epsilon below the root.
class MomentumOfRoots : public KerasRule {
 public:
  explicit MomentumOfRoots(const optimizers::RMSpropOptions& options)
      : KerasRule("RMSprop"), options_(options) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      for (const char* const name : {"rms", "momentum", "mg"})
        if (options_.centered || std::string_view(name) != "mg") slot(variable, name);
    }
  }
  void prepare() override {
    KerasRule::prepare();
    numbers_ = {hyperparameter(options_.rho, "rho"), hyperparameter(options_.momentum, "momentum"),
                hyperparameter(options_.epsilon, "epsilon")};
  }
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    return update("", variable, {gradient});
  }
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& /*gradient*/,
                         const Variable& variable) override {
    return update("Sparse", variable, {values, indices});
  }

 private:
  Operation update(const std::string& form, const Variable& variable,
                   const std::vector<Tensor>& gradient) const {
    std::vector<tf::Input> inputs = {variable};
    if (options_.centered) inputs.emplace_back(get_slot(variable, "mg"));
    inputs.emplace_back(get_slot(variable, "rms"));
    inputs.emplace_back(get_slot(variable, "momentum"));
    inputs.emplace_back(rate(variable));
    for (const Tensor& number : numbers_) inputs.emplace_back(cast_to(number, variable));
    inputs.insert(inputs.end(), gradient.begin(), gradient.end());
    const std::string op = form + "Apply" + (options_.centered ? "CenteredRMSProp" : "RMSProp");
    return apply(op.c_str(), std::move(inputs));
  }

  optimizers::RMSpropOptions options_;
  std::vector<Tensor> numbers_;
};

/// Those whose moves are made of means of gradients and of their squares, the slots "m" and "v". Of means
/// that begin at 0 the powers of the betas say what they lack.
class RuleOfMoments : public KerasRule {
 public:
  RuleOfMoments(const std::string& name, const MomentsOptions& options)
      : KerasRule(name), options_(options) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    for (const Variable& variable : variables) {
      for (const char* const name : {"m", "v"}) slot(variable, name);
    }
  }
  /// The number of this step, from 1 on.
  Tensor number_of_step() const { return numbers().iterations + 1.0; }
  /// What a mean that decays by `beta` has of a gradient that was always the same.
  Tensor part_of(double beta, const Variable& variable) const {
    return cast_to(1.0 - pow(constant(static_cast<float>(beta)), number_of_step()), variable);
  }
  Tensor mean(const Variable& variable, const Tensor& gradient) const {
    return decayed(get_slot(variable, "m"), options_.beta_1, gradient);
  }
  Tensor squares(const Variable& variable, const Tensor& gradient) const {
    return decayed(get_slot(variable, "v"), options_.beta_2, square(gradient));
  }
  static Tensor decayed(const Variable& kept, double beta, const Tensor& now) {
    return kept.assign(kept * number_of(beta, kept) + now * (1.0 - number_of(beta, kept)));
  }
  /// As tf.keras has it: a float32, cast to the variable's dtype.
  static Tensor number_of(double value, const Variable& variable) {
    return cast_to(constant(static_cast<float>(value)), variable);
  }
  /// Rows that a batch has, each once, among as many rows of 0 as the variable has others.
  static Tensor as_table(const Tensor& rows, const Tensor& indices, const Variable& variable) {
    return raw_ops::UnsortedSegmentSum(rows, indices, variable.shape().dim(0));
  }

  MomentsOptions options_;
};

/// Divides by the root of the greatest mean of squares that there was.
class GreatestSquares : public RuleOfMoments {
 public:
  explicit GreatestSquares(const MomentsOptions& options) : RuleOfMoments("Adam", options) {}

 protected:
  void create_slots(const std::vector<Variable>& variables) override {
    RuleOfMoments::create_slots(variables);
    for (const Variable& variable : variables) slot(variable, "vhat");
  }
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    const Tensor m = mean(variable, gradient);
    const Variable greatest = get_slot(variable, "vhat");
    const Tensor v = greatest.assign(maximum(greatest, squares(variable, gradient)));
    const Tensor step =
        rate(variable) * sqrt(part_of(options_.beta_2, variable)) / part_of(options_.beta_1, variable);
    return variable.assign_sub(step * m / (sqrt(v) + options_.epsilon)).op();
  }
};

/// The greatest size of a gradient in the place of the mean of squares.
class GreatestSizes : public RuleOfMoments {
 public:
  explicit GreatestSizes(const MomentsOptions& options) : RuleOfMoments("Adamax", options) {}

 protected:
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    return apply("ApplyAdaMax", {variable, get_slot(variable, "m"), get_slot(variable, "v"),
                                 1.0 - part_of(options_.beta_1, variable), rate(variable),
                                 number_of(options_.beta_1, variable), number_of(options_.beta_2, variable),
                                 number_of(options_.epsilon, variable), gradient});
  }
  /// Of the rows alone that the batch has.
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& /*gradient*/,
                         const Variable& variable) override {
    const auto changed = [&](const char* slot, const auto& next) {
      const Variable kept = get_slot(variable, slot);
      const Tensor before = gather(kept, indices);
      const Tensor now = next(before);
      return std::pair(now, kept.assign_add(as_table(now - before, indices, variable)).op());
    };
    const Tensor beta_1 = number_of(options_.beta_1, variable);
    const auto [m, m_kept] =
        changed("m", [&](const Tensor& before) { return before * beta_1 + values * (1.0 - beta_1); });
    const auto [v, v_kept] = changed("v", [&](const Tensor& before) {
      return maximum(before * number_of(options_.beta_2, variable), abs(values));
    });
    const Tensor moves = rate(variable) / part_of(options_.beta_1, variable) * m / (v + options_.epsilon);
    return group({variable.assign_sub(as_table(moves, indices, variable)).op(), m_kept, v_kept});
  }
};

/// With the gradient where the next move would go: the momentum of each step is beta_1 less what a schedule
/// takes from it, and the product of all of them until now is `momentum_cache`.
class MomentumAhead : public RuleOfMoments {
 public:
  MomentumAhead(const MomentsOptions& options, double schedule_decay)
      : RuleOfMoments("Nadam", options), schedule_decay_(schedule_decay) {}

 protected:
  void prepare() override {
    KerasRule::prepare();
    now_ = momentum_of(number_of_step());
    then_ = momentum_of(number_of_step() + 1.0);
    const Variable& cache = numbers().momentum_cache;
    product_ = cache.assign(cache * now_);
  }
  Operation apply_dense(const Tensor& gradient, const Variable& variable) override {
    return variable
        .assign_sub(move(gradient, mean(variable, gradient), squares(variable, gradient), variable))
        .op();
  }
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& /*gradient*/,
                         const Variable& variable) override {
    const Tensor table = as_table(values, indices, variable);
    const Tensor m = gather(mean(variable, table), indices);
    const Tensor v = gather(squares(variable, table), indices);
    return variable.assign_sub(as_table(move(values, m, v, variable), indices, variable)).op();
  }

 private:
  Tensor momentum_of(const Tensor& step) const {
    return constant(static_cast<float>(options_.beta_1)) *
           (1.0 - 0.5 * pow(constant(0.96f), static_cast<float>(schedule_decay_) * step));
  }
  Tensor move(const Tensor& gradient, const Tensor& m, const Tensor& v, const Variable& variable) const {
    const Tensor now = cast_to(now_, variable), then = cast_to(then_, variable);
    const Tensor product = cast_to(product_, variable);
    const Tensor ahead = (1.0 - now) * (gradient / (1.0 - product)) + then * (m / (1.0 - product * then));
    return rate(variable) * ahead / (sqrt(v / part_of(options_.beta_2, variable)) + options_.epsilon);
  }

  double schedule_decay_;
  Tensor now_, then_;  // of this step and of the next one
  Tensor product_;
};

}  // namespace

std::shared_ptr<KerasRule> root_of_squares(const std::string& name, const SquaresOptions& options) {
  return std::make_shared<RootOfSquares>(name, options);
}
std::shared_ptr<KerasRule> momentum_of_moves(double momentum, bool use_nesterov) {
  return std::make_shared<MomentumOfMoves>(momentum, use_nesterov);
}
std::shared_ptr<KerasRule> momentum_of_roots(const optimizers::RMSpropOptions& options) {
  return std::make_shared<MomentumOfRoots>(options);
}
std::shared_ptr<KerasRule> greatest_squares(const MomentsOptions& options) {
  return std::make_shared<GreatestSquares>(options);
}
std::shared_ptr<KerasRule> greatest_sizes(const MomentsOptions& options) {
  return std::make_shared<GreatestSizes>(options);
}
std::shared_ptr<KerasRule> momentum_ahead(const MomentsOptions& options, double schedule_decay) {
  return std::make_shared<MomentumAhead>(options, schedule_decay);
}

}  // namespace flowray::tf::keras
