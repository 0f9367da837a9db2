#pragma once
/// What an optimizer of the library does to a variable: the private half of RuledOptimizer.

#include <flowray/tf/train.h>

#include "tf/build/unset.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::tf::train {

/// A number that an optimizer is made with, which must not stand for none.
inline const Input& given_number(const Input& number, std::string_view argument) {
  check_set(number, argument);
  return number;
}
/// Throws ValueError "NAME must be positive: 0.0".
void check_positive(double number, std::string_view name);
/// Throws ValueError for a variable that stands for none.
void check_variables_set(const std::vector<GradientAndVariable>& grads_and_vars);

/// The hooks of Optimizer, which says what they are. A rule keeps the tensors of its hyperparameters.
class UpdateRule {
 public:
  virtual ~UpdateRule() = default;
  virtual std::unique_ptr<UpdateRule> clone() const = 0;
  /// Whose slots and names it uses.
  void speak_for(RuledOptimizer& optimizer) { optimizer_ = &optimizer; }

  virtual void create_slots(const std::vector<Variable>& variables) = 0;
  virtual void prepare() = 0;
  virtual Operation apply_dense(const Tensor& gradient, const Variable& variable) = 0;
  virtual Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& gradient,
                                 const Variable& variable) {
    return optimizer_->Optimizer::apply_sparse(values, indices, gradient, variable);
  }
  virtual Operation apply_sparse_duplicates(const Tensor& values, const Tensor& indices,
                                            const Tensor& gradient, const Variable& variable) {
    return optimizer_->Optimizer::apply_sparse_duplicates(values, indices, gradient, variable);
  }
  virtual Operation finish(const std::vector<Operation>& updates, const std::string& name) {
    return optimizer_->Optimizer::finish(updates, name);
  }
  /// The variables that it keeps and that belong to none of those it changes, by name: Adam's "beta1_power".
  virtual std::map<std::string, Variable> own_variables() const { return {}; }
  /// The same of an optimizer of the library's; none of a program's own.
  static std::map<std::string, Variable> own_variables_of(const Optimizer& optimizer);
  /// What the steps that are made from now on go by.
  virtual void set_learning_rate(const Input& learning_rate);
  /// The same of an optimizer of the library's.
  static void set_learning_rate_of(Optimizer& optimizer, const Input& learning_rate);

 protected:
  Variable slot(const Variable& variable, const std::string& slot_name,
                const Initializer& initializer = zeros_initializer(), const std::string& owner = {}) {
    return optimizer_->slot(variable, slot_name, initializer, owner);
  }
  Variable get_slot(const Variable& variable, const std::string& name) const {
    return optimizer_->get_slot(variable, name);
  }
  Tensor hyperparameter(const Input& value, const std::string& name) const {
    return optimizer_->hyperparameter(value, name);
  }
  static Tensor cast_to(const Tensor& value, const Variable& variable) {
    return RuledOptimizer::cast_to(value, variable);
  }
  Operation apply(const std::string& op, std::vector<Input> arguments,
                  std::vector<std::pair<std::string, bool>> flags = {}) const {
    return optimizer_->apply(op.c_str(), std::move(arguments), std::move(flags));
  }
  bool use_locking() const { return optimizer_->use_locking(); }

 private:
  RuledOptimizer* optimizer_ = nullptr;
};

/// A rule that copies itself.
template <class Rule>
class CopiedRule : public UpdateRule {
 public:
  std::unique_ptr<UpdateRule> clone() const override {
    return std::make_unique<Rule>(static_cast<const Rule&>(*this));
  }
};

/// A rule that is an op, with a learning rate: "Apply" and its name for a gradient, "SparseApply" and its
/// name for rows of one.
template <class Rule, class Options>
class OpRule : public CopiedRule<Rule> {
 public:
  OpRule(const Input& learning_rate, const Options& options)
      : learning_rate_(given_number(learning_rate, "learning_rate")), options_(options) {}

  Operation apply_dense(const Tensor& gradient, const Variable& variable) final {
    return update("Apply", variable, {gradient});
  }
  Operation apply_sparse(const Tensor& values, const Tensor& indices, const Tensor& /*gradient*/,
                         const Variable& variable) final {
    return update("SparseApply", variable, {values, indices});
  }
  void set_learning_rate(const Input& learning_rate) final { learning_rate_ = learning_rate; }

 protected:
  /// `form` is what the op's name begins with, `gradient` what it takes of the gradient.
  virtual Operation update(const std::string& form, const Variable& variable,
                           const std::vector<Tensor>& gradient) = 0;

  static std::vector<Input> joined(std::vector<Input> first, const std::vector<Tensor>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }

  Input learning_rate_;
  Options options_;
  Tensor learning_rate_tensor_;  // a rule's prepare() makes it
};

}  // namespace flowray::tf::train
