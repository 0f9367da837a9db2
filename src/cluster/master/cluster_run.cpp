#include "cluster/master/cluster_run.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "cluster/bodies.h"
#include "cluster/master/call_trace.h"
#include "cluster/status_payload.h"
#include "core/job_queue.h"
#include "engine/run/step_stats.h"
#include "graph/exchange/graph_export.h"
#include "wire/worker.h"

namespace flowray::cluster {
namespace {

using SystemClock = std::chrono::system_clock;

/// How long the part that failed may take to report it, once another part has reported that some part did.
constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kCleanupTime = std::chrono::seconds(10);
constexpr const char* kOtherFailed = "Another part of the step has failed.";
constexpr const char* kClientGone = "Step was cancelled: its client has gone.";
constexpr const char* kSessionClosed = "Step was cancelled by an explicit call to `Session::Close()`.";

/// What a listener calls: it must not wait, as `what` may.
template <class What>
std::function<void()> in_a_job(std::weak_ptr<ClusterRun> weak, What what) {
  return [weak = std::move(weak), what = std::move(what)] {
    default_jobs().post([weak, what] {
      if (const auto run = weak.lock()) what(*run);
    });
  };
}

Channel::Limits until(engine::RunContext::Clock::time_point deadline) {
  if (deadline == engine::RunContext::Clock::time_point::max()) return {};
  const auto left = deadline - engine::RunContext::Clock::now();
  return {.deadline = SystemClock::now() + std::chrono::duration_cast<SystemClock::duration>(left)};
}

}  // namespace

ClusterRun::ClusterRun(std::shared_ptr<const void> keeper, std::shared_ptr<ClusterStep> step, Steps& steps,
                       StepCall& call, int64_t timeout_ms, engine::RunDone done)
    : keeper_(std::move(keeper)),
      step_(std::move(step)),
      steps_(steps),
      call_(call),
      deadline_(deadline_of(call, timeout_ms)),
      done_(std::move(done)) {}

void ClusterRun::begin_when_registered(std::vector<Array> feeds) {
  const auto gives_up = in_a_job(weak_from_this(), [](ClusterRun& run) { run.give_up_waiting(); });
  listens_to_client_.emplace(call_.cancellation, gives_up);
  listens_to_session_.emplace(step_->engine_.closing(), gives_up);
  if (deadline_ != Clock::time_point::max()) listens_to_clock_.emplace(default_timer(), deadline_, gives_up);
  const auto then = [run = shared_from_this(), feeds = std::move(feeds)](const std::exception_ptr& error) {
    if (error != nullptr) return run->end_before_begin(error);
    default_jobs().post([run, feeds] { run->begin(feeds); });  // as in begin()
  };
  step_->when_registered(this, {keeper_, then});
  {
    const MutexLock lock(mutex_);
    if (!has_given_up_) return;
  }
  give_up_waiting();  // what was to give up may have come before it waited
}

void ClusterRun::give_up_waiting() {
  {
    const MutexLock lock(mutex_);
    has_given_up_ = true;
  }
  if (step_->no_longer_wait(this))
    end_before_begin(std::make_exception_ptr(errors::CancelledError(kClientGone)));
}

void ClusterRun::end_before_begin(const std::exception_ptr& error) {
  listens_to_client_.reset();
  listens_to_session_.reset();
  listens_to_clock_.reset();
  engine::tell(std::exchange(done_, nullptr), {what_ended({Rank::kCause, error}).error, {}});
}

void ClusterRun::begin(std::vector<Array> feeds) {
  listens_to_clock_.reset();
  try {
    meeting_ = steps_.begin(random_id());
    rendezvous_.emplace(meeting_, step_->tasks_.names());
    if (is_traced()) meeting_->trace_receives();
    for (size_t i = 0; i < feeds.size(); ++i)
      meeting_->here().send(step_->key_of(step_->graph().feeds[i]), {std::move(feeds[i])});
    watch_for_the_end();
  } catch (...) {
    return end_before_begin(std::current_exception());
  }
  std::vector<std::shared_ptr<Channel>> others;
  for (const ClusterStep::Part& part : step_->parts_) {
    if (part.step == nullptr && is_traced()) others.push_back(part.channel);
  }
  if (others.empty()) return begin_parts();
  logs_ = std::make_shared<ReceiveLogs>(std::move(others));
  // The thread that brings the last answer has others to bring.
  logs_->begin([self = shared_from_this()] { default_jobs().post([self] { self->begin_parts(); }); });
}

bool ClusterRun::is_traced() const {
  return call_.options.trace_level == wire::RunOptions::TraceLevel::kFull;
}

void ClusterRun::begin_parts() {
  {
    const MutexLock lock(mutex_);
    num_open_ += step_->parts_.size();
  }
  for (const ClusterStep::Part& part : step_->parts_) {
    if (part.step == nullptr) begin_remote(part);
  }
  for (const ClusterStep::Part& part : step_->parts_) {
    if (part.step != nullptr) begin_local(part);
  }
  one_less();
}

void ClusterRun::watch_for_the_end() {
  const auto stopping = [this](std::string text) {
    return in_a_job(weak_from_this(), [text = std::move(text)](ClusterRun& run) {
      run.fail({Rank::kCause, std::make_exception_ptr(errors::CancelledError(text))});
    });
  };
  listens_to_client_.emplace(call_.cancellation, stopping(kClientGone));
  listens_to_session_.emplace(step_->engine_.closing(), stopping(kSessionClosed));
}

void ClusterRun::begin_local(const ClusterStep::Part& part) {
  engine::RunContext context{
      .cancellation = &cancellation_, .deadline = deadline_, .rendezvous = &*rendezvous_};
  if (is_traced()) context.trace = &call_.trace;
  part.step->start({}, context, [self = shared_from_this(), &part](const engine::RunOutcome& outcome) {
    self->local_ended(part, outcome);
  });
}

void ClusterRun::begin_remote(const ClusterStep::Part& part) {
  wire::RunGraphRequest request;
  request.graph_handle = part.handle;
  request.step_id = meeting_->step_id();
  wire::ExecutorOpts& options = request.exec_opts.emplace();
  options.record_timeline = is_traced();
  request.session_handle = step_->tasks_.handle();
  request.create_worker_session_called = true;
  request.store_errors_in_response_body = true;
  request.request_id = random_id();
  auto give_up = part.channel->start(
      "/tensorflow.WorkerService/RunGraph", Message(wire::encode(request)), until(deadline_),
      [self = shared_from_this(), &part, begin_ns = nanos_since_1970()](const Response& response) {
        self->remote_ended(part, response, begin_ns);
      });
  {
    const MutexLock lock(mutex_);
    if (!is_stopped_) {
      give_ups_.push_back(std::move(give_up));
      return;
    }
  }
  give_up();
}

void ClusterRun::local_ended(const ClusterStep::Part& part, const engine::RunOutcome& outcome) {
  std::optional<Failure> failure;
  if (outcome.error != nullptr) {
    failure = failure_of(part, outcome.error);
    const bool heard_of_it = meeting_->has_told_of_another() || meeting_->failure().code != Code::kOk;
    if (heard_of_it) failure->rank = Rank::kFollows;
  }
  part_ended(std::move(failure));
}

/// The failure in the words that the client is sent.
ClusterRun::Failure ClusterRun::failure_of(const ClusterStep::Part& part,
                                           const std::exception_ptr& error) const {
  try {
    std::rethrow_exception(error);
  } catch (const errors::OpError& reason) {
    // What the client says itself when its deadline, the same, is over before our answer comes.
    if (reason.code() == Code::kDeadlineExceeded)
      return {Rank::kCause, std::make_exception_ptr(errors::DeadlineExceededError("Deadline Exceeded"))};
    try {
      errors::throw_error(reason.code(), fmt::format("From {}:\n{}", step_->task_of(part), reason.message()),
                          reason.node_name());
    } catch (...) {
      return {Rank::kCause, std::current_exception()};
    }
  } catch (...) {
    return {Rank::kCause, error};
  }
}

void ClusterRun::remote_ended(const ClusterStep::Part& part, const Response& response, int64_t begin_ns) {
  std::optional<Failure> failure;
  try {
    failure = failure_in(part, response, begin_ns);
  } catch (...) {
    failure = failure_of(part, std::current_exception());
  }
  part_ended(std::move(failure));
}

std::optional<ClusterRun::Failure> ClusterRun::failure_in(const ClusterStep::Part& part,
                                                          const Response& response, int64_t begin_ns) {
  const auto failure = [&](int code, std::string text, Rank rank) {
    const errors::OpError error(static_cast<Code>(code), std::move(text));
    Failure made = failure_of(part, std::make_exception_ptr(error));
    made.rank = rank;
    return made;
  };
  if (!response.status.ok()) {
    const bool follows = says(response.status.details, kDerivedUrl);
    return failure(response.status.code, response.status.text, follows ? Rank::kFollows : Rank::kCause);
  }
  auto answer = body_of<wire::RunGraphResponse>(response.message);
  if (answer.status_code != 0) {
    // TensorFlow's response does not say whether the error was derived. What its parts are ended with is.
    const bool follows = answer.is_derived || answer.status_code == static_cast<int>(Code::kAborted);
    return failure(answer.status_code, answer.status_error_message.str(),
                   follows ? Rank::kFollows : Rank::kCause);
  }
  if (answer.step_stats.has_value()) {
    const CallTimes call{begin_ns, nanos_since_1970()};
    align_to_call(*answer.step_stats, call);
    const std::string here = step_->devices_->set.devices[0].to_string();
    answer.step_stats->dev_stats.push_back(
        trace_of_call(here.substr(0, here.find("/device:")), step_->task_of(part), call));
    const MutexLock lock(mutex_);
    calls_[&part] = call;
    remote_stats_.push_back(std::move(*answer.step_stats));
    answers_.push_back(response.message);
  }
  return std::nullopt;
}

/// A part that was stopped, or has lost its session, may report that before its cause, which is the error to
/// give: the client's cancellation, the session's end or the deadline.
ClusterRun::Failure ClusterRun::what_ended(Failure failure) const {
  try {
    std::rethrow_exception(failure.error);
  } catch (const errors::OpError& error) {
    if (error.code() != Code::kCancelled && error.code() != Code::kAborted) return failure;
  } catch (...) {
    return failure;
  }
  const auto ended_by = [](const auto& reason) {
    return Failure{Rank::kCause, std::make_exception_ptr(reason)};
  };
  if (call_.cancellation.is_cancelled()) return ended_by(errors::CancelledError(kClientGone));
  if (step_->engine_.closing().is_cancelled()) return ended_by(errors::CancelledError(kSessionClosed));
  if (Clock::now() >= deadline_) return ended_by(errors::DeadlineExceededError("Deadline Exceeded"));
  return failure;
}

void ClusterRun::part_ended(std::optional<Failure> failure) {
  if (failure.has_value()) fail(what_ended(*std::move(failure)));
  one_less();
}

/// Keeps the failure that says more about the cause. Where this one may only follow from another, the other
/// is waited for; the other parts get the error when they ask this part for a value.
void ClusterRun::fail(const Failure& failure) {
  bool waits = false;
  {
    const MutexLock lock(mutex_);
    const Rank rank = is_stopped_ ? Rank::kStopped : failure.rank;
    if (rank < failure_.rank) failure_ = {rank, failure.error};
    waits = !is_stopped_ && rank == Rank::kFollows;
    if (waits && patience_ == nullptr) {
      patience_ =
          std::make_unique<Timer::Alarm>(default_timer(), Clock::now() + kPatience,
                                         in_a_job(weak_from_this(), [](ClusterRun& run) { run.stop(); }));
    }
  }
  if (waits) {
    meeting_->fail(Code::kAborted, kOtherFailed);
  } else {
    stop();
  }
}

void ClusterRun::stop() {
  std::vector<std::function<void()>> give_ups;
  {
    const MutexLock lock(mutex_);
    if (std::exchange(is_stopped_, true)) return;
    give_ups.swap(give_ups_);
  }
  meeting_->fail(Code::kAborted, kOtherFailed);
  cancellation_.cancel();
  for (const auto& give_up : give_ups) give_up();
}

void ClusterRun::one_less() {
  {
    const MutexLock lock(mutex_);
    if (--num_open_ > 0) return;
  }
  all_have_ended();
}

void ClusterRun::all_have_ended() {
  bool has_failed = false;
  {
    const MutexLock lock(mutex_);
    has_failed = failure_.error != nullptr;
  }
  if (logs_ == nullptr) return finish();
  if (has_failed) {
    logs_->end();
    return finish();
  }
  logs_->fetch(meeting_->step_id(), [self = shared_from_this()] { self->finish(); });
}

/// What belongs to the call or the server may be gone once `done_` has been called.
void ClusterRun::finish() {
  listens_to_client_.reset();
  listens_to_session_.reset();
  std::unique_ptr<Timer::Alarm> patience;
  engine::RunOutcome outcome;
  {
    const MutexLock lock(mutex_);
    outcome.error = failure_.error;
    patience.swap(patience_);
  }
  patience.reset();
  if (outcome.error == nullptr) {
    try {
      outcome.results = fetched();
      fill_metadata();
    } catch (...) {
      outcome.error = std::current_exception();
    }
  }
  rendezvous_.reset();
  steps_.end(meeting_->step_id(), Code::kAborted, fmt::format("Cleanup {}", meeting_->step_id()));
  clean_up();
  engine::tell(std::exchange(done_, nullptr), std::move(outcome));
}

/// What the parts have left for the client; each value is there once, however often it is fetched.
std::vector<Array> ClusterRun::fetched() {
  std::map<engine::ValueId, Array> values;
  for (const engine::ValueId id : step_->graph().fetches) {
    if (values.contains(id)) continue;
    const std::string key = step_->key_of(id);
    graph::Parcel taken{{}, false, Code::kInternal, "Nothing was left for the key " + key};
    const auto give_up =
        meeting_->here().receive(key, [&taken](graph::Parcel parcel) { taken = std::move(parcel); });
    if (give_up != nullptr) give_up();
    if (taken.code != Code::kOk) errors::throw_error(taken.code, taken.text);
    if (taken.is_dead)
      throw errors::InvalidArgumentError(fmt::format("The tensor returned for {} was not valid.", key));
    values.emplace(id, std::move(taken.value));
  }
  std::vector<Array> results;
  for (const engine::ValueId id : step_->graph().fetches) results.push_back(values.at(id));
  return results;
}

void ClusterRun::fill_metadata() {
  const bool traces = is_traced();
  if (!traces && !call_.options.output_partition_graphs) return;
  wire::RunMetadata& metadata = call_.metadata.emplace();
  if (traces) {
    wire::StepStats& stats = metadata.step_stats.emplace(
        engine::to_step_stats(call_.trace, step_->devices_->set.devices[0].to_string()));
    if (const auto received = meeting_->received(); !received.empty()) {
      stats.dev_stats.push_back(
          trace_of_receives(received, step_->tasks_.names().self().name() + "/receives"));
    }
    const MutexLock lock(mutex_);
    for (wire::StepStats& remote : remote_stats_) {
      for (wire::DeviceStepStats& device : remote.dev_stats) stats.dev_stats.push_back(std::move(device));
    }
    for (const Message& answer : answers_) call_.owners.push_back(owner_of(answer));
    if (logs_ != nullptr) add_logs_to(stats);
  }
  if (call_.options.output_partition_graphs) {
    for (const ClusterStep::Part& part : step_->parts_)
      metadata.partition_graphs.push_back(graph::to_graph_def(*part.graph));
  }
}

/// What comes from one that has told it with its trace is there already.
void ClusterRun::add_logs_to(wire::StepStats& stats) {
  const auto has = [&](const std::string& device) {
    return std::ranges::any_of(stats.dev_stats,
                               [&](const wire::DeviceStepStats& told) { return told.device == device; });
  };
  size_t number = 0;
  for (const ClusterStep::Part& part : step_->parts_) {
    if (part.step != nullptr) continue;
    wire::LoggingResponse& logged = logs_->of_worker(number++);
    const std::string name = step_->task_of(part) + "/receives";
    const auto call = calls_.find(&part);
    if (has(name) || call == calls_.end()) continue;
    for (wire::LabeledStepStats& step : logged.step) {
      if (step.step_id != meeting_->step_id()) continue;
      align_to_call(step.step_stats, call->second);
      for (wire::DeviceStepStats& device : step.step_stats.dev_stats) {
        if (device.node_stats.empty()) continue;
        device.device = wire::Text(name);
        stats.dev_stats.push_back(std::move(device));
      }
    }
  }
  for (const Message& answer : logs_->answers()) call_.owners.push_back(owner_of(answer));
}

/// The other tasks forget the step; they are not waited for.
void ClusterRun::clean_up() {
  wire::CleanupGraphRequest request;
  request.step_id = meeting_->step_id();
  const Message message(wire::encode(request));
  for (const ClusterStep::Part& part : step_->parts_) {
    if (part.channel == nullptr) continue;
    (void)part.channel->start("/tensorflow.WorkerService/CleanupGraph", message,
                              {.deadline = SystemClock::now() + kCleanupTime}, [](const Response&) {});
  }
}

}  // namespace flowray::cluster
