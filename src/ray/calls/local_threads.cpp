#include "ray/calls/local_threads.h"

#include <flowray/ray/errors.h>

#include <system_error>
#include <thread>
#include <utility>

namespace flowray::ray {

struct LocalThreads::State : std::enable_shared_from_this<State> {
  explicit State(size_t most_at_a_time) : most(most_at_a_time) {}

  const size_t most;
  Mutex mutex;
  CondVar one_ended;
  std::deque<std::function<void()>> jobs FLOWRAY_GUARDED_BY(mutex);
  size_t num_threads FLOWRAY_GUARDED_BY(mutex) = 0;
  size_t num_waiting FLOWRAY_GUARDED_BY(mutex) = 0;
  bool is_ending FLOWRAY_GUARDED_BY(mutex) = false;

  /// A thread for the first of the jobs, where one more may run.
  void start_where_needed() FLOWRAY_REQUIRES(mutex);
  void run_jobs();
};

thread_local LocalThreads::State* LocalThreads::of_this_thread = nullptr;

void LocalThreads::State::start_where_needed() {
  if (jobs.empty() || num_threads - num_waiting >= most) return;
  try {
    std::thread([state = shared_from_this()] { state->run_jobs(); }).detach();
  } catch (const std::system_error& error) {
    // The threads that run will come to the job; where all of them wait, nobody would.
    if (num_threads > num_waiting) return;
    throw RayException("local_mode has no thread for a task, with " + std::to_string(num_threads) +
                       " threads that wait for others: " + error.what() +
                       ".\nRaise the limit of threads (ulimit -u), or let fewer tasks wait.");
  }
  ++num_threads;
}

void LocalThreads::State::run_jobs() {
  of_this_thread = this;
  MutexLock lock(mutex);
  while (!jobs.empty() && !is_ending && num_threads - num_waiting <= most) {
    std::function<void()> job = std::move(jobs.front());
    jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
  --num_threads;
  one_ended.notify_all();
}

LocalThreads::LocalThreads(size_t most) : state_(std::make_shared<State>(most)) {}

LocalThreads::~LocalThreads() { (void)end(std::chrono::milliseconds(0)); }

void LocalThreads::post(std::function<void()> job) {
  const MutexLock lock(state_->mutex);
  if (state_->is_ending) return;
  state_->jobs.push_back(std::move(job));
  try {
    state_->start_where_needed();
  } catch (...) {
    state_->jobs.pop_back();
    throw;
  }
}

size_t LocalThreads::end(std::chrono::milliseconds patience) {
  std::deque<std::function<void()>> dropped;  // ends outside of the lock
  State& state = *state_;
  const MutexLock lock(state.mutex);
  state.is_ending = true;
  dropped.swap(state.jobs);
  state.one_ended.wait_for(state.mutex, patience,
                           [&]() FLOWRAY_REQUIRES(state.mutex) { return state.num_threads == 0; });
  return state.num_threads;
}

LocalThreads::Waiting::Waiting() {
  State* const state = of_this_thread;
  if (state == nullptr) return;
  const MutexLock lock(state->mutex);
  ++state->num_waiting;
  try {
    state->start_where_needed();
  } catch (...) {
    --state->num_waiting;
    throw;
  }
}

LocalThreads::Waiting::~Waiting() {
  State* const state = of_this_thread;
  if (state == nullptr) return;
  const MutexLock lock(state->mutex);
  --state->num_waiting;
}

}  // namespace flowray::ray
