#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "core/parallel.h"
#include "core/thread_rest.h"

namespace flowray {

/// When a pool hands work to its threads.
enum class Sharing {
  kWhenItPays,  ///< Not to a thread that lately cost more than it did.
  kAlways,      ///< For tests whose bodies wait for each other.
};

/// The threads that share the work inside of a step's operations; one pool a process (`default_pool`).
///
/// A call is cut into pieces of a few to some tens of microseconds, and each thread has its share of them in
/// a row. A thread that is done with its own takes pieces from the ends of the others' shares, whether these
/// threads have begun or not: the caller waits only for pieces that run. A thread that has nothing to do
/// spins for about 100 us (not at all if the pool has more threads than the process has CPUs) and then sleeps
/// until work comes.
///
/// Where another process takes a CPU, a thread of the pool may be left without one: in the middle of a piece,
/// for milliseconds, or on the CPU of the caller, where only one of the two can run. Both are noticed. The
/// caller lets such a thread finish its piece on the caller's CPU; a thread that finds itself there without a
/// piece goes to another one (thread_cpu.h); and it then rests for many times as long as was lost
/// (ThreadRest). So what the others leave of a CPU is used, and where that is nothing the caller is as fast
/// as alone. A pool with more threads than the process has CPUs does not do that: it was asked for.
///
/// Thread-safe. One call at a time is split: while it runs, calls from other threads and calls from inside of
/// a body run serially in their callers, so nothing ever waits in a queue.
///
/// After fork() the child starts threads of its own when they are first needed (under ThreadSanitizer, which
/// does not allow that, it stays serial). A body that forks must not return in the child: the pieces of other
/// threads are not done there, and for_range throws RuntimeError; in a thread of the pool, the child ends.
class ThreadPool final : public Parallel {
 public:
  /// `threads`: how many pieces may run at once, the caller's included; 0 and 1 make a pool that is serial.
  /// Starts no thread yet: that waits for the first call with work for two.
  explicit ThreadPool(int threads, Sharing sharing = Sharing::kWhenItPays);
  /// Waits for bodies that run and joins the threads. No call may be in progress or follow.
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int workers() const override { return workers_; }
  void for_range(int64_t count, int64_t min_per_worker,
                 const FunctionRef<void(int64_t begin, int64_t end, int worker)>& body) override {
    for_range(count, min_per_worker, workers_, body);
  }

  /// The same with at most `most_workers` workers.
  void for_range(int64_t count, int64_t min_per_worker, int most_workers,
                 const FunctionRef<void(int64_t begin, int64_t end, int worker)>& body);

  /// A view of a pool that uses at most `workers` of it; for sessions that ask for fewer threads. The pool
  /// must outlive it.
  class Limited final : public Parallel {
   public:
    Limited(ThreadPool& pool, int workers);
    int workers() const override { return workers_; }
    void for_range(int64_t count, int64_t min_per_worker,
                   const FunctionRef<void(int64_t begin, int64_t end, int worker)>& body) override {
      pool_->for_range(count, min_per_worker, workers_, body);
    }

   private:
    ThreadPool* pool_;
    int workers_;
  };
  /// `workers` below 1 counts as 1, above workers() as that.
  Limited limited(int workers) { return {*this, workers}; }

 private:
  using Body = FunctionRef<void(int64_t begin, int64_t end, int worker)>;

  // What a thread needs to know of a call. Items are cut in grains, and pieces are whole grains: the first
  // `longer` pieces have `grains + 1`, the others `grains`.
  struct Call {
    const Body* body = nullptr;
    int64_t count = 0;
    int64_t grains = 0;
    int32_t longer = 0;
    int32_t grain = 1;

    Call() = default;
    Call(const Body& body, int64_t count, int64_t grain, int64_t pieces);
    int64_t begin_of(int64_t piece) const;
  };

  // Where one thread waits for its share of a call. One cache line, so that the claim brings the share along.
  struct alignas(64) Seat {
    std::atomic<uint32_t> state{0};
    std::atomic<int32_t> cpu{-1};  // where the thread last found itself; -1 while it sleeps
    // The unclaimed pieces: the first << 32 | the one behind the last.
    std::atomic<uint64_t> share{0};
    // Written by the owner of busy_ before it posts.
    Call call;
    int16_t worker = 0;
    int16_t seats = 0;  // those of the call are below it
    int16_t caller_cpu = -1;
    bool was_crowded = false;  // the thread found itself on the caller's CPU; written before it leaves
  };
  static_assert(sizeof(Seat) == 64);

  // A helper thread with what belongs to it.
  struct Helper {
    // Written before it starts.
    ThreadPool* pool = nullptr;
    Seat* seat = nullptr;
    uint32_t fork_generation = 0;
    pthread_t thread{};
    std::atomic<pid_t> kernel_thread{0};  // its number; written before it joins a call
    // The owner's of busy_.
    bool takes_part = false;  // in the present call
    int64_t woken_at = 0;     // ns; 0 once it was seen since
    ThreadRest rest;
  };

  static void* run_thread(void* helper);
  bool await_share(Seat& seat, int cpu_to_leave) const;
  static bool spin_at(Seat& seat, int cpu_to_leave, const FunctionRef<bool()>& is_wanted);
  static bool is_on(Seat& seat, int cpu);
  int prepare_threads(uint32_t generation, int wanted);
  void start_threads();
  bool claim_busy(uint32_t generation);

  struct Party {
    int workers = 1;
    int seats = 1;  // the helpers that take part are below it
    int cpu = -1;   // the caller's
    int64_t begin = 0;
  };
  Party gather(int wanted);
  void share_out(const Call& call, const Party& party, int64_t pieces);
  int64_t run_pieces(Seat& own, const Call& call, int seats, int worker, int caller_cpu);
  void run_piece(const Call& call, int64_t piece, int worker) noexcept;
  void await_others(uint32_t generation, const Party& party, int64_t pieces_done);
  void await(Seat& seat, Helper& helper, const Party& party, int64_t pieces_done);
  int64_t wait_until_left(Seat& seat, const Helper& helper, int cpu, int64_t spin_time) const;

  const int workers_;
  const bool spins_;
  const bool adapts_;
  const std::unique_ptr<Seat[]> seats_;      // seat 0 is the caller's and has no thread
  const std::unique_ptr<Helper[]> helpers_;  // by seat

  // Guarded by busy_: written by the thread that set it.
  alignas(64) std::atomic<uint32_t> busy_{0};
  uint32_t threads_generation_ = 0;  // the process (see thread_pool.cpp) that started_ counts the threads of
  int started_ = 0;
  bool tried_to_start_ = false;

  alignas(64) std::atomic<bool> failed_{false};
  std::exception_ptr error_;  // of the piece that set failed_ first
};

/// CPUs that this process may run on, at least 1.
int available_cpus();

/// Threads for default_pool(): FLOWRAY_THREADS, or as many as the process has CPUs.
/// Throws errors::InvalidArgumentError if FLOWRAY_THREADS is not a number from 1 to 4096.
int default_threads();

/// The process's pool, made at first use with default_threads().
ThreadPool& default_pool();

}  // namespace flowray
