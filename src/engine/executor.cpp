#include "engine/executor.h"

#include "core/job_queue.h"
#include "core/timer.h"

#include <optional>
#include <utility>

namespace flowray::engine {

void StartedRuns::begin() {
  const std::lock_guard lock(mutex_);
  ++count_;
}

void StartedRuns::end() {
  const std::lock_guard lock(mutex_);
  if (--count_ == 0) ended_.notify_all();
}

void StartedRuns::wait() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return count_ == 0; });
}

/// A run that pauses where the step waits. It belongs to itself: it is deleted when it is over.
class Executor::StartedRun {
 public:
  StartedRun(Executor& executor, std::unique_ptr<RunState> state, std::vector<Array> feeds,
             Parallel& parallel, const RunContext& context, RunDone done)
      : executor_(executor),
        started_(executor.started_),
        feeds_(std::move(feeds)),
        context_(context),
        done_(std::move(done)),
        state_(std::move(state)) {
    for (const Array& feed : feeds_) fed_.push_back(&feed);
    outcome_.results.resize(state_->program()->results.size());
    run_ = PausingRun::begin(*state_, fed_, {executor.states_, parallel, context_, executor.closing_},
                             [this] { default_jobs().post([this] { advance(); }); });
    started_.begin();
  }

  void advance() {
    try {
      if (!alarm_ && context_.has_deadline()) {
        alarm_.emplace(default_timer(), context_.deadline, [this] { run_->expire(); });
      }
      // After false it may go on in another thread, or be over.
      if (!run_->advance(outcome_.results)) return;
    } catch (...) {
      outcome_ = {std::current_exception(), {}};
    }
    end();
  }

 private:
  void end() {
    alarm_.reset();
    run_.reset();
    executor_.check_in(std::move(state_));
    const RunDone done = std::move(done_);
    RunOutcome outcome = std::move(outcome_);
    StartedRuns& started = started_;
    delete this;
    // From here on the session may end, perhaps with what `done` holds.
    started.end();
    tell(done, std::move(outcome));
  }

  Executor& executor_;
  StartedRuns& started_;
  const std::vector<Array> feeds_;
  std::vector<const Array*> fed_;
  const RunContext context_;
  RunDone done_;
  RunOutcome outcome_;
  std::unique_ptr<RunState> state_;
  std::unique_ptr<PausingRun> run_;
  std::optional<Timer::Alarm> alarm_;  // ends before what it calls
};

void Executor::exchange(std::vector<Shape> fed_shapes, std::shared_ptr<const Program> program) {
  std::vector<std::unique_ptr<RunState>> dropped;  // without the lock
  const std::lock_guard lock(mutex_);
  fed_shapes_ = std::move(fed_shapes);
  program_.swap(program);
  dropped.swap(free_states_);
}

std::unique_ptr<RunState> Executor::check_out(std::span<const Array* const> feeds) {
  std::shared_ptr<const Program> program;
  {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < feeds.size(); ++i) {
      if (!(fed_shapes_[i] == feeds[i]->shape())) return nullptr;
    }
    if (!free_states_.empty()) {
      std::unique_ptr<RunState> state = std::move(free_states_.back());
      free_states_.pop_back();
      return state;
    }
    program = program_;
  }
  return std::make_unique<RunState>(std::move(program));
}

size_t Executor::num_free_states() {
  const std::lock_guard lock(mutex_);
  return free_states_.size();
}

void Executor::check_in(std::unique_ptr<RunState> state) {
  const std::lock_guard lock(mutex_);
  const bool is_wanted = state->program() == program_ && free_states_.size() < kMostFreeStates;
  if (is_wanted) free_states_.push_back(std::move(state));
}

void Executor::run(std::unique_ptr<RunState> state, std::span<const Array* const> feeds,
                   std::span<Array> results, Parallel& parallel, const RunContext& context) {
  try {
    run_program(*state, feeds, results, {states_, parallel, context, closing_});
  } catch (...) {
    check_in(std::move(state));
    throw;
  }
  check_in(std::move(state));
}

RunOutcome Executor::run_to_end(std::unique_ptr<RunState> state, const std::vector<Array>& feeds,
                                Parallel& parallel, const RunContext& context) {
  RunOutcome outcome;
  try {
    std::vector<const Array*> fed;
    for (const Array& feed : feeds) fed.push_back(&feed);
    outcome.results.resize(state->program()->results.size());
    run(std::move(state), fed, outcome.results, parallel, context);
  } catch (...) {
    outcome = {std::current_exception(), {}};
  }
  return outcome;
}

void Executor::start(std::unique_ptr<RunState> state, std::vector<Array> feeds, Parallel& parallel,
                     const RunContext& context, RunDone done) {
  const std::shared_ptr<const Program> program = state->program();
  if (!may_wait(*program)) {
    tell(done, run_to_end(std::move(state), feeds, parallel, context));
  } else {
    (new StartedRun(*this, std::move(state), std::move(feeds), parallel, context, std::move(done)))
        ->advance();
  }
}

}  // namespace flowray::engine
