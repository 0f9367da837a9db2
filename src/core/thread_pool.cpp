// Invariants of the lock-free part
//
// 1. busy_ is 0, or 1 + the generation of the process whose call is being split. (A generation counts the
//    forks since the first process, so what a parent's thread left in busy_ means "free" to the child.) Who
//    changed it to the present value owns started_, threads_generation_, tried_to_start_, what of the helpers
//    is the owner's and the calls in the seats until it stores 0.
// 2. A seat's state is
//      kEmpty    its thread looks at it now and then,
//      kAsleep   its thread sleeps, or is about to, and has to be woken after the state was changed,
//      kPosted   the owner of busy_ has a call for it that it has not joined,
//      kJoined   it works at a call,
//      kAwaited  the same, and the owner sleeps until it leaves,
//      kStop     the pool ends.
//    Only the owner posts (kEmpty or kAsleep -> kPosted). The seat's thread joins (kPosted -> kJoined) unless
//    the owner takes the call back (kPosted -> kEmpty), never both. Only the seat's thread leaves (kJoined or
//    kAwaited -> kEmpty), which is its last access to the call and the body. Only it writes kAsleep, and only
//    over kEmpty.
// 3. A call ends when each seat that it was posted to was left or taken back, so a share never has pieces of
//    two calls, and a thread that takes a piece works at that call.
// 4. Every piece of a call lies in one share, and the thread that changes the share runs the piece: the
//    seat's own worker takes the first one, others the last one.
//
// Orderings, each with its partner
//
//    post     state.exchange(kPosted, release)  |  join: CAS kPosted -> kJoined (acquire): the thread sees
//                                               |  the call and all shares as the owner wrote them.
//    leave    state.exchange(kEmpty, release)   |  state.load(acquire) by the owner: it sees what the
//                                               |  bodies wrote, was_crowded and error_.
//    free     busy_.store(0, release)           |  claim_busy: CAS (acquire): the next owner sees it.
//    sleep    CAS kEmpty -> kAsleep, futex_wait |  post: the exchange returns kAsleep, futex_wake. The kernel
//             and the same with kAwaited        |  compares the word under its own lock: no wake-up is lost.
//
//    A share is changed relaxed: pieces are independent of each other, and join and leave order the rest.

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
#include <optional>

#include "core/environment.h"
#include "core/sanitizers.h"
#include "core/subnormals.h"
#include "core/thread_cpu.h"

namespace flowray {
namespace {

constexpr int kMostThreads = 4096;

constexpr uint32_t kEmpty = 0;
constexpr uint32_t kAsleep = 1;
constexpr uint32_t kPosted = 2;
constexpr uint32_t kJoined = 3;
constexpr uint32_t kAwaited = 4;
constexpr uint32_t kStop = 5;

// A thread that sleeps is woken in tens of microseconds, on a virtual machine in a hundred; the serial parts
// of a step between two that are split are shorter as a rule. A pause is 14 ns on one machine and 140 on
// another, so it is time that counts (in ns, as all times here).
constexpr int64_t kSpinTime = 100'000;
constexpr int kPausesBetweenLooks = 64;  // at the clock
// A spinning thread that does not get to look at the clock for so long was preempted meanwhile.
constexpr int64_t kLongBetweenLooks = 40'000;

// The caller waits for a piece about as long as its own took; what is longer by this was lost.
constexpr int64_t kLate = 20'000;
// What waking a thread costs that stays without a CPU, and two changes of threads on one CPU.
constexpr int64_t kCostOfWaking = 10'000;
constexpr int64_t kCostOfCrowding = 20'000;
// A thread that was woken so long ago and not seen since has no CPU.
constexpr int64_t kLongestWaking = 200'000;

// Pieces are short because the caller waits for the last ones, but each costs its body a beginning. Kernels
// name the work that is worth waking a thread for, about 4 us: pieces are about four times that, where there
// is more to do than four for each worker.
constexpr int64_t kFewPieces = 4;  // of a worker
constexpr int64_t kManyPieces = 64;
constexpr int64_t kMinimaOfPiece = 4;
// In ranges of small items pieces begin at multiples of this, which are whole cache lines of floats.
constexpr int64_t kGrain = 16;
constexpr int64_t kFewItems = 256;

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

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void futex_wait(std::atomic<uint32_t>& word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

// Into how many pieces to cut what makes up to `fitting` ones, for `workers` workers. As many for each,
// unless there are plenty.
int64_t pieces_for(int64_t fitting, int workers) {
  const int64_t fitting_each = fitting / workers;
  const int64_t each =
      std::min(fitting_each, std::clamp(fitting_each / kMinimaOfPiece, kFewPieces, kManyPieces));
  return each * workers;
}

// Unclaimed pieces [first, end), packed into a word for one compare-and-swap.
uint64_t share_of(int64_t first, int64_t end) {
  return static_cast<uint64_t>(first) << 32 | static_cast<uint64_t>(end);
}
int64_t first_of(uint64_t share) { return static_cast<int64_t>(share >> 32); }
int64_t end_of(uint64_t share) { return static_cast<int64_t>(share & 0xffff'ffff); }

// Takes the first piece of one's own share, or the last one of another's. -1: there is none.
int64_t take_first(std::atomic<uint64_t>& share) {
  uint64_t seen = share.load(std::memory_order_relaxed);
  while (first_of(seen) < end_of(seen)) {
    if (share.compare_exchange_weak(seen, share_of(first_of(seen) + 1, end_of(seen)),
                                    std::memory_order_relaxed))
      return first_of(seen);
  }
  return -1;
}
int64_t take_last(std::atomic<uint64_t>& share) {
  uint64_t seen = share.load(std::memory_order_relaxed);
  while (first_of(seen) < end_of(seen)) {
    if (share.compare_exchange_weak(seen, share_of(first_of(seen), end_of(seen) - 1),
                                    std::memory_order_relaxed))
      return end_of(seen) - 1;
  }
  return -1;
}

}  // namespace

ThreadPool::Call::Call(const Body& whole_body, int64_t items, int64_t grain_items, int64_t pieces)
    : body(&whole_body), count(items), grain(static_cast<int32_t>(grain_items)) {
  const int64_t all_grains = items / grain_items + (items % grain_items != 0);
  grains = all_grains / pieces;
  longer = static_cast<int32_t>(all_grains % pieces);
}

int64_t ThreadPool::Call::begin_of(int64_t piece) const {
  const int64_t at = grains * piece + std::min<int64_t>(piece, longer);
  return at > count / grain ? count : at * grain;  // a last grain that is not whole ends at count
}

ThreadPool::ThreadPool(int threads, Sharing sharing)
    : workers_(std::clamp(threads, 1, kMostThreads)),
      spins_(workers_ <= available_cpus()),
      adapts_(spins_ && sharing == Sharing::kWhenItPays),
      seats_(std::make_unique<Seat[]>(static_cast<size_t>(workers_))),
      helpers_(std::make_unique<Helper[]>(static_cast<size_t>(workers_))) {
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
    pthread_join(helpers_[static_cast<size_t>(worker)].thread, nullptr);
  }
}

void ThreadPool::for_range(int64_t count, int64_t min_per_worker, int most_workers, const Body& body) {
  if (count <= 0) return;
  const int64_t grain = min_per_worker >= kFewItems ? kGrain : 1;
  const int64_t fitting = count / grain / std::max<int64_t>((min_per_worker + grain - 1) / grain, 1);
  const int wanted = static_cast<int>(std::min<int64_t>(fitting, std::min(most_workers, workers_)));
  const uint32_t generation = fork_generation.load(std::memory_order_relaxed);
  if (wanted <= 1 || !claim_busy(generation)) {
    body(0, count, 0);
    return;
  }
  const Party party = gather(prepare_threads(generation, wanted));
  if (party.workers <= 1) {
    busy_.store(0, std::memory_order_release);
    body(0, count, 0);
    return;
  }
  const int64_t pieces = pieces_for(fitting, party.workers);
  const Call call(body, count, grain, pieces);
  share_out(call, party, pieces);
  const int64_t pieces_done = run_pieces(seats_[0], call, party.seats, 0, party.cpu);
  await_others(generation, party, pieces_done);
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

// The number of workers that there are threads for, once those have been started if need be.
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
  for (int i = 1; i < workers_; ++i) {
    Seat& seat = seats_[static_cast<size_t>(i)];
    seat.state.store(kEmpty, std::memory_order_relaxed);
    seat.cpu.store(-1, std::memory_order_relaxed);
    seat.share.store(0, std::memory_order_relaxed);
    Helper& helper = helpers_[static_cast<size_t>(i)];
    helper.pool = this;
    helper.seat = &seat;
    helper.fork_generation = threads_generation_;
    helper.woken_at = 0;
    helper.rest = ThreadRest();
    if (pthread_create(&helper.thread, nullptr, &ThreadPool::run_thread, &helper) != 0)
      break;  // Fewer threads, then.
    pthread_setname_np(helper.thread, "flowray-pool");
    started_ = i;
  }
  pthread_sigmask(SIG_SETMASK, &signals_before, nullptr);
}

// The threads of a call for up to `wanted` workers: the first helpers that do not rest.
ThreadPool::Party ThreadPool::gather(int wanted) {
  Party party;
  if (wanted <= 1) return party;
  party.cpu = sched_getcpu();
  if (adapts_) party.begin = now_ns();
  for (int i = 1; i <= started_ && party.workers < wanted; ++i) {
    Helper& helper = helpers_[static_cast<size_t>(i)];
    Seat& seat = seats_[static_cast<size_t>(i)];
    helper.takes_part = false;
    if (adapts_) {
      if (helper.rest.lasts(party.begin)) continue;
      // It spins or is about to, but not now: this CPU is the caller's.
      const bool is_here = seat.cpu.load(std::memory_order_relaxed) == party.cpu;
      if (is_here && seat.state.load(std::memory_order_relaxed) == kEmpty) {
        helper.rest.begin(party.begin, kCostOfCrowding);
        continue;
      }
    }
    helper.takes_part = true;
    seat.worker = static_cast<int16_t>(party.workers++);
    party.seats = i + 1;
  }
  return party;
}

void ThreadPool::share_out(const Call& call, const Party& party, int64_t pieces) {
  const int64_t each = pieces / party.workers;
  seats_[0].share.store(share_of(0, each), std::memory_order_relaxed);
  for (int i = 1; i < party.seats; ++i) {  // all shares before the first post: a thread takes from any
    Seat& seat = seats_[static_cast<size_t>(i)];
    if (!helpers_[static_cast<size_t>(i)].takes_part) continue;
    seat.share.store(share_of(each * seat.worker, each * (seat.worker + 1)), std::memory_order_relaxed);
    seat.call = call;
    seat.seats = static_cast<int16_t>(party.seats);
    seat.caller_cpu = static_cast<int16_t>(adapts_ ? party.cpu : -1);
    seat.was_crowded = false;
  }
  for (int i = 1; i < party.seats; ++i) {
    Helper& helper = helpers_[static_cast<size_t>(i)];
    if (!helper.takes_part) continue;
    Seat& seat = seats_[static_cast<size_t>(i)];
    if (seat.state.exchange(kPosted, std::memory_order_release) == kAsleep) {
      helper.woken_at = party.begin;
      futex_wake(seat.state);
    }
  }
}

// Whether the thread of this seat is on that CPU; where it is it notes.
bool ThreadPool::is_on(Seat& seat, int cpu) {
  const int here = sched_getcpu();
  if (seat.cpu.load(std::memory_order_relaxed) != here) seat.cpu.store(here, std::memory_order_relaxed);
  return here == cpu;
}

// The pieces of the own share, then what others left of theirs; returns how many. A helper that finds itself
// on the caller's CPU leaves at once: one of the two is enough to make use of that.
int64_t ThreadPool::run_pieces(Seat& own, const Call& call, int seats, int worker, int caller_cpu) {
  const bool is_caller = worker == 0;
  int64_t done = 0;
  const auto run_all = [&](auto take, std::atomic<uint64_t>& share) {
    while (true) {
      if (!is_caller && caller_cpu >= 0 && is_on(own, caller_cpu)) return false;
      const int64_t piece = take(share);
      if (piece < 0) return true;
      run_piece(call, piece, worker);
      ++done;
    }
  };
  own.was_crowded = !run_all(take_first, own.share);
  const int own_seat = static_cast<int>(&own - seats_.get());
  for (int k = 1; k < seats && !own.was_crowded; ++k) {
    Seat& other = seats_[static_cast<size_t>((own_seat + k) % seats)];
    own.was_crowded = !run_all(take_last, other.share);
  }
  return done;
}

void ThreadPool::run_piece(const Call& call, int64_t piece, int worker) noexcept {
  try {
    (*call.body)(call.begin_of(piece), call.begin_of(piece + 1), worker);
  } catch (...) {
    // The winner alone writes the error; the owner reads it after all have left (invariant 2).
    if (!failed_.exchange(true, std::memory_order_relaxed)) error_ = std::current_exception();
  }
}

void ThreadPool::await_others(uint32_t generation, const Party& party, int64_t pieces_done) {
  if (fork_generation.load(std::memory_order_relaxed) != generation) {
    throw RuntimeError(
        "A body of ThreadPool::for_range forked and returned in the child, where the pieces of other threads "
        "are "
        "not done: end the child inside of the body, by exec or _exit");
  }
  for (int i = 1; i < party.seats; ++i) {
    Helper& helper = helpers_[static_cast<size_t>(i)];
    if (helper.takes_part) await(seats_[static_cast<size_t>(i)], helper, party, pieces_done);
  }
}

// Takes the call back from a thread that has not joined it, or waits until it has left; judges what it did.
void ThreadPool::await(Seat& seat, Helper& helper, const Party& party, int64_t pieces_done) {
  uint32_t seen = seat.state.load(std::memory_order_acquire);
  // Relaxed: what a claim must see, this thread wrote itself.
  if (seen == kPosted && seat.state.compare_exchange_strong(seen, kEmpty, std::memory_order_relaxed)) {
    if (!adapts_ || helper.woken_at == 0) return;
    const int64_t now = now_ns();
    if (now - helper.woken_at < kLongestWaking) return;
    helper.woken_at = 0;
    helper.rest.begin(now, kCostOfWaking);
    return;
  }
  helper.woken_at = 0;
  int64_t late = 0;
  if (seat.state.load(std::memory_order_acquire) == kJoined) {
    const int64_t piece_time =
        adapts_ ? (now_ns() - party.begin) / std::max<int64_t>(pieces_done, 1) : kSpinTime;
    const int64_t waited =
        wait_until_left(seat, helper, party.cpu, std::min(2 * piece_time + kLate, kSpinTime));
    late = waited - 2 * piece_time - kLate;
  }
  if (!adapts_) return;
  if (late > 0)
    helper.rest.begin(now_ns(), late + kLate);
  else if (seat.was_crowded)
    helper.rest.begin(party.begin, kCostOfCrowding);
  else
    helper.rest.forgive();
}

// Returns for how long: the time that this thread spun, as far as it had a CPU, or slept.
int64_t ThreadPool::wait_until_left(Seat& seat, const Helper& helper, int cpu, int64_t spin_time) const {
  const auto has_left = [&seat] { return seat.state.load(std::memory_order_acquire) != kJoined; };
  int64_t spun = 0;
  int64_t last = 0;
  while (spins_) {
    for (int i = 0; i < kPausesBetweenLooks; ++i) {
      if (has_left()) return spun;
      pause_cpu();
    }
    const int64_t now = now_ns();
    if (last != 0) spun += std::min(now - last, kLongBetweenLooks);
    last = now;
    const bool is_here = seat.cpu.load(std::memory_order_relaxed) == cpu;  // and waits for this CPU
    if (is_here || spun >= spin_time) break;
  }
  const int64_t begin = now_ns();
  // It has lost its CPU, in the middle of a piece, and gets it back in milliseconds. This one is free now.
  std::optional<PulledTo> pulled;
  if (adapts_) pulled.emplace(cpu, helper.kernel_thread.load(std::memory_order_relaxed));
  uint32_t seen = kJoined;
  if (seat.state.compare_exchange_strong(seen, kAwaited, std::memory_order_acquire)) {
    while (seat.state.load(std::memory_order_acquire) == kAwaited) futex_wait(seat.state, kAwaited);
  }
  return spun + now_ns() - begin;
}

void* ThreadPool::run_thread(void* argument) {
  flush_subnormals();
  Helper& helper = *static_cast<Helper*>(argument);
  ThreadPool& pool = *helper.pool;
  Seat& seat = *helper.seat;
  const uint32_t generation = helper.fork_generation;
  helper.kernel_thread.store(gettid(), std::memory_order_relaxed);
  int cpu_to_leave = -1;
  while (pool.await_share(seat, cpu_to_leave)) {
    const Call call = seat.call;
    cpu_to_leave = seat.caller_cpu;
    pool.run_pieces(seat, call, seat.seats, seat.worker, cpu_to_leave);
    if (fork_generation.load(std::memory_order_relaxed) != generation)
      break;  // The body forked: this is the child.
    if (seat.state.exchange(kEmpty, std::memory_order_release) == kAwaited) futex_wake(seat.state);
  }
  return nullptr;
}

// True: the thread joined a call. False: the pool ends.
bool ThreadPool::await_share(Seat& seat, int cpu_to_leave) const {
  uint32_t seen = kEmpty;
  const auto is_wanted = [&] {
    seen = seat.state.load(std::memory_order_relaxed);
    return seen == kStop ||
           (seen == kPosted && seat.state.compare_exchange_strong(seen, kJoined, std::memory_order_acquire,
                                                                  std::memory_order_relaxed));
  };
  while (true) {
    if (is_wanted() || (spins_ && spin_at(seat, cpu_to_leave, is_wanted))) return seen != kStop;
    seat.cpu.store(-1, std::memory_order_relaxed);
    uint32_t expected = kEmpty;
    seat.state.compare_exchange_strong(expected, kAsleep, std::memory_order_relaxed);
    while (seat.state.load(std::memory_order_relaxed) == kAsleep) futex_wait(seat.state, kAsleep);
  }
}

// Whether `is_wanted` came true. Gives up before its time on a CPU that others have a use for: one that was
// taken from the thread meanwhile, and that of the last caller, if there is no other to go to.
bool ThreadPool::spin_at(Seat& seat, int cpu_to_leave, const FunctionRef<bool()>& is_wanted) {
  int64_t begin = 0;
  int64_t last = 0;
  while (true) {
    if (is_on(seat, cpu_to_leave)) {
      move_from(cpu_to_leave);
      if (is_on(seat, cpu_to_leave)) return false;
      begin = last = 0;  // it may have waited for the other one
    }
    for (int i = 0; i < kPausesBetweenLooks; ++i) {
      if (is_wanted()) return true;
      pause_cpu();
    }
    const int64_t now = now_ns();
    if (begin == 0) begin = last = now;
    if (now - begin >= kSpinTime || now - last >= kLongBetweenLooks) return false;
    last = now;
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
  const int otherwise = std::min(available_cpus(), kMostThreads);
  return static_cast<int>(integer_from_environment("FLOWRAY_THREADS", 1, kMostThreads, otherwise));
}

ThreadPool& default_pool() {
  static ThreadPool pool(default_threads());
  return pool;
}

}  // namespace flowray
