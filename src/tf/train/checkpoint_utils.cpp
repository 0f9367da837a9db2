#include <flowray/tf/array.h>
#include <flowray/tf/checkpoint_utils.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/saver.h>

#include "files/bundle_reader.h"
#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/build/unset.h"
#include "tf/train/saver_nodes.h"
#include "tf/variables/known_variables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace flowray::tf::train {
namespace {

namespace fs = std::filesystem;
using Shapes = std::map<std::string, TensorShape>;
using States = std::map<std::string, std::shared_ptr<internal::VariableState>>;

std::string path_of_checkpoint(const fs::path& given) {
  if (!fs::is_directory(given)) return given.string();
  std::string newest = latest_checkpoint(given);
  if (newest.empty()) {
    throw ValueError(
        fmt::format("Couldn't find 'checkpoint' file or checkpoints in given directory {}", given.string()));
  }
  return newest;
}

Shapes shapes_in(const files::BundleReader& reader) {
  Shapes shapes;
  for (const std::string& name : reader.names()) shapes[name] = reader.find(name).shape;
  return shapes;
}

std::string list_of(const TensorShape& shape) { return fmt::format("[{}]", fmt::join(shape.dims(), ", ")); }

/// {'w': [2, 3], 'b': [3]}
std::string text_of(const Shapes& shapes) {
  std::vector<std::string> items;
  for (const auto& [name, shape] : shapes) items.push_back(fmt::format("'{}': {}", name, list_of(shape)));
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

/// A variable of get_variable's, or the parts of one; none where there is no such name.
std::vector<Variable> of_name(const States& known, const std::string& name) {
  if (const auto found = known.find(name); found != known.end()) return {Variable(found->second)};
  std::vector<Variable> parts;
  for (;;) {
    const auto part = known.find(fmt::format("{}/part_{}", name, parts.size()));
    if (part == known.end()) return parts;
    parts.emplace_back(part->second);
  }
}

/// A scope's variables, those that are cut by the names of the whole.
std::set<std::string> names_in(const States& known, const std::string& scope) {
  std::set<std::string> names;
  for (const auto& [name, state] : known) {
    if (!scope.empty() && !name.starts_with(scope + "/")) continue;
    const std::string whole = name.substr(0, name.find("/part_"));
    names.insert(of_name(known, whole).empty() ? name : whole);  // a scope may be called part_, too
  }
  return names;
}

class FromCheckpoint {
 public:
  FromCheckpoint(const fs::path& given, Input::Where where)
      : given_(given.string()),
        path_(path_of_checkpoint(given)),
        shapes_(shapes_in(files::BundleReader(path_, files::FileAccess::all()))),
        where_(where) {}

  void initialize(const std::string& tensor, const AssignmentTarget& target) {
    const States known = internal::known_variables(default_graph());
    const std::vector<Variable> variables =
        target.variables() != nullptr ? *target.variables() : of_name(known, *target.name());
    check_all_set(variables, "assignment_map");
    if (target.variables() != nullptr && variables.empty()) {
      throw ValueError(fmt::format("The assignment map gives tensor {} to a list of no variables.", tensor));
    }
    if (!variables.empty()) return initialize_one(tensor, variables);
    initialize_scope(tensor, *target.name(), known);
  }

 private:
  void initialize_one(const std::string& tensor, const std::vector<Variable>& variables) {
    const auto found = shapes_.find(tensor);
    if (found == shapes_.end()) {
      throw ValueError(
          fmt::format("Tensor {} is not found in {} checkpoint {}", tensor, given_, text_of(shapes_)));
    }
    const bool is_whole = variables.size() == 1 && !variables[0].state()->slice.has_value();
    if (is_whole && !variables[0].shape().is_compatible_with(found->second)) {
      throw ValueError(fmt::format(
          "Shape of variable {} ({}) doesn't match with shape of tensor {} ({}) from checkpoint "
          "reader.",
          variables[0].name(), variables[0].shape().to_tuple_string(), tensor, list_of(found->second)));
    }
    set_initializers(variables, tensor);
  }

  void initialize_scope(const std::string& tensor, const std::string& name, const States& known) {
    const size_t slash = name.rfind('/');
    const std::string scope = slash == std::string::npos ? std::string() : name.substr(0, slash);
    if (!tensor.ends_with('/')) {
      throw ValueError(
          fmt::format("Assignment map with scope only name {} should map to scope only {}. Should be "
                      "'scope/': 'other_scope/'.",
                      scope, tensor));
    }
    for (const std::string& variable : names_in(known, scope)) {
      std::string full = variable.substr(scope.size());
      if (name != "/") full = full.substr(std::min<size_t>(1, full.size()));
      if (tensor != "/") full.insert(0, tensor);
      if (full.ends_with('/')) full.pop_back();
      if (!shapes_.contains(full)) {
        throw ValueError(fmt::format("Tensor {} ({} in {}) is not found in {} checkpoint", full,
                                     variable.substr(std::min(scope.size() + 1, variable.size())), tensor,
                                     given_));
      }
      set_initializers(of_name(known, variable), full);
    }
  }

  void set_initializers(const std::vector<Variable>& variables, const std::string& tensor) {
    const std::optional<internal::SaveSlice>& first = variables.front().state()->slice;
    for (const Variable& variable : variables) {
      const std::optional<internal::SaveSlice>& slice = variable.state()->slice;
      const bool is_part = variables.size() > 1 || slice.has_value();
      if (is_part && (!slice.has_value() || !first.has_value() || slice->full_name != first->full_name)) {
        throw ValueError(fmt::format("Slices must all be from the same tensor: {} != {}",
                                     first.has_value() ? first->full_name : variables.front().op().name(),
                                     slice.has_value() ? slice->full_name : variable.op().name()));
      }
      set_initializer(variable, tensor, slice.has_value() ? slice->spec() : std::string());
    }
  }

  void set_initializer(const Variable& variable, const std::string& tensor, const std::string& slice) {
    graph::Graph& graph = *variable.graph().get();
    const UserLine line(graph, where_);
    graph::Node* read = nullptr;
    {
      const DeviceGuard with_variable = device(variable.op().device());
      const DeviceGuard on_cpu = device("/cpu:0");
      read = apply_op_node({.op = "RestoreV2",
                            .name = "checkpoint_initializer",
                            .args = {Array(path_), Array(std::vector<std::string>{tensor}),
                                     Array(std::vector<std::string>{slice})},
                            .attrs = {{"dtypes", std::vector<DType>{base_dtype(variable.dtype())}}}});
    }
    internal::VariableState& state = *variable.state();
    state.initializer = assign_restored(variable, Tensor(read, 0), /*reshape=*/false).node();
    read->merge_output_shape(0, variable.shape());
    state.initial_value = read->output(0);
  }

  const std::string given_;
  const std::string path_;
  const Shapes shapes_;
  const Input::Where where_;
};

}  // namespace

void init_from_checkpoint(const fs::path& ckpt_dir_or_file, const AssignmentMap& assignment_map,
                          Input::Where where) {
  const ErrorLine errors(where);
  FromCheckpoint checkpoint(ckpt_dir_or_file, where);
  const std::multimap<std::string, AssignmentTarget> sorted(assignment_map.begin(), assignment_map.end());
  for (const auto& [tensor, target] : sorted) checkpoint.initialize(tensor, target);
}

std::map<std::string, TensorShape> list_variables(const fs::path& ckpt_dir_or_file, Input::Where where) {
  const ErrorLine errors(where);
  return shapes_in(files::BundleReader(path_of_checkpoint(ckpt_dir_or_file), files::FileAccess::all()));
}

Array load_variable(const fs::path& ckpt_dir_or_file, const std::string& name, Input::Where where) {
  const ErrorLine errors(where);
  const files::BundleReader reader(path_of_checkpoint(ckpt_dir_or_file), files::FileAccess::all());
  return reader.read(name.ends_with(":0") ? name.substr(0, name.size() - 2) : name);
}

}  // namespace flowray::tf::train
