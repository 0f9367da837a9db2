#include <flowray/tf/supervisor.h>

#include "core/mutex.h"
#include "tf/build/apply_op.h"

#include <flowray/errors.h>

#include <fmt/format.h>

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

  /// The variables that nobody has initialised, "w, b".
  std::string without_value(Session& session) const {
    std::string missing;
    for (size_t i = 0; i < variables.size(); ++i) {
      if (session.run(have_values[i]).item<bool>()) continue;
      missing += (missing.empty() ? "" : ", ") + variables[i].op().name();
    }
    return missing;
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
      const std::string missing = without_value(session);
      if (missing.empty()) return;
      next_look_secs += std::max(options.recovery_wait_secs, 0.01);
      while (Clock::now() < std::min(end, after(next_look_secs))) {
        if (Clock::now() >= after(next_word_secs)) {
          next_word_secs += 10;
          fmt::print(stderr, "flowray: waiting for the chief to initialize {}\n", missing);
        }
        MutexLock lock(mutex);
        const Clock::time_point due = std::min({end, after(next_look_secs), after(next_word_secs)});
        changed.wait_until(mutex, due, [&]() FLOWRAY_REQUIRES(mutex) { return stopping; });
        if (stopping)
          throw errors::CancelledError("The supervisor was stopped while it waited for the chief.");
      }
      if (Clock::now() >= end) {
        throw errors::DeadlineExceededError(
            fmt::format("Session was not ready after waiting {} secs.\nThese have no value: {}. Is there a "
                        "chief, and does it use the same parameter servers?",
                        max_wait_secs, missing));
      }
    }
  }

  const SupervisorOptions options;
  Graph graph;
  Operation init_op;
  Tensor summary_op;
  std::shared_ptr<Saver> saver;
  std::unique_ptr<summary::FileWriter> writer;
  std::vector<Variable> variables;
  std::vector<Tensor> have_values;

  Mutex mutex;
  CondVar changed;
  bool stopping FLOWRAY_GUARDED_BY(mutex) = false;
  std::exception_ptr failure FLOWRAY_GUARDED_BY(mutex);
  std::thread services;
};

Supervisor::Supervisor(const SupervisorOptions& options) : state_(std::make_unique<State>(options)) {
  State& state = *state_;
  state.init_op = options.init_op.has_value() ? *options.init_op : global_variables_initializer();
  state.summary_op = options.summary_op.has_value() ? *options.summary_op : summary::merge_all();
  state.variables = global_variables();
  if (options.saver.has_value()) {
    state.saver = *options.saver;
  } else if (!state.variables.empty()) {
    state.saver = std::make_shared<Saver>();
  }
  for (const Variable& variable : state.variables) {
    state.have_values.push_back(apply_op({.op = "IsVariableInitialized", .args = {Input(variable)}}));
  }
  if (options.is_chief && !options.logdir.empty()) {
    state.writer = std::make_unique<summary::FileWriter>(options.logdir, state.graph);
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
  const std::string newest =
      state.options.logdir.empty() ? std::string() : latest_checkpoint(state.options.logdir);
  if (state.saver != nullptr && !newest.empty()) {
    state.saver->restore(session, newest);
  } else if (state.init_op.has_value()) {
    session.run(state.init_op);
  }
  if (const std::string missing = state.without_value(session); !missing.empty()) {
    throw RuntimeError(fmt::format(
        "Init operations did not make model ready.  Init op: {}, init fn: None, local_init_op: None, "
        "error: Variables not initialized: {}",
        state.init_op.has_value() ? state.init_op.name() : "None", missing));
  }
  if (!state.options.logdir.empty() && !state.services.joinable())
    state.services = std::thread([&state, &session] { state.serve(session); });
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
