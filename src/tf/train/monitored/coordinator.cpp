#include <flowray/tf/session_run_hooks.h>

#include "core/mutex.h"
#include "tf/train/monitored/queue_runner_threads.h"
#include "tf/train/monitored/readiness.h"

#include <thread>
#include <utility>
#include <vector>

namespace flowray::tf::train {

struct Coordinator::State {
  void stop(std::exception_ptr error) {
    const MutexLock lock(mutex);
    if (!std::exchange(stopping, true)) failure = std::move(error);
    changed.notify_all();
  }
  bool is_stopping() const {
    const MutexLock lock(mutex);
    return stopping;
  }

  mutable Mutex mutex;
  mutable CondVar changed;
  bool stopping FLOWRAY_GUARDED_BY(mutex) = false;
  std::exception_ptr failure FLOWRAY_GUARDED_BY(mutex);
  std::vector<std::thread> threads FLOWRAY_GUARDED_BY(mutex);
  size_t num_running FLOWRAY_GUARDED_BY(mutex) = 0;  // of the threads
  Mutex runners_mutex;                               // held while they start and end
  QueueRunnerThreads runners FLOWRAY_GUARDED_BY(runners_mutex){
      [this] { return is_stopping(); }, [this](std::exception_ptr error) { stop(std::move(error)); }};
};

Coordinator::Coordinator() : state_(std::make_unique<State>()) {}

Coordinator::~Coordinator() {
  try {
    join();
  } catch (...) {  // NOLINT: errors are reported by an explicit join()
  }
}

bool Coordinator::should_stop() const { return state_->is_stopping(); }

void Coordinator::request_stop(std::exception_ptr error) { state_->stop(std::move(error)); }

bool Coordinator::wait_for_stop(double timeout_secs) const {
  State& state = *state_;
  const MutexLock lock(state.mutex);
  state.changed.wait_until(state.mutex, std::chrono::steady_clock::now() + clock_duration(timeout_secs),
                           [&]() FLOWRAY_REQUIRES(state.mutex) { return state.stopping; });
  return state.stopping;
}

void Coordinator::raise_requested_exception() const {
  std::exception_ptr failure;
  {
    const MutexLock lock(state_->mutex);
    failure = state_->failure;
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

void Coordinator::start_queue_runners(Session& session, const std::vector<FilledQueue>& queues) {
  const MutexLock lock(state_->runners_mutex);
  state_->runners.start(session, queues);
}

void Coordinator::start_thread(std::function<void()> function) {
  const MutexLock starting(state_->mutex);
  state_->threads.emplace_back([state = state_.get(), function = std::move(function)] {
    try {
      function();
    } catch (...) {
      state->stop(std::current_exception());
    }
    const MutexLock lock(state->mutex);
    --state->num_running;
    state->changed.notify_all();
  });
  ++state_->num_running;  // the thread may have been refused
}

bool Coordinator::end_within(double grace_secs) {
  using Clock = std::chrono::steady_clock;
  request_stop();
  const Clock::time_point end = Clock::now() + clock_duration(grace_secs);
  {
    const MutexLock lock(state_->runners_mutex);
    if (!state_->runners.end(end).empty()) return false;
  }
  const MutexLock lock(state_->mutex);
  return state_->changed.wait_until(
      state_->mutex, end, [&]() FLOWRAY_REQUIRES(state_->mutex) { return state_->num_running == 0; });
}

void Coordinator::join() {
  request_stop();
  {
    const MutexLock lock(state_->runners_mutex);
    state_->runners.end();
  }
  std::vector<std::thread> ended;
  {
    // Others may join, too, and threads may start others until they end.
    const MutexLock lock(state_->mutex);
    state_->changed.wait(state_->mutex,
                         [&]() FLOWRAY_REQUIRES(state_->mutex) { return state_->num_running == 0; });
    ended.swap(state_->threads);
  }
  for (std::thread& thread : ended) thread.join();
  raise_requested_exception();
}

}  // namespace flowray::tf::train
