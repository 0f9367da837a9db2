#include "cluster/peers.h"

#include <utility>

namespace flowray::cluster {

Peers::Peers(Security security, int64_t most_message_bytes)
    : connect_([security = std::move(security), most_message_bytes](const std::string& address) {
        return transport().connect(address, security, allocate_from_pool, most_message_bytes);
      }) {}

std::shared_ptr<Channel> Peers::at(const std::string& address) {
  const MutexLock lock(mutex_);
  std::shared_ptr<Channel>& channel = channels_[address];
  if (channel == nullptr) channel = connect_(address);
  return channel;
}

}  // namespace flowray::cluster
