#include "lenet/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace lenet {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Where a training is.
class Tally {
 public:
  Tally(int64_t steps, int64_t images_per_step) : steps_(steps), images_per_step_(images_per_step) {}

  void add(float loss, float accuracy) {
    ++done_;
    ++recent_;
    loss_ += loss;
    accuracy_ += accuracy;
  }

  int64_t done() const { return done_; }
  bool is_complete() const { return done_ == steps_; }
  double part_done() const { return static_cast<double>(done_) / static_cast<double>(steps_); }
  double seconds_left() const { return seconds() / part_done() - seconds(); }

  /// What there is to say, and begins the means anew.
  std::string take_text() {
    if (recent_ > 0) {
      shown_loss_ = loss_ / recent_;
      shown_accuracy_ = accuracy_ / recent_;
      loss_ = accuracy_ = recent_ = 0;
    }
    const std::string steps = fmt::to_string(steps_);
    return fmt::format("step {:>{}}/{}  loss {:.4f}  accuracy {:.4f}  {:6.0f} images/s", done_, steps.size(),
                       steps, shown_loss_, shown_accuracy_,
                       static_cast<double>(done_ * images_per_step_) / seconds());
  }

 private:
  double seconds() const { return Seconds(Clock::now() - start_).count(); }

  const int64_t steps_;
  const int64_t images_per_step_;
  const Clock::time_point start_ = Clock::now();
  int64_t done_ = 0;
  double recent_ = 0;
  double loss_ = 0;
  double accuracy_ = 0;
  double shown_loss_ = 0;
  double shown_accuracy_ = 0;
};

void print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

/// For files and pipes.
class Lines final : public Progress {
 public:
  explicit Lines(const Tally& tally) : tally_(tally) {}

  void step_done(float loss, float accuracy) override {
    tally_.add(loss, accuracy);
    if (tally_.done() % kStepsPerLine == 0 || tally_.is_complete()) print(tally_.take_text() + "\n");
  }
  void end() override {}

 private:
  static constexpr int64_t kStepsPerLine = 100;
  Tally tally_;
};

/// "3:07".
std::string minutes(double seconds) {
  const auto whole = static_cast<int64_t>(std::max(seconds, 0.0) + 0.5);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// For terminals: one line, drawn again.
class Bar final : public Progress {
 public:
  explicit Bar(const Tally& tally) : tally_(tally) {}

  void step_done(float loss, float accuracy) override {
    tally_.add(loss, accuracy);
    const auto now = Clock::now();
    if (now < next_ && !tally_.is_complete()) return;
    next_ = now + std::chrono::milliseconds(100);
    draw();
  }

  void end() override {
    if (tally_.done() == 0) return;
    if (!tally_.is_complete()) draw();  // over what the terminal has echoed, such as ^C
    print("\n");
  }

 private:
  static constexpr int kWidest = 30;

  void draw() {
    std::string text = tally_.take_text() + fmt::format("  {} left", minutes(tally_.seconds_left()));
    const int columns = terminal_columns() - 1;  // a full line would make the next one begin below
    const int width = std::min(kWidest, columns - static_cast<int>(text.size()) - 4);
    if (width > 4) {
      const auto full = static_cast<size_t>(tally_.part_done() * width + 0.5);
      text =
          "[" + std::string(full, '#') + std::string(static_cast<size_t>(width) - full, '.') + "]  " + text;
    }
    text.resize(std::min(text.size(), static_cast<size_t>(std::max(columns, 1))));
    print("\r" + text + "\x1b[K");  // K: clears what a longer line has left
  }

  static int terminal_columns() {
    winsize size{};
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
  }

  Tally tally_;
  Clock::time_point next_{};
};

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

}  // namespace

std::unique_ptr<Progress> show_progress(int64_t steps, int64_t images_per_step) {
  const Tally tally(steps, images_per_step);
  if (is_terminal()) return std::make_unique<Bar>(tally);
  return std::make_unique<Lines>(tally);
}

}  // namespace lenet
