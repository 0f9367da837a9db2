// Checkpoints: variables into files and back (files/bundle_writer.h, bundle_reader.h).

#include "files/bundle_reader.h"
#include "files/bundle_writer.h"
#include "graph/kernel/files_of_step.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/saved_walk.h"
#include "ops/file/register.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <optional>

namespace flowray::ops {

using graph::DynamicCall;
using graph::OpTable;
using graph::ShapeContext;

namespace {

constexpr int kPrefix = 0;
constexpr int kNames = 1;
constexpr int kSlices = 2;
constexpr int kFirstTensor = 3;  // of SaveV2

// ---- shapes

void check_names_shape(ShapeContext& context, int64_t count) {
  context.with_rank(kPrefix, 0);
  for (const int i : {kNames, kSlices}) ShapeContext::merge_dim(context.with_rank(i, 1).dim(0), count);
}

void save_shape(ShapeContext& context) { check_names_shape(context, context.num_inputs() - kFirstTensor); }

/// The outputs' shapes are in the file, but for those of parts.
void restore_shape(ShapeContext& context) {
  check_names_shape(context, Shape::kUnknownDim);
  ShapeContext::merge_dim(context.with_rank(kNames, 1).dim(0), context.with_rank(kSlices, 1).dim(0));
  const Array* const slices = context.running() ? nullptr : context.value(kSlices);
  if (slices == nullptr || slices->size() != context.num_outputs()) return;
  for (int i = 0; i < context.num_outputs(); ++i) {
    const std::string& slice = slices->data<std::string>()[i];
    if (!slice.empty()) context.set_output(i, files::parse_slice_spec(slice).shape);
  }
}

void sharded_filename_shape(ShapeContext& context) {
  for (int i = 0; i < 3; ++i) context.with_rank(i, 0);
  context.set_output(0, Shape());
}

void merge_shape(ShapeContext& context) {
  context.with_rank(0, 1);
  context.with_rank(1, 0);
}

// ---- saving and restoring

/// The inputs that saving and restoring have in common.
struct Names {
  std::string prefix;
  std::span<const std::string> names;
  std::span<const std::string> slices;
};

Names check_names(const DynamicCall& call) {
  const Array& prefix = call.in(kPrefix);
  const Array& names = call.in(kNames);
  const Array& slices = call.in(kSlices);
  if (prefix.size() != 1) {
    throw errors::InvalidArgumentError(
        fmt::format("Input prefix should have a single element, got {} instead.", prefix.size()));
  }
  if (names.rank() != 1 || slices.rank() != 1) {
    throw errors::InvalidArgumentError(fmt::format(
        "Input tensor_names and shape_and_slices should be an 1-D tensors, got {} and {} instead.",
        names.shape().to_string(), slices.shape().to_string()));
  }
  return {prefix.item<std::string>(), names.span<std::string>(), slices.span<std::string>()};
}

void check_slices(const Names& inputs) {
  if (inputs.names.size() != inputs.slices.size()) {
    throw errors::InvalidArgumentError(
        fmt::format("tensor_names and shape_and_slices have different number of elements: {} vs. {}",
                    inputs.names.size(), inputs.slices.size()));
  }
}

void add_whole(files::BundleWriter& writer, const std::string& name, const Array& value) {
  if (value.dtype() == DType::kVariant)
    return writer.add_variants(name, value.shape(), {encoded_variant(value)});
  writer.add(name, value);
}

void save(DynamicCall& call) {
  const Names inputs = check_names(call);
  check_slices(inputs);
  const int num_tensors = call.num_inputs() - kFirstTensor;
  if (inputs.names.size() != static_cast<size_t>(num_tensors)) {
    throw errors::InvalidArgumentError(
        fmt::format("Got {} tensor names but {} tensors.", inputs.names.size(), num_tensors));
  }
  files::BundleWriter writer(inputs.prefix, graph::files_of_step());
  for (int i = 0; i < num_tensors; ++i) {
    const Array& value = call.in(kFirstTensor + i);
    const std::string& name = inputs.names[static_cast<size_t>(i)];
    const std::string& spec_text = inputs.slices[static_cast<size_t>(i)];
    if (spec_text.empty()) {
      add_whole(writer, name, value);
      continue;
    }
    if (value.dtype() == DType::kVariant) {
      throw errors::InvalidArgumentError(fmt::format(
          "Tensor {} is a variant, which is saved as a whole: its shape_and_slice must be empty, not {}",
          name, spec_text));
    }
    const files::SliceSpec spec = files::parse_slice_spec(spec_text);
    if (!(spec.shape == value.shape())) {
      throw errors::InvalidArgumentError(fmt::format(
          "Slice in shape_and_slice specification does not match the shape of the tensor to  save: {}, "
          "tensor: {}",
          spec_text, value.shape().to_string()));
    }
    writer.add_slice(name, spec.full, spec.slice, value);
  }
  writer.finish();
}

/// Throws one error that names all tensors whose dtype in the file is not the one asked for.
void check_dtypes(const files::BundleReader& reader, const Names& inputs, const std::vector<DType>& dtypes) {
  std::vector<std::string> complaints;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const DType stored = reader.find(inputs.names[i]).dtype;
    if (stored == dtypes[i]) continue;
    complaints.push_back(fmt::format("tensor_name = {}; expected dtype {} does not equal original dtype {}",
                                     inputs.names[i], dtype_kernel_name(dtypes[i]),
                                     dtype_kernel_name(stored)));
  }
  if (!complaints.empty()) throw errors::InvalidArgumentError(fmt::format("{}", fmt::join(complaints, "\n")));
}

/// Where an iterator was; TensorFlow's are in several variants, and are refused as the first one is read.
Array restore_variant(const files::BundleReader& reader, const std::string& name) {
  const std::vector<std::string> messages = reader.read_variants(name);
  if (messages.empty()) throw errors::DataLossError(fmt::format("tensor_name = {}; it has no variant", name));
  Array value = decoded_variant(messages[0]);
  if (messages.size() == 1) return value;
  throw errors::DataLossError(fmt::format(
      "tensor_name = {}; it has {} variants, the state of an iterator is one", name, messages.size()));
}

Array restore_one(const files::BundleReader& reader, const std::string& name, const std::string& spec_text) {
  if (reader.find(name).dtype == DType::kVariant) return restore_variant(reader, name);
  if (spec_text.empty()) return reader.read(name);
  const files::SliceSpec spec = files::parse_slice_spec(spec_text);
  const Shape shape = reader.find(name).shape;
  if (!(spec.full == shape)) {
    throw errors::InvalidArgumentError(
        fmt::format("tensor_name = {}; shape in shape_and_slice spec {} does not match the shape stored in "
                    "checkpoint: {}",
                    name, spec.full.to_string(), shape.to_string()));
  }
  return reader.read_slice(name, spec.slice);
}

void restore(DynamicCall& call) {
  const Names inputs = check_names(call);
  const auto& dtypes = call.attrs().get<std::vector<DType>>("dtypes");
  if (inputs.names.size() != dtypes.size()) {
    throw errors::InvalidArgumentError(
        fmt::format("Got {} tensor names, but {} expected dtypes.", inputs.names.size(), dtypes.size()));
  }
  check_slices(inputs);
  const files::BundleReader reader(inputs.prefix, graph::files_of_step());
  check_dtypes(reader, inputs, dtypes);
  for (size_t i = 0; i < dtypes.size(); ++i) {
    call.set_out(static_cast<int>(i), restore_one(reader, inputs.names[i], inputs.slices[i]));
  }
}

// ---- checkpoints of several tasks

void sharded_filename(DynamicCall& call) {
  const char* const names[] = {"basename", "shard", "num_shards"};
  for (int i = 0; i < 3; ++i) {
    if (call.in(i).rank() == 0) continue;
    throw errors::InvalidArgumentError(
        fmt::format("{} must be a scalar, got shape {}", names[i], call.in(i).shape().to_string()));
  }
  call.set_out(0, Array(fmt::format("{}-{:05}-of-{:05}", call.in(0).item<std::string>(),
                                    call.in(1).item<int32_t>(), call.in(2).item<int32_t>())));
}

/// Folders that held the parts only. One that others still use stays.
void remove_folders(std::span<const std::string> prefixes, const std::string& destination) {
  const auto kept = std::filesystem::path(destination).parent_path();
  for (const std::string& prefix : prefixes) {
    const auto folder = std::filesystem::path(prefix).parent_path();
    if (folder != kept) graph::files_of_step().remove_empty_folder(folder);
  }
}

void merge_checkpoints(DynamicCall& call) {
  const Array& prefixes = call.in(0);
  const Array& destination = call.in(1);
  if (prefixes.rank() != 1) {
    throw errors::InvalidArgumentError(fmt::format(
        "Input checkpoint_prefixes should be an 1-D tensor, got {} instead.", prefixes.shape().to_string()));
  }
  if (destination.rank() != 0) {
    throw errors::InvalidArgumentError(
        fmt::format("Input destination_prefix should be a scalar tensor, got {} instead.",
                    destination.shape().to_string()));
  }
  const auto names = prefixes.span<std::string>();
  const std::string& merged = destination.item<std::string>();
  files::merge_bundles({names.begin(), names.end()}, merged, call.attrs().get<bool>("allow_missing_files"),
                       graph::files_of_step());
  if (call.attrs().get<bool>("delete_old_dirs")) remove_folders(names, merged);
}

constexpr graph::OpRow kCheckpointOps[] = {
    {.name = "SaveV2",
     .inputs = "prefix:string, tensor_names:string, shape_and_slices:string, tensors:[dtypes]",
     .attrs = "dtypes:list(type)>=1",
     .stateful = true,
     .shape = save_shape,
     .not_differentiable = true,
     .compute = save},
    {.name = "RestoreV2",
     .inputs = "prefix:string, tensor_names:string, shape_and_slices:string",
     .outputs = "tensors:[dtypes]",
     .attrs = "dtypes:list(type)>=1",
     .stateful = true,
     .shape = restore_shape,
     .not_differentiable = true,
     .compute = restore},
    {.name = "ShardedFilename",
     .inputs = "basename:string, shard:int32, num_shards:int32",
     .outputs = "filename:string",
     .shape = sharded_filename_shape,
     .not_differentiable = true,
     .compute = sharded_filename},
    {.name = "MergeV2Checkpoints",
     .inputs = "checkpoint_prefixes:string, destination_prefix:string",
     .attrs = "delete_old_dirs:bool=true; allow_missing_files:bool=false",
     .stateful = true,
     .shape = merge_shape,
     .not_differentiable = true,
     .compute = merge_checkpoints},
};

}  // namespace

void register_checkpoint_ops(OpTable& table) {
  for (const graph::OpRow& row : kCheckpointOps) table.add(row);
}

}  // namespace flowray::ops
