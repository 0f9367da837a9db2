#pragma once
/// tf.train.Saver: variables in checkpoint files, which TensorFlow reads and writes, too; and graphs
/// with what belongs to them, as a saver writes them beside its checkpoints: tf.train.export_meta_graph
/// and import_meta_graph.

#include <flowray/tf/graph.h>
#include <flowray/tf/saveable.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

struct SaverOptions {
  /// Empty, and so the next two: all variables of the default graph, and its SaveableObject::kCollection.
  /// Throws ValueError "No variables to save" where there are none, RuntimeError while tf::eager() is on,
  /// where no graph knows them.
  std::vector<Variable> var_list = {};
  /// In place of var_list: variables by the names that they have in the files.
  std::map<std::string, Variable> named_variables = {};
  /// Beside those variables: where iterators are in their datasets.
  std::vector<SaveableObject> saveables = {};
  /// Values are given their variable's shape when they are restored, whatever shape they were saved with;
  /// true where a model was changed to hold the same numbers in another shape; false: another shape is an
  /// error.
  bool reshape = false;
  /// One file for each device that variables are on, written there; true in a cluster with much state: each
  /// parameter server writes its own part.
  bool sharded = false;
  /// How many of the newest checkpoints stay; older ones are removed; 0: all.
  int max_to_keep = 5;
  /// One of those that would be removed stays for each of these.
  double keep_checkpoint_every_n_hours = 10000.0;
  /// The scope of its nodes; empty: "save".
  std::string name = {};
  /// The nodes, and the list of variables, are made by build(), not by the constructor; true where variables
  /// are made after the saver.
  bool defer_build = false;
  /// Steps have eight digits in file names, so that these sort: "model.ckpt-00001000"; true for programs that
  /// list the folder by name.
  bool pad_step_number = false;
  /// The file that tells the newest checkpoint names all of them relative to its folder, so that the folder
  /// may be moved.
  bool save_relative_paths = false;
};

struct SaveOptions {
  /// Behind the file's name: "model.ckpt-1000".
  std::optional<int64_t> global_step = std::nullopt;
  /// The name of the file that tells the newest checkpoint.
  std::string latest_filename = "checkpoint";
  /// What the file of the graph is called behind PATH and a dot.
  std::string meta_graph_suffix = "meta";
  /// Whether PATH.meta is written, too, with the graph and its collections; false where the graph is large
  /// and is made by the program that restores.
  bool write_meta_graph = true;
  /// Whether the checkpoint is put into the file `latest_filename`, and older ones are removed; false for a
  /// copy beside the run's own checkpoints.
  bool write_state = true;
  /// Collections that the program keeps itself, by the names of their nodes and tensors, for the file of
  /// the graph.
  std::map<std::string, std::vector<std::string>> node_lists = {};
  /// Collections of messages that the program keeps itself, encoded, for that file.
  std::map<std::string, std::vector<std::string>> bytes_lists = {};
};

/// The nodes of a saver by name.
struct SaverNames {
  /// The tensor that is fed the path.
  std::string filename;
  /// The tensor that is fetched to save.
  std::string save;
  /// The operation that restores all variables.
  std::string restore;
};

/// Adds the nodes "save/..." to the default graph; of variables that were made while tf::eager() was on it
/// adds none, and takes no session: saver.save("model"). Threads may use one at once (a supervisor's
/// services do), but not save to the same path.
class Saver {
 public:
  /// Throws ValueError where there are no variables to save.
  explicit Saver(const SaverOptions& options = {}, Input::Where where = Input::Where::current());
  ~Saver();
  /// One whose nodes are in the default graph already.
  static std::unique_ptr<Saver> of_nodes(const SaverNames& names, int max_to_keep);
  /// Builds a saver that was made with defer_build; else, and the second time, it does nothing.
  void build(Input::Where where = Input::Where::current());

  /// Writes PATH.index, PATH.data-00000-of-00001, PATH.meta and the file "checkpoint" beside them; returns
  /// the path. Throws ValueError for a folder that is not there, RuntimeError before build().
  std::string save(Session& session, const std::filesystem::path& save_path, const SaveOptions& options = {},
                   Input::Where where = Input::Where::current());
  /// The same of variables of eager execution, whose values it writes at once; there is no PATH.meta, as they
  /// have no graph.
  std::string save(const std::filesystem::path& save_path, const SaveOptions& options = {},
                   Input::Where where = Input::Where::current());
  /// Sets the variables to what they were. Throws ValueError "The passed save_path is not a valid checkpoint:
  /// ...", errors::NotFoundError for a variable that the checkpoint lacks.
  void restore(Session& session, const std::filesystem::path& save_path,
               Input::Where where = Input::Where::current()) const;

  /// The same of variables of eager execution.
  void restore(const std::filesystem::path& save_path, Input::Where where = Input::Where::current()) const;

  /// The paths of the checkpoints that stay, the oldest first.
  std::vector<std::string> last_checkpoints() const;
  /// Takes over a list, the oldest first: what a program that goes on has saved before.
  void set_last_checkpoints(const std::vector<std::string>& paths);
  /// How many checkpoints stay; 0: all.
  int max_to_keep() const { return options_.max_to_keep; }
  /// The names of its nodes, once it is built.
  SaverNames names() const;
  /// The graph of its nodes, once it is built.
  Graph graph() const;

 private:
  class History;

  void check_built(const char* before) const;
  void check_takes_session(bool given) const;
  bool is_eager() const { return !eager_variables_.empty(); }
  std::string save_with(const std::function<void(const std::string&)>& write,
                        const std::filesystem::path& save_path, const SaveOptions& options);
  void write_meta_graph(const std::filesystem::path& path, const SaveOptions& options) const;

  const SaverOptions options_;
  Tensor filename_;
  Tensor saved_;
  Operation restore_all_;
  std::map<std::string, Variable> eager_variables_;  // in place of the nodes
  const std::unique_ptr<History> history_;
};

/// What the file "checkpoint" says; paths are relative to the program, as save() returned them.
struct CheckpointState {
  /// The newest checkpoint.
  std::string model_checkpoint_path;
  /// All that stay, the oldest first.
  std::vector<std::string> all_model_checkpoint_paths;
};
/// None where there is no such file.
std::optional<CheckpointState> get_checkpoint_state(const std::filesystem::path& checkpoint_dir,
                                                    const std::string& latest_filename = "checkpoint");
/// The newest checkpoint of a folder; empty if there is none.
std::string latest_checkpoint(const std::filesystem::path& checkpoint_dir,
                              const std::string& latest_filename = "checkpoint");
/// Whether there is a checkpoint of this prefix, which save() returned.
bool checkpoint_exists(const std::filesystem::path& checkpoint_prefix);

// ---- graphs beside checkpoints

/// A MetaGraphDef: the default graph, its collections, and `saver` unless it is null. `node_lists` are
/// collections that the program keeps itself, by the names of their nodes and tensors, `bytes_lists` such
/// ones of encoded messages.
std::string export_meta_graph(const Saver* saver = nullptr,
                              const std::map<std::string, std::vector<std::string>>& node_lists = {},
                              const std::map<std::string, std::vector<std::string>>& bytes_lists = {},
                              Input::Where where = Input::Where::current());

struct ImportMetaGraphOptions {
  /// The name scope of the new nodes.
  std::string import_scope = {};
  /// Nodes forget the devices that they were placed on; true for a graph of a machine or cluster with other
  /// devices.
  bool clear_devices = false;
};
struct ImportedMetaGraph {
  /// The saver that was written, or one of all variables; null if there are none.
  std::unique_ptr<Saver> saver;
  /// Collections that are not the language's.
  std::map<std::string, std::vector<std::string>> node_lists;
};
/// Adds the nodes, variables and collections of a .meta file to the default graph. Throws
/// errors::NotFoundError for a file that is not there, errors::UnimplementedError for one with
/// resource variables.
ImportedMetaGraph import_meta_graph(const std::filesystem::path& file,
                                    const ImportMetaGraphOptions& options = {},
                                    Input::Where where = Input::Where::current());

}  // namespace flowray::tf::train

#pragma GCC visibility pop
