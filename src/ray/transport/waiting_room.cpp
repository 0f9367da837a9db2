#include "ray/transport/waiting_room.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace flowray::ray {
namespace {

using Clock = std::chrono::steady_clock;

bool is_over(internal::Deadline deadline) { return deadline && Clock::now() >= *deadline; }

int64_t microseconds_left(internal::Deadline deadline) {
  if (!deadline) return -1;
  return std::max<int64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(*deadline - Clock::now()).count(), 0);
}

}  // namespace

/// While it lives, the calling thread is the poller.
class WaitingRoom::Polling {
 public:
  explicit Polling(WaitingRoom& room) : room_(room) { room_.has_poller_ = true; }
  ~Polling() {
    room_.has_poller_ = false;
    room_.wake_sleepers();  // one of them polls now
  }
  Polling(const Polling&) = delete;
  Polling& operator=(const Polling&) = delete;

 private:
  WaitingRoom& room_;
};

bool WaitingRoom::wait(Mutex& mutex, internal::Deadline deadline, int64_t spin_us,
                       const FunctionRef<bool()>& done, const Rings& rings) {
  while (!done()) {
    if (!has_poller_) {
      const Polling polling(*this);
      return poll(mutex, deadline, spin_us, done, rings);
    }
    if (is_over(deadline)) return false;
    ++sleepers_;
    if (deadline) {
      changed_.wait_until(mutex, *deadline);
    } else {
      changed_.wait(mutex);
    }
    --sleepers_;
  }
  return true;
}

bool WaitingRoom::poll(Mutex& mutex, internal::Deadline deadline, int64_t spin_us,
                       const FunctionRef<bool()>& done, const Rings& rings) {
  while (true) {
    const auto until = Clock::now() + std::chrono::microseconds(std::min(spin_us, worthwhile_spin_us_));
    do {
      for (int i = 0; i < 64 && !rings.anything_to_read(); ++i) spin_pause();
      if (rings.drain()) wake_sleepers();
      if (done()) {
        worthwhile_spin_us_ = std::min(worthwhile_spin_us_ + 1, kLongestSpinUs);
        return true;
      }
      mutex.unlock();  // others may have calls to make
      mutex.lock();
    } while (Clock::now() < until);
    if (done()) return true;
    if (is_over(deadline)) return false;

    // Nothing came. On a machine whose cores are taken it may be this very looking that keeps the other side
    // from its core.
    worthwhile_spin_us_ = std::max(worthwhile_spin_us_ / 2, kShortestSpinUs);
    if (!others_.empty()) {
      sleep_on_all(mutex, deadline, rings);
      continue;
    }
    doorbell_.announce(Doorbell::How::kFutex);
    if (!rings.may_sleep()) {
      doorbell_.cancel();
      continue;
    }
    mutex.unlock();
    doorbell_.sleep(sleep_us(deadline));
    mutex.lock();
  }
}

void WaitingRoom::sleep_on_all(Mutex& mutex, internal::Deadline deadline, const Rings& rings) {
  const std::vector<std::shared_ptr<Doorbell>> held = others_;  // they may be removed meanwhile
  std::vector<Doorbell*> bells{&doorbell_};
  for (const auto& bell : held) bells.push_back(bell.get());
  for (Doorbell* const bell : bells) bell->announce(Doorbell::How::kFutex);
  if (!rings.may_sleep()) {
    for (Doorbell* const bell : bells) bell->cancel();
    return;
  }
  mutex.unlock();
  Doorbell::sleep_on_any(bells, sleep_us(deadline));
  mutex.lock();
}

void WaitingRoom::add(std::shared_ptr<Doorbell> doorbell) {
  if (std::ranges::find(others_, doorbell) != others_.end()) return;  // it was told of a second time
  others_.push_back(std::move(doorbell));
  wake_all();  // the poller may sleep without it
}

void WaitingRoom::remove(const Doorbell* doorbell) noexcept {
  std::erase_if(others_, [&](const auto& other) { return other.get() == doorbell; });
}

int64_t WaitingRoom::sleep_us(internal::Deadline deadline) const {
  const int64_t left = microseconds_left(deadline);
  if (left < 0) return longest_sleep_us_;
  return longest_sleep_us_ < 0 ? left : std::min(left, longest_sleep_us_);
}

void WaitingRoom::wake_sleepers() {
  if (sleepers_ > 0) changed_.notify_all();
}

void WaitingRoom::wake_all() {
  wake_sleepers();
  if (has_poller_) doorbell_.wake(-1);
}

}  // namespace flowray::ray
