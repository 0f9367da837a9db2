#pragma once

#include "cluster/link/frame_reader.h"
#include "cluster/link/frame_writer.h"
#include "cluster/link/introduction.h"
#include "cluster/link/link_loop.h"
#include "cluster/link/link_pulse.h"
#include "cluster/transport.h"
#include "core/mutex.h"

#include <functional>
#include <map>
#include <memory>
#include <string_view>

namespace flowray::cluster {

/// The client's end of a link, for calls that no thread waits for, any number at a time. Thread-safe.
class LinkClient final : public LinkLoop::Member, public std::enable_shared_from_this<LinkClient> {
 public:
  /// Null where nothing listens at that name. The link lives until it breaks or let_go().
  /// Larger answers than `most_answer_bytes` are RESOURCE_EXHAUSTED.
  static std::shared_ptr<LinkClient> connect(const Introduction& server, Allocate allocate,
                                             uint64_t most_answer_bytes = kMostBodyBytes);
  LinkClient(Descriptor socket, Allocate allocate, uint64_t most_answer_bytes)
      : socket_(std::move(socket)), reader_(std::move(allocate), most_answer_bytes) {}

  enum class State { kConnecting, kUp, kOver };
  State state() const;

  /// As Channel::start(). Null, and `done` is as it was, where the link is not up.
  std::function<void()> start(std::string_view method, const Message& message, Channel::Deadline deadline,
                              Channel::Done& done);
  /// No further calls are started; it ends with the last of those under way.
  void let_go();

  int socket() const override { return socket_.number(); }
  LinkLoop::Found on_event(uint32_t events) override;
  Ticked on_tick() override;

 private:
  struct Call {
    Channel::Done done;
    Channel::Deadline deadline;
  };
  using Calls = std::map<uint64_t, Call>;
  LinkLoop::Work leave();
  LinkLoop::Work leave(const Status& why);
  Ticked take_out_late();
  void give_up(uint64_t number);
  void end_if_let_go();
  bool take_out(uint64_t number, Call& call);
  void tell_server_to_give_up(uint64_t number);

  const Descriptor socket_;
  FrameReader reader_;
  FrameWriter writer_{[this](bool wants) { LinkLoop::of_process().want_room(*this, wants); }};
  mutable Mutex mutex_;
  State state_ FLOWRAY_GUARDED_BY(mutex_) = State::kConnecting;
  bool is_let_go_ FLOWRAY_GUARDED_BY(mutex_) = false;
  uint64_t last_number_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  Calls calls_ FLOWRAY_GUARDED_BY(mutex_);
  LinkPulse pulse_{SilenceWatch::Of::kServer};
};

/// The text of UNAVAILABLE for a server that gives no sign of life; its first words are gRPC's.
inline constexpr const char* kSilentText = "keepalive watchdog timeout: the server gives no sign of life";

/// The response in a frame, whose reader takes no more than `most_bytes`.
Response response_of(Frame frame, uint64_t most_bytes);

}  // namespace flowray::cluster
