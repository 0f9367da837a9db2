#pragma once
/// What optimizers of tf.keras do to a variable, where tf.train has it otherwise.

#include <flowray/tf/keras/optimizers.h>

#include "tf/keras/rated_optimizer.h"

#include <memory>
#include <string>

namespace flowray::tf::keras {

/// The slot of root_of_squares().
inline constexpr const char* kSquares = "accumulator";

struct SquaresOptions {
  double first = 0;     // of the squares
  bool is_sum = false;  // of the squares, in place of their mean
  double decay = 0;     // of the mean
  double epsilon = 0;
  bool is_centered = false;  // without the square of the mean, which is the slot "mg"
};
/// RMSprop without momentum, and Adagrad.
std::shared_ptr<KerasRule> root_of_squares(const std::string& name, const SquaresOptions& options);
/// SGD with momentum; its slot is "momentum".
std::shared_ptr<KerasRule> momentum_of_moves(double momentum, bool use_nesterov);
/// RMSprop with momentum; its slots are "rms", "momentum" and "mg".
std::shared_ptr<KerasRule> momentum_of_roots(const optimizers::RMSpropOptions& options);

struct MomentsOptions {
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
};
// Their slots are "m" and "v"; they need StepNumbers::iterations.

/// Adam with amsgrad, which has the slot "vhat", too.
std::shared_ptr<KerasRule> greatest_squares(const MomentsOptions& options);
/// Adamax.
std::shared_ptr<KerasRule> greatest_sizes(const MomentsOptions& options);
/// Nadam, which needs StepNumbers::momentum_cache.
std::shared_ptr<KerasRule> momentum_ahead(const MomentsOptions& options, double schedule_decay);

}  // namespace flowray::tf::keras
