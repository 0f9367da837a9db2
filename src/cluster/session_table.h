#pragma once
/// The sessions of a service by their handles, and which is closed when there are too many.

#include "core/mutex.h"
#include "engine/servers.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::cluster {

/// A client may vanish without closing its session, so those that nobody has called for a while go first
/// where there are too many. One that is held by others than the table is being called, or has a step under
/// way: it stays. What is taken out is the caller's to close, outside of the lock. Thread-safe.
template <class Session>
class SessionTable {
 public:
  using Clock = std::chrono::steady_clock;
  using Shared = std::shared_ptr<Session>;

  /// At most `most` sessions at a time. Where there are as many, and where memory is short, those may go that
  /// had no call for `unused`.
  SessionTable(int64_t most, Clock::duration unused) : most_(most), unused_(unused) {}

  /// Null where there is none. Counts as a call.
  Shared find(std::string_view handle) {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(handle);
    if (found == entries_.end()) return nullptr;
    found->second.last_used = Clock::now();
    return found->second.session;
  }

  /// Whether add() would not be kFull.
  bool has_room(Clock::time_point now) {
    const MutexLock lock(mutex_);
    return std::ssize(entries_) < most_ || longest_unused(now) != entries_.end();
  }

  enum class Added { kNew, kThere, kFull };
  /// Where the table is full, the session that was unused the longest is removed and given out in `ended`.
  Added add(const std::string& handle, Shared session, Clock::time_point now, Shared& ended) {
    const MutexLock lock(mutex_);
    if (entries_.contains(handle)) return Added::kThere;
    if (std::ssize(entries_) >= most_) {
      const auto oldest = longest_unused(now);
      if (oldest == entries_.end()) return Added::kFull;
      ended = take_out(oldest);
    }
    entries_.emplace(handle, Entry{std::move(session), now});
    return Added::kNew;
  }

  /// Null where there is none.
  Shared take(std::string_view handle) {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(handle);
    return found == entries_.end() ? nullptr : take_out(found);
  }
  std::vector<Shared> take_all() {
    return take_if(Clock::now(), [](const std::string&, const Session&, Clock::duration) { return true; });
  }
  /// Those of which `is_to_go(handle, session, unused)`; the last is the time without a call.
  template <class Predicate>
  std::vector<Shared> take_if(Clock::time_point now, Predicate is_to_go) {
    std::vector<Shared> taken;
    const MutexLock lock(mutex_);
    for (auto it = entries_.begin(); it != entries_.end();) {
      const auto here = it++;
      Entry& entry = here->second;
      const Clock::duration unused = unused_for(entry, now);
      if (is_to_go(here->first, std::as_const(*entry.session), unused)) taken.push_back(take_out(here));
    }
    return taken;
  }
  /// A quarter of those that may go, at least one where there are any: those that are unused for longest.
  std::vector<Shared> take_longest_unused(Clock::time_point now) {
    std::vector<Shared> taken;
    const MutexLock lock(mutex_);
    size_t num_may_go = 0;
    for (auto& [handle, entry] : entries_) num_may_go += may_go(entry, now) ? 1 : 0;
    for (size_t left = (num_may_go + 3) / 4; left > 0; --left) taken.push_back(take_out(longest_unused(now)));
    return taken;
  }

  size_t size() const {
    const MutexLock lock(mutex_);
    return entries_.size();
  }
  bool contains(std::string_view handle) const {
    const MutexLock lock(mutex_);
    return entries_.contains(handle);
  }
  std::vector<Shared> all() const {
    const MutexLock lock(mutex_);
    std::vector<Shared> found;
    for (const auto& [handle, entry] : entries_) found.push_back(entry.session);
    return found;
  }
  /// Calls `look(handle, session)` of each. It must not use the table.
  template <class Look>
  void visit(Look look) const {
    const MutexLock lock(mutex_);
    for (const auto& [handle, entry] : entries_) look(handle, *entry.session);
  }

 private:
  struct Entry {
    Shared session;
    Clock::time_point last_used;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  /// One that is in use is in use until now.
  static Clock::duration unused_for(Entry& entry, Clock::time_point now) {
    if (entry.session.use_count() > 1) entry.last_used = now;
    return now - entry.last_used;
  }
  bool may_go(Entry& entry, Clock::time_point now) const {
    return unused_for(entry, now) >= unused_ && entry.session.use_count() == 1;
  }
  typename Entries::iterator longest_unused(Clock::time_point now) FLOWRAY_REQUIRES(mutex_) {
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (!may_go(it->second, now)) continue;
      if (oldest == entries_.end() || it->second.last_used < oldest->second.last_used) oldest = it;
    }
    return oldest;
  }
  Shared take_out(typename Entries::iterator entry) FLOWRAY_REQUIRES(mutex_) {
    Shared session = std::move(entry->second.session);
    entries_.erase(entry);
    return session;
  }

  const int64_t most_;
  const Clock::duration unused_;
  mutable Mutex mutex_;
  Entries entries_ FLOWRAY_GUARDED_BY(mutex_);
};

/// The time without a call after which a session may go for others. Where sessions stay for ever they do not
/// go for others, either.
inline std::chrono::steady_clock::duration spare_time(const engine::ServerLimits& limits) {
  if (limits.idle_seconds == 0) return std::chrono::steady_clock::duration::max();
  return std::chrono::seconds(limits.spare_seconds);
}

}  // namespace flowray::cluster
