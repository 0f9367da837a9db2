#pragma once
/// tf.keras.optimizers.schedules: learning rates that follow from the number of steps that an optimizer has
/// made.
///
///     namespace optimizers = tf::keras::optimizers;
///     optimizers::SGD({.learning_rate = optimizers::schedules::ExponentialDecay(0.1, 1000, 0.5)});

#include <flowray/tf/config.h>
#include <flowray/tf/input.h>
#include <flowray/tf/tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::keras::optimizers {

namespace schedules {

/// A rate as a function of the number of steps before: one of those below, or the program's own.
class LearningRateSchedule {
 public:
  /// Takes the number of steps as a scalar, int64 or float32, and gives the rate, a float32 scalar.
  using Function = std::function<Tensor(const Tensor& step)>;
  /// The program's own, which no file can hold. Throws TypeError for none.
  explicit LearningRateSchedule(Function function);
  /// One that files hold: `in_files`, {"class_name": ..., "config": ...}, is what they have of it.
  LearningRateSchedule(Function function, Config in_files);

  /// The rate behind so many steps.
  Tensor operator()(const tf::Input& step, tf::Input::Where where = tf::Input::Where::current()) const;
  /// What files have of it; null: nothing.
  const Config& get_config() const { return in_files_; }

 private:
  Function function_;
  Config in_files_;
};

struct DecayOptions {
  /// Whether the rate changes only where decay_steps divide the number of steps; true for a rate that falls
  /// once an epoch.
  bool staircase = false;
};
/// initial_learning_rate * decay_rate ^ (step / decay_steps)
LearningRateSchedule ExponentialDecay(double initial_learning_rate, int64_t decay_steps, double decay_rate,
                                      const DecayOptions& options = {});
/// initial_learning_rate / (1 + decay_rate * step / decay_steps)
LearningRateSchedule InverseTimeDecay(double initial_learning_rate, int64_t decay_steps, double decay_rate,
                                      const DecayOptions& options = {});

/// values[i] up to boundaries[i], that step included; the last one behind all of them. Throws ValueError
/// unless there is one value more than boundaries.
LearningRateSchedule PiecewiseConstantDecay(const std::vector<int64_t>& boundaries,
                                            const std::vector<double>& values);

struct PolynomialDecayOptions {
  /// The rate from decay_steps on.
  double end_learning_rate = 0.0001;
  /// 1: a straight line; more: it falls faster at first.
  double power = 1;
  /// Whether it begins anew behind decay_steps, for longer each time; false: the rate stays at its end.
  bool cycle = false;
};
/// (initial_learning_rate - end) * (1 - min(step, decay_steps) / decay_steps) ^ power + end
LearningRateSchedule PolynomialDecay(double initial_learning_rate, int64_t decay_steps,
                                     const PolynomialDecayOptions& options = {});

struct CosineDecayOptions {
  /// The last rate as a part of the first one.
  double alpha = 0;
  /// The rate at the end of a straight way up from the first one, before the wave begins; left out: there is
  /// none. Set it where the first steps of a training throw it off.
  std::optional<double> warmup_target = {};
  /// The steps of that way.
  int64_t warmup_steps = 0;
};
/// Half a wave of a cosine in decay_steps. Source: Loshchilov and Hutter, 2016.
LearningRateSchedule CosineDecay(double initial_learning_rate, int64_t decay_steps,
                                 const CosineDecayOptions& options = {});

struct CosineDecayRestartsOptions {
  /// How much longer than the one before each period is.
  double t_mul = 2;
  /// How much of a period's first rate is left at the beginning of the next.
  double m_mul = 1;
  /// The last rate as a part of the first one.
  double alpha = 0;
};
/// The same again and again, the first time in `first_decay_steps`.
LearningRateSchedule CosineDecayRestarts(double initial_learning_rate, int64_t first_decay_steps,
                                         const CosineDecayRestartsOptions& options = {});

}  // namespace schedules

/// The learning rate of an optimizer: a number, which the program and callbacks may set between steps, a
/// tensor or a variable that changes from step to step, or a schedule.
class LearningRate {
 public:
  template <InputLike T>
  LearningRate(const T& value, tf::Input::Where where = tf::Input::Where::current())  // NOLINT: implicit
      : value_(tf::Input(value, where)) {}
  LearningRate(schedules::LearningRateSchedule schedule)  // NOLINT: implicit, too
      : schedule_(std::move(schedule)) {}

  /// The number or tensor; 0 where it is a schedule.
  const tf::Input& value() const { return value_; }
  /// The schedule; none where it is a number or a tensor.
  const std::optional<schedules::LearningRateSchedule>& schedule() const { return schedule_; }

 private:
  tf::Input value_ = 0.0;
  std::optional<schedules::LearningRateSchedule> schedule_;
};

}  // namespace flowray::tf::keras::optimizers

#pragma GCC visibility pop
