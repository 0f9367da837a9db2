#include "tf/train/monitored/queue_runner_threads.h"

#include "tf/build/unset.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace flowray::tf::train {
namespace {

/// The session may be closed, or its server gone, by now.
void end_queue(Session& session, const Operation& op) {
  try {
    session.run(op, {}, {.timeout_in_ms = 5000});
  } catch (const Error& error) {
    fmt::print(stderr, "flowray: a queue was not closed: {}\n", error.message());
  }
}

}  // namespace

void QueueRunnerThreads::start(Session& session, const std::vector<FilledQueue>& queues) {
  for (size_t i = 0; i < queues.size(); ++i) {
    const std::string name = element_name("queues", i);
    check_all_set(queues[i].enqueue_ops, name + ".enqueue_ops");
    (void)node_of(queues[i].close_op, name + ".close_op");
    (void)node_of(queues[i].cancel_op, name + ".cancel_op");
  }
  for (const FilledQueue& queue : queues) {
    Runner& runner = runners_.emplace_back(SessionUse::of(session), session, queue, queue.enqueue_ops.size());
    for (const Operation& op : queue.enqueue_ops) {
      {
        const MutexLock lock(mutex_);
        running_.insert(op.name());
      }
      try {
        runner.threads.emplace_back([this, &runner, op] { fill(runner, op); });
      } catch (...) {  // nobody is to wait for it
        const MutexLock lock(mutex_);
        running_.erase(running_.find(op.name()));
        throw;
      }
    }
  }
}

void QueueRunnerThreads::fill(Runner& runner, const Operation& op) {
  fill_until_stop(runner, op);
  const MutexLock lock(mutex_);
  running_.erase(running_.find(op.name()));
  ended_.notify_all();
}

void QueueRunnerThreads::fill_until_stop(Runner& runner, const Operation& op) {
  const SessionUse::Borrowed borrowed(runner.use, runner.session);
  if (borrowed.session() == nullptr) return;
  Session& session = *borrowed.session();
  const FilledQueue& queue = runner.queue;
  try {
    const RunOptions until_stop{.cancellation = runs_};
    while (!is_stopping_()) {
      if (queue.run != nullptr) {
        queue.run(session, op, until_stop);
      } else {
        session.run(op, {}, until_stop);
      }
    }
  } catch (const errors::OutOfRangeError&) {
    // Others may have more, which a closed queue would not take.
    if (--runner.num_filling == 0) end_queue(session, queue.close_op);
  } catch (...) {
    stop_for_(std::current_exception());
  }
}

std::vector<std::string> QueueRunnerThreads::end(Clock::time_point deadline) {
  runs_->cancel();
  for (Runner& runner : runners_) {
    if (std::exchange(runner.is_cancelled, true)) continue;
    const SessionUse::Borrowed borrowed(runner.use, runner.session);
    if (borrowed.session() != nullptr) end_queue(*borrowed.session(), runner.queue.cancel_op);
  }
  {
    const MutexLock lock(mutex_);
    const auto have_ended = [this]() FLOWRAY_REQUIRES(mutex_) { return running_.empty(); };
    if (deadline == Clock::time_point::max()) {
      ended_.wait(mutex_, have_ended);
    } else if (!ended_.wait_until(mutex_, deadline, have_ended)) {
      return {running_.begin(), running_.end()};
    }
  }
  for (Runner& runner : runners_) {
    for (std::thread& thread : runner.threads) thread.join();
  }
  runners_.clear();
  return {};
}

}  // namespace flowray::tf::train
