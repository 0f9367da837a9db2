#pragma once
/// tf.train.ExponentialMovingAverage: averages of variables, or tensors, over the steps of training.

#include <flowray/tf/gradients.h>
#include <flowray/tf/variable.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

struct ExponentialMovingAverageOptions {
  /// How many updates there were: the decay is then at most (1 + num_updates) / (10 + num_updates).
  OptionalInput num_updates = {};
  /// Whether averages of tensors, which begin at 0, are divided by what they lack.
  bool zero_debias = false;
  std::string name = "ExponentialMovingAverage";
};

/// What an average is of: a Variable or a Tensor.
class Averaged {
 public:
  Averaged(const Variable& variable)
      : variable_(variable), tensor_(variable.ref()) {}  // NOLINT: implicit, as the next
  Averaged(const Tensor& tensor) : tensor_(tensor) {}    // NOLINT
  const Variable& variable() const { return variable_; }
  /// Of a variable: its reference.
  const Tensor& tensor() const { return tensor_; }

 private:
  Variable variable_;
  Tensor tensor_;
};

/// Each variable has a shadow, a variable "VARIABLE/ExponentialMovingAverage", which an update moves towards
/// it: shadow -= (1 - decay) * (shadow - variable). A shadow begins with its variable's value.
class ExponentialMovingAverage {
 public:
  explicit ExponentialMovingAverage(const Input& decay, const ExponentialMovingAverageOptions& options = {});

  const std::string& name() const { return options_.name; }

  /// The operation that updates the shadows of `var_list`, or of all trainable variables; those that have
  /// none get one. Throws TypeError for what is no float.
  Operation apply(Input::Where where = Input::Where::current());
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
