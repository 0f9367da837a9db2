#pragma once
/// tf.train's learning rates that change with the number of steps.

#include <flowray/tf/input.h>
#include <flowray/tf/variable.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

struct DecayOptions {
  /// Changes only where decay_steps divide the number of steps.
  bool staircase = false;
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
  Input end_learning_rate = 0.0001;
  Input power = 1.0;
  /// Begins anew, with as many more steps, when decay_steps are over.
  bool cycle = false;
  std::string name = {};
};
/// (learning_rate - end) * (1 - min(global_step, decay_steps) / decay_steps) ^ power + end
Tensor polynomial_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                        const PolynomialDecayOptions& options = {});

/// values[0] up to boundaries[0], values[1] from there up to boundaries[1], ..., the last one behind the last
/// boundary. Throws ValueError unless there is one value more than boundaries.
Tensor piecewise_constant(const Input& x, const std::vector<Input>& boundaries,
                          const std::vector<Input>& values, const NameOption& options = {});

}  // namespace flowray::tf::train

#pragma GCC visibility pop
