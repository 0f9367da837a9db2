#include "cluster/link/watched_calls.h"

#include <flowray/errors.h>

#include <algorithm>
#include <list>
#include <thread>
#include <utility>

namespace flowray::cluster {
namespace {

/// Whether a server has said so: the others are what its absence looks like, too.
bool is_answer(int status) {
  const auto code = static_cast<Code>(status);
  return code != Code::kCancelled && code != Code::kDeadlineExceeded && code != Code::kUnavailable;
}

constexpr int kQuestions = 2;
constexpr std::chrono::seconds kLongestSleep(1);

/// A thread that looks while there is something to look at. Never freed: it may outlive main.
class Watch {
 public:
  static Watch& of_process() {
    static auto* const kWatch = new Watch;
    return *kWatch;
  }
  void add(const std::shared_ptr<WatchedCalls>& calls) {
    const MutexLock lock(mutex_);
    watched_.push_back(calls);
    sleep_ = std::min(sleep_, calls->ask_after() / 8);
    if (!is_running_) std::thread([this] { run(); }).detach();
    is_running_ = true;
    wanted_.notify_one();
  }

 private:
  void run() {
    MutexLock lock(mutex_);
    while (true) {
      wanted_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return !watched_.empty(); });
      std::list<std::weak_ptr<WatchedCalls>> watched;
      watched.splice(watched.end(), watched_);
      const WatchedCalls::Clock::duration sleep = sleep_;
      lock.unlock();
      std::this_thread::sleep_for(sleep);
      std::erase_if(watched, [](const std::weak_ptr<WatchedCalls>& weak) {
        const auto calls = weak.lock();
        return calls == nullptr || !calls->look(WatchedCalls::Clock::now());
      });
      lock.lock();
      watched_.splice(watched_.end(), watched);
    }
  }

  Mutex mutex_;
  CondVar wanted_;
  bool is_running_ FLOWRAY_GUARDED_BY(mutex_) = false;
  WatchedCalls::Clock::duration sleep_ FLOWRAY_GUARDED_BY(mutex_) = kLongestSleep;
  std::list<std::weak_ptr<WatchedCalls>> watched_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace

uint64_t WatchedCalls::begin(std::function<void()> give_up) {
  uint64_t number = 0;
  bool is_first = false;
  {
    const MutexLock lock(mutex_);
    if (calls_.empty()) last_sign_ = Clock::now();
    number = last_number_ + 1;
    calls_[number].give_up = std::move(give_up);
    last_number_ = number;
    is_first = !std::exchange(is_watched_, true);
  }
  if (!is_first) return number;
  try {
    Watch::of_process().add(shared_from_this());
  } catch (const std::exception&) {  // no memory or no thread: it goes unwatched until the next one begins
    const MutexLock lock(mutex_);
    is_watched_ = false;
  }
  return number;
}

void WatchedCalls::set_give_up(uint64_t number, std::function<void()> give_up) {
  const MutexLock lock(mutex_);
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;  // it has ended
  if (found->second.is_silent) {
    give_up();
  } else {
    found->second.give_up = std::move(give_up);
  }
}

bool WatchedCalls::end(uint64_t number, int code) {
  const MutexLock lock(mutex_);
  const auto found = calls_.find(number);
  if (found == calls_.end()) return false;
  const bool was_silent = found->second.is_silent;
  calls_.erase(found);
  if (!was_silent && is_answer(code)) note_sign();
  return was_silent;
}

void WatchedCalls::note_sign() {
  last_sign_ = Clock::now();
  ++num_signs_;
}

bool WatchedCalls::look(Clock::time_point now) {
  uint64_t signs = 0;
  {
    const MutexLock lock(mutex_);
    if (calls_.empty()) {
      is_watched_ = false;
      return false;
    }
    if (is_asked_ || now - last_sign_ < ask_after()) return true;
    is_asked_ = true;
    signs = num_signs_;
  }
  ask(signs, 1);
  return true;
}

/// For the second time where the first question was not answered: where this process was itself stopped, the
/// deadline of the first was over when the answer could be read.
void WatchedCalls::ask(uint64_t signs, int time) {
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(wait_for()) / kQuestions;
  try {
    ask_(std::chrono::system_clock::now() + wait,
         [self = shared_from_this(), signs, time](const Response& response) {
           self->answered(signs, time, is_answer(response.status.code));
         });
  } catch (const std::exception&) {  // for want of memory, say: it is asked when it is looked at again
    const MutexLock lock(mutex_);
    is_asked_ = false;
  }
}

void WatchedCalls::answered(uint64_t signs, int time, bool has_answered) {
  {
    MutexLock lock(mutex_);
    if (has_answered) note_sign();
    const bool is_silent = num_signs_ == signs;
    if (is_silent && time < kQuestions) {
      lock.unlock();
      return ask(signs, time + 1);
    }
    is_asked_ = false;
    if (!is_silent) return;
    for (auto& [number, call] : calls_) {
      call.is_silent = true;
      if (call.give_up != nullptr) std::exchange(call.give_up, nullptr)();
    }
    note_sign();
  }
  try {
    left_();
  } catch (const std::exception&) {  // the next calls are given up as these were
  }
}

}  // namespace flowray::cluster
