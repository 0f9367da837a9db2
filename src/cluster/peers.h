#pragma once

#include "cluster/transport.h"
#include "core/mutex.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace flowray::cluster {

/// Connections to other servers, one for each address, made when they are first asked for. Addresses come out
/// of requests, so that only so many are kept that nobody uses now. Thread-safe.
class Peers {
 public:
  static constexpr size_t kMost = 512;
  using Connect = std::function<std::shared_ptr<Channel>(const std::string& address)>;
  explicit Peers(Connect connect) : connect_(std::move(connect)) {}
  /// Over the network; what a server asks of its clients it shows to other servers.
  /// `most_message_bytes`: as the server takes from its clients, and now from those that it asks.
  Peers(Security security, int64_t most_message_bytes);

  /// Throws errors::UnavailableError where there is no network.
  std::shared_ptr<Channel> at(const std::string& address);

 private:
  const Connect connect_;
  Mutex mutex_;
  struct Peer {
    std::shared_ptr<Channel> channel;
    uint64_t last_use = 0;  // by num_uses_
  };
  void make_room() FLOWRAY_REQUIRES(mutex_);

  std::map<std::string, Peer> peers_ FLOWRAY_GUARDED_BY(mutex_);
  uint64_t num_uses_ FLOWRAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace flowray::cluster
