#include "engine/run/started_run.h"

#include "core/job_queue.h"
#include "core/timer.h"
#include "engine/run/pausing_run.h"

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

namespace {

/// A run that pauses where the step waits. It owns itself: it is deleted when it has ended.
class StartedRun {
 public:
  /// Leaves `done` where it is if there is no memory for the run.
  StartedRun(RunToStart& asked, StartedRuns& started)
      : started_(started),
        feeds_(std::move(asked.feeds)),
        context_(asked.surroundings.context),
        give_back_(std::move(asked.give_back)),
        state_(std::move(asked.state)) {
    for (const Array& feed : feeds_) fed_.push_back(&feed);
    outcome_.results.resize(state_->program()->results.size());
    run_ = PausingRun::begin(*state_, fed_, asked.surroundings.with(context_),
                             [this] { continue_somewhere([this] { advance(); }); });
    done_ = std::move(asked.done);
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
    give_back_(std::move(state_));
    const RunDone done = std::move(done_);
    RunOutcome outcome = std::move(outcome_);
    StartedRuns& started = started_;
    delete this;
    // From here on the session may end, perhaps with what `done` holds.
    started.end();
    tell(done, std::move(outcome));
  }

  StartedRuns& started_;
  const std::vector<Array> feeds_;
  std::vector<const Array*> fed_;
  const RunContext context_;
  RunDone done_;
  const GiveBack give_back_;
  RunOutcome outcome_;
  std::unique_ptr<RunState> state_;
  std::unique_ptr<PausingRun> run_;
  std::optional<Timer::Alarm> alarm_;  // ends before what it calls
};

}  // namespace

void start_run(RunToStart asked, StartedRuns& started) {
  StartedRun* run = nullptr;
  try {
    run = new StartedRun(asked, started);
  } catch (...) {
    return tell(asked.done, {std::current_exception(), {}});
  }
  run->advance();
}

}  // namespace flowray::engine
