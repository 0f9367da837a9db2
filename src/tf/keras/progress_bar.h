#pragma once
/// The progress of an epoch as tf.keras prints it.

#include <flowray/tf/keras/models.h>

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace flowray::tf::keras {

class ProgressBar {
 public:
  using Write = std::function<void(const std::string&)>;
  /// A bar of `target` elements or steps, as `unit` says ("sample", "step"); of how many may not be known.
  ProgressBar(std::optional<int64_t> target, const char* unit, Write write)
      : target_(target), unit_(unit), write_(std::move(write)) {}

  /// Tells that `done` of them are done. Writes at most every 50 ms.
  void update(int64_t done, const Logs& logs);
  /// The same of the last ones: writes always.
  void finish(int64_t done, const Logs& logs);

 private:
  using Clock = std::chrono::steady_clock;
  void write(int64_t done, const Logs& logs, bool is_last);
  std::string bar(int64_t done) const;
  std::string time_left(int64_t done, double seconds) const;

  std::optional<int64_t> target_;
  const char* unit_;
  Write write_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = {};
  size_t width_ = 0;  // of what was written last
};

/// "20us/sample", what one of `count` took.
std::string time_of_one(double seconds, int64_t count, const char* unit);
/// " - loss: 0.1234 - acc: 5.0000e-04"
std::string text_of(const Logs& logs);

}  // namespace flowray::tf::keras
