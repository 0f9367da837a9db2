#pragma once

#include "cluster/master/call_trace.h"
#include "cluster/master/cluster_step.h"
#include "cluster/master/receive_logs.h"

#include <map>

namespace flowray::cluster {

/// One run of a step that goes over several tasks. The first error of a part stops the others.
class ClusterRun : public std::enable_shared_from_this<ClusterRun> {
 public:
  /// `keeper` keeps the session.
  ClusterRun(std::shared_ptr<const void> keeper, std::shared_ptr<ClusterStep> step, Steps& steps,
             StepCall& call, int64_t timeout_ms, engine::RunDone done);

  /// Starts all parts; `done` is called at the end.
  void begin(std::vector<Array> feeds);
  /// When the other tasks have their parts, unless the client goes or the time is up before.
  void begin_when_registered(std::vector<Array> feeds);

 private:
  using Clock = engine::RunContext::Clock;
  /// How much an error says about what went wrong first: kCause: of its own; kFollows: perhaps because of
  /// another one; kStopped: because the run was stopped.
  enum class Rank { kCause, kFollows, kStopped, kNone };
  struct Failure {
    Rank rank = Rank::kNone;
    std::exception_ptr error;
  };

  /// Tells `done` of what has kept it from beginning.
  void end_before_begin(const std::exception_ptr& error);
  void give_up_waiting();
  void watch_for_the_end();
  bool is_traced() const;
  void begin_parts();
  void begin_local(const ClusterStep::Part& part);
  void begin_remote(const ClusterStep::Part& part);
  void local_ended(const ClusterStep::Part& part, const engine::RunOutcome& outcome);
  void remote_ended(const ClusterStep::Part& part, const Response& response, int64_t begin_ns);
  Failure failure_of(const ClusterStep::Part& part, const std::exception_ptr& error) const;
  std::optional<Failure> failure_in(const ClusterStep::Part& part, const Response& response,
                                    int64_t begin_ns);
  Failure what_ended(Failure failure) const;
  void part_ended(std::optional<Failure> failure);
  void fail(const Failure& failure);
  void stop();
  void one_less();
  void all_have_ended();
  void finish();
  std::vector<Array> fetched();
  void fill_metadata();
  void add_logs_to(wire::StepStats& stats) FLOWRAY_REQUIRES(mutex_);
  void clean_up();

  const std::shared_ptr<const void> keeper_;  // goes last
  const std::shared_ptr<ClusterStep> step_;
  Steps& steps_;
  StepCall& call_;
  const Clock::time_point deadline_;
  engine::RunDone done_;
  std::shared_ptr<StepRendezvous> meeting_;
  std::optional<PartRendezvous> rendezvous_;
  Cancellation cancellation_;          // of the part that runs here
  std::shared_ptr<ReceiveLogs> logs_;  // of a step that is traced on other tasks, or null
  std::optional<Cancellation::Listening> listens_to_client_;
  std::optional<Cancellation::Listening> listens_to_session_;
  std::optional<Timer::Alarm> listens_to_clock_;  // while it waits for the parts

  Mutex mutex_;
  size_t num_open_ FLOWRAY_GUARDED_BY(mutex_) = 1;        // until all have begun
  bool has_given_up_ FLOWRAY_GUARDED_BY(mutex_) = false;  // waiting for the parts
  bool is_stopped_ FLOWRAY_GUARDED_BY(mutex_) = false;
  Failure failure_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<std::function<void()>> give_ups_ FLOWRAY_GUARDED_BY(mutex_);
  std::vector<wire::StepStats> remote_stats_ FLOWRAY_GUARDED_BY(mutex_);
  std::map<const ClusterStep::Part*, CallTimes> calls_ FLOWRAY_GUARDED_BY(mutex_);  // of traced parts
  std::vector<Message> answers_ FLOWRAY_GUARDED_BY(mutex_);                         // what those borrow from
  std::unique_ptr<Timer::Alarm> patience_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::cluster
