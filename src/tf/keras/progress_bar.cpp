#include "tf/keras/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace flowray::tf::keras {

std::string time_of_one(double seconds, int64_t count, const char* unit) {
  const double each = seconds / static_cast<double>(std::max<int64_t>(count, 1));
  if (each >= 1 || each == 0) return fmt::format("{:.0f}s/{}", each, unit);
  if (each >= 1e-3) return fmt::format("{:.0f}ms/{}", each * 1e3, unit);
  return fmt::format("{:.0f}us/{}", each * 1e6, unit);
}

std::string text_of(const Logs& logs) {
  std::string text;
  for (const auto& [name, value] : logs)
    text += std::fabs(value) > 1e-3 ? fmt::format(" - {}: {:.4f}", name, value)
                                    : fmt::format(" - {}: {:.4e}", name, value);
  return text;
}

std::string ProgressBar::bar(int64_t done) const {
  if (!target_.has_value()) return fmt::format("{:7}/Unknown", done);
  constexpr int64_t kWidth = 30;
  const int64_t target = *target_;
  const size_t digits = std::to_string(target).size();
  std::string text = fmt::format("{:>{}}/{} [", done, digits, target);
  const auto filled = static_cast<int64_t>(static_cast<double>(kWidth) * static_cast<double>(done) /
                                           static_cast<double>(std::max<int64_t>(target, 1)));
  if (filled > 0) text += std::string(static_cast<size_t>(filled - 1), '=') + (done < target ? '>' : '=');
  return text + std::string(static_cast<size_t>(std::max<int64_t>(kWidth - filled, 0)), '.') + "]";
}

std::string ProgressBar::time_left(int64_t done, double seconds) const {
  const double each = done > 0 ? seconds / static_cast<double>(done) : 0;
  const auto left = static_cast<int64_t>(std::min(each * static_cast<double>(*target_ - done), 1e15));
  if (left > 3600) return fmt::format(" - ETA: {}:{:02}:{:02}", left / 3600, left % 3600 / 60, left % 60);
  if (left > 60) return fmt::format(" - ETA: {}:{:02}", left / 60, left % 60);
  return fmt::format(" - ETA: {}s", left);
}

void ProgressBar::update(int64_t done, const Logs& logs) { write(done, logs, /*is_last=*/false); }

void ProgressBar::finish(int64_t done, const Logs& logs) {
  if (!target_.has_value()) target_ = done;
  write(*target_, logs, /*is_last=*/true);
}

void ProgressBar::write(int64_t done, const Logs& logs, bool is_last) {
  const Clock::time_point now = Clock::now();
  if (!is_last && now - last_ < std::chrono::milliseconds(50)) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const bool tells_time_left = !is_last && target_.has_value();
  std::string text = bar(done);
  text += tells_time_left ? time_left(done, seconds)
                          : fmt::format(" - {:.0f}s {}", seconds, time_of_one(seconds, done, unit_));
  text += text_of(logs);
  const size_t width = text.size();
  if (width < width_) text += std::string(width_ - width, ' ');
  write_(std::string(width_, '\b') + "\r" + text + (is_last ? "\n" : ""));
  width_ = text.size();
}

}  // namespace flowray::tf::keras
