#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// Shows what a worker prints: whole lines, each with the prefix "(NAME pid=PID) ", on this process's
/// standard output or error output. Driven by the thread that polls its descriptors; one at a time. Lines
/// that there is no memory for are lost.
class WorkerOutput {
 public:
  /// `out` and `err` are the reading ends of the worker's pipes and do not block. `name` may be empty. Where
  /// not `shown`, all is read and thrown away, so that the worker never waits.
  WorkerOutput(std::string name, Descriptor out, Descriptor err, bool shown);

  void set_pid(uint32_t pid) { pid_ = pid; }
  bool has_pid() const { return pid_ != 0; }
  /// The descriptors that have not ended, to be polled for input.
  std::vector<int> descriptors() const;
  /// Reads what is there on `fd`, one of descriptors(), up to 64 KiB so that no worker keeps the
  /// others waiting, and shows the lines that are complete. If the driver's output is closed or full,
  /// what is meant for it is dropped.
  void read_from(int fd) noexcept;
  /// The worker is dead: reads what is left and shows it, the last line too if it does not end.
  void finish() noexcept;

 private:
  struct Stream {
    Descriptor from;
    int to;
    std::string line;      // the beginning of a line whose end has not come
    bool is_deaf = false;  // writing failed once: output is discarded, as the worker must not wait for that
  };
  /// Reads for a while; whether there may be more.
  bool read_turn(Stream& stream);
  /// Adds the lines that `text` completes, with their prefix.
  void take(Stream& stream, std::string_view text, std::string& lines) const;
  void add_line(Stream& stream, std::string& lines) const;
  void write_lines(Stream& stream, std::string_view lines);
  void end(Stream& stream);

  const std::string name_;
  const bool shown_;
  uint32_t pid_ = 0;
  Stream streams_[2];
};

}  // namespace flowray::ray
