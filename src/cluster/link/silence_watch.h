#pragma once

#include "cluster/keep_alive_time.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

namespace flowray::cluster {

/// Finds out whether the other end of a link is still at work: a process that was stopped (SIGSTOP, a
/// debugger) keeps its sockets open. While a call is under way it is looked every period() whether there was
/// a sign of life since the last look. What does the work of a request does not delay the answer to a ping.
///
/// Looks are counted, not time: where this process itself was stopped or had no core, the answers that came
/// meanwhile have still to be read, and one look says so.
class SilenceWatch {
 public:
  using Clock = std::chrono::steady_clock;
  /// A client's step waits for its server. A server loses little to a silent client, which may be a program
  /// that its user has stopped for a moment: it is given as much time as over the network.
  enum class Of { kServer, kClient };
  explicit SilenceWatch(Of watched) : most_(watched == Of::kServer ? 9 : 24) {}

  /// How often to look. It is an eighth of the network's time, so that by default the server is asked after
  /// one second, and has gone after four and a half.
  static std::chrono::milliseconds period() {
    return std::chrono::milliseconds(std::max(keep_alive_ms() / 8, 1));
  }

  enum class Verdict { kWell, kAsk, kGone };
  /// `signs`: how many signs of life there were so far. Where it is not yet time for a look nothing is
  /// counted. kAsk: a ping is to be sent.
  Verdict look(Clock::time_point now, uint64_t signs) {
    if (now - last_look_ < period_) return Verdict::kWell;
    last_look_ = now;
    num_silent_ = signs == std::exchange(signs_, signs) ? num_silent_ + 1 : 0;
    if (num_silent_ >= most_) return Verdict::kGone;
    return num_silent_ == kAskedAt ? Verdict::kAsk : Verdict::kWell;
  }
  /// Nothing is expected for now.
  void rest() { num_silent_ = 0; }
  std::chrono::milliseconds next_look() const { return period_; }

 private:
  static constexpr int kAskedAt = 2;

  const int most_;
  const std::chrono::milliseconds period_ = period();
  Clock::time_point last_look_ = Clock::now();
  uint64_t signs_ = 0;
  int num_silent_ = 0;
};

}  // namespace flowray::cluster
