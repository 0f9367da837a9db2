#include <flowray/tf/supervisor.h>

#include "core/mutex.h"
#include "files/event_file.h"
#include "tf/build/user_line.h"
#include "tf/session/session_use.h"
#include "tf/train/monitored/queue_runner_threads.h"
#include "tf/train/monitored/readiness.h"
#include "wire/event.h"

#include <flowray/errors.h>
#include <flowray/tf/collections.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/graph_def.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <optional>
#include <thread>

namespace flowray::tf::train {

using Clock = std::chrono::steady_clock;

constexpr double kUsualMaxWaitSecs = 7200;

struct Supervisor::State {
  explicit State(const SupervisorOptions& from) : options(from), graph(get_default_graph()) {}

  /// When a service is due next; a period that is not positive is never.
  struct Timer {
    explicit Timer(double seconds)
        : period(seconds), due(seconds > 0 ? Clock::now() : Clock::time_point::max()) {}
    bool take(Clock::time_point now) {
      if (now < due) return false;
      due = now +
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(period, 1e9)));
      return true;
    }
    double period;
    Clock::time_point due;
  };

  struct StepCount {
    int64_t step = 0;
    Clock::time_point time;
  };

  int64_t step(Session& session) const {
    if (!options.global_step.has_value()) return 0;
    return session.run(options.global_step).astype(DType::kInt64).item<int64_t>();
  }

  /// In the events' file, where the steps are counted.
  void log(wire::SessionStatus status, int64_t step, const std::string& checkpoint_path = {}) const {
    if (writer == nullptr || !options.global_step.has_value()) return;
    writer->add_event(wire::encode_session_log_event(files::wall_time(), step, status, checkpoint_path));
  }

  void save(Session& session) const {
    const std::filesystem::path path = options.logdir / options.checkpoint_basename;
    SaveOptions how;
    if (options.global_step.has_value()) how.global_step = step(session);
    saver->save(session, path, how);
    log(wire::SessionStatus::kCheckpoint, how.global_step.value_or(0), path.string());
  }

  /// How many steps a second were made since the last time, as "global_step/sec".
  void count_steps(Session& session, StepCount& last) const {
    const StepCount now = {step(session), Clock::now()};
    const std::chrono::duration<double> passed = now.time - last.time;
    const double rate = static_cast<double>(now.step - last.step) / passed.count();
    writer->add_summary(Summary({{options.global_step.op().name() + "/sec", rate}}), now.step);
    writer->flush();
    last = now;
  }

  void summarise(Session& session) const {
    const Array summary = session.run(summary_op);
    writer->add_serialized_summary(summary.item<std::string>(), step(session));
    writer->flush();
  }

  /// The thread of the services: what is due at once, then what becomes due, until it is stopped.
  void serve(Session& session) {
    Timer model(saver != nullptr && !options.logdir.empty() ? options.save_model_secs : 0);
    Timer summaries(writer != nullptr && summary_op.has_value() ? options.save_summaries_secs : 0);
    Timer counts(writer != nullptr && options.global_step.has_value() ? options.save_summaries_secs : 0);
    std::optional<StepCount> last_count;
    MutexLock lock(mutex);
    while (!stopping) {
      lock.unlock();
      try {
        const Clock::time_point now = Clock::now();
        if (model.take(now)) save(session);
        if (summaries.take(now)) summarise(session);
        if (counts.take(now)) {
          if (last_count.has_value()) {
            count_steps(session, *last_count);
          } else {
            last_count = StepCount{step(session), now};
          }
        }
      } catch (...) {
        lock.lock();
        failure = std::current_exception();
        stopping = true;
        changed.notify_all();
        lock.unlock();
        return stop_waiting();
      }
      lock.lock();
      const Clock::time_point due = std::min({model.due, summaries.due, counts.due});
      const auto ends = [&]() FLOWRAY_REQUIRES(mutex) { return stopping; };
      if (due == Clock::time_point::max()) {
        changed.wait(mutex, ends);
      } else {
        changed.wait_until(mutex, due, ends);
      }
    }
  }

  void initialise(Session& session) const {
    const std::string newest = options.logdir.empty() ? std::string() : latest_checkpoint(options.logdir);
    if (saver != nullptr && !newest.empty()) {
      saver->restore(session, newest);
    } else {
      if (init_op.has_value()) session.run(init_op, options.init_feed_dict);
      if (options.init_fn != nullptr) options.init_fn(session);
    }
    finish_initialisation(session, init_op, options.init_fn != nullptr, readiness);
  }

  void write_graph_file() const {
    if (!options.logdir.empty())
      write_graph(graph.as_graph_def({.add_shapes = true}), options.logdir, "graph.pbtxt");
  }

  /// Rests until then; errors::CancelledError where a stop is requested meanwhile.
  void rest_until(Clock::time_point time) {
    const MutexLock lock(mutex);
    changed.wait_until(mutex, time, [&]() FLOWRAY_REQUIRES(mutex) { return stopping; });
    if (stopping) throw errors::CancelledError("The supervisor was stopped while it waited for the chief.");
  }

  bool is_stopping() {
    const MutexLock lock(mutex);
    return stopping;
  }

  /// A stop ends it, also one that has been requested.
  void begin_wait(const std::shared_ptr<StepCancellation>& ends) {
    {
      const MutexLock lock(mutex);
      std::erase_if(waits, [](const auto& wait) { return wait.expired(); });
      waits.push_back(ends);
      if (!stopping) return;
    }
    ends->cancel();
  }

  void stop_waiting() {
    std::vector<std::weak_ptr<StepCancellation>> ended;
    {
      const MutexLock lock(mutex);
      ended.swap(waits);
    }
    for (const auto& weak : ended) {
      if (const auto wait = weak.lock()) wait->cancel();
    }
  }

  /// After stop() another session may be supervised.
  void begin_again() {
    const MutexLock lock(mutex);
    if (!std::exchange(ended, false)) return;
    stopping = false;
    if (writer != nullptr) writer->reopen();
  }

  /// The first error before a stop is requested is the supervisor's.
  void stop_for(std::exception_ptr error) {
    {
      const MutexLock lock(mutex);
      if (!std::exchange(stopping, true)) failure = std::move(error);
      changed.notify_all();
    }
    stop_waiting();
  }

  /// What still runs when the time for that is over: "services".
  std::vector<std::string> end_threads(std::optional<double> grace_secs) {
    const Clock::time_point end =
        grace_secs.has_value() ? Clock::now() + clock_duration(*grace_secs) : Clock::time_point::max();
    std::vector<std::string> left = runners.end(end);
    {
      const MutexLock lock(mutex);
      const auto have_ended = [&]() FLOWRAY_REQUIRES(mutex) { return !serving; };
      if (end == Clock::time_point::max()) {
        changed.wait(mutex, have_ended);
      } else if (!changed.wait_until(mutex, end, have_ended)) {
        left.emplace_back("services");
        return left;
      }
    }
    if (services.joinable()) services.join();
    if (use != nullptr) use->forget_on_end();
    use.reset();
    return left;
  }

  const SupervisorOptions options;
  Graph graph;
  Operation init_op;
  Tensor summary_op;
  std::shared_ptr<Saver> saver;
  std::shared_ptr<summary::FileWriter> writer;
  Readiness readiness;
  std::shared_ptr<SessionManager> session_manager;

  Mutex mutex;
  CondVar changed;
  bool stopping FLOWRAY_GUARDED_BY(mutex) = false;
  bool ended FLOWRAY_GUARDED_BY(mutex) = false;    // by stop()
  bool serving FLOWRAY_GUARDED_BY(mutex) = false;  // the services' thread runs
  std::exception_ptr failure FLOWRAY_GUARDED_BY(mutex);
  std::vector<std::weak_ptr<StepCancellation>> waits FLOWRAY_GUARDED_BY(mutex);  // for servers
  std::thread services;
  std::shared_ptr<SessionUse> use;  // of the services
  QueueRunnerThreads runners{[this] { return is_stopping(); },
                             [this](std::exception_ptr error) { stop_for(std::move(error)); }};
};

/// Its waits end when the supervisor is stopped.
class Supervisor::OwnSessionManager : public SessionManager {
 public:
  explicit OwnSessionManager(const std::shared_ptr<State>& state)
      : SessionManager({.local_init_op = state->readiness.local_init_op,
                        .ready_op = state->readiness.ready_op,
                        .ready_for_local_init_op = state->readiness.local_init_op.has_value()
                                                       ? state->readiness.ready_for_local_init_op
                                                       : Tensor(),
                        .recovery_wait_secs = state->options.recovery_wait_secs,
                        .local_init_run_options = state->options.local_init_run_options}),
        state_(state) {}

 protected:
  void rest_until(Clock::time_point time) override {
    if (const auto state = state_.lock()) return state->rest_until(time);
    SessionManager::rest_until(time);
  }
  void begin_wait(const std::shared_ptr<StepCancellation>& ends) override {
    if (const auto state = state_.lock()) state->begin_wait(ends);
  }

 private:
  const std::weak_ptr<State> state_;
};

Supervisor::Supervisor(const SupervisorOptions& options, Input::Where where)
    : state_(std::make_shared<State>(options)) {
  State& state = *state_;
  const UserLine line(*state.graph.get(), where);
  state.init_op = options.init_op.has_value() ? *options.init_op : global_variables_initializer();
  state.summary_op = options.summary_op.has_value() ? *options.summary_op : summary::merge_all();
  state.readiness.ready_op =
      options.ready_op.has_value() ? *options.ready_op : report_uninitialized_variables();
  state.readiness.ready_for_local_init_op = options.ready_for_local_init_op;
  state.readiness.local_init_op =
      options.local_init_op.has_value()
          ? *options.local_init_op
          : group({local_variables_initializer(), tables_initializer()}, GraphKeys::LOCAL_INIT_OP);
  state.readiness.local_init_run_options = options.local_init_run_options;
  state.session_manager = options.session_manager != nullptr ? options.session_manager
                                                             : std::make_shared<OwnSessionManager>(state_);
  if (options.saver.has_value()) {
    state.saver = *options.saver;
  } else if (!global_variables().empty()) {
    state.saver = std::make_shared<Saver>();
  }
  if (options.is_chief && options.summary_writer.has_value()) {
    state.writer = *options.summary_writer;
  } else if (options.is_chief && !options.logdir.empty()) {
    state.writer = std::make_shared<summary::FileWriter>(options.logdir, state.graph);
  }
  state.graph.finalize();
}

Supervisor::~Supervisor() {
  try {
    stop(std::nullopt);
  } catch (...) {  // NOLINT: errors are reported by an explicit stop()
  }
}

void Supervisor::prepare(Session& session, double max_wait_secs) {
  State& state = *state_;
  if (state.options.session_manager != nullptr) {
    throw RuntimeError(
        "prepare() takes a session, but this Supervisor has a session_manager, which makes its own\n"
        "Call prepare_or_wait_for_session().");
  }
  state.begin_again();
  const LimitedLooks looks(max_wait_secs);
  state.begin_wait(looks.ends());
  const auto rest = [&](Clock::time_point time) { state.rest_until(time); };
  if (!state.options.is_chief) {
    return wait_for_chief([&] { return look_for_chief(session, state.readiness, looks.ends()); }, looks,
                          state.readiness, {state.options.recovery_wait_secs, max_wait_secs}, rest);
  }
  open_session(session, looks, rest);
  state.initialise(session);
  state.write_graph_file();
  start_standard_services(session);
}

void Supervisor::start_standard_services(Session& session) {
  State& state = *state_;
  state.begin_again();
  if (!state.options.is_chief || state.options.logdir.empty() || state.services.joinable()) return;
  if (state.options.global_step.has_value()) state.log(wire::SessionStatus::kStart, state.step(session));
  state.use = SessionUse::of(session, [&state] { state.stop_for(nullptr); });
  const auto borrowed = std::make_shared<const SessionUse::Borrowed>(state.use, session);
  const MutexLock starting(state.mutex);
  state.services = std::thread([&state, borrowed] {
    if (borrowed->session() != nullptr) state.serve(*borrowed->session());
    const MutexLock lock(state.mutex);
    state.serving = false;
    state.changed.notify_all();
  });
  state.serving = true;  // the thread may have been refused
}

std::unique_ptr<Session> Supervisor::prepare_or_wait_for_session(const std::string& target,
                                                                 const SessionConfig& config,
                                                                 double max_wait_secs,
                                                                 bool wait_for_checkpoint,
                                                                 bool start_services) {
  State& state = *state_;
  state.begin_again();
  SessionManager& manager = *state.session_manager;
  if (!state.options.is_chief) return manager.wait_for_session(target, config, max_wait_secs);
  auto session = manager.prepare_session(target, {.recover = {.saver = state.saver,
                                                              .checkpoint_dir = state.options.logdir,
                                                              .wait_for_checkpoint = wait_for_checkpoint,
                                                              .max_wait_secs = max_wait_secs,
                                                              .config = config},
                                                  .init_op = state.init_op,
                                                  .init_feed_dict = state.options.init_feed_dict,
                                                  .init_fn = state.options.init_fn});
  state.write_graph_file();
  if (start_services) start_standard_services(*session);
  return session;
}

void Supervisor::managed_session(const std::function<void(Session&)>& body, const std::string& target,
                                 const SessionConfig& config, bool start_services) {
  const std::unique_ptr<Session> session =
      prepare_or_wait_for_session(target, config, kUsualMaxWaitSecs, false, start_services);
  std::exception_ptr first;
  const auto attempt = [&first](const std::function<void()>& what) {
    try {
      what();
    } catch (...) {
      if (first == nullptr) first = std::current_exception();
    }
  };
  attempt([&] {
    try {
      const auto scope = session->as_default();
      body(*session);
    } catch (const errors::OutOfRangeError&) {  // the data are over
    } catch (const errors::CancelledError&) {   // somebody has ended what it waited for
    }
  });
  attempt([&] { stop(); });
  attempt([&] { session->close(); });
  attempt([&] { stop(std::nullopt); });  // for threads that had to be ended by that
  if (first != nullptr) std::rethrow_exception(first);
}

void Supervisor::start_queue_runners(Session& session, const std::vector<FilledQueue>& queues) {
  state_->runners.start(session, queues);
}

bool Supervisor::should_stop() const {
  const MutexLock lock(state_->mutex);
  return state_->stopping;
}

void Supervisor::request_stop() {
  {
    const MutexLock lock(state_->mutex);
    state_->stopping = true;
    state_->changed.notify_all();
  }
  state_->stop_waiting();
}

void Supervisor::stop() { stop(state_->options.stop_grace_secs); }

void Supervisor::stop(std::optional<double> grace_secs) {
  request_stop();
  const bool has_ended = [&] {
    const MutexLock lock(state_->mutex);
    return state_->ended;
  }();
  if (const auto left = state_->end_threads(grace_secs); !left.empty()) {
    throw RuntimeError(
        fmt::format("Coordinator stopped with threads still running: {}\nClose the session, which ends their "
                    "steps, and stop again; stop_grace_secs says how long they may take.",
                    fmt::join(left, " ")));
  }
  std::exception_ptr of_writer;
  try {
    if (state_->writer != nullptr) {
      // Without a step: the session may be gone.
      if (!has_ended) state_->log(wire::SessionStatus::kStop, 0);
      state_->writer->close();
    }
  } catch (...) {
    of_writer = std::current_exception();
  }
  std::exception_ptr failure;
  {
    const MutexLock lock(state_->mutex);
    state_->ended = true;
    failure = std::exchange(state_->failure, nullptr);
  }
  if (failure == nullptr) failure = of_writer;
  if (failure != nullptr) std::rethrow_exception(failure);
}

void Supervisor::summary_computed(Session& session, std::string_view summary,
                                  std::optional<int64_t> global_step) {
  if (state_->writer == nullptr) {
    throw RuntimeError(state_->options.is_chief
                           ? "Writing a summary requires a summary writer.\nGive the Supervisor a logdir."
                           : "Writing a summary requires a summary writer.\nOnly the chief has one.");
  }
  state_->writer->add_serialized_summary(summary,
                                         global_step.has_value() ? *global_step : state_->step(session));
}

const std::shared_ptr<SessionManager>& Supervisor::session_manager() const { return state_->session_manager; }
const std::shared_ptr<Saver>& Supervisor::saver() const { return state_->saver; }
summary::FileWriter* Supervisor::summary_writer() const { return state_->writer.get(); }
std::filesystem::path Supervisor::save_path() const {
  return state_->options.logdir.empty() ? std::filesystem::path()
                                        : state_->options.logdir / state_->options.checkpoint_basename;
}

}  // namespace flowray::tf::train
