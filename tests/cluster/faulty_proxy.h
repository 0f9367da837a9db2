#pragma once
// A way between two processes that does to connections what networks do.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <list>
#include <random>
#include <span>
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
    kDelay,       // each piece waits for some milliseconds
    kReset,       // connections are broken, and new ones as well
    kSilent,      // nothing is handed on, and nobody is told
    kStuck,       // the same for the connections that there are; new ones are well
    kChange,      // one byte of the next piece is changed, once
    kChangeText,  // see change_text
  };

  explicit FaultyProxy(int to_port) : to_port_(to_port), listener_(listen_somewhere(port_)) {
    thread_ = std::thread([this] { serve(); });
  }
  ~FaultyProxy() {
    is_over_ = true;
    thread_.join();
    for (const Way& way : ways_) close_both(way.from, way.to);
    ::close(listener_);
  }
  FaultyProxy(const FaultyProxy&) = delete;
  FaultyProxy& operator=(const FaultyProxy&) = delete;

  int port() const { return port_; }
  void set(Fault fault) { fault_ = fault; }
  /// The next piece that has `text` gets another last byte of it, once.
  void change_text(std::string text) {
    text_ = std::move(text);
    fault_ = Fault::kChangeText;
  }
  /// Breaks the connections that there are; returns when they have gone and new ones are well.
  void break_connections() {
    fault_ = Fault::kReset;
    const int64_t round = num_rounds_;
    while (num_rounds_ < round + 2) std::this_thread::yield();  // one may have begun before
    fault_ = Fault::kNone;
  }
  Fault fault() const { return fault_; }
  /// How many there have been.
  int64_t num_connections() const { return num_connections_; }
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
    bool is_stuck = false;
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
    ++num_connections_;
  }

  void change_text_in(std::span<char> piece) {
    const auto at = std::search(piece.begin(), piece.end(), text_.begin(), text_.end());
    if (at == piece.end()) return;
    at[static_cast<ptrdiff_t>(text_.size()) - 1] ^= 1;
    fault_ = Fault::kNone;
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
    if (fault_ == Fault::kChangeText) change_text_in({piece.data(), static_cast<size_t>(count)});
    for (ssize_t sent = 0; sent < count;) {
      const ssize_t some = ::send(to, piece.data() + sent, static_cast<size_t>(count - sent), MSG_NOSIGNAL);
      if (some <= 0) return false;
      sent += some;
    }
    return true;
  }

  void serve() {
    for (; !is_over_; ++num_rounds_) {
      const Fault fault = fault_;
      if (fault == Fault::kStuck) {
        for (Way& way : ways_) way.is_stuck = true;
        Fault stuck = Fault::kStuck;
        fault_.compare_exchange_strong(stuck, Fault::kNone);
      }
      std::vector<pollfd> watched = {{listener_, POLLIN, 0}};
      for (const Way& way : ways_) {
        const bool is_heard = !way.is_stuck && fault != Fault::kSilent;
        watched.push_back({is_heard ? way.from : -1, POLLIN, 0});
        watched.push_back({is_heard ? way.to : -1, POLLIN, 0});
      }
      (void)::poll(watched.data(), watched.size(), 10);
      size_t next = 1;
      for (auto way = ways_.begin(); way != ways_.end();) {
        const bool first = watched[next].revents == 0 || hand_on(way->from, way->to);
        const bool second = watched[next + 1].revents == 0 || hand_on(way->to, way->from);
        next += 2;
        if (first && second && fault != Fault::kReset) {
          ++way;
        } else {
          close_both(way->from, way->to);
          way = ways_.erase(way);
        }
      }
      if ((watched[0].revents & POLLIN) != 0) accept();
    }
  }

  const int to_port_;
  int port_ = 0;
  const int listener_;
  std::atomic<Fault> fault_{Fault::kNone};
  std::string text_;  // written before the fault is set
  std::atomic<bool> is_over_{false};
  std::atomic<int64_t> num_rounds_{0};
  std::atomic<int64_t> num_connections_{0};
  std::mt19937 random_{1};
  std::list<Way> ways_;  // of the thread
  std::thread thread_;
};

}  // namespace flowray::cluster
