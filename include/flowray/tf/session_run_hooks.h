#pragma once
/// tf.train.SessionRunHook and the hooks that come with it: what happens before and after each step of
/// a tf::train::MonitoredSession.

#include <flowray/tf/saver.h>
#include <flowray/tf/session.h>
#include <flowray/tf/summary.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

namespace summary {

/// tf.summary.FileWriterCache: one writer for each folder, shared by all that write there. Thread-safe.
struct FileWriterCache {
  /// The folder's writer; the first call makes it, with the default graph.
  static std::shared_ptr<FileWriter> get(const std::filesystem::path& logdir);
  /// Closes them all.
  static void clear();
};

}  // namespace summary

namespace train {

class Scaffold;

/// tf.train.Coordinator: ends the threads of one session together. The first error that one of them reports
/// is what join() throws. Thread-safe.
class Coordinator {
 public:
  /// A coordinator without threads; no stop is requested yet.
  Coordinator();
  Coordinator(const Coordinator&) = delete;
  Coordinator& operator=(const Coordinator&) = delete;
  /// Stops, and joins.
  ~Coordinator();

  /// Whether a stop was requested.
  bool should_stop() const;
  /// Asks for the end; `error` is why, or null. A second call changes nothing.
  void request_stop(std::exception_ptr error = nullptr);
  /// Waits so long for the end; whether it was asked for.
  bool wait_for_stop(double timeout_secs) const;
  /// Throws the error with which a stop was requested, if any.
  void raise_requested_exception() const;
  /// A thread for each of their operations, which it runs until errors::OutOfRangeError, then close_op, or
  /// until the end, which ends the step under way and runs cancel_op. Where the session ends before, so do
  /// they.
  void start_queue_runners(Session& session, const std::vector<FilledQueue>& queues);
  /// Calls a function in a thread of its own, which is to return when should_stop(). What it throws asks for
  /// the end.
  void start_thread(std::function<void()> function);
  /// Asks for the end, and waits so long for the threads; whether they have ended. join() is to follow.
  bool end_within(double grace_secs);
  /// Asks for the end, waits until the threads have ended, and throws as raise_requested_exception() does.
  void join();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What a hook asks to be run along with the program's step.
struct SessionRunArgs {
  /// What is fetched for it.
  std::vector<Fetch> fetches = {};
  /// What it feeds. A tensor that the program or another hook feeds, too, is a RuntimeError of the step.
  FeedDict feed_dict = {};
  /// How it wants the step: the highest trace_level and the longest timeout_in_ms of all count.
  RunOptions options = {};
};

/// What a hook gets of the step.
struct SessionRunValues {
  /// The values of its fetches, in their order.
  std::vector<Array> results;
  /// How the step was run.
  RunOptions options;
  /// What the step told about itself.
  RunMetadata run_metadata;
};

/// What a hook learns of the step that it stands at.
class SessionRunContext {
 public:
  /// For Flowray itself.
  SessionRunContext(SessionRunArgs original_args, Session& session)
      : original_args_(std::move(original_args)), session_(session) {}
  /// What the program has asked for.
  const SessionRunArgs& original_args() const { return original_args_; }
  /// The session, in which steps run without hooks.
  Session& session() const { return session_; }
  /// Whether a hook has asked for the end.
  bool stop_requested() const { return stop_requested_; }
  /// After this step the monitored session's should_stop() is true.
  void request_stop() { stop_requested_ = true; }

 private:
  SessionRunArgs original_args_;
  Session& session_;
  bool stop_requested_ = false;
};

/// The base of all hooks, which do what they override.
class SessionRunHook {
 public:
  SessionRunHook() = default;
  SessionRunHook(const SessionRunHook&) = delete;
  SessionRunHook& operator=(const SessionRunHook&) = delete;
  virtual ~SessionRunHook() = default;
  /// Once, while the graph may still be changed.
  virtual void begin() {}
  /// When a session is made, and made again. `coordinator` ends with it.
  virtual void after_create_session(Session& session, Coordinator& coordinator);
  /// What is to be run along.
  virtual SessionRunArgs before_run(SessionRunContext& context);
  /// With what before_run() asked for.
  virtual void after_run(SessionRunContext& context, const SessionRunValues& values);
  /// Once, where no error has ended the work.
  virtual void end(Session& session);
};

/// Tells when so many steps, or seconds, are over; the first time at once.
class SecondOrStepTimer {
 public:
  /// One of the two must be there: ValueError.
  SecondOrStepTimer(std::optional<double> every_secs, std::optional<int64_t> every_steps);
  /// Whether it is time.
  bool should_trigger_for_step(int64_t step) const;
  /// It was done at this step. The seconds and steps since the last time; none the first time.
  std::optional<std::pair<double, int64_t>> update_last_triggered_step(int64_t step);
  /// The step at which it was done last.
  std::optional<int64_t> last_triggered_step() const { return last_step_; }
  /// As at the beginning.
  void reset() { last_step_.reset(); }

 private:
  std::optional<double> every_secs_;
  std::optional<int64_t> every_steps_;
  std::optional<int64_t> last_step_;
  std::chrono::steady_clock::time_point last_time_;
};

// ---- the hooks. Those that look at the global step throw RuntimeError "Global step should be created to use
// ..." in begin() where the graph has none.

/// Takes a line for the log; null: stderr.
using LogFunction = std::function<void(const std::string&)>;

struct StopAtStepOptions {
  /// How many more steps; this or last_step.
  std::optional<int64_t> num_steps = std::nullopt;
  /// The global step after which it ends.
  std::optional<int64_t> last_step = std::nullopt;
};
/// Ends after a number of steps. Throws ValueError unless exactly one of the options is given.
class StopAtStepHook : public SessionRunHook {
 public:
  /// `options`: one of num_steps and last_step.
  explicit StopAtStepHook(const StopAtStepOptions& options);
  void begin() override;
  void after_create_session(Session& session, Coordinator& coordinator) override;
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;

 private:
  StopAtStepOptions options_;
  std::optional<Fetch> step_;
};

/// What happens around the savings of a CheckpointSaverHook.
class CheckpointSaverListener {
 public:
  CheckpointSaverListener() = default;
  CheckpointSaverListener(const CheckpointSaverListener&) = delete;
  CheckpointSaverListener& operator=(const CheckpointSaverListener&) = delete;
  virtual ~CheckpointSaverListener() = default;
  /// Once, while the graph may still be changed.
  virtual void begin() {}
  /// Before each checkpoint.
  virtual void before_save(Session& session, int64_t global_step);
  /// After each; true ends the training.
  virtual bool after_save(Session& session, int64_t global_step);
  /// Once, after the last one.
  virtual void end(Session& session, int64_t global_step);
};

struct CheckpointSaverOptions {
  /// Seconds between two; this or save_steps.
  std::optional<double> save_secs = std::nullopt;
  /// Steps between two checkpoints.
  std::optional<int64_t> save_steps = std::nullopt;
  /// What saves; this or scaffold.
  std::shared_ptr<Saver> saver = nullptr;
  /// Whose saver saves.
  std::shared_ptr<Scaffold> scaffold = nullptr;
  /// What the files are called; their step's number follows.
  std::string checkpoint_basename = "model.ckpt";
  /// Called around each checkpoint, in this order.
  std::vector<std::shared_ptr<CheckpointSaverListener>> listeners = {};
  /// Whether "graph.pbtxt" is written when a session is made; false for large graphs that no TensorBoard
  /// shows.
  bool save_graph_def = true;
};
/// Saves every so many seconds or steps, at the begin and at the end. Throws ValueError "You cannot provide
/// both saver and scaffold."
class CheckpointSaverHook : public SessionRunHook {
 public:
  /// `checkpoint_dir` is made where it is not there.
  explicit CheckpointSaverHook(std::filesystem::path checkpoint_dir, CheckpointSaverOptions options);
  void begin() override;
  void after_create_session(Session& session, Coordinator& coordinator) override;
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;

 private:
  bool save(Session& session, int64_t step);

  const std::filesystem::path folder_;
  const CheckpointSaverOptions options_;
  SecondOrStepTimer timer_;
  std::optional<Fetch> step_;
  std::shared_ptr<summary::FileWriter> writer_;
};

struct SummarySaverOptions {
  /// Steps between two; this or save_secs.
  std::optional<int64_t> save_steps = std::nullopt;
  /// Seconds between two summaries.
  std::optional<double> save_secs = std::nullopt;
  /// Where they go; this or summary_writer.
  std::filesystem::path output_dir = {};
  /// What writes the summaries.
  std::shared_ptr<summary::FileWriter> summary_writer = nullptr;
  /// Whose summary_op; this or summary_op.
  std::shared_ptr<Scaffold> scaffold = nullptr;
  /// The Summary that is written.
  Tensor summary_op = {};
};
/// Writes summaries every so many steps or seconds. Throws ValueError "Exactly one of scaffold or summary_op
/// must be provided."
class SummarySaverHook : public SessionRunHook {
 public:
  /// `options`: one of save_steps and save_secs, and where summaries go.
  explicit SummarySaverHook(SummarySaverOptions options);
  void begin() override;
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;

 private:
  const SummarySaverOptions options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<summary::FileWriter> writer_;
  std::optional<Fetch> step_;
  std::optional<int64_t> next_step_;
  bool asked_ = false;
};

struct StepCounterOptions {
  /// Steps between two; this or every_n_secs. Both left out: 100 steps.
  std::optional<int64_t> every_n_steps = std::nullopt;
  /// Seconds between two lines.
  std::optional<double> every_n_secs = std::nullopt;
  /// Where summaries of it go; empty: nowhere.
  std::filesystem::path output_dir = {};
  /// What writes the summaries; this or output_dir.
  std::shared_ptr<summary::FileWriter> summary_writer = nullptr;
  /// Where the line "global_step/sec: 12.5" goes.
  LogFunction log = nullptr;
};
/// Tells how many steps a second are done, in the log and as a summary. Throws ValueError where both periods
/// are given.
class StepCounterHook : public SessionRunHook {
 public:
  /// Every 100 steps, unless `options` says otherwise.
  explicit StepCounterHook(StepCounterOptions options = {});
  void begin() override;
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;

 private:
  const StepCounterOptions options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<summary::FileWriter> writer_;
  std::optional<Fetch> step_;
  std::string tag_;
};

/// A tensor whose value is told, and what it is called there.
struct LoggedTensor {
  /// A tensor by its name, "loss:0".
  LoggedTensor(const char* tensor_name) : tag(tensor_name), fetch(tensor_name) {}  // NOLINT: implicit
  /// Called by its name.
  LoggedTensor(const Tensor& tensor) : tag(tensor.name()), fetch(tensor) {}  // NOLINT: implicit
  /// The same of a variable.
  LoggedTensor(const Variable& variable) : tag(variable.name()), fetch(variable) {}  // NOLINT: implicit
  /// Called otherwise.
  LoggedTensor(std::string name_in_log, Fetch fetched)
      : tag(std::move(name_in_log)), fetch(std::move(fetched)) {}
  /// What it is called.
  std::string tag;
  /// The tensor.
  Fetch fetch;
};
struct LoggingTensorOptions {
  /// Steps between two lines; this or every_n_secs, or neither where at_end is set.
  std::optional<int64_t> every_n_iter = std::nullopt;
  /// Seconds between two lines.
  std::optional<double> every_n_secs = std::nullopt;
  /// Whether they are told at the end, too; true where training is shorter than the interval; they are
  /// computed once more then, without feeds.
  bool at_end = false;
  /// Makes the line of the values by tag; null: "loss = 0.5, w = 2 (0.010 sec)".
  std::function<std::string(const std::map<std::string, Array>&)> formatter = nullptr;
  /// Where the line goes; null: stderr.
  LogFunction log = nullptr;
};
/// Tells tensors' values every so many steps or seconds, or at the end. Throws ValueError for periods that
/// make no sense.
class LoggingTensorHook : public SessionRunHook {
 public:
  /// `tensors`: what the line tells, in its order; `options`: when.
  LoggingTensorHook(std::vector<LoggedTensor> tensors, LoggingTensorOptions options);
  void begin() override;
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;
  void end(Session& session) override;

 private:
  void tell(const std::vector<Array>& values);
  std::vector<Fetch> fetches() const;

  const std::vector<LoggedTensor> tensors_;
  const LoggingTensorOptions options_;
  std::optional<SecondOrStepTimer> timer_;
  int64_t count_ = 0;
  bool asked_ = false;
};

/// "NaN loss during training."
class NanLossDuringTrainingError : public RuntimeError {
 public:
  /// With that message.
  NanLossDuringTrainingError() : RuntimeError("NaN loss during training.") {}
};
struct NanTensorOptions {
  /// Whether NaN is an error; false: the training ends without one, where what was trained so far is still of
  /// use.
  bool fail_on_nan_loss = true;
};
/// Ends the work, or fails with NanLossDuringTrainingError, when a loss becomes NaN.
class NanTensorHook : public SessionRunHook {
 public:
  /// `loss_tensor` is fetched in each step.
  explicit NanTensorHook(const Tensor& loss_tensor, const NanTensorOptions& options = {});
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;

 private:
  const Tensor loss_;
  const bool fails_;
};

/// Runs something at the end.
class FinalOpsHook : public SessionRunHook {
 public:
  /// `final_ops`: what is fetched at the end, with `final_ops_feed_dict` fed.
  explicit FinalOpsHook(std::vector<Fetch> final_ops, FeedDict final_ops_feed_dict = {})
      : final_ops_(std::move(final_ops)), feeds_(std::move(final_ops_feed_dict)) {}
  void end(Session& session) override;
  /// Their values, in their order; empty before the end.
  const std::vector<Array>& final_ops_values() const { return values_; }

 private:
  const std::vector<Fetch> final_ops_;
  const FeedDict feeds_;
  std::vector<Array> values_;
};

struct GlobalStepWaiterOptions {
  /// Seconds after which it is a DeadlineExceededError of the step; left out: it waits without end.
  std::optional<double> max_wait_secs = std::nullopt;
  /// Where it is said every ten seconds what is waited for; null: stderr.
  LogFunction log = nullptr;
};
/// Holds the first step until others have come to a global step: workers that begin one after the other.
class GlobalStepWaiterHook : public SessionRunHook {
 public:
  /// `wait_until_step`: the global step to wait for; 0 waits for none.
  explicit GlobalStepWaiterHook(int64_t wait_until_step, GlobalStepWaiterOptions options = {})
      : wait_until_step_(wait_until_step), options_(std::move(options)) {}
  void begin() override;
  SessionRunArgs before_run(SessionRunContext& context) override;

 private:
  const int64_t wait_until_step_;
  const GlobalStepWaiterOptions options_;
  std::optional<Fetch> step_;
  bool has_begun_ = false;
};

/// Feeds each step what a function gives.
class FeedFnHook : public SessionRunHook {
 public:
  /// `feed_fn` is called once for each step.
  explicit FeedFnHook(std::function<FeedDict()> feed_fn) : feed_fn_(std::move(feed_fn)) {}
  SessionRunArgs before_run(SessionRunContext& context) override;

 private:
  const std::function<FeedDict()> feed_fn_;
};

struct ProfilerOptions {
  /// Steps between two; this or save_secs.
  std::optional<int64_t> save_steps = std::nullopt;
  /// Seconds between two traces.
  std::optional<double> save_secs = std::nullopt;
  /// Where "timeline-STEP.json" and the events for TensorBoard go; empty: the folder of the program.
  std::filesystem::path output_dir = {};
};
/// Traces a step every so many steps or seconds, for ui.perfetto.dev and TensorBoard.
class ProfilerHook : public SessionRunHook {
 public:
  /// `options`: one of save_steps and save_secs.
  explicit ProfilerHook(ProfilerOptions options);
  void begin() override;
  SessionRunArgs before_run(SessionRunContext& context) override;
  void after_run(SessionRunContext& context, const SessionRunValues& values) override;

 private:
  const ProfilerOptions options_;
  SecondOrStepTimer timer_;
  std::shared_ptr<summary::FileWriter> writer_;
  std::optional<Fetch> step_;
  std::optional<int64_t> next_step_;
  bool asked_ = false;
};

}  // namespace train
}  // namespace flowray::tf

#pragma GCC visibility pop
