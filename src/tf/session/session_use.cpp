#include "tf/session/session_use.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace flowray::tf {
namespace {

/// The uses of all sessions that there are, few of which have any. Never freed: sessions may outlive main.
struct Uses {
  Mutex mutex;
  std::vector<std::pair<const Session*, std::weak_ptr<SessionUse>>> of_session FLOWRAY_GUARDED_BY(mutex);
};
Uses& uses() {
  static auto* const kUses = new Uses;
  return *kUses;
}

}  // namespace

SessionUse::SessionUse(std::function<void()> on_end) : on_end_(std::move(on_end)) {}

std::shared_ptr<SessionUse> SessionUse::of(const Session& session, std::function<void()> on_end) {
  const std::shared_ptr<SessionUse> made(new SessionUse(std::move(on_end)));
  Uses& all = uses();
  const MutexLock lock(all.mutex);
  all.of_session.emplace_back(&session, made);
  return made;
}

SessionUse::~SessionUse() {
  Uses& all = uses();
  const MutexLock lock(all.mutex);
  std::erase_if(all.of_session, [](const auto& use) { return use.second.expired(); });
}

void SessionUse::forget_on_end() {
  const MutexLock lock(mutex_);
  on_end_ = nullptr;
}

bool SessionUse::borrow() {
  const MutexLock lock(mutex_);
  if (has_gone_) return false;
  ++num_borrowed_;
  return true;
}

void SessionUse::give_back() {
  const MutexLock lock(mutex_);
  --num_borrowed_;
  given_back_.notify_all();
}

void SessionUse::end() {
  const MutexLock lock(mutex_);
  has_gone_ = true;
  if (on_end_ != nullptr) on_end_();
  given_back_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return num_borrowed_ == 0; });
}

void SessionUse::end_all(const Session& session) {
  std::vector<std::shared_ptr<SessionUse>> ended;
  {
    Uses& all = uses();
    const MutexLock lock(all.mutex);
    for (const auto& [used, weak] : all.of_session) {
      if (auto use = used == &session ? weak.lock() : nullptr) ended.push_back(std::move(use));
    }
    std::erase_if(all.of_session, [&](const auto& use) { return use.first == &session; });
  }
  for (const auto& use : ended) use->end();
}

SessionUse::Borrowed::Borrowed(std::shared_ptr<SessionUse> use, Session& session)
    : use_(std::move(use)), session_(use_->borrow() ? &session : nullptr) {}

SessionUse::Borrowed::~Borrowed() {
  if (session_ != nullptr) use_->give_back();
}

}  // namespace flowray::tf
