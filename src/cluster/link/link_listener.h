#pragma once

#include "cluster/link/introduction.h"
#include "cluster/link/link_loop.h"
#include "cluster/transport.h"
#include "core/mutex.h"

#include <memory>
#include <optional>

namespace flowray::cluster {

/// Answers the requests that come over links, by the handler and to the limits of the network's listener.
class LinkListener {
 public:
  LinkListener(Handler handler, Allocate allocate, int64_t most_message_bytes);
  /// Returns when all requests have been replied to, and their handlers have returned.
  ~LinkListener();
  LinkListener(const LinkListener&) = delete;
  LinkListener& operator=(const LinkListener&) = delete;

  /// For those that the server lets in; nothing where the system has no such sockets to give.
  const std::optional<Introduction>& introduction() const { return introduction_; }
  /// No requests are accepted any more, and those under way are cancelled.
  void begin_to_end();

  static constexpr size_t kMostLinks = 256;  // further clients stay on the network

 private:
  class Acceptor;
  class Call;
  class Link;
  struct Served;

  const std::shared_ptr<Served> served_;
  std::optional<Introduction> introduction_;
  std::shared_ptr<Acceptor> acceptor_;
};

}  // namespace flowray::cluster
