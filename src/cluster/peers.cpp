#include "cluster/peers.h"

#include <utility>

namespace flowray::cluster {

Peers::Peers(Security security, int64_t most_message_bytes)
    : connect_([security = std::move(security), most_message_bytes](const std::string& address) {
        return transport().connect(address, security, allocate_from_pool, most_message_bytes);
      }) {}

std::shared_ptr<Channel> Peers::at(const std::string& address) {
  const MutexLock lock(mutex_);
  auto found = peers_.find(address);
  if (found == peers_.end()) {
    std::shared_ptr<Channel> channel = connect_(address);
    make_room();
    found = peers_.emplace(address, Peer{std::move(channel)}).first;
  }
  found->second.last_use = ++num_uses_;
  return found->second.channel;
}

/// Lets go of the one that was asked for longest ago, of those that nobody has.
void Peers::make_room() {
  if (peers_.size() < kMost) return;
  auto oldest = peers_.end();
  for (auto peer = peers_.begin(); peer != peers_.end(); ++peer) {
    const bool is_older = oldest == peers_.end() || peer->second.last_use < oldest->second.last_use;
    if (peer->second.channel.use_count() == 1 && is_older) oldest = peer;
  }
  if (oldest != peers_.end()) peers_.erase(oldest);
}

}  // namespace flowray::cluster
