#include "tf/train/saver_nodes.h"

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>

#include "tf/build/device_scope.h"
#include "tf/build/resource_variable.h"

namespace flowray::tf::train {
namespace {

/// A part is read where a whole variable's first read is taken.
Tensor value_of_part(const Variable& variable) {
  if (!variable.is_resource()) return variable.value();
  const DeviceGuard there = device(variable.op().device());
  Tensor value;
  {
    const graph::NameScope scope(*variable.graph().get(), "Read");
    (void)apply_op_node({.op = "DisableCopyOnRead", .args = {Input(variable)}});
    value = apply_op({.op = "ReadVariableOp",
                      .args = {Input(variable)},
                      .attrs = {{"dtype", base_dtype(variable.dtype())}}});
  }
  value = identity(value);
  const DeviceGuard on_cpu = device("/device:CPU:0");
  return identity(value);
}

Tensor value_of(const SavedTensor& saved) {
  if (saved.is_object()) return saved.object.value();
  return saved.slice.empty() ? graph_element(saved.variable) : value_of_part(saved.variable);
}

/// The processor of the task that a device belongs to.
std::string processor_of(const std::string& device) {
  graph::DeviceName name = device_in_scope(device);
  name.type = "CPU";
  name.index = 0;
  return name.to_string();
}

}  // namespace

SaverNodes::SaverNodes(graph::Graph& graph, const SaverOptions& options,
                       const std::vector<SavedTensor>& tensors, Input::Where where)
    : scope_(graph, options.name, "save", where), reshape_(options.reshape), sharded_(options.sharded) {
  for (const SavedTensor& saved : tensors) {
    Shard& shard = shards_[sharded_ ? saved.device() : std::string()];
    shard.names.push_back(saved.name);
    shard.tensors.push_back(saved);
    shard.slices.push_back(saved.slice);
  }
}

Tensor SaverNodes::filename() {
  filename_ = placeholder_with_default("model", TensorShape(), {"filename"});
  filename_ = placeholder_with_default(filename_, TensorShape(), {"Const"});
  return filename_;
}

void SaverNodes::set_filename(const std::string& path) { filename_ = constant(path); }

Tensor SaverNodes::save() {
  return sharded_ ? save_shards() : save_shard(shards_.begin()->second, filename_);
}

Tensor SaverNodes::save_shard(const Shard& shard, const Tensor& path) {
  std::vector<Input> values;
  for (const SavedTensor& saved : shard.tensors) values.emplace_back(value_of(saved));
  graph::Node* node =
      apply_op_node({.op = "SaveV2", .args = {path, Array(shard.names), Array(shard.slices), values}});
  const ColocationGuard with = colocate_with(path.op());
  const ControlDependenciesGuard after = control_dependencies({Operation(node)});
  return identity(path, {"control_dependency"});
}

/// Each shard into a file of its own beside the checkpoint, which are made one then.
Tensor SaverNodes::save_shards() {
  Tensor parts;
  {
    const DeviceGuard on_cpu = device("/device:CPU:*");
    const Tensor is_s3 = apply_op(
        {.op = "StaticRegexFullMatch", .args = {filename_}, .attrs = {{"pattern", std::string("^s3://.*")}}});
    const Tensor there = constant(".part");
    const Tensor here = constant(kFolderOfParts + std::string("/part"));
    const Tensor ending = apply_op({.op = "Select", .args = {is_s3, there, here}});
    parts = apply_op({.op = "StringJoin", .args = {std::vector<Input>{filename_, ending}}});
  }
  const Tensor count = constant(static_cast<int>(shards_.size()), {.name = "num_shards"});
  std::vector<Input> paths;
  std::vector<Dependency> saved;
  std::string last_device;
  for (const auto& [where, shard] : shards_) {
    const DeviceGuard there = device(processor_of(where));
    const int number = static_cast<int>(paths.size());
    const Tensor path = apply_op({.op = "ShardedFilename", .args = {parts, Input(number), count}});
    paths.emplace_back(path);
    saved.emplace_back(save_shard(shard, path).op());
    last_device = where;
  }
  const DeviceGuard there = device(processor_of(last_device));
  const ControlDependenciesGuard after = control_dependencies(saved);
  const Tensor list = stack(paths, {.name = "MergeV2Checkpoints/checkpoint_prefixes"});
  const Operation merged(apply_op_node({.op = "MergeV2Checkpoints", .args = {list, filename_}}));
  const ControlDependenciesGuard after_merging = control_dependencies({merged});
  return identity(filename_);
}

Operation SaverNodes::restore() {
  if (!sharded_) return restore_shard(shards_.begin()->second, "restore_all");
  std::vector<Dependency> restored;
  for (const auto& [where, shard] : shards_) {
    const DeviceGuard there = device(where);
    restored.emplace_back(restore_shard(shard, "restore_shard"));
  }
  return group(restored, "restore_all");
}

Operation SaverNodes::restore_shard(const Shard& shard, const char* name) {
  graph::Node* node = nullptr;
  {
    const DeviceGuard on_cpu = device("/cpu:0");
    std::vector<DType> dtypes;
    for (const SavedTensor& saved : shard.tensors) dtypes.push_back(saved.dtype());
    node = apply_op_node({.op = "RestoreV2",
                          .args = {filename_, Array(shard.names), Array(shard.slices)},
                          .attrs = {{"dtypes", dtypes}}});
  }
  std::vector<Dependency> assignments;
  for (size_t i = 0; i < shard.tensors.size(); ++i)
    assignments.emplace_back(restore_tensor(shard.tensors[i], Tensor(node, static_cast<int>(i))));
  return group(assignments, name);
}

Operation SaverNodes::restore_tensor(const SavedTensor& saved, const Tensor& value) const {
  return saved.is_object() ? saved.object.restore(value) : assign_restored(saved.variable, value, reshape_);
}

Operation assign_restored(const Variable& variable, const Tensor& value, bool reshape_value) {
  const bool known = variable.shape().is_fully_defined();
  Tensor shaped = value;
  if (reshape_value) {
    const Input wanted =
        known ? Input(variable.shape()) : Input(apply_op({.op = "Shape", .args = {graph_element(variable)}}));
    shaped = reshape(value, wanted);
  }
  if (!variable.ref().is_eager() && variable.is_resource()) {
    const DeviceGuard there = device(variable.op().device());
    const Tensor copy = identity(shaped);
    return Operation(apply_op_node({.op = "AssignVariableOp", .args = {Input(variable), copy}}));
  }
  return Operation(apply_op_node({.op = "Assign",
                                  .args = {Input(variable), shaped},
                                  .attrs = {{"validate_shape", known && !reshape_value}}}));
}

}  // namespace flowray::tf::train
