#pragma once

#include "cluster/transport.h"
#include "core/cancellation.h"
#include "core/mutex.h"

#include <memory>
#include <optional>
#include <utility>

namespace flowray::cluster {

/// The answer to a call that several threads wait for, each for as long as it likes. Thread-safe.
class AwaitedAnswer : public std::enable_shared_from_this<AwaitedAnswer> {
 public:
  /// It is there. Only once.
  void set(Response response) {
    const MutexLock lock(mutex_);
    response_ = std::move(response);
    changed_.notify_all();
  }
  bool is_there() const {
    const MutexLock lock(mutex_);
    return response_.has_value();
  }
  /// Only when it is there; stays the same then.
  const Response& response() const {
    const MutexLock lock(mutex_);
    return *response_;
  }
  /// Returns when it is there, when `caller` (or null) is cancelled, or at `end`.
  void wait(Cancellation* caller = nullptr, Channel::Deadline end = Channel::Deadline::max()) {
    std::optional<Cancellation::Listening> listening;
    if (caller != nullptr) listening.emplace(*caller, [self = shared_from_this()] { self->wake(); });
    const MutexLock lock(mutex_);
    const auto is_over = [&]() FLOWRAY_REQUIRES(mutex_) {
      return response_.has_value() || (caller != nullptr && caller->is_cancelled());
    };
    if (end == Channel::Deadline::max()) {
      changed_.wait(mutex_, is_over);
    } else {
      changed_.wait_until(mutex_, end, is_over);
    }
  }

 private:
  /// Not between a waiter's look and its rest.
  void wake() {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  }

  mutable Mutex mutex_;
  CondVar changed_;
  std::optional<Response> response_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
