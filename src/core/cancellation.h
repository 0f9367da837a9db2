#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <utility>

#include "core/mutex.h"

namespace flowray {

/// A cancellation token: cancelled once by one side, polled by the threads that do the work, and a callback
/// for those that sleep in it. Thread-safe.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_acquire); }

  /// Calls every listener once; does nothing the second time.
  void cancel() {
    const MutexLock lock(mutex_);
    if (cancelled_.exchange(true, std::memory_order_acq_rel)) return;
    for (const auto& [id, listener] : listeners_) listener();
  }

  /// While it lives, `listener` is called on cancellation: by the thread that cancels, or at once if that has
  /// happened before. It may wake a thread; it must not block, nor make or end a Listening. After the end of
  /// the Listening it does not run, nor is it running.
  class Listening {
   public:
    Listening(Cancellation& cancellation, std::function<void()> listener) : cancellation_(cancellation) {
      const MutexLock lock(cancellation.mutex_);
      if (cancellation.is_cancelled()) {
        listener();
        return;
      }
      id_ = ++cancellation.last_id_;
      cancellation.listeners_.emplace(id_, std::move(listener));
    }
    ~Listening() {
      const MutexLock lock(cancellation_.mutex_);
      cancellation_.listeners_.erase(id_);
    }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;

   private:
    Cancellation& cancellation_;
    unsigned long id_ = 0;  // 0: it was given before
  };

 private:
  std::atomic<bool> cancelled_{false};
  Mutex mutex_;
  unsigned long last_id_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::map<unsigned long, std::function<void()>> listeners_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray
