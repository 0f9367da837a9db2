#pragma once
/// tf.train.Supervisor: prepares a session from the newest checkpoint, saves and summarises beside the
/// training, and ends it.

#include <flowray/tf/saver.h>
#include <flowray/tf/session.h>
#include <flowray/tf/session_manager.h>
#include <flowray/tf/summary.h>
#include <flowray/tf/train.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

struct SupervisorOptions {
  /// Whether this process is the one that initializes, restores, saves and writes summaries; the others wait
  /// for it; false in all workers but one of a cluster.
  bool is_chief = true;
  /// Where checkpoints and summaries go; empty: nowhere.
  std::filesystem::path logdir = {};
  /// The names of variables that have no value: where there are any the model is not ready, nor where this
  /// fails because a variable is uninitialized. Left out: report_uninitialized_variables(); a None: the model
  /// is ready.
  std::optional<Tensor> ready_op = std::nullopt;
  /// The same, of what local_init_op needs; left out: all is ready for that.
  Tensor ready_for_local_init_op = {};
  /// Left out: global_variables_initializer(). Not run where a checkpoint is restored.
  std::optional<Operation> init_op = std::nullopt;
  /// What is fed to init_op.
  FeedDict init_feed_dict = {};
  /// Called after init_op, where that is run.
  std::function<void(Session&)> init_fn = nullptr;
  /// Run by everybody, the chief and the others, before they begin. Left out: local_variables_initializer()
  /// and tables_initializer(); a None: nothing.
  std::optional<Operation> local_init_op = std::nullopt;
  /// Left out: merge_all(); a None: summaries are the program's.
  std::optional<Tensor> summary_op = std::nullopt;
  /// Left out: one of all variables; null: nothing is saved.
  std::optional<std::shared_ptr<Saver>> saver = std::nullopt;
  /// The variable that counts the steps, for the names of checkpoints and the steps of summaries; none: they
  /// have none.
  Variable global_step = {};
  /// The chief's writer. Left out: one in logdir; null: no summaries are written.
  std::optional<std::shared_ptr<summary::FileWriter>> summary_writer = std::nullopt;
  /// Seconds between two summaries; 0: none.
  double save_summaries_secs = 120;
  /// Seconds between two checkpoints; 0: none.
  double save_model_secs = 600;
  /// What the files of checkpoints in logdir are called.
  std::string checkpoint_basename = "model.ckpt";
  /// Seconds between two looks, of one that is not the chief, at what the chief is to make ready.
  double recovery_wait_secs = 30;
  /// Seconds that stop() waits for the services and the threads of queues to end.
  double stop_grace_secs = 120;
  /// Makes the sessions of prepare_or_wait_for_session(). Its own operations count then, and its
  /// recovery_wait_secs, not those given here for ready_op, ready_for_local_init_op and local_init_op.
  /// Null: one of these.
  std::shared_ptr<SessionManager> session_manager = nullptr;
  /// How local_init_op is run.
  RunOptions local_init_run_options = {};
};

/// Made when the graph is done: it is finalized. The chief's services run in a thread of their own between
/// prepare() and stop().
class Supervisor {
 public:
  /// Adds what is left out of the options to the default graph, and finalizes it.
  explicit Supervisor(const SupervisorOptions& options = {}, Input::Where where = Input::Where::current());
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  /// Stops.
  ~Supervisor();

  /// The chief restores the newest checkpoint of the folder, or runs init_op and init_fn, then local_init_op,
  /// and starts the services. Throws RuntimeError "Init operations did not make model ready. ..." for
  /// variables that have no value then. Any other one waits until they have, says so on stderr every ten
  /// seconds, and runs local_init_op only. Both wait for servers that the graph names. They throw
  /// errors::DeadlineExceededError "Session was not ready after waiting 7200 secs." when `max_wait_secs` are
  /// over, and errors::CancelledError where request_stop() is called meanwhile. Where the session ends before
  /// stop(), so do the services. RuntimeError where the program has given a session_manager: it makes its
  /// sessions itself.
  void prepare(Session& session, double max_wait_secs = 7200);
  /// A session of the graph that the session manager has prepared, or waited for where this is not the chief:
  /// on a server, "grpc://localhost:2222", or here. Where it ends before stop(), so do the services.
  /// `wait_for_checkpoint`: the chief does not initialise before `max_wait_secs` are over without a
  /// checkpoint in its folder. `start_services`: as start_standard_services() does.
  std::unique_ptr<Session> prepare_or_wait_for_session(const std::string& target = {},
                                                       const SessionConfig& config = {},
                                                       double max_wait_secs = 7200,
                                                       bool wait_for_checkpoint = false,
                                                       bool start_services = true);
  /// Calls `body` with a session of prepare_or_wait_for_session(), the default one meanwhile. At its end, and
  /// where it throws, the supervisor is stopped and the session closed. errors::OutOfRangeError and
  /// errors::CancelledError are an end like any other; another error of the body, or else of the services, is
  /// thrown when all has ended.
  void managed_session(const std::function<void(Session&)>& body, const std::string& target = {},
                       const SessionConfig& config = {}, bool start_services = true);
  /// Saves and summarises from now on until stop(), as prepare() has it; where there is no folder, nothing.
  void start_standard_services(Session& session);
  /// A thread for each of their operations, which it runs until errors::OutOfRangeError, then close_op, or
  /// until stop(), which ends the step under way and runs cancel_op.
  void start_queue_runners(Session& session, const std::vector<FilledQueue>& queues);
  /// Whether a stop was requested.
  bool should_stop() const;
  /// Asks for the end: should_stop() is true from now on.
  void request_stop();
  /// Ends the services and closes the summaries' file. What went wrong in a service is thrown here.
  /// RuntimeError "Coordinator stopped with threads still running: ..." when stop_grace_secs are over: close
  /// the session, which ends their steps, and stop again. The object's end waits for them however long.
  void stop();
  /// The same with another time to wait; none: however long.
  void stop(std::optional<double> grace_secs);

  /// Adds a Summary, as a step gives it, to the file in the folder. Throws TypeError, RuntimeError in
  /// TensorFlow's words where this is not the chief's part, or has no folder.
  void summary_computed(Session& session, std::string_view summary,
                        std::optional<int64_t> global_step = std::nullopt);

  /// What makes its sessions.
  const std::shared_ptr<SessionManager>& session_manager() const;
  /// What saves and restores; null where nothing is saved.
  const std::shared_ptr<Saver>& saver() const;
  /// Null without a folder, and where it is not the chief.
  summary::FileWriter* summary_writer() const;
  /// The path that checkpoints are saved under; their step's number follows it.
  std::filesystem::path save_path() const;

 private:
  struct State;
  class OwnSessionManager;
  std::shared_ptr<State> state_;  // which its session manager does not keep
};

}  // namespace flowray::tf::train

#pragma GCC visibility pop
