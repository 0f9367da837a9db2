// Invariants of the lock-free part
//
// 1. busy_ is 0, or 1 + the generation of the process whose call is being split. (A generation counts the
// forks since
//    the first process, so what a parent's thread left in busy_ means "free" to the child.) Who changed it to
//    the present value owns started_, threads_generation_, tried_to_start_ and the pieces in the seats until
//    it stores 0.
// 2. A seat's state is
//      kEmpty   its thread looks at it now and then, or runs a piece,
//      kAsleep  its thread sleeps, or is about to, and has to be woken after the state was changed,
//      kPosted  the owner of busy_ has a piece for it that nobody has begun,
//      kStop    the pool ends.
//    Only the owner posts (kEmpty or kAsleep -> kPosted). A posted piece is begun by who changes kPosted to
//    kEmpty: the seat's thread or the owner, never both. Only the seat's thread writes kAsleep, and only
//    over kEmpty.
// 3. unfinished_ holds the number of pieces given away (posted, not taken back by the owner, not ended), and
// kSleeping
//    while the owner sleeps on it. The owner sets it before it posts. A thread's decrement is its last access
//    to the body, which may vanish once the owner has seen zero.
//
// Orderings, each with its partner
//
//    post      state.exchange(kPosted, release)      |  claim: CAS kPosted -> kEmpty (acquire): the seat's
//    thread sees
//                                                    |  the piece and unfinished_ as the owner wrote them.
//    end       unfinished_.fetch_sub(release)        |  unfinished_.load(acquire) in await_others: the owner
//    sees what
//                                                    |  the bodies wrote, and error_.
//    leave     busy_.store(0, release)               |  claim_busy: CAS (acquire): the next owner sees
//    started_, ... sleep     CAS kEmpty -> kAsleep, futex_wait     |  post: the exchange returns kAsleep,
//    futex_wake. The kernel compares
//              and the same with kSleeping           |  the word under its own lock, so a wake-up is not
//              lost.

#include "core/thread_pool.h"

#include <flowray/errors.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <mutex>

#include "core/environment.h"
#include "core/sanitizers.h"
#include "core/subnormals.h"

namespace flowray {
namespace {

constexpr uint32_t kEmpty = 0;
constexpr uint32_t kAsleep = 1;
constexpr uint32_t kPosted = 2;
constexpr uint32_t kStop = 3;

constexpr uint32_t kSleeping = 1u << 31;

// A thread that sleeps is woken in tens of microseconds, on a virtual machine in a hundred; the serial parts
// of a step between two that are split are shorter as a rule. A pause is 14 ns on one machine and 140 on
// another, so it is time that counts.
constexpr std::chrono::microseconds kSpinTime{100};
constexpr int kPausesBetweenLooks = 64;  // at the clock

// How often this process or one of its parents was forked since the pool came to be. Relaxed everywhere: it
// changes only while the process has one thread.
constinit std::atomic<uint32_t> fork_generation{0};

void watch_forks() {
  static std::once_flag once;
  std::call_once(once, [] {
    pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1, std::memory_order_relaxed); });
  });
}

void pause_cpu() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Whether `is_done` came true while the thread looked for it.
template <class Condition>
bool spin_until(Condition is_done) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point end{};
  while (true) {
    for (int i = 0; i < kPausesBetweenLooks; ++i) {
      if (is_done()) return true;
      pause_cpu();
    }
    const auto now = Clock::now();
    if (end == Clock::time_point()) end = now + kSpinTime;
    if (now >= end) return false;
  }
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// Where piece `piece` of `pieces` equal ones (the first ones greater by one) begins.
int64_t piece_begin(int64_t count, int pieces, int piece) {
  const int64_t each = count / pieces;
  const int64_t rest = count % pieces;
  return each * piece + std::min<int64_t>(piece, rest);
}

}  // namespace

ThreadPool::ThreadPool(int threads)
    : workers_(std::max(threads, 1)),
      spins_(workers_ <= available_cpus()),
      seats_(std::make_unique<Seat[]>(static_cast<size_t>(workers_))) {
  watch_forks();
}

ThreadPool::~ThreadPool() {
  const bool threads_are_the_parents = threads_generation_ != fork_generation.load(std::memory_order_relaxed);
  if (threads_are_the_parents) return;
  for (int worker = 1; worker <= started_; ++worker) {
    Seat& seat = seats_[static_cast<size_t>(worker)];
    if (seat.state.exchange(kStop, std::memory_order_relaxed) == kAsleep) futex_wake(seat.state);
  }
  for (int worker = 1; worker <= started_; ++worker) {
    pthread_join(seats_[static_cast<size_t>(worker)].thread, nullptr);
  }
}

void ThreadPool::for_range(int64_t count, int64_t min_per_worker, int most_workers, const Body& body) {
  if (count <= 0) return;
  const int64_t fitting = count / std::max<int64_t>(min_per_worker, 1);
  const int wanted = static_cast<int>(std::min<int64_t>(fitting, std::min(most_workers, workers_)));
  const uint32_t generation = fork_generation.load(std::memory_order_relaxed);
  if (wanted <= 1 || !claim_busy(generation)) {
    body(0, count, 0);
    return;
  }
  const int pieces = prepare_threads(generation, wanted);
  if (pieces <= 1) {
    busy_.store(0, std::memory_order_release);
    body(0, count, 0);
    return;
  }
  share_out(generation, count, pieces, body);
  std::exception_ptr error;
  if (failed_.load(std::memory_order_relaxed)) {
    error = std::exchange(error_, nullptr);
    failed_.store(false, std::memory_order_relaxed);
  }
  busy_.store(0, std::memory_order_release);
  if (error != nullptr) std::rethrow_exception(error);
}

bool ThreadPool::claim_busy(uint32_t generation) {
  const uint32_t mine = generation + 1;
  uint32_t seen = busy_.load(std::memory_order_relaxed);
  return seen != mine &&
         busy_.compare_exchange_strong(seen, mine, std::memory_order_acquire, std::memory_order_relaxed);
}

// The number of pieces that there are threads for, once those have been started if need be.
int ThreadPool::prepare_threads(uint32_t generation, int wanted) {
  if (threads_generation_ != generation) {
    // They were the parent's, and whatever they had begun is the parent's.
    threads_generation_ = generation;
    started_ = 0;
    failed_.store(false, std::memory_order_relaxed);
    error_ = nullptr;
    tried_to_start_ = kThreadSanitizer;
  }
  if (!tried_to_start_) start_threads();
  return std::min(wanted, started_ + 1);
}

void ThreadPool::start_threads() {
  tried_to_start_ = true;
  // Signals are for the program's own threads.
  sigset_t all_signals;
  sigset_t signals_before;
  sigfillset(&all_signals);
  pthread_sigmask(SIG_SETMASK, &all_signals, &signals_before);
  for (int worker = 1; worker < workers_; ++worker) {
    Seat& seat = seats_[static_cast<size_t>(worker)];
    seat.state.store(kEmpty, std::memory_order_relaxed);
    seat.fork_generation = threads_generation_;
    seat.worker = worker;
    seat.pool = this;
    if (pthread_create(&seat.thread, nullptr, &ThreadPool::run_thread, &seat) != 0)
      break;  // Fewer threads, then.
    pthread_setname_np(seat.thread, "flowray-pool");
    started_ = worker;
  }
  pthread_sigmask(SIG_SETMASK, &signals_before, nullptr);
}

void ThreadPool::share_out(uint32_t generation, int64_t count, int pieces, const Body& body) {
  unfinished_.store(static_cast<uint32_t>(pieces - 1), std::memory_order_relaxed);
  for (int piece = 1; piece < pieces; ++piece) {
    Seat& seat = seats_[static_cast<size_t>(piece)];
    seat.body = &body;
    seat.begin = piece_begin(count, pieces, piece);
    seat.end = piece_begin(count, pieces, piece + 1);
    if (seat.state.exchange(kPosted, std::memory_order_release) == kAsleep) futex_wake(seat.state);
  }
  run_piece(body, 0, piece_begin(count, pieces, 1), 0);
  for (int piece = 1; piece < pieces; ++piece) {
    Seat& seat = seats_[static_cast<size_t>(piece)];
    // Relaxed: what a claim must see, this thread wrote itself.
    uint32_t seen = seat.state.load(std::memory_order_relaxed);
    if (seen == kPosted && seat.state.compare_exchange_strong(seen, kEmpty, std::memory_order_relaxed)) {
      unfinished_.fetch_sub(1, std::memory_order_relaxed);
      run_piece(body, seat.begin, seat.end, piece);
    }
  }
  await_others(generation);
}

void ThreadPool::await_others(uint32_t generation) {
  const auto check_process = [generation] {
    if (fork_generation.load(std::memory_order_relaxed) != generation) {
      throw RuntimeError(
          "A body of ThreadPool::for_range forked and returned in the child, where the pieces of other "
          "threads are not "
          "done: end the child inside of the body, by exec or _exit");
    }
  };
  check_process();
  if (spins_ && spin_until([this] { return unfinished_.load(std::memory_order_acquire) == 0; })) return;
  uint32_t seen = unfinished_.load(std::memory_order_acquire);
  while ((seen & ~kSleeping) != 0) {
    if ((seen & kSleeping) == 0 &&
        !unfinished_.compare_exchange_weak(seen, seen | kSleeping, std::memory_order_acquire)) {
      continue;
    }
    futex_wait(unfinished_, seen | kSleeping);
    seen = unfinished_.load(std::memory_order_acquire);
  }
}

void ThreadPool::run_piece(const Body& body, int64_t begin, int64_t end, int worker) noexcept {
  try {
    body(begin, end, worker);
  } catch (...) {
    // The winner alone writes the error; the owner reads it after all pieces have ended (invariant 3).
    if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
  }
}

void ThreadPool::finish_piece() {
  if (unfinished_.fetch_sub(1, std::memory_order_release) == (kSleeping | 1u)) futex_wake(unfinished_);
}

void* ThreadPool::run_thread(void* argument) {
  flush_subnormals();
  Seat& seat = *static_cast<Seat*>(argument);
  ThreadPool& pool = *seat.pool;
  const uint32_t generation = seat.fork_generation;
  while (pool.await_piece(seat)) {
    pool.run_piece(*seat.body, seat.begin, seat.end, seat.worker);
    if (fork_generation.load(std::memory_order_relaxed) != generation)
      break;  // The body forked: this is the child.
    pool.finish_piece();
  }
  return nullptr;
}

// True: a piece was claimed. False: the pool ends.
bool ThreadPool::await_piece(Seat& seat) const {
  uint32_t seen = kEmpty;
  const auto is_wanted = [&] {
    seen = seat.state.load(std::memory_order_relaxed);
    return seen == kStop ||
           (seen == kPosted && seat.state.compare_exchange_strong(seen, kEmpty, std::memory_order_acquire,
                                                                  std::memory_order_relaxed));
  };
  while (true) {
    if (is_wanted() || (spins_ && spin_until(is_wanted))) return seen != kStop;
    uint32_t expected = kEmpty;
    seat.state.compare_exchange_strong(expected, kAsleep, std::memory_order_relaxed);
    while (seat.state.load(std::memory_order_relaxed) == kAsleep) futex_wait(seat.state, kAsleep);
  }
}

ThreadPool::Limited::Limited(ThreadPool& pool, int workers)
    : pool_(&pool), workers_(std::clamp(workers, 1, pool.workers())) {}

int available_cpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0) return std::max(CPU_COUNT(&cpus), 1);
  // More CPUs than a cpu_set_t has bits.
  return static_cast<int>(std::clamp<long>(sysconf(_SC_NPROCESSORS_ONLN), 1, INT_MAX));
}

int default_threads() {
  constexpr int kMostThreads = 4096;
  const int otherwise = std::min(available_cpus(), kMostThreads);
  return static_cast<int>(integer_from_environment("FLOWRAY_THREADS", 1, kMostThreads, otherwise));
}

ThreadPool& default_pool() {
  static ThreadPool pool(default_threads());
  return pool;
}

}  // namespace flowray
