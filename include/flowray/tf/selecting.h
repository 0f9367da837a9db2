#pragma once
/// Rows that are chosen by masks, repeated, laid out as grids: the functions of TensorFlow's array_ops that
/// are made of several operations. Nodes and names are those that its functions make.

#include <flowray/tf/input.h>

#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct BooleanMaskOptions {
  std::string name = "boolean_mask";
  /// The first dimension of the tensor that the mask speaks of.
  int64_t axis = 0;
};
/// The elements, or slices, of `tensor` where `mask` is true, one after the other: [2,3,4] by a mask of [2,3]
/// gives
/// [?,4]. Throws ValueError for a scalar mask, one whose number of dimensions is not known, or shapes that do
/// not fit.
Tensor boolean_mask(const Input& tensor, const Input& mask, const BooleanMaskOptions& options = {});

struct SequenceMaskOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// A scalar, the size of the new dimension; left out: the largest length.
  OptionalInput maxlen = {};
  DType dtype = DType::kBool;
  std::string name = {};
};
/// One row for each length, true (1) as long as it goes: lengths of [2] give [2, maxlen]. Throws ValueError
/// for a `maxlen` that is no scalar.
Tensor sequence_mask(const Input& lengths, const SequenceMaskOptions& options = {});
template <int = 0>
Tensor sequence_mask(const Input& lengths, const Input& maxlen, SequenceMaskOptions options = {}) {
  options.maxlen = maxlen;
  return sequence_mask(lengths, options);
}

struct MeshgridOptions {
  /// "xy": the second dimension follows the first vector, as in drawings; "ij": the first one does.
  std::string indexing = "xy";
  std::string name = "meshgrid";
};
/// The coordinates of all points of a grid, one tensor for each vector. Throws ValueError for another
/// indexing.
std::vector<Tensor> meshgrid(const std::vector<Input>& args, const MeshgridOptions& options = {});

struct RepeatOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Left out: of the elements in a row.
  std::optional<int64_t> axis = std::nullopt;
  std::string name = {};
};
/// Each element along `axis` so many times: {1, 2} by {2, 3} is {1, 1, 2, 2, 2}. `repeats` is a scalar or has
/// one number for each element. The rank of `input` must be known (ValueError).
Tensor repeat(const Input& input, const Input& repeats, const RepeatOptions& options = {});

/// Rows of `params` by number, the leading dimensions of both being the same: [2,3,4] by [2,5] is [2,5,4].
/// The older form of tf::gather with batch_dims. Throws ValueError where `indices` has no known rank.
Tensor batch_gather(const Input& params, const Input& indices, const NameOption& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
