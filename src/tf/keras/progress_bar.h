#pragma once
/// The progress of an epoch as tf.keras prints it.

#include <flowray/tf/keras/models.h>

#include <chrono>
#include <functional>
#include <string>

namespace flowray::tf::keras {

class ProgressBar {
 public:
  using Write = std::function<void(const std::string&)>;
  /// A bar of `target` elements.
  ProgressBar(int64_t target, Write write) : target_(target), write_(std::move(write)) {}

  /// Tells that `done` elements are done. Writes at most every 50 ms; with `is_last` always.
  void update(int64_t done, const Logs& logs, bool is_last);

 private:
  using Clock = std::chrono::steady_clock;
  std::string bar(int64_t done) const;
  std::string time_left(int64_t done, double seconds) const;

  int64_t target_;
  Write write_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = {};
  size_t width_ = 0;  // of what was written last
};

/// " - 1s 20us/sample", how long `count` elements took.
std::string time_of(double seconds, int64_t count);
/// " - loss: 0.1234 - acc: 5.0000e-04"
std::string text_of(const Logs& logs);

}  // namespace flowray::tf::keras
