#pragma once
/// Functions of single ops: movement of data. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

/// input:T, block_shape:Tblock_shape, crops:Tcrops -> output:T
inline Tensor BatchToSpaceND(const Input& input, const Input& block_shape, const Input& crops,
                             const NameOption& options = {}) {
  const Operation op = internal::make("BatchToSpaceND", options.name, {input, block_shape, crops}, {}, {});
  return internal::output(op, 0);
}

/// input:T -> output:type
/// `type`: the dtype of `output`. One of bfloat16, float16, float32, float64, int64, int32, uint8, uint16,
/// uint32, uint64, int8, int16, complex64, complex128, qint8, quint8, qint16, quint16, qint32.
inline Tensor Bitcast(const Input& input, DType type, const NameOption& options = {}) {
  const Operation op = internal::make("Bitcast", options.name, {input}, {{"type", type}}, {});
  return internal::output(op, 0);
}

/// concat_dim:int32, values:N*T -> output:T
inline Tensor Concat(const Input& concat_dim, const List<Input>& values, const NameOption& options = {}) {
  const Operation op = internal::make("Concat", options.name, {concat_dim, values.items()}, {}, {});
  return internal::output(op, 0);
}

/// concat_dim:int32, shape:N*shape_type -> offset:N*shape_type
inline std::vector<Tensor> ConcatOffset(const Input& concat_dim, const List<Input>& shape,
                                        const NameOption& options = {}) {
  const Operation op = internal::make("ConcatOffset", options.name, {concat_dim, shape.items()}, {}, {});
  return internal::outputs(op, 0);
}

/// values:N*T, axis:Tidx -> output:T
inline Tensor ConcatV2(const List<Input>& values, const Input& axis, const NameOption& options = {}) {
  const Operation op = internal::make("ConcatV2", options.name, {values.items(), axis}, {}, {});
  return internal::output(op, 0);
}

/// x:T, perm:Tperm -> y:T
inline Tensor ConjugateTranspose(const Input& x, const Input& perm, const NameOption& options = {}) {
  const Operation op = internal::make("ConjugateTranspose", options.name, {x, perm}, {}, {});
  return internal::output(op, 0);
}

/// ->
inline Operation ControlTrigger(const NameOption& options = {},
                                Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("ControlTrigger", options.name, {}, {}, where);
  return op;
}

/// x:T -> y:T
inline Tensor DeepCopy(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("DeepCopy", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

struct DepthToSpaceOptions {
  /// One of "NHWC", "NCHW", "NCHW_VECT_C".
  std::string data_format = "NHWC";
  /// Of the node; empty: "DepthToSpace".
  std::string name = {};
};
/// input:T -> output:T
/// `block_size`: at least 2.
inline Tensor DepthToSpace(const Input& input, int64_t block_size, const DepthToSpaceOptions& options = {}) {
  const Operation op = internal::make("DepthToSpace", options.name, {input},
                                      {{"block_size", block_size}, {"data_format", options.data_format}}, {});
  return internal::output(op, 0);
}

/// diagonal:T -> output:T
inline Tensor Diag(const Input& diagonal, const NameOption& options = {}) {
  const Operation op = internal::make("Diag", options.name, {diagonal}, {}, {});
  return internal::output(op, 0);
}

/// input:T -> diagonal:T
inline Tensor DiagPart(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("DiagPart", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// data:T, partitions:int32 -> outputs:num_partitions*T
/// `num_partitions`: the length of `outputs`. At least 1.
inline std::vector<Tensor> DynamicPartition(const Input& data, const Input& partitions,
                                            int64_t num_partitions, const NameOption& options = {}) {
  const Operation op = internal::make("DynamicPartition", options.name, {data, partitions},
                                      {{"num_partitions", num_partitions}}, {});
  return internal::outputs(op, 0);
}

/// indices:N*int32, data:N*T -> merged:T
inline Tensor DynamicStitch(const List<Input>& indices, const List<Input>& data,
                            const NameOption& options = {}) {
  const Operation op = internal::make("DynamicStitch", options.name, {indices.items(), data.items()}, {}, {});
  return internal::output(op, 0);
}

struct EmptyOptions {
  bool init = false;
  /// Of the node; empty: "Empty".
  std::string name = {};
};
/// shape:int32 -> output:dtype
/// `dtype`: the dtype of `output`.
inline Tensor Empty(const Input& shape, DType dtype, const EmptyOptions& options = {}) {
  const Operation op =
      internal::make("Empty", options.name, {shape}, {{"dtype", dtype}, {"init", options.init}}, {});
  return internal::output(op, 0);
}

/// input:T -> output:T
inline Tensor EnsureShape(const Input& input, const TensorShape& shape, const NameOption& options = {}) {
  const Operation op = internal::make("EnsureShape", options.name, {input}, {{"shape", shape}}, {});
  return internal::output(op, 0);
}

/// input:T, dim:Tdim -> output:T
inline Tensor ExpandDims(const Input& input, const Input& dim, const NameOption& options = {}) {
  const Operation op = internal::make("ExpandDims", options.name, {input, dim}, {}, {});
  return internal::output(op, 0);
}

/// dims:index_type, value:T -> output:T
inline Tensor Fill(const Input& dims, const Input& value, const NameOption& options = {}) {
  const Operation op = internal::make("Fill", options.name, {dims, value}, {}, {});
  return internal::output(op, 0);
}

struct GatherOptions {
  bool validate_indices = true;
  /// Of the node; empty: "Gather".
  std::string name = {};
};
/// params:Tparams, indices:Tindices -> output:Tparams
inline Tensor Gather(const Input& params, const Input& indices, const GatherOptions& options = {}) {
  const Operation op = internal::make("Gather", options.name, {params, indices},
                                      {{"validate_indices", options.validate_indices}}, {});
  return internal::output(op, 0);
}

struct GatherNdOptions {
  std::string bad_indices_policy = {};
  /// Of the node; empty: "GatherNd".
  std::string name = {};
};
/// params:Tparams, indices:Tindices -> output:Tparams
inline Tensor GatherNd(const Input& params, const Input& indices, const GatherNdOptions& options = {}) {
  const Operation op = internal::make("GatherNd", options.name, {params, indices},
                                      {{"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct GatherV2Options {
  int64_t batch_dims = 0;
  /// Of the node; empty: "GatherV2".
  std::string name = {};
};
/// params:Tparams, indices:Tindices, axis:Taxis -> output:Tparams
inline Tensor GatherV2(const Input& params, const Input& indices, const Input& axis,
                       const GatherV2Options& options = {}) {
  const Operation op = internal::make("GatherV2", options.name, {params, indices, axis},
                                      {{"batch_dims", options.batch_dims}}, {});
  return internal::output(op, 0);
}

/// input:T -> output:T
inline Tensor Identity(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("Identity", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// input:[T] -> output:[T]
inline std::vector<Tensor> IdentityN(const List<Input>& input, const NameOption& options = {}) {
  const Operation op = internal::make("IdentityN", options.name, {input.items()}, {}, {});
  return internal::outputs(op, 0);
}

/// x:T -> y:T
inline Tensor InvertPermutation(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("InvertPermutation", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

/// start:T, stop:T, num:Tidx -> output:T
inline Tensor LinSpace(const Input& start, const Input& stop, const Input& num,
                       const NameOption& options = {}) {
  const Operation op = internal::make("LinSpace", options.name, {start, stop, num}, {}, {});
  return internal::output(op, 0);
}

/// input:T, paddings:Tpaddings -> output:T
/// `mode`: one of "REFLECT", "SYMMETRIC".
inline Tensor MirrorPad(const Input& input, const Input& paddings, const std::string& mode,
                        const NameOption& options = {}) {
  const Operation op = internal::make("MirrorPad", options.name, {input, paddings}, {{"mode", mode}}, {});
  return internal::output(op, 0);
}

/// input:T, paddings:Tpaddings -> output:T
/// `mode`: one of "REFLECT", "SYMMETRIC".
inline Tensor MirrorPadGrad(const Input& input, const Input& paddings, const std::string& mode,
                            const NameOption& options = {}) {
  const Operation op = internal::make("MirrorPadGrad", options.name, {input, paddings}, {{"mode", mode}}, {});
  return internal::output(op, 0);
}

/// ->
inline Operation NoOp(const NameOption& options = {}, Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("NoOp", options.name, {}, {}, where);
  return op;
}

struct OneHotOptions {
  int64_t axis = -1;
  /// Of the node; empty: "OneHot".
  std::string name = {};
};
/// indices:TI, depth:int32, on_value:T, off_value:T -> output:T
inline Tensor OneHot(const Input& indices, const Input& depth, const Input& on_value, const Input& off_value,
                     const OneHotOptions& options = {}) {
  const Operation op = internal::make("OneHot", options.name, {indices, depth, on_value, off_value},
                                      {{"axis", options.axis}}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor OnesLike(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("OnesLike", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

struct PackOptions {
  int64_t axis = 0;
  /// Of the node; empty: "Pack".
  std::string name = {};
};
/// values:N*T -> output:T
inline Tensor Pack(const List<Input>& values, const PackOptions& options = {}) {
  const Operation op = internal::make("Pack", options.name, {values.items()}, {{"axis", options.axis}}, {});
  return internal::output(op, 0);
}

/// input:T, paddings:Tpaddings -> output:T
inline Tensor Pad(const Input& input, const Input& paddings, const NameOption& options = {}) {
  const Operation op = internal::make("Pad", options.name, {input, paddings}, {}, {});
  return internal::output(op, 0);
}

/// input:T, paddings:Tpaddings, constant_values:T -> output:T
inline Tensor PadV2(const Input& input, const Input& paddings, const Input& constant_values,
                    const NameOption& options = {}) {
  const Operation op = internal::make("PadV2", options.name, {input, paddings, constant_values}, {}, {});
  return internal::output(op, 0);
}

/// indices:N*int32, data:N*T -> merged:T
inline Tensor ParallelDynamicStitch(const List<Input>& indices, const List<Input>& data,
                                    const NameOption& options = {}) {
  const Operation op =
      internal::make("ParallelDynamicStitch", options.name, {indices.items(), data.items()}, {}, {});
  return internal::output(op, 0);
}

struct PlaceholderOptions {
  TensorShape shape = TensorShape::unknown_rank();
  /// Of the node; empty: "Placeholder".
  std::string name = {};
};
/// -> output:dtype
/// `dtype`: the dtype of `output`.
inline Tensor Placeholder(DType dtype, const PlaceholderOptions& options = {},
                          Input::Where where = Input::Where::current()) {
  const Operation op =
      internal::make("Placeholder", options.name, {}, {{"dtype", dtype}, {"shape", options.shape}}, where);
  return internal::output(op, 0);
}

/// -> output:dtype
/// `dtype`: the dtype of `output`.
inline Tensor PlaceholderV2(DType dtype, const TensorShape& shape, const NameOption& options = {},
                            Input::Where where = Input::Where::current()) {
  const Operation op =
      internal::make("PlaceholderV2", options.name, {}, {{"dtype", dtype}, {"shape", shape}}, where);
  return internal::output(op, 0);
}

/// input:dtype -> output:dtype
inline Tensor PlaceholderWithDefault(const Input& input, const TensorShape& shape,
                                     const NameOption& options = {}) {
  const Operation op =
      internal::make("PlaceholderWithDefault", options.name, {input}, {{"shape", shape}}, {});
  return internal::output(op, 0);
}

struct PreventGradientOptions {
  std::string message = {};
  /// Of the node; empty: "PreventGradient".
  std::string name = {};
};
/// input:T -> output:T
inline Tensor PreventGradient(const Input& input, const PreventGradientOptions& options = {}) {
  const Operation op =
      internal::make("PreventGradient", options.name, {input}, {{"message", options.message}}, {});
  return internal::output(op, 0);
}

/// start:Tidx, limit:Tidx, delta:Tidx -> output:Tidx
inline Tensor Range(const Input& start, const Input& limit, const Input& delta,
                    const NameOption& options = {}) {
  const Operation op = internal::make("Range", options.name, {start, limit, delta}, {}, {});
  return internal::output(op, 0);
}

/// input:T -> output:int32
inline Tensor Rank(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("Rank", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// tensor:T, shape:Tshape -> output:T
inline Tensor Reshape(const Input& tensor, const Input& shape, const NameOption& options = {}) {
  const Operation op = internal::make("Reshape", options.name, {tensor, shape}, {}, {});
  return internal::output(op, 0);
}

struct ResourceGatherOptions {
  int64_t batch_dims = 0;
  bool validate_indices = true;
  /// Of the node; empty: "ResourceGather".
  std::string name = {};
};
/// resource:resource, indices:Tindices -> output:dtype
/// `dtype`: the dtype of `output`.
inline Tensor ResourceGather(const Input& resource, const Input& indices, DType dtype,
                             const ResourceGatherOptions& options = {}) {
  const Operation op = internal::make(
      "ResourceGather", options.name, {resource, indices},
      {{"dtype", dtype}, {"batch_dims", options.batch_dims}, {"validate_indices", options.validate_indices}},
      {});
  return internal::output(op, 0);
}

/// resource:resource, indices:Tindices -> output:dtype
/// `dtype`: the dtype of `output`.
inline Tensor ResourceGatherNd(const Input& resource, const Input& indices, DType dtype,
                               const NameOption& options = {}) {
  const Operation op =
      internal::make("ResourceGatherNd", options.name, {resource, indices}, {{"dtype", dtype}}, {});
  return internal::output(op, 0);
}

struct ResourceScatterNdAddOptions {
  bool use_locking = true;
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ResourceScatterNdAdd".
  std::string name = {};
};
/// ref:resource, indices:Tindices, updates:T ->
inline Operation ResourceScatterNdAdd(const Input& ref, const Input& indices, const Input& updates,
                                      const ResourceScatterNdAddOptions& options = {}) {
  const Operation op = internal::make(
      "ResourceScatterNdAdd", options.name, {ref, indices, updates},
      {{"use_locking", options.use_locking}, {"bad_indices_policy", options.bad_indices_policy}}, {});
  return op;
}

struct ResourceScatterNdMaxOptions {
  bool use_locking = true;
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ResourceScatterNdMax".
  std::string name = {};
};
/// ref:resource, indices:Tindices, updates:T ->
inline Operation ResourceScatterNdMax(const Input& ref, const Input& indices, const Input& updates,
                                      const ResourceScatterNdMaxOptions& options = {}) {
  const Operation op = internal::make(
      "ResourceScatterNdMax", options.name, {ref, indices, updates},
      {{"use_locking", options.use_locking}, {"bad_indices_policy", options.bad_indices_policy}}, {});
  return op;
}

struct ResourceScatterNdMinOptions {
  bool use_locking = true;
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ResourceScatterNdMin".
  std::string name = {};
};
/// ref:resource, indices:Tindices, updates:T ->
inline Operation ResourceScatterNdMin(const Input& ref, const Input& indices, const Input& updates,
                                      const ResourceScatterNdMinOptions& options = {}) {
  const Operation op = internal::make(
      "ResourceScatterNdMin", options.name, {ref, indices, updates},
      {{"use_locking", options.use_locking}, {"bad_indices_policy", options.bad_indices_policy}}, {});
  return op;
}

struct ResourceScatterNdSubOptions {
  bool use_locking = true;
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ResourceScatterNdSub".
  std::string name = {};
};
/// ref:resource, indices:Tindices, updates:T ->
inline Operation ResourceScatterNdSub(const Input& ref, const Input& indices, const Input& updates,
                                      const ResourceScatterNdSubOptions& options = {}) {
  const Operation op = internal::make(
      "ResourceScatterNdSub", options.name, {ref, indices, updates},
      {{"use_locking", options.use_locking}, {"bad_indices_policy", options.bad_indices_policy}}, {});
  return op;
}

struct ResourceScatterNdUpdateOptions {
  bool use_locking = true;
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ResourceScatterNdUpdate".
  std::string name = {};
};
/// ref:resource, indices:Tindices, updates:T ->
inline Operation ResourceScatterNdUpdate(const Input& ref, const Input& indices, const Input& updates,
                                         const ResourceScatterNdUpdateOptions& options = {}) {
  const Operation op = internal::make(
      "ResourceScatterNdUpdate", options.name, {ref, indices, updates},
      {{"use_locking", options.use_locking}, {"bad_indices_policy", options.bad_indices_policy}}, {});
  return op;
}

/// tensor:T, dims:bool -> output:T
inline Tensor Reverse(const Input& tensor, const Input& dims, const NameOption& options = {}) {
  const Operation op = internal::make("Reverse", options.name, {tensor, dims}, {}, {});
  return internal::output(op, 0);
}

struct ReverseSequenceOptions {
  int64_t batch_dim = 0;
  /// Of the node; empty: "ReverseSequence".
  std::string name = {};
};
/// input:T, seq_lengths:Tlen -> output:T
inline Tensor ReverseSequence(const Input& input, const Input& seq_lengths, int64_t seq_dim,
                              const ReverseSequenceOptions& options = {}) {
  const Operation op = internal::make("ReverseSequence", options.name, {input, seq_lengths},
                                      {{"seq_dim", seq_dim}, {"batch_dim", options.batch_dim}}, {});
  return internal::output(op, 0);
}

/// tensor:T, axis:Tidx -> output:T
inline Tensor ReverseV2(const Input& tensor, const Input& axis, const NameOption& options = {}) {
  const Operation op = internal::make("ReverseV2", options.name, {tensor, axis}, {}, {});
  return internal::output(op, 0);
}

/// input:T, shift:Tshift, axis:Taxis -> output:T
inline Tensor Roll(const Input& input, const Input& shift, const Input& axis,
                   const NameOption& options = {}) {
  const Operation op = internal::make("Roll", options.name, {input, shift, axis}, {}, {});
  return internal::output(op, 0);
}

struct ScatterNdOptions {
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ScatterNd".
  std::string name = {};
};
/// indices:Tindices, updates:T, shape:Tindices -> output:T
inline Tensor ScatterNd(const Input& indices, const Input& updates, const Input& shape,
                        const ScatterNdOptions& options = {}) {
  const Operation op = internal::make("ScatterNd", options.name, {indices, updates, shape},
                                      {{"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct ScatterNdAddOptions {
  bool use_locking = false;
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ScatterNdAdd".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterNdAdd(const Input& ref, const Input& indices, const Input& updates,
                           const ScatterNdAddOptions& options = {}) {
  const Operation op = internal::make(
      "ScatterNdAdd", options.name, {ref, indices, updates},
      {{"use_locking", options.use_locking}, {"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct ScatterNdMaxOptions {
  bool use_locking = false;
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ScatterNdMax".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterNdMax(const Input& ref, const Input& indices, const Input& updates,
                           const ScatterNdMaxOptions& options = {}) {
  const Operation op = internal::make(
      "ScatterNdMax", options.name, {ref, indices, updates},
      {{"use_locking", options.use_locking}, {"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct ScatterNdMinOptions {
  bool use_locking = false;
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ScatterNdMin".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterNdMin(const Input& ref, const Input& indices, const Input& updates,
                           const ScatterNdMinOptions& options = {}) {
  const Operation op = internal::make(
      "ScatterNdMin", options.name, {ref, indices, updates},
      {{"use_locking", options.use_locking}, {"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct ScatterNdNonAliasingAddOptions {
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ScatterNdNonAliasingAdd".
  std::string name = {};
};
/// input:T, indices:Tindices, updates:T -> output:T
inline Tensor ScatterNdNonAliasingAdd(const Input& input, const Input& indices, const Input& updates,
                                      const ScatterNdNonAliasingAddOptions& options = {}) {
  const Operation op = internal::make("ScatterNdNonAliasingAdd", options.name, {input, indices, updates},
                                      {{"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct ScatterNdSubOptions {
  bool use_locking = false;
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ScatterNdSub".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterNdSub(const Input& ref, const Input& indices, const Input& updates,
                           const ScatterNdSubOptions& options = {}) {
  const Operation op = internal::make(
      "ScatterNdSub", options.name, {ref, indices, updates},
      {{"use_locking", options.use_locking}, {"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct ScatterNdUpdateOptions {
  bool use_locking = true;
  std::string bad_indices_policy = {};
  /// Of the node; empty: "ScatterNdUpdate".
  std::string name = {};
};
/// ref:ref T, indices:Tindices, updates:T -> output_ref:ref T
inline Tensor ScatterNdUpdate(const Input& ref, const Input& indices, const Input& updates,
                              const ScatterNdUpdateOptions& options = {}) {
  const Operation op = internal::make(
      "ScatterNdUpdate", options.name, {ref, indices, updates},
      {{"use_locking", options.use_locking}, {"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct ShapeOptions {
  /// The dtype of `output`. One of int32, int64.
  DType out_type = DType::kInt32;
  /// Of the node; empty: "Shape".
  std::string name = {};
};
/// input:T -> output:out_type
inline Tensor Shape(const Input& input, const ShapeOptions& options = {}) {
  const Operation op = internal::make("Shape", options.name, {input}, {{"out_type", options.out_type}}, {});
  return internal::output(op, 0);
}

struct ShapeNOptions {
  /// The dtype of `output`. One of int32, int64.
  DType out_type = DType::kInt32;
  /// Of the node; empty: "ShapeN".
  std::string name = {};
};
/// input:N*T -> output:N*out_type
inline std::vector<Tensor> ShapeN(const List<Input>& input, const ShapeNOptions& options = {}) {
  const Operation op =
      internal::make("ShapeN", options.name, {input.items()}, {{"out_type", options.out_type}}, {});
  return internal::outputs(op, 0);
}

struct SizeOptions {
  /// The dtype of `output`. One of int32, int64.
  DType out_type = DType::kInt32;
  /// Of the node; empty: "Size".
  std::string name = {};
};
/// input:T -> output:out_type
inline Tensor Size(const Input& input, const SizeOptions& options = {}) {
  const Operation op = internal::make("Size", options.name, {input}, {{"out_type", options.out_type}}, {});
  return internal::output(op, 0);
}

/// input:T, begin:Index, size:Index -> output:T
inline Tensor Slice(const Input& input, const Input& begin, const Input& size,
                    const NameOption& options = {}) {
  const Operation op = internal::make("Slice", options.name, {input, begin, size}, {}, {});
  return internal::output(op, 0);
}

/// input:T, block_shape:Tblock_shape, paddings:Tpaddings -> output:T
inline Tensor SpaceToBatchND(const Input& input, const Input& block_shape, const Input& paddings,
                             const NameOption& options = {}) {
  const Operation op = internal::make("SpaceToBatchND", options.name, {input, block_shape, paddings}, {}, {});
  return internal::output(op, 0);
}

struct SpaceToDepthOptions {
  /// One of "NHWC", "NCHW", "NCHW_VECT_C".
  std::string data_format = "NHWC";
  /// Of the node; empty: "SpaceToDepth".
  std::string name = {};
};
/// input:T -> output:T
/// `block_size`: at least 2.
inline Tensor SpaceToDepth(const Input& input, int64_t block_size, const SpaceToDepthOptions& options = {}) {
  const Operation op = internal::make("SpaceToDepth", options.name, {input},
                                      {{"block_size", block_size}, {"data_format", options.data_format}}, {});
  return internal::output(op, 0);
}

struct SparseToDenseOptions {
  bool validate_indices = true;
  /// Of the node; empty: "SparseToDense".
  std::string name = {};
};
/// sparse_indices:Tindices, output_shape:Tindices, sparse_values:T, default_value:T -> dense:T
inline Tensor SparseToDense(const Input& sparse_indices, const Input& output_shape,
                            const Input& sparse_values, const Input& default_value,
                            const SparseToDenseOptions& options = {}) {
  const Operation op = internal::make("SparseToDense", options.name,
                                      {sparse_indices, output_shape, sparse_values, default_value},
                                      {{"validate_indices", options.validate_indices}}, {});
  return internal::output(op, 0);
}

/// split_dim:int32, value:T -> output:num_split*T
/// `num_split`: the length of `output`. At least 1.
inline std::vector<Tensor> Split(const Input& split_dim, const Input& value, int64_t num_split,
                                 const NameOption& options = {}) {
  const Operation op =
      internal::make("Split", options.name, {split_dim, value}, {{"num_split", num_split}}, {});
  return internal::outputs(op, 0);
}

/// value:T, size_splits:Tlen, split_dim:int32 -> output:num_split*T
/// `num_split`: the length of `output`. At least 1.
inline std::vector<Tensor> SplitV(const Input& value, const Input& size_splits, const Input& split_dim,
                                  int64_t num_split, const NameOption& options = {}) {
  const Operation op =
      internal::make("SplitV", options.name, {value, size_splits, split_dim}, {{"num_split", num_split}}, {});
  return internal::outputs(op, 0);
}

struct SqueezeOptions {
  std::vector<int64_t> squeeze_dims = {};
  /// Of the node; empty: "Squeeze".
  std::string name = {};
};
/// input:T -> output:T
inline Tensor Squeeze(const Input& input, const SqueezeOptions& options = {}) {
  const Operation op =
      internal::make("Squeeze", options.name, {input}, {{"squeeze_dims", options.squeeze_dims}}, {});
  return internal::output(op, 0);
}

/// input:T -> output:T
inline Tensor StopGradient(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("StopGradient", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

struct StridedSliceOptions {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  /// Of the node; empty: "StridedSlice".
  std::string name = {};
};
/// input:T, begin:Index, end:Index, strides:Index -> output:T
inline Tensor StridedSlice(const Input& input, const Input& begin, const Input& end, const Input& strides,
                           const StridedSliceOptions& options = {}) {
  const Operation op = internal::make("StridedSlice", options.name, {input, begin, end, strides},
                                      {{"begin_mask", options.begin_mask},
                                       {"end_mask", options.end_mask},
                                       {"ellipsis_mask", options.ellipsis_mask},
                                       {"new_axis_mask", options.new_axis_mask},
                                       {"shrink_axis_mask", options.shrink_axis_mask}},
                                      {});
  return internal::output(op, 0);
}

struct StridedSliceGradOptions {
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
  /// Of the node; empty: "StridedSliceGrad".
  std::string name = {};
};
/// shape:Index, begin:Index, end:Index, strides:Index, dy:T -> output:T
inline Tensor StridedSliceGrad(const Input& shape, const Input& begin, const Input& end, const Input& strides,
                               const Input& dy, const StridedSliceGradOptions& options = {}) {
  const Operation op = internal::make("StridedSliceGrad", options.name, {shape, begin, end, strides, dy},
                                      {{"begin_mask", options.begin_mask},
                                       {"end_mask", options.end_mask},
                                       {"ellipsis_mask", options.ellipsis_mask},
                                       {"new_axis_mask", options.new_axis_mask},
                                       {"shrink_axis_mask", options.shrink_axis_mask}},
                                      {});
  return internal::output(op, 0);
}

struct TensorScatterAddOptions {
  std::string bad_indices_policy = {};
  /// Of the node; empty: "TensorScatterAdd".
  std::string name = {};
};
/// tensor:T, indices:Tindices, updates:T -> output:T
inline Tensor TensorScatterAdd(const Input& tensor, const Input& indices, const Input& updates,
                               const TensorScatterAddOptions& options = {}) {
  const Operation op = internal::make("TensorScatterAdd", options.name, {tensor, indices, updates},
                                      {{"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct TensorScatterMaxOptions {
  std::string bad_indices_policy = {};
  /// Of the node; empty: "TensorScatterMax".
  std::string name = {};
};
/// tensor:T, indices:Tindices, updates:T -> output:T
inline Tensor TensorScatterMax(const Input& tensor, const Input& indices, const Input& updates,
                               const TensorScatterMaxOptions& options = {}) {
  const Operation op = internal::make("TensorScatterMax", options.name, {tensor, indices, updates},
                                      {{"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct TensorScatterMinOptions {
  std::string bad_indices_policy = {};
  /// Of the node; empty: "TensorScatterMin".
  std::string name = {};
};
/// tensor:T, indices:Tindices, updates:T -> output:T
inline Tensor TensorScatterMin(const Input& tensor, const Input& indices, const Input& updates,
                               const TensorScatterMinOptions& options = {}) {
  const Operation op = internal::make("TensorScatterMin", options.name, {tensor, indices, updates},
                                      {{"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct TensorScatterSubOptions {
  std::string bad_indices_policy = {};
  /// Of the node; empty: "TensorScatterSub".
  std::string name = {};
};
/// tensor:T, indices:Tindices, updates:T -> output:T
inline Tensor TensorScatterSub(const Input& tensor, const Input& indices, const Input& updates,
                               const TensorScatterSubOptions& options = {}) {
  const Operation op = internal::make("TensorScatterSub", options.name, {tensor, indices, updates},
                                      {{"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

struct TensorScatterUpdateOptions {
  std::string bad_indices_policy = {};
  /// Of the node; empty: "TensorScatterUpdate".
  std::string name = {};
};
/// tensor:T, indices:Tindices, updates:T -> output:T
inline Tensor TensorScatterUpdate(const Input& tensor, const Input& indices, const Input& updates,
                                  const TensorScatterUpdateOptions& options = {}) {
  const Operation op = internal::make("TensorScatterUpdate", options.name, {tensor, indices, updates},
                                      {{"bad_indices_policy", options.bad_indices_policy}}, {});
  return internal::output(op, 0);
}

/// input:T, multiples:Tmultiples -> output:T
inline Tensor Tile(const Input& input, const Input& multiples, const NameOption& options = {}) {
  const Operation op = internal::make("Tile", options.name, {input, multiples}, {}, {});
  return internal::output(op, 0);
}

/// x:T, perm:Tperm -> y:T
inline Tensor Transpose(const Input& x, const Input& perm, const NameOption& options = {}) {
  const Operation op = internal::make("Transpose", options.name, {x, perm}, {}, {});
  return internal::output(op, 0);
}

struct UnpackOptions {
  int64_t axis = 0;
  /// Of the node; empty: "Unpack".
  std::string name = {};
};
/// value:T -> output:num*T
/// `num`: the length of `output`. At least 0.
inline std::vector<Tensor> Unpack(const Input& value, int64_t num, const UnpackOptions& options = {}) {
  const Operation op =
      internal::make("Unpack", options.name, {value}, {{"num", num}, {"axis", options.axis}}, {});
  return internal::outputs(op, 0);
}

/// indices:Tidx, dims:Tidx -> output:Tidx
inline Tensor UnravelIndex(const Input& indices, const Input& dims, const NameOption& options = {}) {
  const Operation op = internal::make("UnravelIndex", options.name, {indices, dims}, {}, {});
  return internal::output(op, 0);
}

/// input:T -> index:int64
inline Tensor Where(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("Where", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// x:T -> y:T
inline Tensor ZerosLike(const Input& x, const NameOption& options = {}) {
  const Operation op = internal::make("ZerosLike", options.name, {x}, {}, {});
  return internal::output(op, 0);
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
