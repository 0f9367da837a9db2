#include "support/own_processes.h"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <sstream>

namespace flowray::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "FLOWRAY_TEST_RUN";
constexpr int kGuardMs = 60000;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The letter of /proc/PID/stat behind the name in parentheses; 0 if there is no such process.
char state_in(const std::string& stat) {
  const size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || name_end + 2 >= stat.size() ? '\0' : stat[name_end + 2];
}

bool is_dead(char state) { return state == '\0' || state == 'Z' || state == 'X'; }

size_t entries_of(const char* folder) {
  const fs::directory_iterator entries(folder);
  return static_cast<size_t>(std::distance(begin(entries), end(entries)));
}

}  // namespace

OwnProcesses::OwnProcesses() {
  static std::atomic<int> last{0};
  const std::string value = std::to_string(getpid()) + "-" + std::to_string(++last);
  setenv(kVariable, value.c_str(), 1);
  tag_ = std::string(kVariable) + "=" + value;
  tag_.push_back('\0');
}

OwnProcesses::~OwnProcesses() { unsetenv(kVariable); }

std::vector<pid_t> OwnProcesses::alive() const {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc() || pid == getpid())
      continue;
    if (content_of(entry.path() / "environ").find(tag_) == std::string::npos) continue;
    if (!is_dead(state_in(content_of(entry.path() / "stat")))) found.push_back(pid);
  }
  return found;
}

std::vector<pid_t> OwnProcesses::named(const std::string& begin) const {
  std::vector<pid_t> found = alive();
  std::erase_if(found, [&](pid_t pid) {
    return !content_of(fs::path("/proc") / std::to_string(pid) / "comm").starts_with(begin);
  });
  return found;
}

bool OwnProcesses::all_end() const {
  for (auto left = alive(); !left.empty(); left = alive()) {
    const int fd = static_cast<int>(syscall(SYS_pidfd_open, left.front(), 0));
    if (fd < 0) continue;  // it has ended
    pollfd end{fd, POLLIN, 0};
    const int ended = poll(&end, 1, kGuardMs);
    close(fd);
    if (ended != 1) return false;
  }
  return true;
}

Holdings holdings() {
  Holdings held;
  held.descriptors = entries_of("/proc/self/fd");
  held.threads = entries_of("/proc/self/task");
  std::istringstream maps(content_of("/proc/self/maps"));
  for (std::string line; std::getline(maps, line);)
    held.regions += line.find("/memfd:flowray") != std::string::npos ? 1 : 0;
  std::istringstream children(content_of("/proc/thread-self/children"));
  for (pid_t child = 0; children >> child;) ++held.processes;
  return held;
}

std::ostream& operator<<(std::ostream& out, const Holdings& held) {
  return out << held.descriptors << " descriptors, " << held.threads << " threads, " << held.regions
             << " regions, " << held.processes << " children";
}

bool await_sleep(pid_t thread) {
  const fs::path stat = fs::path("/proc/self/task") / std::to_string(thread) / "stat";
  for (;;) {
    const char state = state_in(content_of(stat));
    if (state == 'S') return true;
    if (is_dead(state)) return false;
    sched_yield();
  }
}

}  // namespace flowray::testing
