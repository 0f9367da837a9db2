// Running calls in a worker.

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include <flowray/ray/encoding.h>

#include "ray/run_function.h"
#include "ray/value.h"
#include "ray/worker_backend.h"

namespace flowray::ray {

using internal::ValueView;
using Clock = std::chrono::steady_clock;

bool WorkerBackend::wait_for_work(Lock& lock) {
  waiting_room_.wait(
      lock, {}, channel_.worker_spin_us().load(std::memory_order_relaxed), [this] { return !runs_.empty() || exiting_; },
      {[this] { return !reader_.empty(); }, [this] { return drain(); }});
  return !runs_.empty();
}

void WorkerBackend::run() {
  {
    const Lock lock(mutex_);
    post(Started{static_cast<uint32_t>(getpid())});
  }
  while (true) {
    std::vector<std::byte> message;
    {
      Lock lock(mutex_);
      tell_let_go();
      if (!wait_for_work(lock)) return;
      message = std::move(runs_.front());
      runs_.pop_front();
    }
    execute(message);
    const Lock lock(mutex_);
    constexpr size_t kSpare = 64;
    if (spare_.size() < kSpare) spare_.push_back(std::move(message));
  }
}

void WorkerBackend::execute(std::span<const std::byte> message) {
  const Run run = read_message<Run>(message, run_parts_);
  std::vector<ValueView> values;
  {
    const Lock lock(mutex_);
    values = take_arguments(run, message);
  }
  // Only now: views of a call that the owner took back end here, and the owner hears of it.
  if (run.mode == CallMode::kTask && !channel_.begin(run.ticket)) return;

  const auto begin = Clock::now();
  FunctionCall call;
  call.function = run.function;
  call.mode = run.mode;
  call.values = values.data();
  call.references = std::span<const ValueView>(values).subspan(1);
  results_.resize(std::max<size_t>(results_.size(), std::max(run.num_returns, 1u)));
  const size_t num_results = run_function(call, actor_, std::span<Encoder>(results_).first(run.num_returns));
  values.clear();
  const auto run_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count();
  send_results(run.task, static_cast<uint64_t>(run_ns), num_results);
}

}  // namespace flowray::ray
