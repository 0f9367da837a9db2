#pragma once

#include "cluster/crew/poll_window.h"
#include "cluster/link/frame_reader.h"
#include "cluster/link/introduction.h"
#include "cluster/link/local_socket.h"
#include "cluster/transport.h"
#include "core/mutex.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace flowray::cluster {

/// Links to one server for calls that their threads wait for: each call has one to itself, and its thread
/// reads the answer itself, so that no other has to wake it. Thread-safe.
class CallLinks {
 public:
  /// Larger answers than `most_answer_bytes` are RESOURCE_EXHAUSTED.
  CallLinks(Introduction server, Allocate allocate, uint64_t most_answer_bytes = kMostBodyBytes);
  ~CallLinks();
  CallLinks(const CallLinks&) = delete;
  CallLinks& operator=(const CallLinks&) = delete;

  /// As Channel::call(). Nothing where there is no link to be had: nothing was asked then.
  std::optional<Response> call(std::string_view method, const Message& message, Channel::Deadline deadline,
                               Cancellation* cancellation);
  /// Whether nothing listened at the server's socket: it is on another machine, or has gone.
  bool is_in_vain() const;

 private:
  class Link;
  std::unique_ptr<Link> take();

  const Introduction server_;
  const Allocate allocate_;
  const uint64_t most_answer_bytes_;
  mutable Mutex mutex_;
  bool is_in_vain_ FLOWRAY_GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<Link>> idle_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
