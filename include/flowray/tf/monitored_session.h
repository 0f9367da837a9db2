#pragma once
/// tf.train.MonitoredTrainingSession: a session that is initialised or restored, calls hooks at each step
/// and, on servers, is made again when one of them is lost.
///
///     auto session = tf::train::MonitoredTrainingSession(
///         {.checkpoint_dir = "logs", .hooks = {std::make_shared<tf::train::StopAtStepHook>(
///                                        tf::train::StopAtStepOptions{.last_step = 1000})}});
///     while (!session.should_stop()) session.run(train);
///     session.close();

#include <flowray/tf/session_run_hooks.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

/// What is left out of it Scaffold::finalize() takes from the graph's collections, or makes.
struct ScaffoldOptions {
  /// Left out: of the collection INIT_OP, else global_variables_initializer().
  /// Not run where a checkpoint is restored.
  Operation init_op = {};
  /// What is fed to init_op.
  FeedDict init_feed_dict = {};
  /// Called after init_op, where that is run.
  std::function<void(Scaffold&, Session&)> init_fn = nullptr;
  /// The names of variables that have no value. Left out: of READY_OP, else report_uninitialized_variables().
  Tensor ready_op = {};
  /// The same, of what local_init_op needs. Left out: of READY_FOR_LOCAL_INIT_OP,
  /// else of the global variables.
  Tensor ready_for_local_init_op = {};
  /// Left out: of LOCAL_INIT_OP, else local_variables_initializer() and tables_initializer().
  Operation local_init_op = {};
  /// What is fed to local_init_op.
  FeedDict local_init_feed_dict = {};
  /// Left out: of SUMMARY_OP, else summary::merge_all(), which is none where there are no summaries.
  Tensor summary_op = {};
  /// Left out: one of all variables, sharded.
  std::shared_ptr<Saver> saver = nullptr;
  /// Whose parts stand for those that are left out, but for local_init_feed_dict.
  std::shared_ptr<const Scaffold> copy_from_scaffold = nullptr;
};

/// tf.train.Scaffold: what a training needs of its graph.
class Scaffold {
 public:
  /// A scaffold of parts that are there already; others are made by finalize().
  explicit Scaffold(ScaffoldOptions options = {});
  /// Makes in the default graph what is not given, and closes the graph to changes. Throws RuntimeError
  /// "More than one item in the collection ..." where a collection does not say which one it is.
  Scaffold& finalize(Input::Where where = Input::Where::current());

  /// Gives the variables their first values; null before finalize() where none was given. So are the others.
  const Operation& init_op() const { return options_.init_op; }
  /// What is fed to init_op().
  const FeedDict& init_feed_dict() const { return options_.init_feed_dict; }
  /// Gives the names of variables that have no value.
  const Tensor& ready_op() const { return options_.ready_op; }
  /// Gives the names of variables without a value that local_init_op() needs.
  const Tensor& ready_for_local_init_op() const { return options_.ready_for_local_init_op; }
  /// Gives local variables and tables their first values, in each session.
  const Operation& local_init_op() const { return options_.local_init_op; }
  /// What is fed to local_init_op().
  const FeedDict& local_init_feed_dict() const { return options_.local_init_feed_dict; }
  /// The Summary that hooks write; null where the graph has no summaries.
  const Tensor& summary_op() const { return options_.summary_op; }
  /// What writes and restores checkpoints.
  const std::shared_ptr<Saver>& saver() const { return options_.saver; }
  /// Whether the options have an init_fn.
  bool has_init_fn() const { return options_.init_fn != nullptr; }
  /// Calls the init_fn, which there must be: has_init_fn().
  void call_init_fn(Session& session) { options_.init_fn(*this, session); }

 private:
  ScaffoldOptions options_;
};

/// Makes the sessions of a MonitoredSession.
class SessionCreator {
 public:
  SessionCreator() = default;
  SessionCreator(const SessionCreator&) = delete;
  SessionCreator& operator=(const SessionCreator&) = delete;
  virtual ~SessionCreator() = default;
  /// A session in which all is ready.
  virtual std::unique_ptr<Session> create_session() = 0;
  /// For how long a MonitoredSession makes sessions again that lost servers have ended while they were made.
  /// Without end here.
  virtual double max_wait_secs() const;
};

struct ChiefSessionOptions {
  /// What is initialised, restored and saved; null: what Scaffold finds and makes by itself.
  std::shared_ptr<Scaffold> scaffold = nullptr;
  /// Where sessions run: "grpc://localhost:2222", or "" for here.
  std::string master = {};
  /// The configuration of each session.
  SessionConfig config = {};
  /// Whose newest checkpoint is restored.
  std::filesystem::path checkpoint_dir = {};
  /// The checkpoint that is restored; this or checkpoint_dir (ValueError).
  std::filesystem::path checkpoint_filename_with_path = {};
  /// How long servers that are not there are waited for.
  double max_wait_secs = std::numeric_limits<double>::infinity();
};
/// Restores the newest checkpoint, or initialises. Throws RuntimeError "Init operations did not make model
/// ready. ..." for variables that have no value then, errors::DeadlineExceededError "Session was not ready
/// after waiting 7200 secs." where servers are not there.
class ChiefSessionCreator : public SessionCreator {
 public:
  /// Changes nothing yet: the scaffold is finalized by the first create_session().
  explicit ChiefSessionCreator(ChiefSessionOptions options = {});
  std::unique_ptr<Session> create_session() override;
  double max_wait_secs() const override { return options_.max_wait_secs; }

 private:
  const ChiefSessionOptions options_;
  bool is_final_ = false;
};

struct WorkerSessionOptions {
  /// What is initialised, restored and saved; null: what Scaffold finds and makes by itself.
  std::shared_ptr<Scaffold> scaffold = nullptr;
  /// Where sessions run: "grpc://localhost:2222", or "" for here.
  std::string master = {};
  /// The configuration of each session.
  SessionConfig config = {};
  /// After which it is errors::DeadlineExceededError "Session was not ready after waiting 1800 secs."
  double max_wait_secs = 30 * 60;
};
/// Waits until the chief has initialised, and says every ten seconds on stderr what is missing.
class WorkerSessionCreator : public SessionCreator {
 public:
  /// Changes nothing yet: the scaffold is finalized by the first create_session().
  explicit WorkerSessionCreator(WorkerSessionOptions options = {});
  std::unique_ptr<Session> create_session() override;
  double max_wait_secs() const override { return options_.max_wait_secs; }

 private:
  const WorkerSessionOptions options_;
  bool is_final_ = false;
};

/// Hooks and queues of a monitored session.
using SessionRunHooks = std::vector<std::shared_ptr<SessionRunHook>>;

class MonitoredSession;

/// What MonitoredSession::run_step_fn gives to its function.
class StepContext {
 public:
  /// For Flowray itself.
  explicit StepContext(MonitoredSession& monitored) : monitored_(monitored) {}
  /// The session, in which steps run without hooks.
  Session& session() const;
  /// As MonitoredSession::run.
  Array run_with_hooks(const Fetch& fetch, const FeedDict& feeds = {}) const;
  /// The monitored session's should_stop() is true from now on.
  void request_stop() const;

 private:
  MonitoredSession& monitored_;
};

/// tf.train.MonitoredSession. When a server of its session is lost (errors::AbortedError,
/// errors::UnavailableError), a session is made anew, from the newest checkpoint where it is a chief's, and
/// the step is run again; errors::DeadlineExceededError "Session was not ready after waiting ..." when that
/// has failed for the creator's max_wait_secs(). To be used by one thread.
///
/// The object's end closes it: hooks end where no exception is under way, as at the end of Python's `with`;
/// what goes wrong then is said on stderr, and thrown by close() only.
class MonitoredSession {
 public:
  /// `session_creator`: null for a ChiefSessionCreator. `queues` are filled as long as there is a session.
  /// `stop_grace_period_secs`: the time that threads have to end before the session is closed, which ends
  /// their steps.
  explicit MonitoredSession(std::shared_ptr<SessionCreator> session_creator = nullptr,
                            SessionRunHooks hooks = {}, std::vector<FilledQueue> queues = {},
                            double stop_grace_period_secs = 120,
                            Input::Where where = Input::Where::current());
  MonitoredSession(MonitoredSession&&) noexcept;
  MonitoredSession& operator=(MonitoredSession&&) noexcept;
  ~MonitoredSession();

  /// Whether a hook or a thread has asked for the end, or it is closed. Throws the error of a thread that
  /// fills a queue, unless it is that of a lost server.
  bool should_stop();
  /// A step, with what the hooks ask for. Throws RuntimeError "Run called even after should_stop requested.",
  /// "Attempted to use a closed Session.", and for a tensor that is fed twice.
  Array run(const Fetch& fetch, const FeedDict& feeds = {}, const RunOptions& options = {},
            RunMetadata* run_metadata = nullptr);
  /// auto [loss, none] = session.run({loss, train}, {{x, batch}});
  template <size_t N>
  std::array<Array, N> run(const Fetch (&fetches)[N], const FeedDict& feeds = {},
                           const RunOptions& options = {}, RunMetadata* run_metadata = nullptr) {
    std::array<Array, N> results;
    run_into(fetches, feeds, results, options, run_metadata);
    return results;
  }
  /// A number of fetches known only at run time.
  template <std::convertible_to<Fetch> T>
  std::vector<Array> run(const std::vector<T>& fetches, const FeedDict& feeds = {},
                         const RunOptions& options = {}, RunMetadata* run_metadata = nullptr,
                         Fetch::Where where = Fetch::Where::current()) {
    const List<Fetch> list(fetches, where);
    std::vector<Array> results(fetches.size());
    run_into(list.items(), feeds, results, options, run_metadata);
    return results;
  }
  /// Calls a function of a StepContext, which decides what runs with hooks; gives what it gives.
  template <class Function>
  auto run_step_fn(Function step_fn) {
    return step_fn(StepContext(*this));
  }
  /// Calls `step` until should_stop() or errors::OutOfRangeError, the end of the input, and closes.
  void run_until_stop(const std::function<void()>& step);
  /// Hooks end, threads end, the session is closed. Throws what goes wrong.
  void close();
  /// The graph that was the default one when it was made.
  Graph graph() const;

 protected:
  struct State;
  friend class StepContext;
  MonitoredSession(std::shared_ptr<SessionCreator> session_creator, SessionRunHooks hooks,
                   std::vector<FilledQueue> queues, bool recovers, double stop_grace_period_secs,
                   Input::Where where);
  void run_into(std::span<const Fetch> fetches, const FeedDict& feeds, std::span<Array> results,
                const RunOptions& options, RunMetadata* run_metadata);
  std::unique_ptr<State> state_;
};

/// tf.train.SingularMonitoredSession: one session, whose errors are the program's.
class SingularMonitoredSession : public MonitoredSession {
 public:
  /// Makes the session as a ChiefSessionCreator of `options` does. `queues` are filled as long as it is open.
  /// `stop_grace_period_secs`: as of MonitoredSession.
  explicit SingularMonitoredSession(SessionRunHooks hooks = {}, const ChiefSessionOptions& options = {},
                                    std::vector<FilledQueue> queues = {}, double stop_grace_period_secs = 120,
                                    Input::Where where = Input::Where::current());
  /// The session, in which steps run without hooks; null when it is closed.
  Session* raw_session() const;
};

struct MonitoredTrainingOptions {
  /// Where sessions run: "grpc://localhost:2222", or "" for here.
  std::string master = {};
  /// Whether this process initialises, restores, saves and writes summaries; the others wait for it; false in
  /// all workers but one of a cluster.
  bool is_chief = true;
  /// Where checkpoints go and come from; empty: nowhere.
  std::filesystem::path checkpoint_dir = {};
  /// What is initialised, restored and saved; null: what Scaffold finds and makes by itself.
  std::shared_ptr<Scaffold> scaffold = nullptr;
  /// Called around each step, by the chief and the others.
  SessionRunHooks hooks = {};
  /// Called around each step of the chief only.
  SessionRunHooks chief_only_hooks = {};
  /// Filled as long as there is a session.
  std::vector<FilledQueue> queues = {};
  /// Seconds between two checkpoints; 0: none by time. Left out, like save_checkpoint_steps: 600.
  std::optional<double> save_checkpoint_secs = std::nullopt;
  /// Steps between two checkpoints; 0: none by steps.
  std::optional<int64_t> save_checkpoint_steps = std::nullopt;
  /// Steps between two summaries; 0: none by steps. Left out, like save_summaries_secs: 100.
  std::optional<int64_t> save_summaries_steps = std::nullopt;
  /// Seconds between two summaries; 0: none by time.
  std::optional<double> save_summaries_secs = std::nullopt;
  /// The configuration of each session.
  SessionConfig config = {};
  /// Steps between two lines about the speed; 0: none.
  int64_t log_step_count_steps = 100;
  /// How long one that is not the chief waits for it, and each for servers that are not there.
  double max_wait_secs = 7200;
  /// Where summaries go; empty: checkpoint_dir.
  std::filesystem::path summary_dir = {};
  /// Whether "graph.pbtxt" is written beside checkpoints; false for large graphs that no TensorBoard shows.
  bool save_graph_def = true;
  /// Seconds that threads have to end before the session is closed, which ends their steps.
  double stop_grace_period_secs = 120;
};
/// A MonitoredSession with the hooks of a training: it saves,
/// summarises and tells its speed where there is a folder.
MonitoredSession MonitoredTrainingSession(const MonitoredTrainingOptions& options = {},
                                          Input::Where where = Input::Where::current());

}  // namespace flowray::tf::train

#pragma GCC visibility pop
