#pragma once
/// tf.train.Saver: variables in checkpoint files, which TensorFlow reads and writes, too.

#include <flowray/tf/graph.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

struct SaverOptions {
  /// Empty: all variables of the default graph. Throws ValueError "No variables to save" where there are
  /// none.
  std::vector<Variable> var_list = {};
  /// In place of var_list: variables by the names that they have in the files.
  std::map<std::string, Variable> named_variables = {};
  /// So many of the newest checkpoints stay, older ones are removed; 0: all.
  int max_to_keep = 5;
  std::string name = {};
};

struct SaveOptions {
  /// Behind the file's name: "model.ckpt-1000".
  std::optional<int64_t> global_step = std::nullopt;
  /// The name of the file that tells the newest checkpoint.
  std::string latest_filename = "checkpoint";
  bool write_meta_graph = true;
  bool write_state = true;
};

/// Adds the nodes "save/..." to the default graph. Threads may use one at once (a supervisor's services do),
/// but not save to the same path.
class Saver {
 public:
  explicit Saver(const SaverOptions& options = {});

  /// Writes PATH.index, PATH.data-00000-of-00001, PATH.meta and the file "checkpoint" beside them; returns
  /// the path.
  std::string save(Session& session, const std::filesystem::path& save_path, const SaveOptions& options = {});
  /// Sets the variables to what they were. Throws ValueError "The passed save_path is not a valid checkpoint:
  /// ...", errors::NotFoundError for a variable that the checkpoint lacks.
  void restore(Session& session, const std::filesystem::path& save_path) const;

  /// Those that stay, the oldest first.
  std::vector<std::string> last_checkpoints() const;
  void set_last_checkpoints(std::vector<std::string> paths);
  int max_to_keep() const { return max_to_keep_; }

 private:
  void remove_old();
  void write_meta_graph(const std::filesystem::path& path) const;

  int max_to_keep_;
  Tensor filename_;
  Tensor saved_;
  Operation restore_all_;
  mutable std::mutex mutex_;  // guards last_checkpoints_ and the file that tells them
  std::vector<std::string> last_checkpoints_;
};

/// What the file "checkpoint" says; paths are relative to the program, as save() returned them.
struct CheckpointState {
  std::string model_checkpoint_path;
  std::vector<std::string> all_model_checkpoint_paths;
};
/// None where there is no such file.
std::optional<CheckpointState> get_checkpoint_state(const std::filesystem::path& checkpoint_dir,
                                                    const std::string& latest_filename = "checkpoint");
/// The newest checkpoint of a folder; empty if there is none.
std::string latest_checkpoint(const std::filesystem::path& checkpoint_dir,
                              const std::string& latest_filename = "checkpoint");
bool checkpoint_exists(const std::filesystem::path& checkpoint_prefix);

}  // namespace flowray::tf::train

#pragma GCC visibility pop
