#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// What a worker writes into one of its pipes for the lines behind it to have that name in their prefix; none
/// for an empty one. Less than PIPE_BUF, so that nothing comes between its bytes.
std::string output_name_mark(std::string_view name);

/// Shows what a worker prints: lines, each with the prefix "(NAME pid=PID) ", on this process's standard
/// output or error output. The beginning of a line that has not ended after a while is shown as a line of its
/// own. Driven by the thread that polls its descriptors; one at a time. Lines that there is no
/// memory for are lost.
class WorkerOutput {
 public:
  using Clock = std::chrono::steady_clock;
  /// So long the beginning of a line waits for its end.
  static constexpr std::chrono::milliseconds kPatience{100};

  /// `out` and `err` are the reading ends of the worker's pipes and do not block. `name` may be empty. Where
  /// not `shown`, all is read and thrown away, so that the worker never waits.
  WorkerOutput(const std::string& name, Descriptor out, Descriptor err, bool shown);

  void set_pid(uint32_t pid) { pid_ = pid; }
  bool has_pid() const { return pid_ != 0; }
  /// The descriptors that have not ended, to be polled for input.
  std::vector<int> descriptors() const;
  /// Reads what is there on `fd`, one of descriptors(), up to 64 KiB so that no worker keeps the
  /// others waiting, and shows the lines that are complete. If the driver's output is closed or full,
  /// what is meant for it is dropped.
  void read_from(int fd) noexcept;
  /// When the next beginning of a line has waited long enough.
  std::optional<Clock::time_point> next_piece() const;
  /// Shows the beginnings of lines that have waited long enough at `now`.
  void show_pieces(Clock::time_point now) noexcept;
  /// The worker is dead: reads what is left and shows it, the last line too if it does not end.
  void finish() noexcept;

 private:
  struct Stream {
    Descriptor from;
    int to;
    std::string name;
    std::string line;         // the beginning of a line whose end has not come
    Clock::time_point began;  // when that came; the clock's zero without one
    bool is_begun = false;    // the line's beginning was shown: an end alone shows no other, empty one
    bool is_deaf = false;  // writing failed once: output is discarded, as the worker must not wait for that
  };
  /// Reads for a while; whether there may be more.
  bool read_turn(Stream& stream);
  /// Adds the lines that `text` completes, with their prefix.
  void take(Stream& stream, std::string_view text, std::string& lines) const;
  void add_line(Stream& stream, std::string& lines) const;
  /// The same of what has no end yet, but for a mark that begins in it.
  void add_piece(Stream& stream, std::string& lines) const;
  /// The same of one that has ended, which may be a mark.
  void end_line(Stream& stream, std::string& lines) const;
  void write_lines(Stream& stream, std::string_view lines);
  void end(Stream& stream);

  const bool shown_;
  uint32_t pid_ = 0;
  Stream streams_[2];
};

}  // namespace flowray::ray
