#pragma once
/// Functions of single ops: sparse and ragged tensors. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

struct AddManySparseToTensorsMapOptions {
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "AddManySparseToTensorsMap".
  std::string name = {};
};
/// sparse_indices:int64, sparse_values:T, sparse_shape:int64 -> sparse_handles:int64
inline Tensor AddManySparseToTensorsMap(const Input& sparse_indices, const Input& sparse_values,
                                        const Input& sparse_shape,
                                        const AddManySparseToTensorsMapOptions& options = {}) {
  const Operation op =
      internal::make("AddManySparseToTensorsMap", options.name, {sparse_indices, sparse_values, sparse_shape},
                     {{"container", options.container}, {"shared_name", options.shared_name}}, {});
  return internal::output(op, 0);
}

struct AddSparseToTensorsMapOptions {
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "AddSparseToTensorsMap".
  std::string name = {};
};
/// sparse_indices:int64, sparse_values:T, sparse_shape:int64 -> sparse_handle:int64
inline Tensor AddSparseToTensorsMap(const Input& sparse_indices, const Input& sparse_values,
                                    const Input& sparse_shape,
                                    const AddSparseToTensorsMapOptions& options = {}) {
  const Operation op =
      internal::make("AddSparseToTensorsMap", options.name, {sparse_indices, sparse_values, sparse_shape},
                     {{"container", options.container}, {"shared_name", options.shared_name}}, {});
  return internal::output(op, 0);
}

/// What CTCBeamSearchDecoder gives.
struct CTCBeamSearchDecoderResult {
  std::vector<Tensor> decoded_indices;
  std::vector<Tensor> decoded_values;
  std::vector<Tensor> decoded_shape;
  Tensor log_probability;
};
struct CTCBeamSearchDecoderOptions {
  bool merge_repeated = true;
  /// Of the node; empty: "CTCBeamSearchDecoder".
  std::string name = {};
};
/// inputs:T, sequence_length:int32 -> decoded_indices:top_paths*int64, decoded_values:top_paths*int64,
/// decoded_shape:top_paths*int64, log_probability:T
/// `beam_width`: at least 1.
/// `top_paths`: the length of `decoded_indices` and `decoded_values` and `decoded_shape`. At least 1.
inline CTCBeamSearchDecoderResult CTCBeamSearchDecoder(const Input& inputs, const Input& sequence_length,
                                                       int64_t beam_width, int64_t top_paths,
                                                       const CTCBeamSearchDecoderOptions& options = {}) {
  const Operation op = internal::make(
      "CTCBeamSearchDecoder", options.name, {inputs, sequence_length},
      {{"beam_width", beam_width}, {"top_paths", top_paths}, {"merge_repeated", options.merge_repeated}}, {});
  return {internal::outputs(op, 0), internal::outputs(op, 1), internal::outputs(op, 2),
          internal::output(op, 3)};
}

/// What CTCGreedyDecoder gives.
struct CTCGreedyDecoderResult {
  Tensor decoded_indices;
  Tensor decoded_values;
  Tensor decoded_shape;
  Tensor log_probability;
};
struct CTCGreedyDecoderOptions {
  bool merge_repeated = false;
  int64_t blank_index = -1;
  /// Of the node; empty: "CTCGreedyDecoder".
  std::string name = {};
};
/// inputs:T, sequence_length:int32 -> decoded_indices:int64, decoded_values:int64,
/// decoded_shape:int64, log_probability:T
inline CTCGreedyDecoderResult CTCGreedyDecoder(const Input& inputs, const Input& sequence_length,
                                               const CTCGreedyDecoderOptions& options = {}) {
  const Operation op =
      internal::make("CTCGreedyDecoder", options.name, {inputs, sequence_length},
                     {{"merge_repeated", options.merge_repeated}, {"blank_index", options.blank_index}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2), internal::output(op, 3)};
}

/// What CTCLoss gives.
struct CTCLossResult {
  Tensor loss;
  Tensor gradient;
};
struct CTCLossOptions {
  bool preprocess_collapse_repeated = false;
  bool ctc_merge_repeated = true;
  bool ignore_longer_outputs_than_inputs = false;
  /// Of the node; empty: "CTCLoss".
  std::string name = {};
};
/// inputs:T, labels_indices:int64, labels_values:int32, sequence_length:int32 -> loss:T, gradient:T
inline CTCLossResult CTCLoss(const Input& inputs, const Input& labels_indices, const Input& labels_values,
                             const Input& sequence_length, const CTCLossOptions& options = {}) {
  const Operation op =
      internal::make("CTCLoss", options.name, {inputs, labels_indices, labels_values, sequence_length},
                     {{"preprocess_collapse_repeated", options.preprocess_collapse_repeated},
                      {"ctc_merge_repeated", options.ctc_merge_repeated},
                      {"ignore_longer_outputs_than_inputs", options.ignore_longer_outputs_than_inputs}},
                     {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What DenseCountSparseOutput gives.
struct DenseCountSparseOutputResult {
  Tensor output_indices;
  Tensor output_values;
  Tensor output_dense_shape;
};
struct DenseCountSparseOutputOptions {
  /// At least -1.
  int64_t minlength = -1;
  /// At least -1.
  int64_t maxlength = -1;
  /// Of the node; empty: "DenseCountSparseOutput".
  std::string name = {};
};
/// values:T, weights:output_type -> output_indices:int64,
/// output_values:output_type, output_dense_shape:int64
inline DenseCountSparseOutputResult DenseCountSparseOutput(
    const Input& values, const Input& weights, bool binary_output,
    const DenseCountSparseOutputOptions& options = {}) {
  const Operation op = internal::make(
      "DenseCountSparseOutput", options.name, {values, weights},
      {{"binary_output", binary_output}, {"minlength", options.minlength}, {"maxlength", options.maxlength}},
      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What DenseToDenseSetOperation gives.
struct DenseToDenseSetOperationResult {
  Tensor result_indices;
  Tensor result_values;
  Tensor result_shape;
};
struct DenseToDenseSetOperationOptions {
  bool validate_indices = true;
  /// Of the node; empty: "DenseToDenseSetOperation".
  std::string name = {};
};
/// set1:T, set2:T -> result_indices:int64, result_values:T, result_shape:int64
inline DenseToDenseSetOperationResult DenseToDenseSetOperation(
    const Input& set1, const Input& set2, const std::string& set_operation,
    const DenseToDenseSetOperationOptions& options = {}) {
  const Operation op =
      internal::make("DenseToDenseSetOperation", options.name, {set1, set2},
                     {{"set_operation", set_operation}, {"validate_indices", options.validate_indices}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What DenseToSparseSetOperation gives.
struct DenseToSparseSetOperationResult {
  Tensor result_indices;
  Tensor result_values;
  Tensor result_shape;
};
struct DenseToSparseSetOperationOptions {
  bool validate_indices = true;
  /// Of the node; empty: "DenseToSparseSetOperation".
  std::string name = {};
};
/// set1:T, set2_indices:int64, set2_values:T, set2_shape:int64 -> result_indices:int64,
/// result_values:T, result_shape:int64
inline DenseToSparseSetOperationResult DenseToSparseSetOperation(
    const Input& set1, const Input& set2_indices, const Input& set2_values, const Input& set2_shape,
    const std::string& set_operation, const DenseToSparseSetOperationOptions& options = {}) {
  const Operation op =
      internal::make("DenseToSparseSetOperation", options.name, {set1, set2_indices, set2_values, set2_shape},
                     {{"set_operation", set_operation}, {"validate_indices", options.validate_indices}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What DeserializeManySparse gives.
struct DeserializeManySparseResult {
  Tensor sparse_indices;
  Tensor sparse_values;
  Tensor sparse_shape;
};
/// serialized_sparse:string -> sparse_indices:int64, sparse_values:dtype, sparse_shape:int64
/// `dtype`: the dtype of `sparse_values`.
inline DeserializeManySparseResult DeserializeManySparse(const Input& serialized_sparse, DType dtype,
                                                         const NameOption& options = {}) {
  const Operation op =
      internal::make("DeserializeManySparse", options.name, {serialized_sparse}, {{"dtype", dtype}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What DeserializeSparse gives.
struct DeserializeSparseResult {
  Tensor sparse_indices;
  Tensor sparse_values;
  Tensor sparse_shape;
};
/// serialized_sparse:Tserialized -> sparse_indices:int64, sparse_values:dtype, sparse_shape:int64
/// `dtype`: the dtype of `sparse_values`.
inline DeserializeSparseResult DeserializeSparse(const Input& serialized_sparse, DType dtype,
                                                 const NameOption& options = {}) {
  const Operation op =
      internal::make("DeserializeSparse", options.name, {serialized_sparse}, {{"dtype", dtype}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

struct EditDistanceOptions {
  bool normalize = true;
  /// Of the node; empty: "EditDistance".
  std::string name = {};
};
/// hypothesis_indices:int64, hypothesis_values:T, hypothesis_shape:int64, truth_indices:int64,
/// truth_values:T, truth_shape:int64 -> output:float32
inline Tensor EditDistance(const Input& hypothesis_indices, const Input& hypothesis_values,
                           const Input& hypothesis_shape, const Input& truth_indices,
                           const Input& truth_values, const Input& truth_shape,
                           const EditDistanceOptions& options = {}) {
  const Operation op = internal::make(
      "EditDistance", options.name,
      {hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices, truth_values, truth_shape},
      {{"normalize", options.normalize}}, {});
  return internal::output(op, 0);
}

struct RaggedBincountOptions {
  bool binary_output = false;
  /// Of the node; empty: "RaggedBincount".
  std::string name = {};
};
/// splits:int64, values:Tidx, size:Tidx, weights:T -> output:T
inline Tensor RaggedBincount(const Input& splits, const Input& values, const Input& size,
                             const Input& weights, const RaggedBincountOptions& options = {}) {
  const Operation op = internal::make("RaggedBincount", options.name, {splits, values, size, weights},
                                      {{"binary_output", options.binary_output}}, {});
  return internal::output(op, 0);
}

/// What RaggedCountSparseOutput gives.
struct RaggedCountSparseOutputResult {
  Tensor output_indices;
  Tensor output_values;
  Tensor output_dense_shape;
};
struct RaggedCountSparseOutputOptions {
  /// At least -1.
  int64_t minlength = -1;
  /// At least -1.
  int64_t maxlength = -1;
  /// Of the node; empty: "RaggedCountSparseOutput".
  std::string name = {};
};
/// splits:int64, values:T, weights:output_type -> output_indices:int64,
/// output_values:output_type, output_dense_shape:int64
inline RaggedCountSparseOutputResult RaggedCountSparseOutput(
    const Input& splits, const Input& values, const Input& weights, bool binary_output,
    const RaggedCountSparseOutputOptions& options = {}) {
  const Operation op = internal::make(
      "RaggedCountSparseOutput", options.name, {splits, values, weights},
      {{"binary_output", binary_output}, {"minlength", options.minlength}, {"maxlength", options.maxlength}},
      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What RaggedGather gives.
struct RaggedGatherResult {
  std::vector<Tensor> output_nested_splits;
  Tensor output_dense_values;
};
/// params_nested_splits:PARAMS_RAGGED_RANK*Tsplits, params_dense_values:Tvalues, indices:Tindices ->
/// output_nested_splits:OUTPUT_RAGGED_RANK*Tsplits, output_dense_values:Tvalues
/// `OUTPUT_RAGGED_RANK`: the length of `output_nested_splits`. At least 0.
inline RaggedGatherResult RaggedGather(const List<Input>& params_nested_splits,
                                       const Input& params_dense_values, const Input& indices,
                                       int64_t OUTPUT_RAGGED_RANK, const NameOption& options = {}) {
  const Operation op = internal::make("RaggedGather", options.name,
                                      {params_nested_splits.items(), params_dense_values, indices},
                                      {{"OUTPUT_RAGGED_RANK", OUTPUT_RAGGED_RANK}}, {});
  return {internal::outputs(op, 0), internal::output(op, 1)};
}

/// What RaggedRange gives.
struct RaggedRangeResult {
  Tensor rt_nested_splits;
  Tensor rt_dense_values;
};
struct RaggedRangeOptions {
  /// The dtype of `rt_nested_splits`. One of int32, int64.
  DType Tsplits = DType::kInt64;
  /// Of the node; empty: "RaggedRange".
  std::string name = {};
};
/// starts:T, limits:T, deltas:T -> rt_nested_splits:Tsplits, rt_dense_values:T
inline RaggedRangeResult RaggedRange(const Input& starts, const Input& limits, const Input& deltas,
                                     const RaggedRangeOptions& options = {}) {
  const Operation op = internal::make("RaggedRange", options.name, {starts, limits, deltas},
                                      {{"Tsplits", options.Tsplits}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What RaggedTensorToSparse gives.
struct RaggedTensorToSparseResult {
  Tensor sparse_indices;
  Tensor sparse_values;
  Tensor sparse_dense_shape;
};
/// rt_nested_splits:RAGGED_RANK*Tsplits, rt_dense_values:T -> sparse_indices:int64,
/// sparse_values:T, sparse_dense_shape:int64
inline RaggedTensorToSparseResult RaggedTensorToSparse(const List<Input>& rt_nested_splits,
                                                       const Input& rt_dense_values,
                                                       const NameOption& options = {}) {
  const Operation op = internal::make("RaggedTensorToSparse", options.name,
                                      {rt_nested_splits.items(), rt_dense_values}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// shape:Tshape, values:T, default_value:T, row_partition_tensors:num_row_partition_tensors*Tindex
/// -> result:T
inline Tensor RaggedTensorToTensor(const Input& shape, const Input& values, const Input& default_value,
                                   const List<Input>& row_partition_tensors,
                                   const std::vector<std::string>& row_partition_types,
                                   const NameOption& options = {}) {
  const Operation op = internal::make("RaggedTensorToTensor", options.name,
                                      {shape, values, default_value, row_partition_tensors.items()},
                                      {{"row_partition_types", row_partition_types}}, {});
  return internal::output(op, 0);
}

struct SerializeManySparseOptions {
  /// The dtype of `serialized_sparse`. One of string, variant.
  DType out_type = DType::kString;
  /// Of the node; empty: "SerializeManySparse".
  std::string name = {};
};
/// sparse_indices:int64, sparse_values:T, sparse_shape:int64 -> serialized_sparse:out_type
inline Tensor SerializeManySparse(const Input& sparse_indices, const Input& sparse_values,
                                  const Input& sparse_shape, const SerializeManySparseOptions& options = {}) {
  const Operation op =
      internal::make("SerializeManySparse", options.name, {sparse_indices, sparse_values, sparse_shape},
                     {{"out_type", options.out_type}}, {});
  return internal::output(op, 0);
}

struct SerializeSparseOptions {
  /// The dtype of `serialized_sparse`. One of string, variant.
  DType out_type = DType::kString;
  /// Of the node; empty: "SerializeSparse".
  std::string name = {};
};
/// sparse_indices:int64, sparse_values:T, sparse_shape:int64 -> serialized_sparse:out_type
inline Tensor SerializeSparse(const Input& sparse_indices, const Input& sparse_values,
                              const Input& sparse_shape, const SerializeSparseOptions& options = {}) {
  const Operation op =
      internal::make("SerializeSparse", options.name, {sparse_indices, sparse_values, sparse_shape},
                     {{"out_type", options.out_type}}, {});
  return internal::output(op, 0);
}

struct SetSizeOptions {
  bool validate_indices = true;
  /// Of the node; empty: "SetSize".
  std::string name = {};
};
/// set_indices:int64, set_values:T, set_shape:int64 -> size:int32
inline Tensor SetSize(const Input& set_indices, const Input& set_values, const Input& set_shape,
                      const SetSizeOptions& options = {}) {
  const Operation op = internal::make("SetSize", options.name, {set_indices, set_values, set_shape},
                                      {{"validate_indices", options.validate_indices}}, {});
  return internal::output(op, 0);
}

/// What SparseAdd gives.
struct SparseAddResult {
  Tensor sum_indices;
  Tensor sum_values;
  Tensor sum_shape;
};
/// a_indices:int64, a_values:T, a_shape:int64, b_indices:int64, b_values:T, b_shape:int64, thresh:Treal ->
/// sum_indices:int64, sum_values:T, sum_shape:int64
inline SparseAddResult SparseAdd(const Input& a_indices, const Input& a_values, const Input& a_shape,
                                 const Input& b_indices, const Input& b_values, const Input& b_shape,
                                 const Input& thresh, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseAdd", options.name,
                     {a_indices, a_values, a_shape, b_indices, b_values, b_shape, thresh}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What SparseAddGrad gives.
struct SparseAddGradResult {
  Tensor a_val_grad;
  Tensor b_val_grad;
};
/// backprop_val_grad:T, a_indices:int64, b_indices:int64, sum_indices:int64 -> a_val_grad:T, b_val_grad:T
inline SparseAddGradResult SparseAddGrad(const Input& backprop_val_grad, const Input& a_indices,
                                         const Input& b_indices, const Input& sum_indices,
                                         const NameOption& options = {}) {
  const Operation op = internal::make("SparseAddGrad", options.name,
                                      {backprop_val_grad, a_indices, b_indices, sum_indices}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

struct SparseBincountOptions {
  bool binary_output = false;
  /// Of the node; empty: "SparseBincount".
  std::string name = {};
};
/// indices:int64, values:Tidx, dense_shape:int64, size:Tidx, weights:T -> output:T
inline Tensor SparseBincount(const Input& indices, const Input& values, const Input& dense_shape,
                             const Input& size, const Input& weights,
                             const SparseBincountOptions& options = {}) {
  const Operation op =
      internal::make("SparseBincount", options.name, {indices, values, dense_shape, size, weights},
                     {{"binary_output", options.binary_output}}, {});
  return internal::output(op, 0);
}

/// What SparseConcat gives.
struct SparseConcatResult {
  Tensor output_indices;
  Tensor output_values;
  Tensor output_shape;
};
/// indices:N*int64, values:N*T, shapes:N*int64 -> output_indices:int64, output_values:T, output_shape:int64
inline SparseConcatResult SparseConcat(const List<Input>& indices, const List<Input>& values,
                                       const List<Input>& shapes, int64_t concat_dim,
                                       const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseConcat", options.name, {indices.items(), values.items(), shapes.items()},
                     {{"concat_dim", concat_dim}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What SparseCountSparseOutput gives.
struct SparseCountSparseOutputResult {
  Tensor output_indices;
  Tensor output_values;
  Tensor output_dense_shape;
};
struct SparseCountSparseOutputOptions {
  /// At least -1.
  int64_t minlength = -1;
  /// At least -1.
  int64_t maxlength = -1;
  /// Of the node; empty: "SparseCountSparseOutput".
  std::string name = {};
};
/// indices:int64, values:T, dense_shape:int64, weights:output_type -> output_indices:int64,
/// output_values:output_type, output_dense_shape:int64
inline SparseCountSparseOutputResult SparseCountSparseOutput(
    const Input& indices, const Input& values, const Input& dense_shape, const Input& weights,
    bool binary_output, const SparseCountSparseOutputOptions& options = {}) {
  const Operation op = internal::make(
      "SparseCountSparseOutput", options.name, {indices, values, dense_shape, weights},
      {{"binary_output", binary_output}, {"minlength", options.minlength}, {"maxlength", options.maxlength}},
      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What SparseCross gives.
struct SparseCrossResult {
  Tensor output_indices;
  Tensor output_values;
  Tensor output_shape;
};
/// indices:N*int64, values:[sparse_types], shapes:N*int64, dense_inputs:[dense_types] ->
/// output_indices:int64, output_values:out_type, output_shape:int64
/// `num_buckets`: at least 0.
/// `out_type`: the dtype of `output_values`. One of int64, string.
/// `internal_type`: one of int64, string.
inline SparseCrossResult SparseCross(const List<Input>& indices, const List<Input>& values,
                                     const List<Input>& shapes, const List<Input>& dense_inputs,
                                     bool hashed_output, int64_t num_buckets, int64_t hash_key,
                                     DType out_type, DType internal_type, const NameOption& options = {}) {
  const Operation op = internal::make("SparseCross", options.name,
                                      {indices.items(), values.items(), shapes.items(), dense_inputs.items()},
                                      {{"hashed_output", hashed_output},
                                       {"num_buckets", num_buckets},
                                       {"hash_key", hash_key},
                                       {"out_type", out_type},
                                       {"internal_type", internal_type}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What SparseCrossHashed gives.
struct SparseCrossHashedResult {
  Tensor output_indices;
  Tensor output_values;
  Tensor output_shape;
};
/// indices:N*int64, values:[sparse_types], shapes:N*int64, dense_inputs:[dense_types], num_buckets:int64,
/// strong_hash:bool, salt:int64 -> output_indices:int64, output_values:int64, output_shape:int64
inline SparseCrossHashedResult SparseCrossHashed(const List<Input>& indices, const List<Input>& values,
                                                 const List<Input>& shapes, const List<Input>& dense_inputs,
                                                 const Input& num_buckets, const Input& strong_hash,
                                                 const Input& salt, const NameOption& options = {}) {
  const Operation op = internal::make(
      "SparseCrossHashed", options.name,
      {indices.items(), values.items(), shapes.items(), dense_inputs.items(), num_buckets, strong_hash, salt},
      {}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What SparseCrossV2 gives.
struct SparseCrossV2Result {
  Tensor output_indices;
  Tensor output_values;
  Tensor output_shape;
};
/// indices:N*int64, values:[sparse_types], shapes:N*int64, dense_inputs:[dense_types], sep:string ->
/// output_indices:int64, output_values:string, output_shape:int64
inline SparseCrossV2Result SparseCrossV2(const List<Input>& indices, const List<Input>& values,
                                         const List<Input>& shapes, const List<Input>& dense_inputs,
                                         const Input& sep, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseCrossV2", options.name,
                     {indices.items(), values.items(), shapes.items(), dense_inputs.items(), sep}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// sp_indices:int64, sp_values:T, sp_shape:int64, dense:T -> output:T
inline Tensor SparseDenseCwiseAdd(const Input& sp_indices, const Input& sp_values, const Input& sp_shape,
                                  const Input& dense, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseDenseCwiseAdd", options.name, {sp_indices, sp_values, sp_shape, dense}, {}, {});
  return internal::output(op, 0);
}

/// sp_indices:int64, sp_values:T, sp_shape:int64, dense:T -> output:T
inline Tensor SparseDenseCwiseDiv(const Input& sp_indices, const Input& sp_values, const Input& sp_shape,
                                  const Input& dense, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseDenseCwiseDiv", options.name, {sp_indices, sp_values, sp_shape, dense}, {}, {});
  return internal::output(op, 0);
}

/// sp_indices:int64, sp_values:T, sp_shape:int64, dense:T -> output:T
inline Tensor SparseDenseCwiseMul(const Input& sp_indices, const Input& sp_values, const Input& sp_shape,
                                  const Input& dense, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseDenseCwiseMul", options.name, {sp_indices, sp_values, sp_shape, dense}, {}, {});
  return internal::output(op, 0);
}

/// What SparseFillEmptyRows gives.
struct SparseFillEmptyRowsResult {
  Tensor output_indices;
  Tensor output_values;
  Tensor empty_row_indicator;
  Tensor reverse_index_map;
};
/// indices:int64, values:T, dense_shape:int64, default_value:T -> output_indices:int64, output_values:T,
/// empty_row_indicator:bool, reverse_index_map:int64
inline SparseFillEmptyRowsResult SparseFillEmptyRows(const Input& indices, const Input& values,
                                                     const Input& dense_shape, const Input& default_value,
                                                     const NameOption& options = {}) {
  const Operation op = internal::make("SparseFillEmptyRows", options.name,
                                      {indices, values, dense_shape, default_value}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2), internal::output(op, 3)};
}

/// What SparseFillEmptyRowsGrad gives.
struct SparseFillEmptyRowsGradResult {
  Tensor d_values;
  Tensor d_default_value;
};
/// reverse_index_map:int64, grad_values:T -> d_values:T, d_default_value:T
inline SparseFillEmptyRowsGradResult SparseFillEmptyRowsGrad(const Input& reverse_index_map,
                                                             const Input& grad_values,
                                                             const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseFillEmptyRowsGrad", options.name, {reverse_index_map, grad_values}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

struct SparseReduceMaxOptions {
  bool keep_dims = false;
  /// Of the node; empty: "SparseReduceMax".
  std::string name = {};
};
/// input_indices:int64, input_values:T, input_shape:int64, reduction_axes:int32 -> output:T
inline Tensor SparseReduceMax(const Input& input_indices, const Input& input_values, const Input& input_shape,
                              const Input& reduction_axes, const SparseReduceMaxOptions& options = {}) {
  const Operation op = internal::make("SparseReduceMax", options.name,
                                      {input_indices, input_values, input_shape, reduction_axes},
                                      {{"keep_dims", options.keep_dims}}, {});
  return internal::output(op, 0);
}

/// What SparseReduceMaxSparse gives.
struct SparseReduceMaxSparseResult {
  Tensor output_indices;
  Tensor output_values;
  Tensor output_shape;
};
struct SparseReduceMaxSparseOptions {
  bool keep_dims = false;
  /// Of the node; empty: "SparseReduceMaxSparse".
  std::string name = {};
};
/// input_indices:int64, input_values:T, input_shape:int64, reduction_axes:int32 -> output_indices:int64,
/// output_values:T, output_shape:int64
inline SparseReduceMaxSparseResult SparseReduceMaxSparse(const Input& input_indices,
                                                         const Input& input_values, const Input& input_shape,
                                                         const Input& reduction_axes,
                                                         const SparseReduceMaxSparseOptions& options = {}) {
  const Operation op = internal::make("SparseReduceMaxSparse", options.name,
                                      {input_indices, input_values, input_shape, reduction_axes},
                                      {{"keep_dims", options.keep_dims}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

struct SparseReduceSumOptions {
  bool keep_dims = false;
  /// Of the node; empty: "SparseReduceSum".
  std::string name = {};
};
/// input_indices:int64, input_values:T, input_shape:int64, reduction_axes:int32 -> output:T
inline Tensor SparseReduceSum(const Input& input_indices, const Input& input_values, const Input& input_shape,
                              const Input& reduction_axes, const SparseReduceSumOptions& options = {}) {
  const Operation op = internal::make("SparseReduceSum", options.name,
                                      {input_indices, input_values, input_shape, reduction_axes},
                                      {{"keep_dims", options.keep_dims}}, {});
  return internal::output(op, 0);
}

/// What SparseReduceSumSparse gives.
struct SparseReduceSumSparseResult {
  Tensor output_indices;
  Tensor output_values;
  Tensor output_shape;
};
struct SparseReduceSumSparseOptions {
  bool keep_dims = false;
  /// Of the node; empty: "SparseReduceSumSparse".
  std::string name = {};
};
/// input_indices:int64, input_values:T, input_shape:int64, reduction_axes:int32 -> output_indices:int64,
/// output_values:T, output_shape:int64
inline SparseReduceSumSparseResult SparseReduceSumSparse(const Input& input_indices,
                                                         const Input& input_values, const Input& input_shape,
                                                         const Input& reduction_axes,
                                                         const SparseReduceSumSparseOptions& options = {}) {
  const Operation op = internal::make("SparseReduceSumSparse", options.name,
                                      {input_indices, input_values, input_shape, reduction_axes},
                                      {{"keep_dims", options.keep_dims}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What SparseReorder gives.
struct SparseReorderResult {
  Tensor output_indices;
  Tensor output_values;
};
/// input_indices:int64, input_values:T, input_shape:int64 -> output_indices:int64, output_values:T
inline SparseReorderResult SparseReorder(const Input& input_indices, const Input& input_values,
                                         const Input& input_shape, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseReorder", options.name, {input_indices, input_values, input_shape}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What SparseReshape gives.
struct SparseReshapeResult {
  Tensor output_indices;
  Tensor output_shape;
};
/// input_indices:int64, input_shape:int64, new_shape:int64 -> output_indices:int64, output_shape:int64
inline SparseReshapeResult SparseReshape(const Input& input_indices, const Input& input_shape,
                                         const Input& new_shape, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseReshape", options.name, {input_indices, input_shape, new_shape}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What SparseSlice gives.
struct SparseSliceResult {
  Tensor output_indices;
  Tensor output_values;
  Tensor output_shape;
};
/// indices:int64, values:T, shape:int64, start:int64, size:int64 -> output_indices:int64,
/// output_values:T, output_shape:int64
inline SparseSliceResult SparseSlice(const Input& indices, const Input& values, const Input& shape,
                                     const Input& start, const Input& size, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseSlice", options.name, {indices, values, shape, start, size}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// backprop_val_grad:T, input_indices:int64, input_start:int64, output_indices:int64 -> val_grad:T
inline Tensor SparseSliceGrad(const Input& backprop_val_grad, const Input& input_indices,
                              const Input& input_start, const Input& output_indices,
                              const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseSliceGrad", options.name,
                     {backprop_val_grad, input_indices, input_start, output_indices}, {}, {});
  return internal::output(op, 0);
}

/// sp_indices:int64, sp_values:T, sp_shape:int64 -> output:T
inline Tensor SparseSoftmax(const Input& sp_indices, const Input& sp_values, const Input& sp_shape,
                            const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseSoftmax", options.name, {sp_indices, sp_values, sp_shape}, {}, {});
  return internal::output(op, 0);
}

/// What SparseSparseMaximum gives.
struct SparseSparseMaximumResult {
  Tensor output_indices;
  Tensor output_values;
};
/// a_indices:int64, a_values:T, a_shape:int64, b_indices:int64, b_values:T, b_shape:int64 ->
/// output_indices:int64, output_values:T
inline SparseSparseMaximumResult SparseSparseMaximum(const Input& a_indices, const Input& a_values,
                                                     const Input& a_shape, const Input& b_indices,
                                                     const Input& b_values, const Input& b_shape,
                                                     const NameOption& options = {}) {
  const Operation op = internal::make("SparseSparseMaximum", options.name,
                                      {a_indices, a_values, a_shape, b_indices, b_values, b_shape}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What SparseSparseMinimum gives.
struct SparseSparseMinimumResult {
  Tensor output_indices;
  Tensor output_values;
};
/// a_indices:int64, a_values:T, a_shape:int64, b_indices:int64, b_values:T, b_shape:int64 ->
/// output_indices:int64, output_values:T
inline SparseSparseMinimumResult SparseSparseMinimum(const Input& a_indices, const Input& a_values,
                                                     const Input& a_shape, const Input& b_indices,
                                                     const Input& b_values, const Input& b_shape,
                                                     const NameOption& options = {}) {
  const Operation op = internal::make("SparseSparseMinimum", options.name,
                                      {a_indices, a_values, a_shape, b_indices, b_values, b_shape}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What SparseSplit gives.
struct SparseSplitResult {
  std::vector<Tensor> output_indices;
  std::vector<Tensor> output_values;
  std::vector<Tensor> output_shape;
};
/// split_dim:int64, indices:int64, values:T, shape:int64 -> output_indices:num_split*int64,
/// output_values:num_split*T, output_shape:num_split*int64
/// `num_split`: the length of `output_indices` and `output_values` and `output_shape`. At least 1.
inline SparseSplitResult SparseSplit(const Input& split_dim, const Input& indices, const Input& values,
                                     const Input& shape, int64_t num_split, const NameOption& options = {}) {
  const Operation op = internal::make("SparseSplit", options.name, {split_dim, indices, values, shape},
                                      {{"num_split", num_split}}, {});
  return {internal::outputs(op, 0), internal::outputs(op, 1), internal::outputs(op, 2)};
}

/// a_indices:Tindices, a_values:T, a_shape:Tindices, b:T -> output:T
inline Tensor SparseTensorDenseAdd(const Input& a_indices, const Input& a_values, const Input& a_shape,
                                   const Input& b, const NameOption& options = {}) {
  const Operation op =
      internal::make("SparseTensorDenseAdd", options.name, {a_indices, a_values, a_shape, b}, {}, {});
  return internal::output(op, 0);
}

/// What SparseToSparseSetOperation gives.
struct SparseToSparseSetOperationResult {
  Tensor result_indices;
  Tensor result_values;
  Tensor result_shape;
};
struct SparseToSparseSetOperationOptions {
  bool validate_indices = true;
  /// Of the node; empty: "SparseToSparseSetOperation".
  std::string name = {};
};
/// set1_indices:int64, set1_values:T, set1_shape:int64, set2_indices:int64, set2_values:T, set2_shape:int64
/// -> result_indices:int64, result_values:T, result_shape:int64
inline SparseToSparseSetOperationResult SparseToSparseSetOperation(
    const Input& set1_indices, const Input& set1_values, const Input& set1_shape, const Input& set2_indices,
    const Input& set2_values, const Input& set2_shape, const std::string& set_operation,
    const SparseToSparseSetOperationOptions& options = {}) {
  const Operation op =
      internal::make("SparseToSparseSetOperation", options.name,
                     {set1_indices, set1_values, set1_shape, set2_indices, set2_values, set2_shape},
                     {{"set_operation", set_operation}, {"validate_indices", options.validate_indices}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What TakeManySparseFromTensorsMap gives.
struct TakeManySparseFromTensorsMapResult {
  Tensor sparse_indices;
  Tensor sparse_values;
  Tensor sparse_shape;
};
struct TakeManySparseFromTensorsMapOptions {
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "TakeManySparseFromTensorsMap".
  std::string name = {};
};
/// sparse_handles:int64 -> sparse_indices:int64, sparse_values:dtype, sparse_shape:int64
/// `dtype`: the dtype of `sparse_values`.
inline TakeManySparseFromTensorsMapResult TakeManySparseFromTensorsMap(
    const Input& sparse_handles, DType dtype, const TakeManySparseFromTensorsMapOptions& options = {}) {
  const Operation op = internal::make(
      "TakeManySparseFromTensorsMap", options.name, {sparse_handles},
      {{"dtype", dtype}, {"container", options.container}, {"shared_name", options.shared_name}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
