#include <flowray/tf/graph_def.h>
#include <flowray/tf/saver.h>

#include "core/mutex.h"
#include "files/file_contents.h"
#include "files/file_error.h"
#include "tf/build/collections.h"
#include "tf/build/unset.h"
#include "tf/train/saver_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <set>

namespace flowray::tf::train {
namespace {

namespace fs = std::filesystem;

/// That of std::filesystem, whose errors become those of files.
fs::file_status status_of(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none) files::throw_file_error(path, error.value());
  return status;
}

/// The names by which the files' tensors are sorted, and what has them: one variable, those parts of one
/// that the program named, or one object.
using Named = std::map<std::string, std::vector<SavedTensor>>;

SavedTensor as_part(const Variable& variable) {
  const std::optional<internal::SaveSlice>& slice = variable.state()->slice;
  return {slice.has_value() ? slice->full_name : variable.op().name(), variable,
          slice.has_value() ? slice->spec() : std::string()};
}

/// Under the names of the program's.
Named by_given_names(const std::map<std::string, Variable>& named_variables) {
  Named named;
  std::set<std::string> seen;
  for (const auto& [saved_name, variable] : named_variables) {
    if (!variable.has_value())
      throw_unset_argument("tf::Variable", fmt::format("named_variables[\"{}\"]", saved_name));
    for (const Variable& part : variable.parts()) {
      if (!seen.insert(part.op().name()).second)
        throw ValueError("The same saveable will be restored with two names: " + saved_name);
      const bool is_cut = variable.is_partitioned();
      named[saved_name].push_back({saved_name, part, is_cut ? part.state()->slice->spec() : std::string()});
    }
  }
  return named;
}

/// Under their own names; parts under that of the whole.
Named by_own_names(const std::vector<Variable>& variables) {
  std::multimap<std::string, Variable> sorted;
  for (const Variable& variable : variables) sorted.emplace(variable.name(), variable);
  Named named;
  for (const auto& [own_name, variable] : sorted) {
    if (variable.is_partitioned()) {
      std::vector<SavedTensor>& parts = named[variable.name()];
      if (!parts.empty()) throw ValueError("At least two variables have the same name: " + variable.name());
      for (const Variable& part : variable.parts()) parts.push_back(as_part(part));
      continue;
    }
    const SavedTensor saved = as_part(variable);
    std::vector<SavedTensor>& of_name = named[saved.name];
    if (!of_name.empty() && saved.slice.empty() != of_name.front().slice.empty())
      throw ValueError("Mixing slices and non-slices with the same name: " + saved.name);
    if (!of_name.empty() && saved.slice.empty())
      throw ValueError("At least two variables have the same name: " + saved.name);
    of_name.push_back(saved);
  }
  return named;
}

/// All variables of the graph, and those that its collection of saveable objects has beside.
std::vector<Variable> all_variables() {
  std::vector<Variable> all = global_variables();
  for (const CollectionItem& item : get_collection(SaveableObject::kCollection)) {
    if (item.variable() != nullptr) all.push_back(*item.variable());
  }
  return all;
}

/// What that collection has beside variables.
std::vector<SaveableObject> all_objects() {
  std::vector<SaveableObject> objects;
  for (const CollectionItem& item : get_collection(SaveableObject::kCollection)) {
    if (item.tensor() != nullptr) objects.emplace_back(*item.tensor());
  }
  return objects;
}

void add_objects(Named& named, const std::vector<SaveableObject>& objects) {
  for (const SaveableObject& object : objects) {
    if (!object.value().has_value()) throw_unset_argument("tf::train::SaveableObject", "saveables");
    std::vector<SavedTensor>& of_name = named[object.name()];
    if (!of_name.empty()) throw ValueError("At least two variables have the same name: " + object.name());
    of_name.push_back({object.name_in_file(), Variable(), {}, object});
  }
}

/// What is saved, with its names in the files, in the order in which TensorFlow's saver takes it.
std::vector<SavedTensor> by_name(const SaverOptions& options) {
  const bool takes_all =
      options.named_variables.empty() && options.var_list.empty() && options.saveables.empty();
  if (takes_all && get_default_graph().get()->is_eager()) {
    throw RuntimeError(
        "When eager execution is enabled, `var_list` must specify a list or dict of variables to save");
  }
  check_all_set(options.var_list, "var_list");
  Named named = !options.named_variables.empty() ? by_given_names(options.named_variables)
                : takes_all                      ? by_own_names(all_variables())
                                                 : by_own_names(options.var_list);
  add_objects(named, takes_all ? all_objects() : options.saveables);
  std::vector<SavedTensor> all;
  for (const auto& [name, saved] : named) all.insert(all.end(), saved.begin(), saved.end());
  if (all.empty()) throw ValueError("No variables to save");
  return all;
}

/// Variables that are not parts of a partitioned one.
std::vector<SavedTensor> whole(const std::map<std::string, Variable>& named) {
  std::vector<SavedTensor> all;
  for (const auto& [name, variable] : named) all.push_back({name, variable});
  return all;
}

// ---- the file "checkpoint": protobuf's text form of a CheckpointState

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// What stands between the quotes of a line; empty if there are none.
std::string unquoted(std::string_view line) {
  std::string result;
  size_t i = line.find('"');
  if (i == std::string_view::npos) return result;
  for (++i; i < line.size() && line[i] != '"'; ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    result += line[i];
  }
  return result;
}

/// A path as the file names it: below a relative folder relative to that folder.
std::string told(const fs::path& path, const fs::path& folder, bool relative) {
  const bool both_absolute = folder.is_absolute() && path.is_absolute();
  if (folder.is_absolute() || path.is_absolute())
    return relative && both_absolute ? path.lexically_relative(folder).string() : path.string();
  return path.lexically_relative(folder.empty() ? "." : folder).string();
}

void write_state(const fs::path& folder, const std::string& name, const std::vector<std::string>& paths,
                 bool relative) {
  const auto quoted = [&](const std::string& path) { return in_quotes(told(path, folder, relative)); };
  std::string text = fmt::format("model_checkpoint_path: {}\n", quoted(paths.back()));
  for (const std::string& path : paths) text += fmt::format("all_model_checkpoint_paths: {}\n", quoted(path));
  files::write_file((folder / name).string(), text, files::FileAccess::all());
}

/// A checkpoint's files, however many its shards are. The index goes first: what is left of it without one
/// does not count as a checkpoint, rather than as a broken one.
void remove_files(const std::string& prefix, const std::string& meta_graph_suffix) {
  std::error_code ignored;  // another process may have removed it
  for (const std::string& ending : {std::string("index"), meta_graph_suffix})
    fs::remove(fmt::format("{}.{}", prefix, ending), ignored);
  const std::string shards = fs::path(prefix).filename().string() + ".data-";
  fs::path folder = fs::path(prefix).parent_path();
  if (folder.empty()) folder = ".";
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename().string().starts_with(shards)) found.push_back(entry.path());
  }
  for (const fs::path& path : found) fs::remove(path, ignored);
}

/// Hours as a duration; so many that no clock counts them are as good as for ever.
std::chrono::system_clock::duration hours_between(double hours) {
  constexpr double kMost = 24.0 * 365 * 100;
  return std::chrono::duration_cast<std::chrono::system_clock::duration>(
      std::chrono::duration<double, std::ratio<3600>>(std::clamp(hours, 0.0, kMost)));
}

}  // namespace

/// The checkpoints that stay, and the files that tell them.
class Saver::History {
 public:
  explicit History(const SaverOptions& options)
      : max_to_keep_(options.max_to_keep),
        relative_(options.save_relative_paths),
        between_kept_(hours_between(options.keep_checkpoint_every_n_hours)),
        next_kept_(Clock::now() + between_kept_) {}

  std::vector<std::string> paths() const {
    const MutexLock lock(mutex_);
    return locked_paths();
  }

  void set_paths(const std::vector<std::string>& paths) {
    const MutexLock lock(mutex_);
    checkpoints_.clear();
    for (const std::string& path : paths) checkpoints_.push_back({path, Clock::now()});
  }

  /// Adds the newest one, writes the list into a file of `folder`, and only then removes those that are too
  /// many: the file never names one that is not there. Where it cannot be written, all stay,
  /// until the next time.
  void add(const std::string& path, const fs::path& folder, const SaveOptions& options) {
    const MutexLock lock(mutex_);
    std::erase_if(checkpoints_, [&](const Checkpoint& checkpoint) { return checkpoint.path == path; });
    checkpoints_.push_back({path, Clock::now()});
    const std::vector<std::string> paths = locked_paths();
    const size_t num_kept =
        max_to_keep_ > 0 ? std::min(paths.size(), static_cast<size_t>(max_to_keep_)) : paths.size();
    write_state(folder, options.latest_filename,
                {paths.end() - static_cast<std::ptrdiff_t>(num_kept), paths.end()}, relative_);
    remove_old(num_kept, options.meta_graph_suffix);
  }

 private:
  using Clock = std::chrono::system_clock;
  struct Checkpoint {
    std::string path;
    Clock::time_point made;
  };

  std::vector<std::string> locked_paths() const FLOWRAY_REQUIRES(mutex_) {
    std::vector<std::string> result;
    for (const Checkpoint& checkpoint : checkpoints_) result.push_back(checkpoint.path);
    return result;
  }

  void remove_old(size_t num_kept, const std::string& meta_graph_suffix) FLOWRAY_REQUIRES(mutex_) {
    while (checkpoints_.size() > num_kept) {
      const Checkpoint oldest = checkpoints_.front();
      checkpoints_.erase(checkpoints_.begin());
      if (oldest.made > next_kept_) {  // it stays, and is counted no more
        next_kept_ += between_kept_;
      } else {
        remove_files(oldest.path, meta_graph_suffix);
      }
    }
  }

  const int max_to_keep_;
  const bool relative_;
  const Clock::duration between_kept_;
  mutable Mutex mutex_;  // of the files, too
  std::vector<Checkpoint> checkpoints_ FLOWRAY_GUARDED_BY(mutex_);
  Clock::time_point next_kept_ FLOWRAY_GUARDED_BY(mutex_);
};

Saver::Saver(const SaverOptions& options, Input::Where where)
    : options_(options), history_(std::make_unique<History>(options)) {
  if (!options_.defer_build) build(where);
}

Saver::~Saver() = default;

void Saver::build(Input::Where where) {
  const ErrorLine errors(where);
  if (filename_.has_value() || is_eager()) return;
  const std::vector<SavedTensor> tensors = by_name(options_);
  const auto is_eager_variable = [](const SavedTensor& saved) {
    return !saved.is_object() && saved.variable.ref().is_eager();
  };
  if (is_eager_variable(tensors.front())) {
    for (const SavedTensor& saved : tensors) {
      if (!is_eager_variable(saved))
        throw ValueError(
            fmt::format("{} belongs to a graph, and other variables of the saver to none.", saved.name));
      eager_variables_[saved.name] = saved.variable;
    }
    return;
  }
  const Graph graph = tensors.front().graph();
  const GraphScope scope = graph.as_default();
  SaverNodes nodes(*graph.get(), options_, tensors, where);
  filename_ = nodes.filename();
  saved_ = nodes.save();
  restore_all_ = nodes.restore();
}

void Saver::check_built(const char* before) const {
  if (filename_.has_value() || is_eager()) return;
  throw RuntimeError(fmt::format("`build()` should be called before {} if defer_build==True", before));
}

void Saver::check_takes_session(bool given) const {
  if (given && is_eager()) {
    throw ValueError(
        "The saver's variables were made while tf::eager() was on: no session has their values.\nLeave it "
        "out: "
        "saver.save(path), saver.restore(path).");
  }
  if (!given && !is_eager()) {
    throw TypeError(
        "'sess' must be a Session; None\nThe saver's variables belong to a graph: saver.save(session, path), "
        "saver.restore(session, path).");
  }
}

std::string Saver::save(Session& session, const fs::path& save_path, const SaveOptions& options,
                        Input::Where where) {
  const ErrorLine errors(where);
  check_built("save");
  check_takes_session(true);
  return save_with([&](const std::string& path) { session.run(saved_, {{filename_, Array(path)}}); },
                   save_path, options);
}

std::string Saver::save(const fs::path& save_path, const SaveOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  check_built("save");
  check_takes_session(false);
  const Graph graph = eager_variables_.begin()->second.graph();
  const GraphScope scope = graph.as_default();
  return save_with(
      [&](const std::string& path) {
        SaverNodes nodes(*graph.get(), options_, whole(eager_variables_), where);
        nodes.set_filename(path);
        (void)nodes.save();
      },
      save_path, options);
}

std::string Saver::save_with(const std::function<void(const std::string&)>& write, const fs::path& save_path,
                             const SaveOptions& options) {
  if (fs::path(options.latest_filename).has_parent_path())
    throw ValueError("'latest_filename' must not contain path components");
  if (fs::path(options.meta_graph_suffix).has_parent_path())
    throw ValueError("'meta_graph_suffix' must not contain path components");
  if (save_path.empty()) throw ValueError("no path specified");
  std::string path = save_path.string();
  if (options.global_step.has_value())
    path += options_.pad_step_number ? fmt::format("-{:08}", *options.global_step)
                                     : fmt::format("-{}", *options.global_step);
  const fs::path folder = save_path.parent_path();
  if (!folder.empty() && !fs::is_directory(status_of(folder)))
    throw ValueError(fmt::format("Parent directory of {} doesn't exist, can't save.", save_path.string()));
  const bool is_new = !checkpoint_exists(path);
  try {
    write(path);
    if (options.write_meta_graph && !is_eager()) {
      write_meta_graph(fmt::format("{}.{}", path, options.meta_graph_suffix), options);
    }
  } catch (...) {
    // Nothing will ever name it, and where the disk is full it would be in the way of the next one.
    if (is_new) remove_files(path, options.meta_graph_suffix);
    std::error_code ignored;
    if (options_.sharded) fs::remove_all(path + SaverNodes::kFolderOfParts, ignored);
    throw;
  }
  if (options.write_state) history_->add(path, folder, options);
  return path;
}

std::vector<std::string> Saver::last_checkpoints() const { return history_->paths(); }

void Saver::set_last_checkpoints(const std::vector<std::string>& paths) { history_->set_paths(paths); }

SaverNames Saver::names() const {
  check_built("names");
  if (is_eager()) throw RuntimeError("A saver of variables of eager execution has no nodes.");
  return {filename_.name(), saved_.name(), restore_all_.name()};
}

Graph Saver::graph() const {
  return is_eager() ? eager_variables_.begin()->second.graph() : filename_.graph();
}

std::unique_ptr<Saver> Saver::of_nodes(const SaverNames& names, int max_to_keep) {
  auto saver = std::make_unique<Saver>(SaverOptions{.max_to_keep = max_to_keep, .defer_build = true});
  const Graph graph = get_default_graph();
  saver->filename_ = graph.get_tensor_by_name(names.filename);
  saver->saved_ = graph.get_tensor_by_name(names.save);
  saver->restore_all_ = graph.get_operation_by_name(names.restore);
  return saver;
}

void Saver::write_meta_graph(const fs::path& path, const SaveOptions& options) const {
  files::write_file(path.string(), export_meta_graph(this, options.node_lists, options.bytes_lists),
                    files::FileAccess::all());
}

namespace {

void check_is_checkpoint(const fs::path& save_path) {
  if (!checkpoint_exists(save_path))
    throw ValueError("The passed save_path is not a valid checkpoint: " + save_path.string());
}

}  // namespace

void Saver::restore(Session& session, const fs::path& save_path, Input::Where where) const {
  const ErrorLine errors(where);
  check_built("restore");
  check_takes_session(true);
  check_is_checkpoint(save_path);
  session.run(restore_all_, {{filename_, Array(save_path.string())}});
}

void Saver::restore(const fs::path& save_path, Input::Where where) const {
  const ErrorLine errors(where);
  check_built("restore");
  check_takes_session(false);
  check_is_checkpoint(save_path);
  const Graph graph = eager_variables_.begin()->second.graph();
  const GraphScope scope = graph.as_default();
  SaverNodes nodes(*graph.get(), options_, whole(eager_variables_), where);
  nodes.set_filename(save_path.string());
  (void)nodes.restore();
}

std::optional<CheckpointState> get_checkpoint_state(const fs::path& checkpoint_dir,
                                                    const std::string& latest_filename) {
  std::ifstream file(checkpoint_dir / latest_filename);
  if (!file) return std::nullopt;
  CheckpointState state;
  const auto here = [&](const std::string& path) {
    return fs::path(path).is_absolute() ? path : (checkpoint_dir / path).string();
  };
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model_checkpoint_path:")) state.model_checkpoint_path = here(unquoted(line));
    if (line.starts_with("all_model_checkpoint_paths:"))
      state.all_model_checkpoint_paths.push_back(here(unquoted(line)));
  }
  if (state.model_checkpoint_path.empty()) return std::nullopt;
  return state;
}

std::string latest_checkpoint(const fs::path& checkpoint_dir, const std::string& latest_filename) {
  const std::optional<CheckpointState> state = get_checkpoint_state(checkpoint_dir, latest_filename);
  if (!state.has_value() || !checkpoint_exists(state->model_checkpoint_path)) return {};
  return state->model_checkpoint_path;
}

bool checkpoint_exists(const fs::path& checkpoint_prefix) {
  return fs::exists(status_of(checkpoint_prefix.string() + ".index"));
}

}  // namespace flowray::tf::train
