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
#include <string>
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
  std::string told;
  Clock::time_point when_told;
};
OutputName own;  // of this process; under the interpreter's lock

/// Of less than PIPE_BUF: all of it or, where nobody reads any more, nothing.
void write_whole(int fd, const std::string& text) {
  while (write(fd, text.data(), text.size()) < 0 && errno == EINTR) {
  }
}

void tell(std::string_view name) {
  const std::string mark = ray::output_name_mark(name);
  for (size_t i = 0; i < kOutputs.size(); ++i) {
    // The program may have put a file in the place of its output.
    if (own.pipes[i] != 0 && pipe_of(kOutputs[i]) == own.pipes[i]) write_whole(kOutputs[i], mark);
  }
  own.told = name;
  own.when_told = Clock::now();
}

/// What a task prints. Waits where the driver is slow to read.
void write_output(int fd, const nb::bytes& data) {
  if (own.told != own.wanted) tell(own.wanted);
  const char* const text = data.c_str();
  const size_t size = data.size();
  for (size_t done = 0; done < size;) {
    const auto [written, trouble] = without_lock([&] {
      const ssize_t part = write(fd, text + done, size - done);
      return std::pair(part, part < 0 ? errno : 0);
    });
    if (written > 0) {
      done += static_cast<size_t>(written);
    } else if (trouble == EINTR || trouble == EAGAIN) {
      if (PyErr_CheckSignals() != 0) nb::raise_python_error();
      pollfd wait{fd, POLLOUT, 0};
      if (trouble == EAGAIN) without_lock([&] { return poll(&wait, 1, -1); });
    } else {
      errno = trouble;
      PyErr_SetFromErrno(PyExc_OSError);
      nb::raise_python_error();
    }
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
  } else if (!own.told.empty()) {
    tell({});  // better none than that of another function
  }
}

void name_output_for_good(std::string_view name) {
  own.wanted = name;
  tell(name);
}

void bind_output_name(nb::module_& m) { m.def("write_output", &write_output, "fd"_a, "data"_a); }

}  // namespace flowray::python
