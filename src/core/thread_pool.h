#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>

#include "core/parallel.h"

namespace flowray {

/// The threads that share the work inside of a step's operations; one pool a process (`default_pool`).
///
/// A call is split into at most workers() equal pieces. The caller computes the first one, and then each one
/// that no thread has begun, so that a sleeping or preempted thread delays nothing that it has not begun. A
/// thread that has nothing to do spins for about 100 us (not at all if the pool has more threads than
/// the process has CPUs) and then sleeps until work comes.
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
  explicit ThreadPool(int threads);
  /// Waits for bodies that run and joins the threads. No call may be in progress or follow.
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int workers() const override { return workers_; }
  void for_range(int64_t count, int64_t min_per_worker,
                 const FunctionRef<void(int64_t begin, int64_t end, int worker)>& body) override {
    for_range(count, min_per_worker, workers_, body);
  }

  /// The same with at most `most_workers` pieces.
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

  // Where one thread waits for its piece. One cache line, so that the claim brings the piece along.
  struct alignas(64) Seat {
    std::atomic<uint32_t> state{0};
    int worker = 0;
    // The piece; written by the owner of busy_ before it posts.
    const Body* body = nullptr;
    int64_t begin = 0;
    int64_t end = 0;
    // Written before the thread starts.
    ThreadPool* pool = nullptr;
    pthread_t thread{};
    uint32_t fork_generation = 0;
  };
  static_assert(sizeof(Seat) == 64);

  static void* run_thread(void* seat);
  bool await_piece(Seat& seat) const;
  int prepare_threads(uint32_t generation, int wanted);
  void start_threads();
  bool claim_busy(uint32_t generation);
  void share_out(uint32_t generation, int64_t count, int pieces, const Body& body);
  void run_piece(const Body& body, int64_t begin, int64_t end, int worker) noexcept;
  void finish_piece();
  void await_others(uint32_t generation);

  const int workers_;
  const bool spins_;
  const std::unique_ptr<Seat[]> seats_;  // seat 0 is the caller's and has no thread

  // Guarded by busy_: written by the thread that set it.
  alignas(64) std::atomic<uint32_t> busy_{0};
  uint32_t threads_generation_ = 0;  // the process (see thread_pool.cpp) that started_ counts the threads of
  int started_ = 0;
  bool tried_to_start_ = false;

  alignas(64) std::atomic<uint32_t> unfinished_{0};
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
