#include "cluster/link/watched_calls.h"

#include <flowray/errors.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <random>
#include <string>
#include <thread>
#include <utility>

namespace flowray::cluster {
namespace {

/// Whether a server has said so: the others are what its absence looks like, too.
bool is_answer(int status) {
  const auto code = static_cast<Code>(status);
  return code != Code::kCancelled && code != Code::kDeadlineExceeded && code != Code::kUnavailable;
}

uint64_t random_word() {
  std::random_device device;
  return (uint64_t{device()} << 32) | device();
}

/// A byte for each of `count`; empty where the answer is another one.
std::string states_in(const Response& response, size_t count) {
  std::string states;
  if (!response.status.ok()) return states;
  for (const Message::Piece& piece : response.message.pieces())
    states.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
  return states.size() == count ? states : std::string();
}

constexpr size_t kMostInQuestion = 1000;
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

WatchedCalls::WatchedCalls(Ask ask, std::function<void()> left)
    : nonce_(random_word()), ask_(std::move(ask)), left_(std::move(left)) {}

uint64_t WatchedCalls::begin(std::function<void()> give_up, size_t size_bytes) {
  uint64_t number = 0;
  bool is_first = false;
  {
    const auto now = Clock::now();
    const MutexLock lock(mutex_);
    if (calls_.empty()) last_sign_ = now;
    number = last_number_ + 1;
    calls_[number] = {std::move(give_up), now + wait_for() + time_to_go(size_bytes), now + ask_after()};
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
  if (found->second.end != End::kOwn) {
    give_up();
  } else {
    found->second.give_up = std::move(give_up);
  }
}

WatchedCalls::End WatchedCalls::end(uint64_t number, int code) {
  const MutexLock lock(mutex_);
  const auto found = calls_.find(number);
  if (found == calls_.end()) return End::kOwn;
  const End end = found->second.end;
  calls_.erase(found);
  if (end == End::kOwn && is_answer(code)) note_sign();
  return end;
}

void WatchedCalls::note_sign() {
  last_sign_ = Clock::now();
  ++num_signs_;
}

bool WatchedCalls::look(Clock::time_point now) {
  uint64_t signs = 0;
  Numbers numbers;
  {
    const MutexLock lock(mutex_);
    if (calls_.empty()) {
      is_watched_ = false;
      return false;
    }
    if (is_asked_) return true;
    for (const auto& [number, call] : calls_) {
      const bool is_due = call.end == End::kOwn && call.next_question <= now;
      if (is_due && numbers.size() < kMostInQuestion) numbers.push_back(number);
    }
    if (numbers.empty() && now - last_sign_ < ask_after()) return true;
    is_asked_ = true;
    signs = num_signs_;
  }
  ask(signs, 1, numbers);
  return true;
}

/// For the second time where the first question was not answered: where this process was itself stopped, the
/// deadline of the first was over when the answer could be read.
void WatchedCalls::ask(uint64_t signs, int time, const Numbers& numbers) {
  const auto wait = std::chrono::duration_cast<std::chrono::milliseconds>(wait_for()) / kQuestions;
  try {
    std::string words(sizeof(uint64_t) * (1 + numbers.size()), '\0');
    std::memcpy(words.data(), &nonce_, sizeof(nonce_));
    if (!numbers.empty())
      std::memcpy(words.data() + sizeof(nonce_), numbers.data(), sizeof(uint64_t) * numbers.size());
    ask_(Message(std::move(words)), std::chrono::system_clock::now() + wait,
         [self = shared_from_this(), signs, time, numbers](const Response& response) {
           self->answered(signs, time, numbers, response);
         });
  } catch (const std::exception&) {  // for want of memory, say: it is asked when it is looked at again
    const MutexLock lock(mutex_);
    is_asked_ = false;
  }
}

void WatchedCalls::end_early(Call& call, End why) {
  call.end = why;
  if (call.give_up != nullptr) std::exchange(call.give_up, nullptr)();
}

/// Whether a call is lost: the server does not have it, for the second time. What was about to come to it, or
/// to go from it, the first time has done so.
bool WatchedCalls::take_in(const Numbers& numbers, const Response& response) {
  const auto now = Clock::now();
  const std::string states = states_in(response, numbers.size());
  bool is_one_lost = false;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const auto found = calls_.find(numbers[i]);
    if (found == calls_.end() || found->second.end != End::kOwn) continue;
    Call& call = found->second;
    if (states.empty()) {  // of a server that does not know the question, now and then
      call.next_question = now + 8 * ask_after();
      continue;
    }
    const auto state = static_cast<CallState>(states[i]);
    const bool is_missed =
        state == CallState::kUnknown || (state == CallState::kComing && now > call.come_by);
    call.num_missed = is_missed ? call.num_missed + 1 : 0;
    call.next_question = now + (is_missed ? ask_after() / 3 : ask_after());
    if (call.num_missed < 2) continue;
    is_one_lost = true;
    end_early(call, End::kLost);
  }
  return is_one_lost;
}

void WatchedCalls::answered(uint64_t signs, int time, const Numbers& numbers, const Response& response) {
  {
    MutexLock lock(mutex_);
    bool is_lost = false;
    if (is_answer(response.status.code)) {
      note_sign();
      is_lost = take_in(numbers, response);
    }
    const bool is_silent = num_signs_ == signs;
    if (is_silent && time < kQuestions) {
      lock.unlock();
      return ask(signs, time + 1, numbers);
    }
    is_asked_ = false;
    if (!is_silent && !is_lost) return;
    if (is_silent) {
      for (auto& [number, call] : calls_) end_early(call, End::kSilent);
      note_sign();
    }
  }
  try {
    left_();
  } catch (const std::exception&) {  // the next calls are given up as these were
  }
}

}  // namespace flowray::cluster
