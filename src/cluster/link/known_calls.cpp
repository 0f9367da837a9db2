#include "cluster/link/known_calls.h"

#include <cstring>

namespace flowray::cluster {

void KnownCalls::begin(const Name& name) {
  const MutexLock lock(mutex_);
  calls_.emplace(name, Call());
}

void KnownCalls::has_come(const Name& name) {
  const MutexLock lock(mutex_);
  if (const auto found = calls_.find(name); found != calls_.end()) found->second.state = CallState::kThere;
}

void KnownCalls::goes(const Name& name, size_t size_bytes, Clock::time_point now) {
  const MutexLock lock(mutex_);
  if (const auto found = calls_.find(name); found != calls_.end())
    found->second.gone_by = now + wait_ + time_to_go(size_bytes);
}

void KnownCalls::end(const Name& name) {
  const MutexLock lock(mutex_);
  calls_.erase(name);
}

CallState KnownCalls::state_of(const Name& name, Clock::time_point now) const {
  const auto found = calls_.find(name);
  if (found == calls_.end() || now > found->second.gone_by) return CallState::kUnknown;
  return found->second.state;
}

std::optional<std::string> KnownCalls::answer(std::span<const std::byte> question,
                                              Clock::time_point now) const {
  constexpr size_t kWord = sizeof(uint64_t);
  if (question.size() < kWord || question.size() % kWord != 0) return std::nullopt;
  std::vector<uint64_t> words(question.size() / kWord);
  std::memcpy(words.data(), question.data(), question.size());
  std::string states;
  const MutexLock lock(mutex_);
  for (size_t i = 1; i < words.size(); ++i) states += static_cast<char>(state_of({words[0], words[i]}, now));
  return states;
}

}  // namespace flowray::cluster
