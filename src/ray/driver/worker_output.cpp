#include "ray/driver/worker_output.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <iterator>
#include <new>
#include <string_view>
#include <utility>

namespace flowray::ray {
namespace {

/// A line that never ends is shown in parts of this length.
constexpr size_t kLongestLine = size_t{1} << 16;
/// Read from one worker before the others have their turn. No pipe holds more than 1 MB (by default 64 KiB),
/// so what is left at a worker's end is read in this many turns, even if a child still writes into it.
constexpr size_t kTurnBytes = size_t{1} << 16;
constexpr int kTurnsAtTheEnd = 17;
/// Begins a mark, which ends as a line does. Nobody prints it.
constexpr std::string_view kMark{"\0flowray output of:", 19};
constexpr size_t kLongestName = 200;

/// While it lives, writing into a pipe without a reader gives EPIPE in this thread and no SIGPIPE.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    constexpr timespec kAtOnce{};
    if (!was_pending_) {
      while (sigtimedwait(&pipe_, nullptr, &kAtOnce) < 0 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

/// False: it has no reader, or it is full (a disk), or closed.
bool write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (written < 0 && errno == EAGAIN) {  // the program made its output non-blocking
      pollfd wait{fd, POLLOUT, 0};
      if (poll(&wait, 1, -1) < 0 && errno != EINTR) return false;
    } else if (written == 0 || errno != EINTR) {
      return false;
    }
  }
  return true;
}

/// At most `longest` bytes of it, and no half of a character of UTF-8, which has up to three bytes behind its
/// first one.
std::string_view first_part(std::string_view text, size_t longest) {
  if (text.size() <= longest) return text;
  const auto begins_character = [&](size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
  };
  for (size_t end = longest; end + 4 > longest && end > 0; --end) {
    if (begins_character(end)) return text.substr(0, end);
  }
  return text.substr(0, longest);  // something else
}

/// Where a mark begins in a line that has not ended, be it with its first bytes only; else the line's size.
size_t beginning_of_mark(std::string_view line) {
  const size_t at = line.rfind(kMark.front());
  if (at == std::string_view::npos) return line.size();
  const std::string_view rest = line.substr(at);
  return rest.starts_with(kMark) || kMark.starts_with(rest) ? at : line.size();
}

}  // namespace

std::string output_name_mark(std::string_view name) {
  std::string mark = fmt::format("{}{}\n", kMark, first_part(name, kLongestName));
  std::replace_if(  // a name that has lines is shown in one
      mark.begin() + kMark.size(), mark.end() - 1, [](char c) { return c >= 0 && c < ' '; }, ' ');
  return mark;
}

WorkerOutput::WorkerOutput(const std::string& name, Descriptor out, Descriptor err, bool shown)
    : shown_(shown),
      streams_{{std::move(out), STDOUT_FILENO, name, {}, {}}, {std::move(err), STDERR_FILENO, name, {}, {}}} {
}

std::vector<int> WorkerOutput::descriptors() const {
  std::vector<int> open;
  for (const Stream& stream : streams_) {
    if (stream.from) open.push_back(stream.from.get());
  }
  return open;
}

void WorkerOutput::read_from(int fd) noexcept {
  for (Stream& stream : streams_) {
    if (!stream.from || stream.from.get() != fd) continue;
    try {
      read_turn(stream);
    } catch (const std::bad_alloc&) {
    }
  }
}

std::optional<WorkerOutput::Clock::time_point> WorkerOutput::next_piece() const {
  std::optional<Clock::time_point> next;
  for (const Stream& stream : streams_) {
    if (stream.line.empty()) continue;
    const auto due = stream.began + kPatience;
    next = next ? std::min(*next, due) : due;
  }
  return next;
}

void WorkerOutput::show_pieces(Clock::time_point now) noexcept {
  for (Stream& stream : streams_) {
    if (stream.line.empty() || stream.began + kPatience > now) continue;
    try {
      std::string lines;
      add_piece(stream, lines);
      write_lines(stream, lines);
    } catch (const std::bad_alloc&) {
      stream.line.clear();
    }
  }
}

void WorkerOutput::finish() noexcept {
  for (Stream& stream : streams_) {
    try {
      for (int turn = 0; turn < kTurnsAtTheEnd && stream.from && read_turn(stream); ++turn) {
      }
      end(stream);
    } catch (const std::bad_alloc&) {
      stream.from.close();
    }
  }
}

bool WorkerOutput::read_turn(Stream& stream) {
  std::string lines;  // written at once: a system call a line would make a talkative worker dear
  char part[4096];
  size_t got_bytes = 0;
  bool is_more = true;
  while (is_more && got_bytes < kTurnBytes) {
    const ssize_t got = read(stream.from.get(), part, sizeof(part));
    if (got < 0 && errno == EINTR) continue;
    is_more = got > 0;
    if (got > 0) {
      got_bytes += static_cast<size_t>(got);
      take(stream, {part, static_cast<size_t>(got)}, lines);
    } else if (got == 0 || errno != EAGAIN) {
      write_lines(stream, lines);
      end(stream);
      return false;
    }
  }
  write_lines(stream, lines);
  return is_more;
}

void WorkerOutput::take(Stream& stream, std::string_view text, std::string& lines) const {
  if (!shown_ || stream.is_deaf) return;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const bool complete = end != std::string_view::npos;
    const size_t room = kLongestLine - stream.line.size();
    const size_t taken = std::min(complete ? end : text.size(), room);
    stream.line += text.substr(0, taken);
    const bool at_newline = complete && taken == end;
    text.remove_prefix(taken + (at_newline ? 1 : 0));
    if (at_newline) {
      end_line(stream, lines);
    } else if (stream.line.size() == kLongestLine) {
      add_piece(stream, lines);
    }
  }
  if (!stream.line.empty() && stream.began == Clock::time_point()) stream.began = Clock::now();
}

void WorkerOutput::end_line(Stream& stream, std::string& lines) const {
  const size_t mark = stream.line.find(kMark);
  const bool was_begun = std::exchange(stream.is_begun, false);
  if (mark == std::string::npos) {
    if (!was_begun || !stream.line.empty()) add_line(stream, lines);
    return;
  }
  std::string name = stream.line.substr(mark + kMark.size());
  stream.line.resize(mark);
  if (mark > 0) add_line(stream, lines);
  stream.name = std::move(name);
  stream.began = {};
  stream.line.clear();
}

void WorkerOutput::add_line(Stream& stream, std::string& lines) const {
  fmt::format_to(std::back_inserter(lines), "({}{}pid={}) {}\n", stream.name, stream.name.empty() ? "" : " ",
                 pid_, stream.line);
  stream.line.clear();
  stream.began = {};
}

void WorkerOutput::add_piece(Stream& stream, std::string& lines) const {
  std::string mark;
  // A mark at the beginning has already waited for its rest: it is text.
  if (const size_t at = beginning_of_mark(stream.line); at > 0) {
    mark = stream.line.substr(at);
    stream.line.resize(at);
  }
  add_line(stream, lines);
  stream.is_begun = true;
  if (mark.empty()) return;
  stream.line = std::move(mark);
  stream.began = Clock::now();
}

void WorkerOutput::write_lines(Stream& stream, std::string_view lines) {
  if (lines.empty() || stream.is_deaf) return;
  const NoPipeSignal quiet;
  stream.is_deaf = !write_fully(stream.to, lines);
}

void WorkerOutput::end(Stream& stream) {
  std::string lines;
  if (!stream.line.empty()) add_line(stream, lines);
  write_lines(stream, lines);
  stream.from.close();
}

}  // namespace flowray::ray
