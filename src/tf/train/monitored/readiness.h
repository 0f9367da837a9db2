#pragma once
/// Whether a model has all that its training needs.

#include <flowray/tf/session.h>

#include "core/timer.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace flowray::tf::train {

/// Rests until then, or throws where the wait is over.
using Rest = std::function<void(std::chrono::steady_clock::time_point)>;

/// What a session is made ready by.
struct Readiness {
  Tensor ready_op = {};
  Tensor ready_for_local_init_op = {};
  Operation local_init_op = {};
  FeedDict local_init_feed_dict = {};
  RunOptions local_init_run_options = {};
};

/// Looks at servers, which may not be there: they end when the time is over, though not within the first
/// seconds, or by whoever has `ends`.
class LimitedLooks {
 public:
  explicit LimitedLooks(double max_wait_secs);
  /// What `look` gives, whose steps are to have ends(). Throws throw_not_ready()'s where the time ends it.
  std::string look(const std::function<std::string()>& look) const;
  const std::shared_ptr<StepCancellation>& ends() const { return ends_; }

 private:
  using Clock = std::chrono::steady_clock;
  const double max_wait_secs_;
  const Clock::time_point end_;
  const std::shared_ptr<StepCancellation> ends_ = std::make_shared<StepCancellation>();
  const Timer::Alarm alarm_;
};

/// What ready_op or ready_for_local_init_op says against it: "Variables not initialized: w, b"; empty: it
/// is ready, or there is none to ask.
std::string missing_variables(Session& session, const Tensor& ready,
                              const std::shared_ptr<StepCancellation>& ends = nullptr);

/// A session on servers, which are all waited for: nothing else is to be waited for in its next steps. Runs
/// nothing. `rest` has words for a wait that is ended.
void open_session(Session& session, const LimitedLooks& looks, const Rest& rest);

/// Runs local_init_op, if there is one and the model is ready for it. Returns what is missing; "": nothing.
std::string begin_locally(Session& session, const Readiness& readiness,
                          const std::shared_ptr<StepCancellation>& ends = nullptr);

/// The same for one that is not the chief: nothing is missing once the whole model is ready, whose servers
/// are waited for until `ends` (or null) ends that.
std::string look_for_chief(Session& session, const Readiness& readiness,
                           const std::shared_ptr<StepCancellation>& ends = nullptr);

/// Runs local_init_op, and throws RuntimeError "Init operations did not make model ready..." where something
/// has no value then.
void finish_initialisation(Session& session, const Operation& init_op, bool has_init_fn,
                           const Readiness& readiness);

/// "Waiting for model to be ready. ..." on stderr.
void say_who_is_waited_for(const Readiness& readiness, const std::string& against);

/// errors::DeadlineExceededError "Session was not ready after waiting ...".
[[noreturn]] void throw_not_ready(double max_wait_secs, const std::string& against);

/// How often to look, and for how long.
struct Patience {
  double recovery_wait_secs = 30;
  double max_wait_secs = 7200;
};
/// Calls `find` until it is true; `say` at once and every ten seconds while it is not. Returns false when
/// the time is over, after one look at least.
bool look_until(const std::function<bool()>& find, const std::function<void()>& say, const Patience& patience,
                const Rest& rest);

/// Looks until `look` says that nothing is missing. Says which task is waited for, and throws
/// throw_not_ready()'s.
void wait_for_chief(const std::function<std::string()>& look, const LimitedLooks& looks,
                    const Readiness& readiness, const Patience& patience, const Rest& rest);

/// A duration of so many seconds, at most some thirty years.
std::chrono::steady_clock::duration clock_duration(double seconds);

}  // namespace flowray::tf::train
