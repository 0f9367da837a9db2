#include "engine/run/executor.h"

#include "core/job_queue.h"
#include "core/timer.h"

#include <optional>
#include <utility>

namespace flowray::engine {

void StartedRuns::begin() {
  const MutexLock lock(mutex_);
  ++count_;
}

void StartedRuns::end() {
  const MutexLock lock(mutex_);
  if (--count_ == 0) ended_.notify_all();
}

void StartedRuns::wait() {
  const MutexLock lock(mutex_);
  ended_.wait(mutex_, [this]() FLOWRAY_REQUIRES(mutex_) { return count_ == 0; });
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

namespace {

bool is_for(const Program& program, std::span<const Array* const> feeds) {
  for (size_t i = 0; i < feeds.size(); ++i) {
    if (!(program.fed_shapes[i] == feeds[i]->shape())) return false;
  }
  return true;
}

}  // namespace

void Executor::exchange(std::shared_ptr<const Program> program) {
  {
    const MutexLock lock(mutex_);
    program_.swap(program);
    current_.store(program_.get());
  }
  free_states_.clear();
}

std::unique_ptr<RunState> Executor::check_out(std::span<const Array* const> feeds) {
  // A state of a program that was exchanged is dropped; nobody checks it in again.
  std::unique_ptr<RunState> state = free_states_.take();
  if (state != nullptr && state->program().get() == current_.load()) {
    if (is_for(*state->program(), feeds)) return state;
    check_in(std::move(state));
    return nullptr;
  }
  std::shared_ptr<const Program> program;
  {
    const MutexLock lock(mutex_);
    program = program_;
  }
  if (!is_for(*program, feeds)) return nullptr;
  return std::make_unique<RunState>(std::move(program));
}

void Executor::check_in(std::unique_ptr<RunState> state) {
  // No count is touched that other threads share. While a state is kept, no other program can have this
  // address.
  const Program* const program = state->program().get();
  if (program != current_.load()) return;
  free_states_.give(std::move(state));
  // Exchanged meanwhile, perhaps after the states were cleared.
  if (program != current_.load()) free_states_.clear();
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
