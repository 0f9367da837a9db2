#pragma once

#include "cluster/transport.h"
#include "core/mutex.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace flowray::cluster {

/// Connections to other servers, one for each address, made when they are first asked for. Thread-safe.
class Peers {
 public:
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
  std::map<std::string, std::shared_ptr<Channel>> channels_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
