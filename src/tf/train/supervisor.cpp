#include <flowray/tf/supervisor.h>

#include "core/mutex.h"
#include "tf/build/unset.h"

#include <flowray/errors.h>
#include <flowray/tf/collections.h>
#include <flowray/tf/control_flow.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <thread>

namespace flowray::tf::train {

using Clock = std::chrono::steady_clock;

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

  int64_t step(Session& session) const {
    if (!options.global_step.has_value()) return 0;
    return session.run(options.global_step).astype(DType::kInt64).item<int64_t>();
  }

  void save(Session& session) const {
    SaveOptions how;
    if (options.global_step.has_value()) how.global_step = step(session);
    saver->save(session, options.logdir / options.checkpoint_basename, how);
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
    MutexLock lock(mutex);
    while (!stopping) {
      lock.unlock();
      try {
        const Clock::time_point now = Clock::now();
        if (model.take(now)) save(session);
        if (summaries.take(now)) summarise(session);
      } catch (...) {
        lock.lock();
        failure = std::current_exception();
        stopping = true;
        return;
      }
      lock.lock();
      const Clock::time_point due = std::min(model.due, summaries.due);
      const auto ends = [&]() FLOWRAY_REQUIRES(mutex) { return stopping; };
      if (due == Clock::time_point::max()) {
        changed.wait(mutex, ends);
      } else {
        changed.wait_until(mutex, due, ends);
      }
    }
  }

  /// What ready_op or ready_for_local_init_op says against it: "Variables not initialized: w, b"; empty: it
  /// is ready.
  static std::string missing(Session& session, const Tensor& ready) {
    if (!ready.has_value()) return {};
    Array told;
    try {
      told = session.run(ready);
    } catch (const errors::FailedPreconditionError& error) {
      if (error.message().find("uninitialized") == std::string::npos) throw;
      return error.message();
    }
    if (told.dtype() != DType::kString || told.size() == 0) return {};
    const auto names = told.span<std::string>();
    return fmt::format("Variables not initialized: {}", fmt::join(names, ", "));
  }

  /// What is against a run of local_init_op, which has run otherwise.
  std::string begin_locally(Session& session) const {
    if (!local_init_op.has_value()) return {};
    std::string against = missing(session, options.ready_for_local_init_op);
    if (against.empty()) session.run(local_init_op);
    return against;
  }

  void initialise(Session& session) const {
    const std::string newest = options.logdir.empty() ? std::string() : latest_checkpoint(options.logdir);
    if (saver != nullptr && !newest.empty()) {
      saver->restore(session, newest);
    } else {
      if (init_op.has_value()) session.run(init_op, options.init_feed_dict);
      if (options.init_fn != nullptr) options.init_fn(session);
    }
    const auto name_of = [](const Operation& op) { return op.has_value() ? op.name() : "None"; };
    const char* const called = options.init_fn != nullptr ? "given" : "None";
    if (const std::string against = begin_locally(session); !against.empty()) {
      throw RuntimeError(
          fmt::format("Init operations did not make model ready for local_init.  Init op: {}, init fn: {}, "
                      "error: {}",
                      name_of(init_op), called, against));
    }
    if (const std::string against = missing(session, ready_op); !against.empty()) {
      throw RuntimeError(fmt::format(
          "Init operations did not make model ready.  Init op: {}, init fn: {}, local_init_op: {}, "
          "error: {}",
          name_of(init_op), called, name_of(local_init_op), against));
    }
  }

  /// What is against a beginning of one that is not the chief, when it looks.
  std::string look(Session& session) const {
    std::string against = begin_locally(session);
    return against.empty() ? missing(session, ready_op) : against;
  }

  /// Looks from time to time whether the chief has done its part.
  void wait_for_chief(Session& session, double max_wait_secs) {
    const Clock::time_point begin = Clock::now();
    const auto after = [&](double seconds) {
      return begin + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::min(std::max(seconds, 0.0), 1e9)));
    };
    const Clock::time_point end = after(max_wait_secs);
    double next_look_secs = 0;
    double next_word_secs = 0;
    while (true) {
      const std::string against = look(session);
      if (against.empty()) return;
      next_look_secs += std::max(options.recovery_wait_secs, 0.01);
      while (Clock::now() < std::min(end, after(next_look_secs))) {
        if (Clock::now() >= after(next_word_secs)) {
          next_word_secs += 10;
          fmt::print(
              stderr, "flowray: Waiting for model to be ready.  Ready_for_local_init_op:  {}, ready: {}\n",
              options.ready_for_local_init_op.has_value() ? options.ready_for_local_init_op.name() : "None",
              against);
        }
        MutexLock lock(mutex);
        const Clock::time_point due = std::min({end, after(next_look_secs), after(next_word_secs)});
        changed.wait_until(mutex, due, [&]() FLOWRAY_REQUIRES(mutex) { return stopping; });
        if (stopping)
          throw errors::CancelledError("The supervisor was stopped while it waited for the chief.");
      }
      if (Clock::now() >= end) {
        throw errors::DeadlineExceededError(fmt::format(
            "Session was not ready after waiting {} secs.\n{}. Is there a chief, and does it use the "
            "same parameter servers?",
            max_wait_secs, against));
      }
    }
  }

  /// Of a queue runner's thread.
  void fill(Session& session, const FilledQueue& queue, const Operation& op) {
    try {
      const RunOptions until_stop{.cancellation = runs};
      while (!is_stopping()) {
        if (queue.run != nullptr) {
          queue.run(session, op, until_stop);
        } else {
          session.run(op, {}, until_stop);
        }
      }
    } catch (const errors::OutOfRangeError&) {
      end_queue(session, queue.close_op);
    } catch (...) {
      stop_for(std::current_exception());
    }
  }

  /// The session may be closed, or its server gone, by now.
  static void end_queue(Session& session, const Operation& op) {
    try {
      session.run(op, {}, {.timeout_in_ms = 5000});
    } catch (const Error& error) {
      fmt::print(stderr, "flowray: a queue was not closed: {}\n", error.message());
    }
  }

  bool is_stopping() {
    const MutexLock lock(mutex);
    return stopping;
  }

  /// The first error that comes before somebody has asked for the end is the supervisor's.
  void stop_for(std::exception_ptr error) {
    const MutexLock lock(mutex);
    if (!std::exchange(stopping, true)) failure = std::move(error);
    changed.notify_all();
  }

  const SupervisorOptions options;
  Graph graph;
  Operation init_op;
  Tensor summary_op;
  std::shared_ptr<Saver> saver;
  std::shared_ptr<summary::FileWriter> writer;
  Tensor ready_op;
  Operation local_init_op;
  struct Runner {
    Session& session;
    FilledQueue queue;
    std::vector<std::thread> threads;
  };
  std::vector<Runner> runners;
  const std::shared_ptr<StepCancellation> runs = std::make_shared<StepCancellation>();

  Mutex mutex;
  CondVar changed;
  bool stopping FLOWRAY_GUARDED_BY(mutex) = false;
  std::exception_ptr failure FLOWRAY_GUARDED_BY(mutex);
  std::thread services;
};

Supervisor::Supervisor(const SupervisorOptions& options, Input::Where where)
    : state_(std::make_unique<State>(options)) {
  State& state = *state_;
  const UserLine line(*state.graph.get(), where);
  state.init_op = options.init_op.has_value() ? *options.init_op : global_variables_initializer();
  state.summary_op = options.summary_op.has_value() ? *options.summary_op : summary::merge_all();
  state.ready_op = options.ready_op.has_value() ? *options.ready_op : report_uninitialized_variables();
  state.local_init_op =
      options.local_init_op.has_value()
          ? *options.local_init_op
          : group({local_variables_initializer(), tables_initializer()}, GraphKeys::LOCAL_INIT_OP);
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
    stop();
  } catch (...) {  // NOLINT: who wants to know has called stop()
  }
}

void Supervisor::prepare(Session& session, double max_wait_secs) {
  State& state = *state_;
  if (!state.options.is_chief) return state.wait_for_chief(session, max_wait_secs);
  state.initialise(session);
  start_standard_services(session);
}

void Supervisor::start_standard_services(Session& session) {
  State& state = *state_;
  if (!state.options.is_chief || state.options.logdir.empty() || state.services.joinable()) return;
  state.services = std::thread([&state, &session] { state.serve(session); });
}

std::unique_ptr<Session> Supervisor::prepare_or_wait_for_session(const std::string& target,
                                                                 const SessionConfig& config,
                                                                 double max_wait_secs) {
  auto session = std::make_unique<Session>(target, state_->graph, config);
  prepare(*session, max_wait_secs);
  return session;
}

void Supervisor::start_queue_runners(Session& session, const std::vector<FilledQueue>& queues) {
  for (size_t i = 0; i < queues.size(); ++i) {
    const std::string name = element_name("queues", i);
    check_all_set(queues[i].enqueue_ops, name + ".enqueue_ops");
    (void)node_of(queues[i].close_op, name + ".close_op");
    (void)node_of(queues[i].cancel_op, name + ".cancel_op");
  }
  for (const FilledQueue& queue : queues) {
    State::Runner& runner = state_->runners.emplace_back(State::Runner{session, queue, {}});
    for (const Operation& op : queue.enqueue_ops) {
      runner.threads.emplace_back(
          [state = state_.get(), &session, queue, op] { state->fill(session, queue, op); });
    }
  }
}

bool Supervisor::should_stop() const {
  const MutexLock lock(state_->mutex);
  return state_->stopping;
}

void Supervisor::request_stop() {
  const MutexLock lock(state_->mutex);
  state_->stopping = true;
  state_->changed.notify_all();
}

void Supervisor::stop() {
  request_stop();
  state_->runs->cancel();
  for (State::Runner& runner : std::exchange(state_->runners, {})) {
    State::end_queue(runner.session, runner.queue.cancel_op);
    for (std::thread& thread : runner.threads) thread.join();
  }
  if (state_->services.joinable()) state_->services.join();
  if (state_->writer != nullptr) state_->writer->close();
  std::exception_ptr failure;
  {
    const MutexLock lock(state_->mutex);
    failure = std::exchange(state_->failure, nullptr);
  }
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

const std::shared_ptr<Saver>& Supervisor::saver() const { return state_->saver; }
summary::FileWriter* Supervisor::summary_writer() const { return state_->writer.get(); }
std::filesystem::path Supervisor::save_path() const {
  return state_->options.logdir.empty() ? std::filesystem::path()
                                        : state_->options.logdir / state_->options.checkpoint_basename;
}

}  // namespace flowray::tf::train
