#include "ray/driver/session_folder.h"

#include <dirent.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "ray/transport/shared_region.h"

namespace flowray::ray {
namespace {

constexpr std::string_view kPrefix = "driver-";
constexpr std::string_view kEnding = ".sock";
/// A driver answers in milliseconds, unless it is stopped.
constexpr int kLongestAnswerSeconds = 10;

}  // namespace

std::string session_folder() {
  const auto of = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string folder = of("FLOWRAY_SESSION_FOLDER"); !folder.empty()) return folder;
  const std::string runtime = of("XDG_RUNTIME_DIR");
  return fmt::format("{}/flowray-{}", runtime.empty() ? "/tmp" : runtime, geteuid());
}

bool make_session_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return false;
  struct stat found{};
  // A link could lead into another user's folder, and one that others may write to could be filled by them.
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
         (found.st_mode & 077) == 0;
}

std::string driver_socket_path(const std::string& folder, int64_t pid) {
  return fmt::format("{}/{}{}{}", folder, kPrefix, pid, kEnding);
}

std::vector<int64_t> drivers_in(const std::string& folder) {
  std::vector<int64_t> pids;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(folder.c_str()), closedir);
  if (open == nullptr) return pids;
  while (const dirent* entry = readdir(open.get())) {
    std::string_view name = entry->d_name;
    if (!name.starts_with(kPrefix) || !name.ends_with(kEnding)) continue;
    name = name.substr(kPrefix.size(), name.size() - kPrefix.size() - kEnding.size());
    int64_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec == std::errc() && read.ptr == name.data() + name.size() && pid > 0) pids.push_back(pid);
  }
  std::ranges::sort(pids);
  return pids;
}

std::optional<std::string> ask_driver(const std::string& folder, int64_t pid, const std::string& request) {
  const std::string path = driver_socket_path(folder, pid);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw errors::InvalidArgumentError(fmt::format("The path of a socket is too long: {}", path));
  path.copy(address.sun_path, path.size());
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) throw errors::ResourceExhaustedError("cannot make a socket; are there too many open files?");
  const timeval patience{kLongestAnswerSeconds, 0};
  setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    if (errno == ECONNREFUSED) unlink(path.c_str());  // its driver was killed
    if (errno == ECONNREFUSED || errno == ENOENT) return std::nullopt;
    throw errors::UnavailableError(
        fmt::format("The driver {} cannot be reached: {}: {}", pid, path, std::strerror(errno)));
  }
  const std::string line = request + "\n";
  if (send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(line.size()))
    return std::nullopt;
  std::string answer;
  char part[16384];
  for (;;) {
    const ssize_t got = recv(socket.get(), part, sizeof part, 0);
    if (got == 0) return answer;
    if (got > 0) {
      answer.append(part, static_cast<size_t>(got));
    } else if (errno == EAGAIN) {
      throw errors::UnavailableError(fmt::format("The driver {} does not answer within {} s; is it stopped?",
                                                 pid, kLongestAnswerSeconds));
    } else if (errno != EINTR) {
      return std::nullopt;  // it ended meanwhile
    }
  }
}

}  // namespace flowray::ray
