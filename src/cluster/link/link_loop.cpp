#include "cluster/link/link_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>
#include <vector>

namespace flowray::cluster {
namespace {

// Numbers of events that belong to no member.
constexpr uint64_t kPosted = 0;
constexpr uint64_t kTimer = UINT64_MAX;

void watch(int epoll, int socket, uint64_t number) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = number;
  ::epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &event);
}

/// Reads the count of an eventfd or a timerfd, which is not ready then.
void take_count(int descriptor) {
  uint64_t count = 0;
  (void)!::read(descriptor, &count, sizeof(count));
}

}  // namespace

LinkLoop& LinkLoop::of_process() {
  static auto* const kLoop = new LinkLoop;  // never freed: its threads may outlive main
  return *kLoop;
}

LinkLoop::LinkLoop()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      posted_event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      window_(std::thread::hardware_concurrency()) {
  if (!is_usable()) return;
  watch(epoll_.number(), posted_event_.number(), kPosted);
  watch(epoll_.number(), timer_.number(), kTimer);
  crew_.start();
}

bool LinkLoop::add(const std::shared_ptr<Member>& member) {
  if (!is_usable()) return false;
  const MutexLock lock(mutex_);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = ++last_number_;
  member->number_ = last_number_;
  if (::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, member->socket(), &event) != 0) return false;
  members_.emplace(last_number_, member);
  return true;
}

void LinkLoop::remove(Member& member) {
  std::shared_ptr<Member> removed;  // ends outside of the lock
  const MutexLock lock(mutex_);
  const auto found = members_.find(member.number_);
  if (found == members_.end()) return;
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, member.socket(), nullptr);
  removed = std::move(found->second);
  members_.erase(found);
}

void LinkLoop::want_room(Member& member, bool wants) {
  const MutexLock lock(mutex_);
  if (!members_.contains(member.number_)) return;
  epoll_event event{};
  event.events = wants ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.u64 = member.number_;
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, member.socket(), &event);
}

void LinkLoop::post(Work work) {
  const MutexLock lock(mutex_);
  posted_.push_back(std::move(work));
  const uint64_t one = 1;
  (void)!::write(posted_event_.number(), &one, sizeof(one));
}

void LinkLoop::expect_tick(std::chrono::milliseconds in) {
  const auto at = Clock::now() + in;
  const MutexLock lock(mutex_);
  if (at >= next_tick_) return;
  next_tick_ = at;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(in);
  itimerspec time{};
  time.it_value.tv_sec = seconds.count();
  time.it_value.tv_nsec = std::chrono::nanoseconds(in - seconds).count();
  ::timerfd_settime(timer_.number(), 0, &time, nullptr);
}

void LinkLoop::serve() {
  while (true) {
    const Work work = next_work();
    crew_.leave_queue();
    work();
    if (!crew_.come_back()) return;
  }
}

LinkLoop::Work LinkLoop::next_work() {
  const MutexLock lock(waiting_);
  while (true) {
    if (Work work = take_posted()) return work;
    if (Work work = next_ready()) return work;
    const auto begin = Clock::now();
    const Event event = wait(begin + window_.length());
    const auto waited = Clock::now() - begin;
    crew_.has_waited(waited);
    window_.request_came(waited);
    if (event.number == kPosted) {
      take_count(posted_event_.number());
    } else if (event.number == kTimer) {
      take_count(timer_.number());
      if (Work work = tick()) return work;
    } else if (Work work = event_of(event)) {
      return work;
    }
  }
}

/// Looks for an event until `sleeps_at`, then sleeps until there is one.
LinkLoop::Event LinkLoop::wait(Clock::time_point sleeps_at) {
  epoll_event event{};
  while (true) {
    const bool sleeps = Clock::now() >= sleeps_at;
    const int count = ::epoll_wait(epoll_.number(), &event, 1, sleeps ? -1 : 0);
    if (count > 0) return {event.data.u64, event.events};
    if (!sleeps) std::this_thread::yield();  // lets other threads have this core
  }
}

LinkLoop::Work LinkLoop::take_posted() {
  const MutexLock lock(mutex_);
  if (posted_.empty()) return nullptr;
  Work work = std::move(posted_.front());
  posted_.pop_front();
  return work;
}

LinkLoop::Work LinkLoop::next_ready() {
  while (true) {
    Event event{.events = EPOLLIN};
    {
      const MutexLock lock(mutex_);
      if (ready_.empty()) return nullptr;
      event.number = ready_.front();
      ready_.pop_front();
    }
    if (Work work = event_of(event)) return work;
  }
}

LinkLoop::Work LinkLoop::event_of(const Event& event) {
  std::shared_ptr<Member> member;
  {
    const MutexLock lock(mutex_);
    const auto found = members_.find(event.number);
    if (found == members_.end()) return nullptr;  // it was removed meanwhile
    member = found->second;
  }
  Found found = member->on_event(event.events);
  if (found.has_more) {
    const MutexLock lock(mutex_);
    ready_.push_back(event.number);
  }
  return std::move(found.work);
}

LinkLoop::Work LinkLoop::tick() {
  std::vector<std::shared_ptr<Member>> members;
  {
    const MutexLock lock(mutex_);
    next_tick_ = Clock::time_point::max();
    for (const auto& [number, member] : members_) members.push_back(member);
  }
  std::vector<Work> works;
  auto next_in = kNoTick;
  for (const auto& member : members) {
    Member::Ticked ticked = member->on_tick();
    next_in = std::min(next_in, ticked.next_in);
    if (ticked.work != nullptr) works.push_back(std::move(ticked.work));
  }
  if (next_in != kNoTick) expect_tick(next_in);
  if (works.empty()) return nullptr;
  return [works = std::move(works)] {
    for (const Work& work : works) work();
  };
}

}  // namespace flowray::cluster
