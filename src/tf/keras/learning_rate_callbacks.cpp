#include <flowray/tf/keras/callbacks.h>

#include "tf/keras/watched_numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <utility>

namespace flowray::tf::keras::callbacks {

// ---- LearningRateScheduler

LearningRateScheduler::LearningRateScheduler(Schedule schedule, const LearningRateSchedulerOptions& options)
    : schedule_(std::move(schedule)), options_(options) {
  if (schedule_ == nullptr)
    throw ValueError("The argument 'schedule' is a function without a function in it.");
}

void LearningRateScheduler::on_epoch_begin(int64_t epoch) {
  const double rate = schedule_(epoch, model().learning_rate());
  model().set_learning_rate(rate);
  if (options_.verbose > 0)
    say(fmt::format("\nEpoch {}: LearningRateScheduler setting learning rate to {}.", epoch + 1,
                    python_text(rate)));
}

void LearningRateScheduler::on_epoch_end(int64_t /*epoch*/, const Logs& /*logs*/) {
  add_to_logs("lr", model().learning_rate());
}

// ---- ReduceLROnPlateau

ReduceLROnPlateau::ReduceLROnPlateau(ReduceLROnPlateauOptions options)
    : options_(std::move(options)),
      greater_is_better_(greater_is_better("Learning rate reduction", options_.mode,
                                           options_.monitor.find("acc") != std::string::npos)) {
  if (!(options_.factor < 1)) {
    throw ValueError(fmt::format("ReduceLROnPlateau does not support a factor >= 1.0. Got {}",
                                 python_text(options_.factor)));
  }
}

void ReduceLROnPlateau::on_train_begin() {
  best_ = std::numeric_limits<double>::infinity() * (greater_is_better_ ? -1 : 1);
  wait_ = cooldown_left_ = 0;
}

void ReduceLROnPlateau::on_epoch_end(int64_t epoch, const Logs& logs) {
  const double rate = model().learning_rate();
  add_to_logs("lr", rate);
  const double* const value = options_.monitor == "lr" ? &rate : value_of(logs, options_.monitor);
  if (value == nullptr) {
    std::vector<std::string> names = names_of(logs);
    if (value_of(logs, "lr") == nullptr) names.emplace_back("lr");
    warn(
        fmt::format("Learning rate reduction is conditioned on metric `{}` which is not available. Available "
                    "metrics are: {}",
                    options_.monitor, fmt::join(names, ",")));
    return;
  }
  if (cooldown_left_ > 0) {
    --cooldown_left_;
    wait_ = 0;
  }
  if (greater_is_better_ ? *value > best_ + options_.min_delta : *value < best_ - options_.min_delta) {
    best_ = *value;
    wait_ = 0;
  } else if (cooldown_left_ == 0 && ++wait_ >= options_.patience) {
    reduce(epoch, static_cast<float>(rate));
  }
}

void ReduceLROnPlateau::reduce(int64_t epoch, float rate) {
  const auto least = static_cast<float>(options_.min_lr);
  if (rate <= least) return;
  const float smaller = rate * static_cast<float>(options_.factor);
  const double next = smaller < least ? options_.min_lr : smaller;
  model().set_learning_rate(next);
  if (options_.verbose > 0)
    say(fmt::format("\nEpoch {}: ReduceLROnPlateau reducing learning rate to {}.", epoch + 1,
                    python_text(next)));
  cooldown_left_ = options_.cooldown;
  wait_ = 0;
}

}  // namespace flowray::tf::keras::callbacks
