#pragma once
/// tf.train.Supervisor: prepares a session from the newest checkpoint, saves and summarises beside the
/// training, and ends it.

#include <flowray/tf/saver.h>
#include <flowray/tf/summary.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

struct SupervisorOptions {
  bool is_chief = true;
  /// Where checkpoints and summaries go; empty: nowhere.
  std::filesystem::path logdir = {};
  /// Left out: global_variables_initializer().
  std::optional<Operation> init_op = std::nullopt;
  /// Left out: merge_all(); a None: summaries are the program's.
  std::optional<Tensor> summary_op = std::nullopt;
  /// Left out: one of all variables; null: nothing is saved.
  std::optional<std::shared_ptr<Saver>> saver = std::nullopt;
  Variable global_step = {};
  /// Seconds between two summaries; 0: none.
  double save_summaries_secs = 120;
  /// Seconds between two checkpoints; 0: none.
  double save_model_secs = 600;
  std::string checkpoint_basename = "model.ckpt";
  /// Seconds between two looks, of one that is not the chief, at what the chief is to make ready.
  double recovery_wait_secs = 30;
};

/// Made when the graph is done: it is finalized. The chief's services run in a thread of their own between
/// prepare() and stop().
class Supervisor {
 public:
  /// Adds what is left out of the options to the default graph, and finalizes it.
  explicit Supervisor(const SupervisorOptions& options = {});
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;
  /// Stops.
  ~Supervisor();

  /// The chief restores the newest checkpoint of the folder, or runs init_op, and starts the services. Throws
  /// RuntimeError "Init operations did not make model ready. ..." for variables that have no value then. Any
  /// other one waits until they have, says so on stderr every ten seconds, and runs no init_op. It throws
  /// errors::DeadlineExceededError "Session was not ready after waiting 7200 secs." when `max_wait_secs` are
  /// over, and errors::CancelledError where request_stop() is called meanwhile. The session must live until
  /// stop().
  void prepare(Session& session, double max_wait_secs = 7200);
  /// Whether somebody has asked for the end.
  bool should_stop() const;
  /// Asks for the end: should_stop() is true from now on.
  void request_stop();
  /// Ends the services and closes the summaries' file. What went wrong in a service is thrown here.
  void stop();

  /// Adds a Summary, as a step gives it, to the file in the folder. Throws TypeError, RuntimeError in
  /// TensorFlow's words where this is not the chief's part, or has no folder.
  void summary_computed(Session& session, std::string_view summary,
                        std::optional<int64_t> global_step = std::nullopt);

  /// What saves and restores; null where nothing is saved.
  const std::shared_ptr<Saver>& saver() const;
  /// Null without a folder, and where it is not the chief.
  summary::FileWriter* summary_writer() const;
  /// The path that checkpoints are saved under; their step's number follows it.
  std::filesystem::path save_path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flowray::tf::train

#pragma GCC visibility pop
