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

// ---- along a cosine, from the first rate at 0 steps to the last one at decay_steps

struct CosineDecayOptions {
  /// The last rate as a part of the first one.
  double alpha = 0.0;
  std::string name = {};
};
/// learning_rate * ((1 - alpha) * (1 + cos(pi * part)) / 2 + alpha), part = min(global_step, decay_steps) /
/// decay_steps. Source: Loshchilov, Hutter, 2017.
Tensor cosine_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                    const CosineDecayOptions& options = {});

struct CosineDecayRestartsOptions {
  /// How much longer than the one before, and how much smaller, each period is.
  Input t_mul = 2.0;
  Input m_mul = 1.0;
  Input alpha = 0.0;
  std::string name = {};
};
/// The same, begun anew after `first_decay_steps` and after each further period.
Tensor cosine_decay_restarts(const Input& learning_rate, const Input& global_step,
                             const Input& first_decay_steps, const CosineDecayRestartsOptions& options = {});

struct LinearCosineDecayOptions {
  /// Waves until the end: a half is from the top to the bottom.
  Input num_periods = 0.5;
  Input alpha = 0.0;
  Input beta = 0.001;
  std::string name = {};
};
/// learning_rate * ((alpha + 1 - part) * (1 + cos(2 * pi * num_periods * part)) / 2 + beta). Source: Bello et
/// al., 2017.
Tensor linear_cosine_decay(const Input& learning_rate, const Input& global_step, const Input& decay_steps,
                           const LinearCosineDecayOptions& options = {});

struct NoisyLinearCosineDecayOptions {
  /// The noise is normal, of variance initial_variance / (1 + global_step) ^ variance_decay.
  Input initial_variance = 1.0;
  Input variance_decay = 0.55;
  Input num_periods = 0.5;
  Input alpha = 0.0;
  Input beta = 0.001;
  std::string name = {};
};
/// The same with noise added to 1 - part.
Tensor noisy_linear_cosine_decay(const Input& learning_rate, const Input& global_step,
                                 const Input& decay_steps, const NoisyLinearCosineDecayOptions& options = {});

}  // namespace flowray::tf::train

#pragma GCC visibility pop
