#include "ray/driver/surroundings.h"

#include <dirent.h>
#include <fcntl.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace flowray::ray {
namespace {

/// A copy of a standard output, or /dev/null where the program has closed it.
Descriptor copy_of_output(int fd) {
  Descriptor copy(fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (!copy) copy = Descriptor(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!copy) {
    throw errors::ResourceExhaustedError(fmt::format(
        "Cannot hand the standard output to workers: {}; raise the limit of open files (ulimit -n), "
        "or close some",
        std::strerror(errno)));
  }
  return copy;
}

Descriptor written_environment(const std::string& further) {
  std::string text;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    text += *variable;
    text += '\0';
  }
  text += further;  // putenv of a later one takes the place of an earlier one
  Descriptor file(memfd_create("flowray-environment", MFD_CLOEXEC));
  size_t done = 0;
  while (file && done < text.size()) {
    const ssize_t wrote = write(file.get(), text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0)
      file.close();
    else
      done += static_cast<size_t>(wrote);
  }
  if (!file) {
    throw errors::ResourceExhaustedError(fmt::format(
        "Cannot hand the environment to workers: {}; are there too many open files (ulimit -n), or too "
        "little memory?",
        std::strerror(errno)));
  }
  return file;
}

/// Its variables stay where they are read to, as setenv of a program expects of the first ones.
void enter_environment(int fd) {
  const off_t size = lseek(fd, 0, SEEK_END);
  if (size < 0) return;
  auto* const text = static_cast<char*>(std::malloc(static_cast<size_t>(size) + 1));
  if (text == nullptr || pread(fd, text, static_cast<size_t>(size), 0) != size) return;
  clearenv();
  for (char* variable = text; variable < text + size; variable += std::strlen(variable) + 1) putenv(variable);
}

void enter_limits(pid_t process) {
  for (int resource = 0; resource < RLIM_NLIMITS; ++resource) {
    const auto which = static_cast<__rlimit_resource>(resource);
    rlimit limit{};
    if (prlimit(process, which, nullptr, &limit) == 0) prlimit(0, which, &limit, nullptr);
  }
}

/// The lines of /proc/PID/status that say what the process may do.
std::optional<std::string> rights_in_status(const std::string& process) {
  constexpr std::array<std::string_view, 11> kLines = {
      "Uid:",    "Gid:",    "Groups:",     "CapInh:",  "CapPrm:",         "CapEff:",
      "CapBnd:", "CapAmb:", "NoNewPrivs:", "Seccomp:", "Seccomp_filters:"};
  std::ifstream file("/proc/" + process + "/status");
  std::string rights;
  for (std::string line; std::getline(file, line);) {
    for (const std::string_view name : kLines) {
      if (line.starts_with(name)) rights += line + "\n";
    }
  }
  if (rights.empty()) return std::nullopt;
  return rights;
}

/// Where the process lives: its root and its namespaces.
std::optional<std::string> places_of(const std::string& process) {
  constexpr std::array kLinks = {"root",    "ns/ipc", "ns/mnt", "ns/net", "ns/pid_for_children",
                                 "ns/user", "ns/uts"};
  std::string places;
  std::array<char, PATH_MAX> target;
  for (const char* link : kLinks) {
    const ssize_t size = readlink(("/proc/" + process + "/" + link).c_str(), target.data(), target.size());
    if (size < 0) return std::nullopt;
    places.append(target.data(), static_cast<size_t>(size)) += '\n';
  }
  return places;
}

}  // namespace

Surroundings Surroundings::here(const std::string& environment) {
  Surroundings here;
  here.out = copy_of_output(STDOUT_FILENO);
  here.err = copy_of_output(STDERR_FILENO);
  here.folder = Descriptor(open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!here.folder) here.folder = copy_of_output(STDERR_FILENO);  // it was removed and cannot be entered
  here.environment = written_environment(environment);
  here.umask = ::umask(0);
  ::umask(here.umask);
  here.process = getpid();
  return here;
}

void Surroundings::enter() noexcept {
  dup2(out.get(), STDOUT_FILENO);
  dup2(err.get(), STDERR_FILENO);
  if (fchdir(folder.get()) != 0) errno = 0;
  enter_environment(environment.get());
  ::umask(umask);
  enter_limits(process);
  for (Descriptor* file : {&out, &err, &folder, &environment}) file->close();
}

Descriptor descriptor_of_this_process() {
  Descriptor self(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (self) return self;
  if (errno == ENOSYS) {
    throw RuntimeError(
        "Cannot start the process that starts workers: pidfd_open: Function not implemented (ENOSYS).\n"
        "Linux has it since 5.3. What stands between a program and Linux may not know it, as older versions "
        "of "
        "valgrind do not.");
  }
  throw errors::ResourceExhaustedError(fmt::format(
      "Cannot start the process that starts workers: pidfd_open: {}; raise the limit of open files "
      "(ulimit -n), or close some",
      std::strerror(errno)));
}

std::optional<std::string> rights_and_places_of(const std::string& process) {
  auto rights = rights_in_status(process);
  const auto places = places_of(process);
  if (!rights || !places) return std::nullopt;
  return *rights + *places;
}

void let_go_of_files(int kept) noexcept {
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  DIR* const folder = opendir("/proc/self/fd");
  if (folder == nullptr) return;
  while (const dirent* entry = nothing ? readdir(folder) : nullptr) {
    const int fd = std::atoi(entry->d_name);
    if (fd > STDERR_FILENO && fd != kept && fd != nothing.get() && fd != dirfd(folder)) {
      dup3(nothing.get(), fd, O_CLOEXEC);
    }
  }
  closedir(folder);
}

}  // namespace flowray::ray
