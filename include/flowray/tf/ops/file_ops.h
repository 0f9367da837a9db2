#pragma once
/// Functions of single ops: checkpoints, files and summaries. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

struct AudioSummaryV2Options {
  /// At least 1.
  int64_t max_outputs = 3;
  /// Of the node; empty: "AudioSummaryV2".
  std::string name = {};
};
/// tag:string, tensor:float32, sample_rate:float32 -> summary:string
inline Tensor AudioSummaryV2(const Input& tag, const Input& tensor, const Input& sample_rate,
                             const AudioSummaryV2Options& options = {}) {
  const Operation op = internal::make("AudioSummaryV2", options.name, {tag, tensor, sample_rate},
                                      {{"max_outputs", options.max_outputs}}, {});
  return internal::output(op, 0);
}

/// What DecodeWav gives.
struct DecodeWavResult {
  Tensor audio;
  Tensor sample_rate;
};
struct DecodeWavOptions {
  int64_t desired_channels = -1;
  int64_t desired_samples = -1;
  /// Of the node; empty: "DecodeWav".
  std::string name = {};
};
/// contents:string -> audio:float32, sample_rate:int32
inline DecodeWavResult DecodeWav(const Input& contents, const DecodeWavOptions& options = {}) {
  const Operation op = internal::make(
      "DecodeWav", options.name, {contents},
      {{"desired_channels", options.desired_channels}, {"desired_samples", options.desired_samples}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// audio:float32, sample_rate:int32 -> contents:string
inline Tensor EncodeWav(const Input& audio, const Input& sample_rate, const NameOption& options = {}) {
  const Operation op = internal::make("EncodeWav", options.name, {audio, sample_rate}, {}, {});
  return internal::output(op, 0);
}

/// tag:string, values:T -> summary:string
inline Tensor HistogramSummary(const Input& tag, const Input& values, const NameOption& options = {}) {
  const Operation op = internal::make("HistogramSummary", options.name, {tag, values}, {}, {});
  return internal::output(op, 0);
}

struct ImageSummaryOptions {
  /// At least 1.
  int64_t max_images = 3;
  /// Of the node; empty: "ImageSummary".
  std::string name = {};
};
/// tag:string, tensor:T -> summary:string
inline Tensor ImageSummary(const Input& tag, const Input& tensor, const ImageSummaryOptions& options = {}) {
  const Operation op =
      internal::make("ImageSummary", options.name, {tag, tensor}, {{"max_images", options.max_images}}, {});
  return internal::output(op, 0);
}

/// pattern:string -> filenames:string
inline Tensor MatchingFiles(const Input& pattern, const NameOption& options = {}) {
  const Operation op = internal::make("MatchingFiles", options.name, {pattern}, {}, {});
  return internal::output(op, 0);
}

/// inputs:N*string -> summary:string
inline Tensor MergeSummary(const List<Input>& inputs, const NameOption& options = {}) {
  const Operation op = internal::make("MergeSummary", options.name, {inputs.items()}, {}, {});
  return internal::output(op, 0);
}

struct MergeV2CheckpointsOptions {
  bool delete_old_dirs = true;
  bool allow_missing_files = false;
  /// Of the node; empty: "MergeV2Checkpoints".
  std::string name = {};
};
/// checkpoint_prefixes:string, destination_prefix:string ->
inline Operation MergeV2Checkpoints(const Input& checkpoint_prefixes, const Input& destination_prefix,
                                    const MergeV2CheckpointsOptions& options = {}) {
  const Operation op = internal::make(
      "MergeV2Checkpoints", options.name, {checkpoint_prefixes, destination_prefix},
      {{"delete_old_dirs", options.delete_old_dirs}, {"allow_missing_files", options.allow_missing_files}},
      {});
  return op;
}

/// filename:string -> contents:string
inline Tensor ReadFile(const Input& filename, const NameOption& options = {}) {
  const Operation op = internal::make("ReadFile", options.name, {filename}, {}, {});
  return internal::output(op, 0);
}

/// prefix:string, tensor_names:string, shape_and_slices:string -> tensors:[dtypes]
/// `dtypes`: the dtypes of `tensors`. At least 1 items.
inline std::vector<Tensor> RestoreV2(const Input& prefix, const Input& tensor_names,
                                     const Input& shape_and_slices, const std::vector<DType>& dtypes,
                                     const NameOption& options = {}) {
  const Operation op = internal::make("RestoreV2", options.name, {prefix, tensor_names, shape_and_slices},
                                      {{"dtypes", dtypes}}, {});
  return internal::outputs(op, 0);
}

/// prefix:string, tensor_names:string, shape_and_slices:string, tensors:[dtypes] ->
inline Operation SaveV2(const Input& prefix, const Input& tensor_names, const Input& shape_and_slices,
                        const List<Input>& tensors, const NameOption& options = {}) {
  const Operation op = internal::make("SaveV2", options.name,
                                      {prefix, tensor_names, shape_and_slices, tensors.items()}, {}, {});
  return op;
}

/// tags:string, values:T -> summary:string
inline Tensor ScalarSummary(const Input& tags, const Input& values, const NameOption& options = {}) {
  const Operation op = internal::make("ScalarSummary", options.name, {tags, values}, {}, {});
  return internal::output(op, 0);
}

/// basename:string, shard:int32, num_shards:int32 -> filename:string
inline Tensor ShardedFilename(const Input& basename, const Input& shard, const Input& num_shards,
                              const NameOption& options = {}) {
  const Operation op = internal::make("ShardedFilename", options.name, {basename, shard, num_shards}, {}, {});
  return internal::output(op, 0);
}

struct TensorSummaryOptions {
  std::string description = {};
  std::vector<std::string> labels = {};
  std::string display_name = {};
  /// Of the node; empty: "TensorSummary".
  std::string name = {};
};
/// tensor:T -> summary:string
inline Tensor TensorSummary(const Input& tensor, const TensorSummaryOptions& options = {}) {
  const Operation op = internal::make("TensorSummary", options.name, {tensor},
                                      {{"description", options.description},
                                       {"labels", options.labels},
                                       {"display_name", options.display_name}},
                                      {});
  return internal::output(op, 0);
}

/// tag:string, tensor:T, serialized_summary_metadata:string -> summary:string
inline Tensor TensorSummaryV2(const Input& tag, const Input& tensor, const Input& serialized_summary_metadata,
                              const NameOption& options = {}) {
  const Operation op =
      internal::make("TensorSummaryV2", options.name, {tag, tensor, serialized_summary_metadata}, {}, {});
  return internal::output(op, 0);
}

/// filename:string, contents:string ->
inline Operation WriteFile(const Input& filename, const Input& contents, const NameOption& options = {}) {
  const Operation op = internal::make("WriteFile", options.name, {filename, contents}, {}, {});
  return op;
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
