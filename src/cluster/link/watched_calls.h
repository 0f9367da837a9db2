#pragma once
/// Finds out whether a server that takes no pings, TensorFlow's, is still there while calls to it are under
/// way: it is asked for a method that it does not have. What it answers with, UNIMPLEMENTED, comes from the
/// threads that take requests in, which no kernel keeps busy, however long a step lasts.

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "cluster/keep_alive_time.h"
#include "cluster/transport.h"
#include "core/mutex.h"

namespace flowray::cluster {

/// The calls to one server. Thread-safe; made as a shared object.
class WatchedCalls : public std::enable_shared_from_this<WatchedCalls> {
 public:
  using Clock = std::chrono::steady_clock;
  /// Asks the server for what it does not have, with this deadline.
  using Ask = std::function<void(Channel::Deadline, Channel::Done)>;
  /// `left` is told that the connection carries nothing any more.
  WatchedCalls(Ask ask, std::function<void()> left) : ask_(std::move(ask)), left_(std::move(left)) {}

  /// A call has begun; returns its number. `give_up` is called, without waiting, where the server is silent;
  /// null: see set_give_up().
  uint64_t begin(std::function<void()> give_up);
  void set_give_up(uint64_t number, std::function<void()> give_up);
  /// It has ended, with this status code: `give_up` is not called from now on. True: because
  /// the server is silent.
  bool end(uint64_t number, int code);

  /// Looks whether it is time to ask; every so often. False: no call is under way.
  bool look(Clock::time_point now);

  /// After so long without an answer the server is asked,
  Clock::duration ask_after() const { return ask_after_; }
  /// and for so long its answer is waited for.
  Clock::duration wait_for() const { return wait_for_; }

 private:
  struct Call {
    std::function<void()> give_up;
    bool is_silent = false;
  };
  /// `signs`: how many there were before the first question.
  void ask(uint64_t signs, int time);
  void answered(uint64_t signs, int time, bool has_answered);
  void note_sign() FLOWRAY_REQUIRES(mutex_);

  // Read once: the environment may be changed by other threads.
  const Clock::duration ask_after_ = std::chrono::milliseconds(silent_after_ms());
  const Clock::duration wait_for_ = std::chrono::milliseconds(gone_after_ms());
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
