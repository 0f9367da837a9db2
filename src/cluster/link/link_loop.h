#pragma once

#include "cluster/crew/crew.h"
#include "cluster/crew/poll_window.h"
#include "cluster/link/local_socket.h"
#include "core/mutex.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>

namespace flowray::cluster {

/// The threads of this process that wait for all of its links: a crew (crew/crew.h), of which one at a time
/// takes what comes and then does what is to be done about it, while another one waits if that takes long.
/// Thread-safe; never ends.
class LinkLoop {
 public:
  using Work = std::function<void()>;
  static constexpr std::chrono::milliseconds kTick{10};  // as exactly as deadlines are kept
  static constexpr std::chrono::milliseconds kNoTick = std::chrono::milliseconds::max();
  /// What an event has brought. The work may take long.
  struct Found {
    Work work = nullptr;    // null: nothing
    bool has_more = false;  // on_event() is to be called again, whether or not something comes
  };

  /// A socket that the loop watches, and what is done when it is ready.
  class Member {
   public:
    Member() = default;
    virtual ~Member() = default;
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
    virtual int socket() const = 0;
    /// There is something to read, or room to write; `events` as of epoll. Called by one thread at a time,
    /// for which others wait.
    virtual Found on_event(uint32_t events) = 0;
    /// Likewise, some time after expect_tick(), and for other members' sake. `next_in`: when
    /// another tick is wanted.
    struct Ticked {
      Work work = nullptr;
      std::chrono::milliseconds next_in = kNoTick;
    };
    virtual Ticked on_tick() { return {}; }

   private:
    friend class LinkLoop;
    std::atomic<uint64_t> number_ = 0;  // in the loop
  };

  static LinkLoop& of_process();

  /// Keeps it until remove(). False: the system does not allow it.
  bool add(const std::shared_ptr<Member>& member);
  void remove(Member& member);
  void want_room(Member& member, bool wants);
  /// Lets a thread of the loop do the work, soon.
  void post(Work work);
  /// Calls on_tick() of all members in about that time, or before.
  void expect_tick(std::chrono::milliseconds in);
  bool is_usable() const { return epoll_ && posted_event_ && timer_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Event {
    uint64_t number = 0;
    uint32_t events = 0;
  };
  LinkLoop();
  void serve();
  Work next_work();
  Work next_ready() FLOWRAY_REQUIRES(waiting_);
  Work take_posted();
  Work event_of(const Event& event) FLOWRAY_REQUIRES(waiting_);
  Work tick() FLOWRAY_REQUIRES(waiting_);
  Event wait(Clock::time_point sleeps_at);

  const Descriptor epoll_;
  const Descriptor posted_event_;
  const Descriptor timer_;
  Mutex waiting_;  // held by the thread that polls for all
  PollWindow window_ FLOWRAY_GUARDED_BY(waiting_);

  Mutex mutex_;
  uint64_t last_number_ FLOWRAY_GUARDED_BY(mutex_) = 0;
  std::map<uint64_t, std::shared_ptr<Member>> members_ FLOWRAY_GUARDED_BY(mutex_);
  std::deque<Work> posted_ FLOWRAY_GUARDED_BY(mutex_);
  std::deque<uint64_t> ready_ FLOWRAY_GUARDED_BY(mutex_);  // links with more to read
  Clock::time_point next_tick_ FLOWRAY_GUARDED_BY(mutex_) = Clock::time_point::max();
  Crew crew_{[this] { serve(); }};
};

}  // namespace flowray::cluster
