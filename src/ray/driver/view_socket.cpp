#include "ray/driver/view_socket.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <utility>

#include "ray/driver/session_folder.h"

namespace flowray::ray {
namespace {

constexpr int kBacklog = 8;
/// A client that does not read its answer for so long is disconnected.
constexpr int kPatienceSeconds = 2;
constexpr size_t kLongestRequest = 256;

Descriptor listening_at(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return {};
  path.copy(address.sun_path, path.size());
  Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return {};
  unlink(path.c_str());  // of an earlier process with this pid
  // No one can connect before it listens, and its folder is the user's alone.
  if (bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return {};
  if (chmod(path.c_str(), 0600) != 0 || listen(socket.get(), kBacklog) != 0) {
    unlink(path.c_str());
    return {};
  }
  return socket;
}

/// Reads a line, without its end.
std::string read_line(int socket) {
  std::string line;
  while (line.size() < kLongestRequest) {
    char letter = 0;
    const ssize_t got = recv(socket, &letter, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1 || letter == '\n') break;
    line += letter;
  }
  return line;
}

}  // namespace

ViewSocket::ViewSocket(Answer answer) : answer_(std::move(answer)), pid_(getpid()) {
  const std::string folder = session_folder();
  if (!make_session_folder(folder)) return;
  ended_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!ended_) return;
  std::string path = driver_socket_path(folder, pid_);
  listening_ = listening_at(path);
  if (listening_) path_ = std::move(path);
}

ViewSocket::~ViewSocket() { stop(); }

void ViewSocket::start() noexcept {
  if (thread_.joinable()) return;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::exception&) {  // clients' connections are refused
    listening_.close();
  }
}

void ViewSocket::stop() noexcept {
  if (pid_ != getpid()) return;
  if (!path_.empty()) unlink(std::exchange(path_, {}).c_str());
  if (thread_.joinable()) {
    const uint64_t one = 1;
    (void)!write(ended_.get(), &one, sizeof one);
    thread_.join();
  }
  listening_.close();
  ended_.close();
}

void ViewSocket::serve() noexcept {
  while (true) {
    std::array<pollfd, 2> polled{{{ended_.get(), POLLIN, 0}, {listening_.get(), POLLIN, 0}}};
    if (poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) return;
    if (polled[0].revents != 0) return;
    if (polled[1].revents == 0) continue;
    const Descriptor socket(accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) continue;
    try {
      answer_one(socket.get());
    } catch (const std::exception&) {  // too little memory: the answer ends early
    }
  }
}

void ViewSocket::answer_one(int socket) const {
  const timeval patience{kPatienceSeconds, 0};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  ucred peer{};
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return;
  if (peer.uid != geteuid() && peer.uid != 0) return;
  const std::string answer = answer_(read_line(socket));
  for (size_t sent = 0; sent < answer.size();) {
    const ssize_t more = send(socket, answer.data() + sent, answer.size() - sent, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return;
    sent += static_cast<size_t>(more);
  }
}

}  // namespace flowray::ray
