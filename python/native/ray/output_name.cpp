/// The driver reads names between the lines of a worker's output (output_name_mark). A task's is written
/// before the first thing that it prints; before it prints anything, too, where that costs little: a child
/// process of its, or a library in C, prints behind Python's back.

#include "native/ray/output_name.h"

#include "native/convert/convert.h"
#include "native/convert/released_lock.h"

#include "ray/driver/worker_output.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace flowray::python {
namespace {

using Clock = std::chrono::steady_clock;

/// Short tasks of several functions in turn do not write a name for each.
constexpr std::chrono::milliseconds kBetweenUnaskedNames{1};
constexpr std::array<int, 2> kOutputs{STDOUT_FILENO, STDERR_FILENO};

/// A pipe that a descriptor stands for; none: it stands for something else.
ino_t pipe_of(int fd) {
  struct stat found{};
  return fstat(fd, &found) == 0 && S_ISFIFO(found.st_mode) ? found.st_ino : 0;
}

struct OutputName {
  std::array<ino_t, 2> pipes{};  // to the driver
  std::string wanted;
  std::optional<std::string> told{std::in_place};  // nothing: what the driver has read last is not certain
  Clock::time_point when_told;
  int tellers = 0;  // threads that write a name now
  uint64_t tellings = 0;
};
OutputName own;  // of this process; under the interpreter's lock

/// Writes a name without the lock, so that other threads may do so, too: which of the names comes last is
/// known only where there was one. Made and freed with the lock.
class Telling {
 public:
  Telling() : is_first_(own.tellers++ == 0), number_(++own.tellings) { own.told.reset(); }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;
  ~Telling() { --own.tellers; }
  bool was_alone() const { return is_first_ && own.tellings == number_; }

 private:
  const bool is_first_;
  const uint64_t number_;
};

/// Waits without the lock where the driver is slow to read. What went wrong, as in errno; 0: nothing.
int write_whole(int fd, std::string_view text) {
  while (!text.empty()) {
    const auto [written, trouble] = without_lock([&] {
      const ssize_t part = write(fd, text.data(), text.size());
      return std::pair(part, part < 0 ? errno : 0);
    });
    if (written > 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (trouble == EINTR || trouble == EAGAIN) {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      pollfd wait{fd, POLLOUT, 0};
      if (trouble == EAGAIN) without_lock([&] { return poll(&wait, 1, -1); });
    } else {
      return trouble != 0 ? trouble : EIO;
    }
  }
  return 0;
}

void tell(std::string_view wanted) {
  const std::string name(wanted);  // another thread may want another one meanwhile
  const std::string mark = ray::output_name_mark(name);
  const Telling telling;
  bool is_written = true;
  for (size_t i = 0; i < kOutputs.size(); ++i) {
    // The program may have put a file in the place of its output.
    if (own.pipes[i] == 0 || pipe_of(kOutputs[i]) != own.pipes[i]) continue;
    is_written = write_whole(kOutputs[i], mark) == 0 && is_written;
  }
  own.when_told = Clock::now();
  if (is_written && telling.was_alone()) own.told = name;
}

/// What a task prints.
void write_output(int fd, const nb::bytes& data) {
  if (own.told != own.wanted) tell(own.wanted);
  if (const int trouble = write_whole(fd, {data.c_str(), data.size()}); trouble != 0) {
    errno = trouble;
    PyErr_SetFromErrno(PyExc_OSError);
    nb::raise_python_error();
  }
}

}  // namespace

void begin_output() {
  own = {};
  for (size_t i = 0; i < kOutputs.size(); ++i) own.pipes[i] = pipe_of(kOutputs[i]);
}

void name_output(std::string_view name) {
  if (own.wanted == name) return;
  own.wanted = name;
  if (own.told == name) return;
  if (Clock::now() - own.when_told >= kBetweenUnaskedNames) {
    tell(name);
  } else if (own.told != std::string_view()) {
    tell({});  // better none than that of another function
  }
}

void name_output_for_good(std::string_view name) {
  own.wanted = name;
  tell(name);
}

void bind_output_name(nb::module_& m) { m.def("write_output", &write_output, "fd"_a, "data"_a); }

}  // namespace flowray::python
