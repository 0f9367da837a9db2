#include "ray/simulation/fibers.h"

#include <utility>

namespace flowray::ray {

Fibers::Fibers(std::function<Fiber*()> at_end) : active_(&first_), at_end_(std::move(at_end)) {}

Fibers::~Fibers() {
  {
    const MutexLock lock(mutex_);
    is_ending_ = true;
    for (const auto& fiber : others_) fiber->turn.notify_all();
  }
  for (const auto& fiber : others_) fiber->thread.join();
}

Fibers::Fiber* Fibers::start(std::function<void()> job) {
  Fiber* fiber = nullptr;
  if (idle_.empty()) {
    fiber = others_.emplace_back(std::make_unique<Fiber>()).get();
    fiber->number = others_.size();
    fiber->job = std::move(job);
    fiber->thread = std::thread([this, fiber] { run(*fiber); });
  } else {
    fiber = idle_.back();
    idle_.pop_back();
    const MutexLock lock(mutex_);
    fiber->job = std::move(job);
  }
  return fiber;
}

void Fibers::hand_to(Fiber* next) {
  Fiber* const me = active_;
  if (next == me) return;
  const MutexLock lock(mutex_);
  active_ = next;
  next->turn.notify_all();
  me->turn.wait(mutex_, [&] { return active_ == me; });
}

void Fibers::run(Fiber& fiber) {
  while (true) {
    {
      const MutexLock lock(mutex_);
      fiber.turn.wait(
          mutex_, [&]() FLOWRAY_REQUIRES(mutex_) { return is_ending_ || (active_ == &fiber && fiber.job); });
      if (is_ending_) return;
    }
    std::exchange(fiber.job, nullptr)();
    idle_.push_back(&fiber);
    Fiber* const next = at_end_();
    if (next == &fiber) continue;  // it has got another job
    const MutexLock lock(mutex_);
    active_ = next;
    next->turn.notify_all();
  }
}

}  // namespace flowray::ray
