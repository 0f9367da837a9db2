#pragma once

#include "cluster/link/frame_reader.h"
#include "cluster/link/frame_writer.h"
#include "cluster/link/link_loop.h"
#include "cluster/link/silence_watch.h"

#include <utility>

namespace flowray::cluster {

/// What either end of a link does to notice that the other one is silent: it asks for a sign of life while a
/// call is under way, and gives one when it is asked. What is under way is the owner's to say, whose mutex is
/// held where a function wants that.
class LinkPulse {
 public:
  explicit LinkPulse(SilenceWatch::Of watched) : watch_(watched) {}

  /// With the mutex: a call is under way. True: the owner is to call expect_tick() when it has let go of it.
  bool begin_call() { return !std::exchange(is_watched_, true); }
  void expect_tick() const { LinkLoop::of_process().expect_tick(watch_.next_look()); }
  std::chrono::milliseconds next_look() const { return watch_.next_look(); }

  /// With the mutex, at a tick: whether look() is to follow.
  bool is_due(bool has_calls) {
    is_watched_ = has_calls;
    if (!has_calls) watch_.rest();
    return has_calls;
  }
  /// By the ticking thread. False: the other end has gone.
  bool look(int socket, const FrameReader& reader, FrameWriter& writer) {
    const uint64_t signs = reader.received_bytes() + writer.bytes_after_waiting();
    const SilenceWatch::Verdict verdict = watch_.look(SilenceWatch::Clock::now(), signs);
    if (verdict == SilenceWatch::Verdict::kAsk) writer.send(socket, {.kind = FrameKind::kPing}, {}, {}, {});
    return verdict != SilenceWatch::Verdict::kGone;
  }

  /// Whether a frame was no more than a question or a sign of life; answers the former.
  static bool takes(FrameKind kind, int socket, FrameWriter& writer) {
    if (kind == FrameKind::kPing) writer.send(socket, {.kind = FrameKind::kPong}, {}, {}, {});
    return kind == FrameKind::kPing || kind == FrameKind::kPong;
  }

 private:
  bool is_watched_ = false;  // a look is to come; guarded by the owner's mutex
  SilenceWatch watch_;       // the ticking thread's
};

}  // namespace flowray::cluster
