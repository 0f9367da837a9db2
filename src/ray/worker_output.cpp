#include "ray/worker_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace flowray::ray {
namespace {

/// A line that never ends is shown in parts of this length.
constexpr size_t kLongestLine = 1 << 16;

void write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the driver's output is closed: nobody wants to see it
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

WorkerOutput::WorkerOutput(std::string name, Descriptor out, Descriptor err, bool shown)
    : name_(std::move(name)), shown_(shown), streams_{{std::move(out), STDOUT_FILENO, {}}, {std::move(err), STDERR_FILENO, {}}} {}

std::vector<int> WorkerOutput::descriptors() const {
  std::vector<int> open;
  for (const Stream& stream : streams_) {
    if (stream.from) open.push_back(stream.from.get());
  }
  return open;
}

void WorkerOutput::read_from(int fd) {
  for (Stream& stream : streams_) {
    if (stream.from && stream.from.get() == fd) read_all(stream);
  }
}

void WorkerOutput::finish() {
  for (Stream& stream : streams_) {
    if (stream.from) read_all(stream);
    if (!stream.line.empty()) show(stream, std::exchange(stream.line, {}));
    stream.from.close();
  }
}

void WorkerOutput::read_all(Stream& stream) {
  char buffer[4096];
  while (true) {
    const ssize_t count = read(stream.from.get(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN)) return;
    if (count <= 0) {
      stream.from.close();
      return;
    }
    for (std::string_view left(buffer, static_cast<size_t>(count)); !left.empty();) {
      const size_t end = left.find('\n');
      stream.line += left.substr(0, end);
      const bool complete = end != std::string_view::npos;
      left.remove_prefix(complete ? end + 1 : left.size());
      if (complete || stream.line.size() >= kLongestLine) show(stream, std::exchange(stream.line, {}));
    }
  }
}

void WorkerOutput::show(Stream& stream, std::string_view line) {
  if (!shown_) return;
  write_fully(stream.to, fmt::format("({}{}pid={}) {}\n", name_, name_.empty() ? "" : " ", pid_, line));
}

}  // namespace flowray::ray
