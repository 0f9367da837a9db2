#pragma once
/// Finds out whether a server is still there while calls to it are under way, and whether it still has them:
/// one of ours is asked that. A byte that changes on the way, in the number of a stream say, can lose a
/// request or an answer, so that both sides wait for ever on a connection that is well. TensorFlow's servers
/// do not have that method, and take no pings: that they answer, UNIMPLEMENTED, says that they are there. It
/// comes from the threads that take requests in, which no kernel keeps busy, however long a step lasts.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/keep_alive_time.h"
#include "cluster/transport.h"
#include "core/mutex.h"

namespace flowray::cluster {

/// What a server of ours has of a call.
enum class CallState : char { kUnknown, kComing, kThere };

/// How long so many bytes may be on their way at most, besides the time that a server is waited for.
inline std::chrono::milliseconds time_to_go(size_t size_bytes) {
  constexpr size_t kSlowestBytesInMs = 256;
  return std::chrono::milliseconds(size_bytes / kSlowestBytesInMs);
}

/// The calls to one server. Thread-safe; made as a shared object.
class WatchedCalls : public std::enable_shared_from_this<WatchedCalls> {
 public:
  using Clock = std::chrono::steady_clock;
  /// Asks the server what it has of calls, with this deadline: nonce() and their numbers as words of 64 bits.
  /// The answer is a CallState for each.
  using Ask = std::function<void(const Message& question, Channel::Deadline, Channel::Done)>;
  /// `left` is told that the connection carries nothing any more, or has lost something.
  WatchedCalls(Ask ask, std::function<void()> left);

  /// A call of so many bytes has begun; returns its number. `give_up` is called, without waiting, where the
  /// server is silent, or does not have the call; null: see set_give_up().
  uint64_t begin(std::function<void()> give_up, size_t size_bytes = 0);
  void set_give_up(uint64_t number, std::function<void()> give_up);
  enum class End { kOwn, kSilent, kLost };
  /// It has ended, with this status code: `give_up` is not called from now on. Whether it was called, and
  /// why.
  End end(uint64_t number, int code);
  /// Before the numbers, so that no other client has the same names for its calls.
  uint64_t nonce() const { return nonce_; }

  /// Looks whether it is time to ask; every so often. False: no call is under way.
  bool look(Clock::time_point now);

  /// After so long without an answer the server is asked,
  Clock::duration ask_after() const { return ask_after_; }
  /// and for so long its answer is waited for.
  Clock::duration wait_for() const { return wait_for_; }

 private:
  struct Call {
    std::function<void()> give_up;
    Clock::time_point come_by;        // a request that still comes then is stuck
    Clock::time_point next_question;  // of what the server has of it
    int num_missed = 0;               // times that the server did not have it, one after another
    End end = End::kOwn;
  };
  using Numbers = std::vector<uint64_t>;
  /// `signs`: how many there were before the first question.
  void ask(uint64_t signs, int time, const Numbers& numbers);
  void answered(uint64_t signs, int time, const Numbers& numbers, const Response& response);
  bool take_in(const Numbers& numbers, const Response& response) FLOWRAY_REQUIRES(mutex_);
  static void end_early(Call& call, End why);
  void note_sign() FLOWRAY_REQUIRES(mutex_);

  // Read once: the environment may be changed by other threads.
  const Clock::duration ask_after_ = std::chrono::milliseconds(silent_after_ms());
  const Clock::duration wait_for_ = std::chrono::milliseconds(gone_after_ms());
  const uint64_t nonce_;
  const Ask ask_;
  const std::function<void()> left_;
  Mutex mutex_;
  uint64_t last_number_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, Call> calls_ FLOWRAY_GUARDED_BY(mutex_);
  Clock::time_point last_sign_ FLOWRAY_GUARDED_BY(mutex_);  // of life, or the begin of what is under way
  uint64_t num_signs_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  bool is_watched_ FLOWRAY_GUARDED_BY(mutex_) = false;
  bool is_asked_ FLOWRAY_GUARDED_BY(mutex_) = false;
};

}  // namespace flowray::cluster
