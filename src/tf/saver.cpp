#include <flowray/tf/array_ops.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/saver.h>

#include "files/new_file.h"
#include "tf/collections.h"
#include "tf/composite.h"
#include "wire/meta_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace flowray::tf::train {
namespace {

namespace fs = std::filesystem;

/// Variables by their names in the files, in the order in which TensorFlow's saver takes them.
std::map<std::string, Variable> by_name(const SaverOptions& options) {
  if (!options.named_variables.empty()) {
    std::set<std::string> seen;
    for (const auto& [saved_name, variable] : options.named_variables) {
      if (!seen.insert(variable.op().name()).second)
        throw ValueError("The same saveable will be restored with two names: " + saved_name);
    }
    return options.named_variables;
  }
  std::map<std::string, Variable> named;
  for (const Variable& variable : options.var_list.empty() ? global_variables() : options.var_list) {
    if (!named.emplace(variable.op().name(), variable).second)
      throw ValueError("At least two variables have the same name: " + variable.op().name());
  }
  if (named.empty()) throw ValueError("No variables to save");
  return named;
}

/// The nodes of one saver, in the order in which TensorFlow's makes them.
class SaverNodes {
 public:
  SaverNodes(graph::Graph& graph, const std::string& name, const std::map<std::string, Variable>& variables)
      : scope_(graph, name, "save", Input::Where::current()) {
    for (const auto& [saved_name, variable] : variables) {
      names_.push_back(saved_name);
      variables_.push_back(variable);
    }
  }

  Tensor filename() {
    filename_ = placeholder_with_default("model", TensorShape(), {"filename"});
    filename_ = placeholder_with_default(filename_, TensorShape(), {"Const"});
    return filename_;
  }

  Tensor save() {
    std::vector<Input> values;
    for (const Variable& variable : variables_) values.emplace_back(variable.ref());
    graph::Node* node = apply_op_node({.op = "SaveV2", .args = {filename_, Array(names_), slices(), values}});
    const ColocationGuard with = colocate_with(filename_.op());
    const ControlDependenciesGuard after = control_dependencies({Operation(node)});
    return identity(filename_, {"control_dependency"});
  }

  Operation restore() {
    graph::Node* node = nullptr;
    {
      const DeviceGuard on_cpu = device("/cpu:0");
      std::vector<DType> dtypes;
      for (const Variable& variable : variables_) dtypes.push_back(base_dtype(variable.dtype()));
      node = apply_op_node(
          {.op = "RestoreV2", .args = {filename_, Array(names_), slices()}, .attrs = {{"dtypes", dtypes}}});
    }
    std::vector<Dependency> assignments;
    for (size_t i = 0; i < variables_.size(); ++i) {
      const bool validates = variables_[i].shape().is_fully_defined();
      const Tensor value(node, static_cast<int>(i));
      graph::Node* assign = apply_op_node(
          {.op = "Assign", .args = {Input(variables_[i]), value}, .attrs = {{"validate_shape", validates}}});
      assignments.emplace_back(Operation(assign));
    }
    return group(assignments, "restore_all");
  }

 private:
  Array slices() const { return Array(std::vector<std::string>(names_.size())); }

  Composite scope_;
  std::vector<Variable> variables_;
  std::vector<std::string> names_;
  Tensor filename_;
};

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
std::string told(const fs::path& path, const fs::path& folder) {
  if (folder.is_absolute() || path.is_absolute()) return path.string();
  return path.lexically_relative(folder.empty() ? "." : folder).string();
}

void write_state(const fs::path& folder, const std::string& name, const std::vector<std::string>& paths) {
  std::string text = fmt::format("model_checkpoint_path: {}\n", in_quotes(told(paths.back(), folder)));
  for (const std::string& path : paths) {
    text += fmt::format("all_model_checkpoint_paths: {}\n", in_quotes(told(path, folder)));
  }
  files::NewFile file(folder / name);
  file.append(text);
  file.finish();
  file.publish();
}

}  // namespace

Saver::Saver(const SaverOptions& options) : max_to_keep_(options.max_to_keep) {
  const std::map<std::string, Variable> variables = by_name(options);
  const Graph graph = variables.begin()->second.graph();
  const GraphScope scope = graph.as_default();
  SaverNodes nodes(*graph.get(), options.name, variables);
  filename_ = nodes.filename();
  saved_ = nodes.save();
  restore_all_ = nodes.restore();
}

std::string Saver::save(Session& session, const fs::path& save_path, const SaveOptions& options) {
  std::string path = save_path.string();
  if (options.global_step.has_value()) path += fmt::format("-{}", *options.global_step);
  const fs::path folder = save_path.parent_path();
  session.run(saved_, {{filename_, Array(path)}});
  if (options.write_meta_graph) write_meta_graph(path + ".meta");
  if (options.write_state) {
    const std::lock_guard lock(mutex_);
    std::erase(last_checkpoints_, path);
    last_checkpoints_.push_back(path);
    remove_old();
    train::write_state(folder, options.latest_filename, last_checkpoints_);
  }
  return path;
}

std::vector<std::string> Saver::last_checkpoints() const {
  const std::lock_guard lock(mutex_);
  return last_checkpoints_;
}

void Saver::set_last_checkpoints(std::vector<std::string> paths) {
  const std::lock_guard lock(mutex_);
  last_checkpoints_ = std::move(paths);
}

void Saver::remove_old() {
  while (max_to_keep_ > 0 && last_checkpoints_.size() > static_cast<size_t>(max_to_keep_)) {
    const std::string& oldest = last_checkpoints_.front();
    for (const char* ending : {".index", ".data-00000-of-00001", ".meta"}) {
      std::error_code ignored;  // somebody else may have removed it
      fs::remove(oldest + ending, ignored);
    }
    last_checkpoints_.erase(last_checkpoints_.begin());
  }
}

void Saver::write_meta_graph(const fs::path& path) const {
  files::NewFile file(path);
  file.append(wire::encode_meta_graph(filename_.graph().as_graph_def().serialize_to_string(),
                                      {filename_.name(), saved_.name(), restore_all_.name(), max_to_keep_}));
  file.finish();
  file.publish();
}

void Saver::restore(Session& session, const fs::path& save_path) const {
  if (save_path.empty()) throw ValueError("Can't load save_path when it is None.");
  if (!checkpoint_exists(save_path)) {
    throw ValueError("The passed save_path is not a valid checkpoint: " + save_path.string());
  }
  session.run(restore_all_, {{filename_, Array(save_path.string())}});
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
  return fs::exists(checkpoint_prefix.string() + ".index");
}

}  // namespace flowray::tf::train
