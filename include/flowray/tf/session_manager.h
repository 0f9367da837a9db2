#pragma once
/// tf.train.SessionManager: sessions that are restored or initialised, and those that wait until others have
/// done it. A Supervisor uses one; a program may give it its own.

#include <flowray/tf/saver.h>
#include <flowray/tf/session.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

struct SessionManagerOptions {
  /// Run in each session before it is given away; none: nothing is.
  Operation local_init_op = {};
  /// The names of variables that have no value: where there are any the model is not ready, nor where this
  /// fails because a variable is uninitialized. None: it is ready.
  Tensor ready_op = {};
  /// The same, of what local_init_op needs. Only together with that.
  Tensor ready_for_local_init_op = {};
  /// Seconds between two looks at what others are to make ready.
  double recovery_wait_secs = 30;
  /// How local_init_op is run.
  RunOptions local_init_run_options = {};
  /// What is fed to local_init_op.
  FeedDict local_init_feed_dict = {};
};

/// What a session is restored from, if there is such a checkpoint.
struct RecoverSessionOptions {
  /// What restores; null: nothing is restored.
  std::shared_ptr<Saver> saver = nullptr;
  /// Whose newest checkpoint is restored.
  std::filesystem::path checkpoint_dir = {};
  /// The checkpoint that is restored; this or checkpoint_dir (ValueError).
  std::filesystem::path checkpoint_filename_with_path = {};
  /// A checkpoint in checkpoint_dir is waited for, for max_wait_secs; true where another process writes the
  /// first one; false: the folder is looked at once.
  bool wait_for_checkpoint = false;
  /// How long a checkpoint is waited for, and how long the servers are.
  double max_wait_secs = 7200;
  /// The configuration of the session.
  SessionConfig config = {};
};

struct PrepareSessionOptions {
  /// Where there is a checkpoint, init_op and init_fn are not needed.
  RecoverSessionOptions recover = {};
  /// Gives the variables their first values.
  Operation init_op = {};
  /// What is fed to init_op.
  FeedDict init_feed_dict = {};
  /// Called after init_op.
  std::function<void(Session&)> init_fn = nullptr;
};

struct RecoveredSession {
  /// There also where nothing was restored.
  std::unique_ptr<Session> session;
  /// Whether a checkpoint was restored and everything has a value.
  bool is_ready = false;
};

/// Makes sessions of the graph that was the default one when it was made. `master` is where they run:
/// "grpc://localhost:2222", or "" for here.
class SessionManager {
 public:
  /// Throws ValueError for a ready_for_local_init_op without local_init_op.
  explicit SessionManager(SessionManagerOptions options = {}, Input::Where where = Input::Where::current());
  SessionManager(const SessionManager&) = delete;
  SessionManager& operator=(const SessionManager&) = delete;
  virtual ~SessionManager();

  /// A session that is restored or initialised, as a chief's is. Throws RuntimeError "Init operations did not
  /// make model ready. ..." for variables that have no value then, and "Model is not initialized and no
  /// init_op or init_fn or local_init_op was given".
  virtual std::unique_ptr<Session> prepare_session(const std::string& master,
                                                   const PrepareSessionOptions& options = {});
  /// A session that is restored, if it can be.
  virtual RecoveredSession recover_session(const std::string& master,
                                           const RecoverSessionOptions& options = {});
  /// A session in which all is ready, because another process has made it so; each look is at a new one.
  /// Says every ten seconds on stderr what is missing. Throws errors::DeadlineExceededError "Session was not
  /// ready after waiting 7200 secs."
  virtual std::unique_ptr<Session> wait_for_session(const std::string& master,
                                                    const SessionConfig& config = {},
                                                    double max_wait_secs = 7200);

 protected:
  /// How a wait rests between two looks; what it throws ends the wait.
  virtual void rest_until(std::chrono::steady_clock::time_point time);
  /// A wait begins, for servers or for what is on them, which `ends` can end at any time. Does nothing here.
  virtual void begin_wait(const std::shared_ptr<StepCancellation>& ends);

 private:
  bool restore(Session& session, const RecoverSessionOptions& options);
  void open(Session& session, const std::string& master, double max_wait_secs);

  const SessionManagerOptions options_;
  const Graph graph_;
};

}  // namespace flowray::tf::train

#pragma GCC visibility pop
