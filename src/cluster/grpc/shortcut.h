#pragma once

#include "cluster/link/call_links.h"
#include "cluster/link/introduction.h"
#include "cluster/link/link_client.h"
#include "cluster/transport.h"
#include "core/mutex.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace flowray::cluster {

/// The links of a channel, where its server is on this machine and has some: it is asked for them over the
/// network with the first call, and again when they have broken. Thread-safe.
class Shortcut : public std::enable_shared_from_this<Shortcut> {
 public:
  /// Asks the server over the network; for answers as of Channel.
  using Ask = std::function<void(std::string_view method, const Channel::Limits& limits, Channel::Done done)>;
  /// `is_ours` is called when the server has turned out to be one of ours.
  Shortcut(Ask ask, Allocate allocate, int64_t most_answer_bytes, std::function<void()> is_ours);
  ~Shortcut();

  /// As of Channel. Nothing, and `done` is as it was, where there is no link (yet).
  std::optional<Response> call(std::string_view method, const Message& message, Channel::Deadline deadline,
                               Cancellation* cancellation);
  std::function<void()> start(std::string_view method, const Message& message, Channel::Deadline deadline,
                              Channel::Done& done);

 private:
  using Clock = std::chrono::steady_clock;
  enum class State { kUnknown, kAsking, kKnown, kNone };
  void look_for_server();
  void take_in(const Response& answer);
  void forget() FLOWRAY_REQUIRES(mutex_);

  const Ask ask_;
  const Allocate allocate_;
  const uint64_t most_answer_bytes_;
  const std::function<void()> is_ours_;
  Mutex mutex_;
  State state_ FLOWRAY_GUARDED_BY(mutex_) = State::kUnknown;
  Clock::time_point next_look_ FLOWRAY_GUARDED_BY(mutex_);
  bool has_had_link_ FLOWRAY_GUARDED_BY(mutex_) = false;  // to the server of now
  std::optional<Introduction> server_ FLOWRAY_GUARDED_BY(mutex_);
  std::shared_ptr<CallLinks> call_links_ FLOWRAY_GUARDED_BY(mutex_);  // made with the first call
  std::shared_ptr<LinkClient> link_ FLOWRAY_GUARDED_BY(mutex_);       // likewise
};

}  // namespace flowray::cluster
