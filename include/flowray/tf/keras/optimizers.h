#pragma once
/// tf.keras.optimizers: rules with tf.keras' rates and epsilons.
/// Those of tf::train go into compile() as well.

#include <flowray/tf/keras/learning_rate_schedules.h>
#include <flowray/tf/train.h>

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::tf::keras {

/// An optimizer: by its name ("sgd", "rmsprop", "adam", "adamax", "nadam", "adagrad", "adadelta", "ftrl",
/// with the rates of tf.keras), or one of tf::train.
class OptimizerArgument {
 public:
  OptimizerArgument() = default;
  OptimizerArgument(const char* name) : name_(name) {}  // NOLINT: implicit, all of these
  OptimizerArgument(std::string name) : name_(std::move(name)) {}
  template <std::derived_from<train::Optimizer> T>
  OptimizerArgument(std::shared_ptr<T> optimizer) : optimizer_(std::move(optimizer)) {}
  template <std::derived_from<train::Optimizer> T>
  OptimizerArgument(const T& optimizer) : optimizer_(std::make_shared<T>(optimizer)) {}

  /// The name; empty where it is an optimizer.
  const std::string& name() const { return name_; }
  /// The optimizer; null where it is a name.
  const std::shared_ptr<train::Optimizer>& optimizer() const { return optimizer_; }

 private:
  std::string name_;
  std::shared_ptr<train::Optimizer> optimizer_;
};

namespace optimizers {

struct SGDOptions {
  /// What moves are multiplied by: a number, a tensor that changes from step to step, or a schedule. The
  /// first option to try: smaller where the loss jumps, greater where it hardly falls.
  LearningRate learning_rate = 0.01;
  /// How much of the last move is left in the next, from 0 to 1.
  double momentum = 0;
  /// Whether the gradient is taken where the next move would go; true with a momentum, where it overshoots;
  /// without one it changes nothing.
  bool nesterov = false;
  /// Gradients whose norm is greater are shortened to it, each by itself; left out: they are not. Set it,
  /// to 1 for a start, where single batches throw the training off.
  std::optional<double> clipnorm = {};
  /// Elements of gradients beyond -clipvalue and clipvalue become these; left out: they do not.
  std::optional<double> clipvalue = {};
  /// The rate of a step is divided by 1 + decay * the number of steps before it; at least 0.
  double decay = 0;
};
/// variable -= learning_rate * gradient, with momentum if it is asked for.
OptimizerArgument SGD(const SGDOptions& options = {});

struct AdamOptions {
  /// What moves are multiplied by: a number, a tensor that changes from step to step, or a schedule. The
  /// first option to try: smaller where the loss jumps, greater where it hardly falls.
  LearningRate learning_rate = 0.001;
  /// How much of the means of gradients and of their squares is left after a step.
  double beta_1 = 0.9;
  /// The same of their squares.
  double beta_2 = 0.999;
  /// Added to the root that a move is divided by; above 0.
  /// More makes moves smaller where gradients are small.
  double epsilon = 1e-7;
  /// Whether the greatest mean of squares that there was takes the place of the mean: moves do not grow again
  /// where gradients become small. Source: Reddi et al., 2018.
  bool amsgrad = false;
  /// Gradients whose norm is greater are shortened to it, each by itself; left out: they are not. Set it,
  /// to 1 for a start, where single batches throw the training off.
  std::optional<double> clipnorm = {};
  /// Elements of gradients beyond -clipvalue and clipvalue become these; left out: they do not.
  std::optional<double> clipvalue = {};
  /// The rate of a step is divided by 1 + decay * the number of steps before it; at least 0.
  double decay = 0;
};
/// Source: Kingma and Ba, 2014.
OptimizerArgument Adam(const AdamOptions& options = {});

struct AdamaxOptions {
  /// What moves are multiplied by: a number, a tensor that changes from step to step, or a schedule. The
  /// first option to try: smaller where the loss jumps, greater where it hardly falls.
  LearningRate learning_rate = 0.001;
  /// How much of the mean of gradients is left after a step.
  double beta_1 = 0.9;
  /// How much of the greatest size of a gradient is left after a step.
  double beta_2 = 0.999;
  /// Added to what a move is divided by; above 0.
  double epsilon = 1e-7;
  /// Gradients whose norm is greater are shortened to it, each by itself; left out: they are not. Set it,
  /// to 1 for a start, where single batches throw the training off.
  std::optional<double> clipnorm = {};
  /// Elements of gradients beyond -clipvalue and clipvalue become these; left out: they do not.
  std::optional<double> clipvalue = {};
  /// The rate of a step is divided by 1 + decay * the number of steps before it; at least 0.
  double decay = 0;
};
/// Adam with the greatest size of a gradient in the place of the mean of squares. Source: Kingma and Ba,
/// 2014, section 7.
OptimizerArgument Adamax(const AdamaxOptions& options = {});

struct NadamOptions {
  /// What moves are multiplied by: a number, or a tensor that changes from step to step. The first option to
  /// try: smaller where the loss jumps, greater where it hardly falls. Of schedules ValueError is thrown.
  LearningRate learning_rate = 0.001;
  /// How much of the mean of gradients is left after a step, in the end.
  double beta_1 = 0.9;
  /// How much of the mean of squares is left after a step.
  double beta_2 = 0.999;
  /// Added to the root that a move is divided by; above 0.
  double epsilon = 1e-7;
  /// Gradients whose norm is greater are shortened to it, each by itself; left out: they are not. Set it,
  /// to 1 for a start, where single batches throw the training off.
  std::optional<double> clipnorm = {};
  /// Elements of gradients beyond -clipvalue and clipvalue become these; left out: they do not.
  std::optional<double> clipvalue = {};
  /// How fast the momentum of the first steps grows to beta_1; at least 0. What files call `decay`.
  double schedule_decay = 0.004;
};
/// Adam with the gradient where the next move would go. Source: Dozat, 2016.
OptimizerArgument Nadam(const NadamOptions& options = {});

struct RMSpropOptions {
  /// What moves are multiplied by: a number, a tensor that changes from step to step, or a schedule. The
  /// first option to try: smaller where the loss jumps, greater where it hardly falls.
  LearningRate learning_rate = 0.001;
  /// How much of the mean of squares is left after a step.
  double rho = 0.9;
  /// Added to the root that a move is divided by; above 0.
  double epsilon = 1e-7;
  /// How much of the last move is left in the next, from 0 to 1. With one, epsilon is added below the root.
  double momentum = 0;
  /// Whether the square of the mean gradient is taken from the mean of squares; true makes moves greater
  /// where gradients agree, and takes a third more memory.
  bool centered = false;
  /// Gradients whose norm is greater are shortened to it, each by itself; left out: they are not. Set it,
  /// to 1 for a start, where single batches throw the training off.
  std::optional<double> clipnorm = {};
  /// Elements of gradients beyond -clipvalue and clipvalue become these; left out: they do not.
  std::optional<double> clipvalue = {};
  /// The rate of a step is divided by 1 + decay * the number of steps before it; at least 0.
  double decay = 0;
};
/// variable -= learning_rate * gradient / (sqrt(mean of squares) + epsilon): epsilon is added to the root,
/// where tf::train::RMSPropOptimizer has it below.
OptimizerArgument RMSprop(const RMSpropOptions& options = {});

struct AdagradOptions {
  /// What moves are multiplied by: a number, a tensor that changes from step to step, or a schedule. The
  /// first option to try: smaller where the loss jumps, greater where it hardly falls.
  LearningRate learning_rate = 0.001;
  /// The first sum of squares, at least 0: a greater one makes the first moves smaller.
  double initial_accumulator_value = 0.1;
  /// Added to the root that a move is divided by; above 0.
  double epsilon = 1e-7;
  /// Gradients whose norm is greater are shortened to it, each by itself; left out: they are not. Set it,
  /// to 1 for a start, where single batches throw the training off.
  std::optional<double> clipnorm = {};
  /// Elements of gradients beyond -clipvalue and clipvalue become these; left out: they do not.
  std::optional<double> clipvalue = {};
  /// The rate of a step is divided by 1 + decay * the number of steps before it; at least 0.
  double decay = 0;
};
/// The same with the sum of squares. Source: Duchi et al., 2011.
OptimizerArgument Adagrad(const AdagradOptions& options = {});

struct AdadeltaOptions {
  /// What moves are multiplied by: a number, a tensor that changes from step to step, or a schedule. The
  /// paper has 1.
  LearningRate learning_rate = 0.001;
  /// How much of the means of squares is left after a step, from 0 to 1.
  double rho = 0.95;
  /// Added to both means of squares below their roots; above 0.
  double epsilon = 1e-7;
  /// Gradients whose norm is greater are shortened to it, each by itself; left out: they are not. Set it,
  /// to 1 for a start, where single batches throw the training off.
  std::optional<double> clipnorm = {};
  /// Elements of gradients beyond -clipvalue and clipvalue become these; left out: they do not.
  std::optional<double> clipvalue = {};
  /// The rate of a step is divided by 1 + decay * the number of steps before it; at least 0.
  double decay = 0;
};
/// Moves of the size of those before them. Source: Zeiler, 2012.
OptimizerArgument Adadelta(const AdadeltaOptions& options = {});

struct FtrlOptions {
  /// What moves are multiplied by: a number, a tensor that changes from step to step, or a schedule. The
  /// first option to try: smaller where the loss jumps, greater where it hardly falls.
  LearningRate learning_rate = 0.001;
  /// How the rate falls, not above 0; 0: not at all.
  double learning_rate_power = -0.5;
  /// The first sum of squares, at least 0: a greater one makes the first moves smaller.
  double initial_accumulator_value = 0.1;
  /// How strongly weights are drawn to 0 by their size; at least 0. More makes more of them exactly 0.
  double l1_regularization_strength = 0;
  /// How strongly weights are drawn to 0 by their square; at least 0.
  double l2_regularization_strength = 0;
  /// A penalty on the weights' size, beside l2's on their change; at least 0.
  double l2_shrinkage_regularization_strength = 0;
  /// Added to l2_regularization_strength as beta / (2 * learning_rate).
  double beta = 0;
  /// Gradients whose norm is greater are shortened to it, each by itself; left out: they are not. Set it,
  /// to 1 for a start, where single batches throw the training off.
  std::optional<double> clipnorm = {};
  /// Elements of gradients beyond -clipvalue and clipvalue become these; left out: they do not.
  std::optional<double> clipvalue = {};
  /// The rate of a step is divided by 1 + decay * the number of steps before it; at least 0.
  double decay = 0;
};
/// Follow the regularized leader, for models whose weights are mostly 0. Source: McMahan et al., 2013.
OptimizerArgument Ftrl(const FtrlOptions& options = {});

}  // namespace optimizers
}  // namespace flowray::tf::keras

#pragma GCC visibility pop
