#pragma once

#include "core/mutex.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_set>

namespace flowray::cluster {

/// Numbers that have been seen lately, so that what comes twice is noticed. Thread-safe.
class RecentIds {
 public:
  static constexpr size_t kMostKept = 16'384;

  /// Whether it was not among them; now it is. 0 stands for no number and is always new.
  bool add(int64_t id) {
    if (id == 0) return true;
    const MutexLock lock(mutex_);
    if (!ids_.insert(id).second) return false;
    order_.push_back(id);
    if (order_.size() > kMostKept) {
      ids_.erase(order_.front());
      order_.pop_front();
    }
    return true;
  }

 private:
  Mutex mutex_;
  std::unordered_set<int64_t> ids_ FLOWRAY_GUARDED_BY(mutex_);
  std::deque<int64_t> order_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
