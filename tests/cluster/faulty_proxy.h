#pragma once
// A way between two processes that does to connections what networks do.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <list>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace flowray::cluster {

/// Listens at a free port of this machine and hands on what comes to another one.
class FaultyProxy {
 public:
  enum class Fault {
    kNone,
    kDelay,   // each piece waits for some milliseconds
    kReset,   // connections are broken, and new ones as well
    kSilent,  // nothing is handed on, and nobody is told
    kChange,  // one byte of the next piece is changed, once
  };

  explicit FaultyProxy(int to_port) : to_port_(to_port), listener_(listen_somewhere(port_)) {
    thread_ = std::thread([this] { serve(); });
  }
  ~FaultyProxy() {
    is_over_ = true;
    thread_.join();
    for (const auto& [from, to] : ways_) close_both(from, to);
    ::close(listener_);
  }
  FaultyProxy(const FaultyProxy&) = delete;
  FaultyProxy& operator=(const FaultyProxy&) = delete;

  int port() const { return port_; }
  void set(Fault fault) { fault_ = fault; }
  Fault fault() const { return fault_; }
  void seed(unsigned number) { random_.seed(number); }

  /// A port at which nobody listens, for now.
  static int free_port() {
    int port = 0;
    ::close(listen_somewhere(port));
    return port;
  }

 private:
  struct Way {
    int from;
    int to;
  };

  static sockaddr_in address_of(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    return address;
  }
  static int listen_somewhere(int& port) {
    const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = address_of(0);
    socklen_t size = sizeof(address);
    if (::bind(made, reinterpret_cast<sockaddr*>(&address), size) != 0 || ::listen(made, 64) != 0 ||
        ::getsockname(made, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      throw std::runtime_error("no port to be had");
    }
    port = ntohs(address.sin_port);
    return made;
  }
  static void close_both(int from, int to) {
    // With what is on its way thrown away, so that the other side sees a reset.
    const linger at_once{1, 0};
    for (const int one : {from, to}) {
      ::setsockopt(one, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
      ::close(one);
    }
  }

  void accept() {
    const int from = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (from < 0) return;
    const int to = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = address_of(to_port_);
    if (fault_ == Fault::kReset ||
        ::connect(to, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
      return close_both(from, to);
    ways_.push_back({from, to});
  }

  /// False: the connection is over.
  bool hand_on(int from, int to) {
    std::array<char, 65'536> piece{};
    const ssize_t count = ::recv(from, piece.data(), piece.size(), MSG_DONTWAIT);
    if (count < 0) return errno == EAGAIN;
    if (count == 0) return false;
    if (fault_ == Fault::kDelay) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    Fault change = Fault::kChange;
    if (fault_.compare_exchange_strong(change, Fault::kNone))
      piece[random_() % static_cast<size_t>(count)] ^= static_cast<char>(1 + random_() % 255);
    for (ssize_t sent = 0; sent < count;) {
      const ssize_t some = ::send(to, piece.data() + sent, static_cast<size_t>(count - sent), MSG_NOSIGNAL);
      if (some <= 0) return false;
      sent += some;
    }
    return true;
  }

  void serve() {
    while (!is_over_) {
      std::vector<pollfd> watched = {{listener_, POLLIN, 0}};
      for (const auto& [from, to] : ways_) {
        watched.push_back({from, POLLIN, 0});
        watched.push_back({to, POLLIN, 0});
      }
      const bool is_silent = fault_ == Fault::kSilent;
      (void)::poll(watched.data(), is_silent ? 1 : watched.size(), 10);
      if ((watched[0].revents & POLLIN) != 0) accept();
      size_t next = 1;
      for (auto way = ways_.begin(); way != ways_.end() && next < watched.size();) {
        const bool is_cut = fault_ == Fault::kReset;
        const bool first = is_silent || watched[next].revents == 0 || hand_on(way->from, way->to);
        const bool second = is_silent || watched[next + 1].revents == 0 || hand_on(way->to, way->from);
        next += 2;
        if (first && second && !is_cut) {
          ++way;
        } else {
          close_both(way->from, way->to);
          way = ways_.erase(way);
        }
      }
    }
  }

  const int to_port_;
  int port_ = 0;
  const int listener_;
  std::atomic<Fault> fault_{Fault::kNone};
  std::atomic<bool> is_over_{false};
  std::mt19937 random_{1};
  std::list<Way> ways_;  // of the thread
  std::thread thread_;
};

}  // namespace flowray::cluster
