#pragma once
/// tf.sparse: functions of sparse tensors.

#include <flowray/tf/sparse_tensor.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::sparse {

// ---- between dense and sparse

/// The elements of a dense tensor that are not zero.
SparseTensor from_dense(const Input& tensor, const NameOption& options = {});

struct ToDenseOptions {
  /// What stands where there is no value; left out: 0, or the empty string.
  OptionalInput default_value = {};
  /// Whether indices that are out of order or come twice are an error; false saves looking at them, where
  /// they are known to be in order.
  bool validate_indices = true;
  /// The name of its node; empty: the op's.
  std::string name = {};
};
/// The dense tensor.
Tensor to_dense(const SparseInput& sp_input, const ToDenseOptions& options = {});

/// A bool tensor: in the last dimension, of size vocab_size,
/// those elements are true whose numbers are values.
Tensor to_indicator(const SparseInput& sp_input, const Input& vocab_size, const NameOption& options = {});

struct EyeOptions {
  /// Left out: as many as rows.
  OptionalInput num_columns = {};
  /// The dtype of the ones.
  DType dtype = float32;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Ones along the diagonal of a matrix.
SparseTensor eye(const Input& num_rows, const EyeOptions& options = {});

// ---- order and shape

/// The values in the order in which a dense tensor has its elements.
SparseTensor reorder(const SparseInput& sp_input, const NameOption& options = {});
/// The same values in another shape of as many elements; one dimension may be -1.
SparseTensor reshape(const SparseInput& sp_input, const Input& shape, const NameOption& options = {});

struct SparseTransposeOptions {
  /// Which dimension comes where; left out: the other way round.
  OptionalInput perm = {};
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// With dimensions in another order.
SparseTensor transpose(const SparseInput& sp_input, const SparseTransposeOptions& options = {});

struct SparseExpandDimsOptions {
  /// Where the new dimension stands; left out: at the end.
  OptionalInput axis = {};
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// With a further dimension of size 1.
SparseTensor expand_dims(const SparseInput& sp_input, const SparseExpandDimsOptions& options = {});

/// In the shape that is asked for, which must not be smaller; without one in the smallest that holds all.
SparseTensor reset_shape(const SparseInput& sp_input, const OptionalInput& new_shape = {});

struct SparseConcatOptions {
  /// The name of the op; empty: its own.
  std::string name = {};
  /// Whether the other dimensions may differ: the largest counts; false: they must be the same; true for rows
  /// of different lengths.
  bool expand_nonconcat_dim = false;
};
/// Joined along a dimension.
SparseTensor concat(int64_t axis, const List<SparseInput>& sp_inputs,
                    const SparseConcatOptions& options = {});
/// Cut along a dimension into parts of nearly equal size, the greater ones first.
std::vector<SparseTensor> split(const SparseInput& sp_input, int64_t num_split, const Input& axis,
                                const NameOption& options = {});
/// What lies within [start, start + size).
SparseTensor slice(const SparseInput& sp_input, const Input& start, const Input& size,
                   const NameOption& options = {});
/// Those values whose element of a bool vector is true.
SparseTensor retain(const SparseInput& sp_input, const Input& to_retain);

/// What fill_empty_rows gives.
struct FilledEmptyRows {
  /// With a value in each row.
  SparseTensor sp_ordered_output;
  /// bool [rows]: which had none.
  Tensor empty_row_indicator;
};
/// A value in the first column of each row that has none.
FilledEmptyRows fill_empty_rows(const SparseInput& sp_input, const Input& default_value,
                                const NameOption& options = {});

struct SparseMergeOptions {
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// Whether ids come in rising order in each row, so that the result needs no sorting; true where the writer
  /// is known to sort them.
  bool already_sorted = false;
};
/// The values of `sp_values` at the numbers that `sp_ids` has in the same places: in each row element id has
/// the value. `vocab_size`: the number of ids.
SparseTensor merge(const SparseInput& sp_ids, const SparseInput& sp_values, const Input& vocab_size,
                   const SparseMergeOptions& options = {});

// ---- arithmetic

/// The sum of two sparse tensors of one shape, without those whose magnitude is below `threshold`.
SparseTensor add(const SparseInput& a, const SparseInput& b, const Input& threshold = 0);
/// The sum of a sparse and a dense tensor of one shape, a dense one.
Tensor add(const SparseInput& a, const Input& b);
/// The greater of two sparse tensors of one shape, element by element, where either has a value.
SparseTensor maximum(const SparseInput& sp_a, const SparseInput& sp_b, const NameOption& options = {});
/// The smaller one.
SparseTensor minimum(const SparseInput& sp_a, const SparseInput& sp_b, const NameOption& options = {});
/// The softmax of the values of each row of the last dimension.
SparseTensor softmax(const SparseInput& sp_input, const NameOption& options = {});
/// A function of the values, in the same places.
SparseTensor map_values(const std::function<Tensor(const Tensor&)>& op, const SparseInput& sp_input);

struct SparseMatMulOptions {
  /// Whether `a` is transposed and conjugated. Cheaper than a transposition of its own.
  bool adjoint_a = false;
  /// Whether `b` is.
  bool adjoint_b = false;
  /// The name of its node; empty: the function's own.
  std::string name = {};
};
/// A sparse matrix times a dense one.
Tensor sparse_dense_matmul(const SparseInput& sp_a, const Input& b, const SparseMatMulOptions& options = {});

struct SparseReduceOptions {
  /// The dimensions to reduce; left out: all.
  OptionalInput axis = {};
  /// Whether they stay, of size 1; true where the result meets the input again: it broadcasts then.
  bool keepdims = false;
};
/// Sums along dimensions, as a dense tensor.
Tensor reduce_sum(const SparseInput& sp_input, const SparseReduceOptions& options = {});
/// The same as a sparse tensor.
SparseTensor reduce_sum_sparse(const SparseInput& sp_input, const SparseReduceOptions& options = {});
/// The greatest values along dimensions, as a dense tensor: 0 where there is none.
Tensor reduce_max(const SparseInput& sp_input, const SparseReduceOptions& options = {});
/// The same as a sparse tensor.
SparseTensor reduce_max_sparse(const SparseInput& sp_input, const SparseReduceOptions& options = {});

}  // namespace flowray::tf::sparse

namespace flowray::tf::sets {

struct SetOptions {
  /// Whether indices that are out of order or come twice are an error; false saves looking at them, where
  /// they are known to be in order.
  bool validate_indices = true;
};
/// What rows of both have, of two dense tensors of one shape but for the last dimension.
SparseTensor intersection(const Input& a, const Input& b, const SetOptions& options = {});
/// The same of a dense and a sparse tensor.
SparseTensor intersection(const Input& a, const SparseInput& b, const SetOptions& options = {});
/// The same of two sparse tensors.
SparseTensor intersection(const SparseInput& a, const SparseInput& b, const SetOptions& options = {});

struct DifferenceOptions {
  /// Whether what `a` has and `b` lacks; else the other way round.
  bool aminusb = true;
  /// Whether indices that are out of order or come twice are an error; false saves looking at them, where
  /// they are known to be in order.
  bool validate_indices = true;
};
/// What rows of `a` have and those of `b` lack.
SparseTensor difference(const Input& a, const Input& b, const DifferenceOptions& options = {});
/// The same of a dense and a sparse tensor.
SparseTensor difference(const Input& a, const SparseInput& b, const DifferenceOptions& options = {});
/// The same of two sparse tensors.
SparseTensor difference(const SparseInput& a, const SparseInput& b, const DifferenceOptions& options = {});

/// What rows of either have. (TensorFlow's tf.sets.union: a word of C++.)
SparseTensor union_(const Input& a, const Input& b, const SetOptions& options = {});
/// The same of a dense and a sparse tensor.
SparseTensor union_(const Input& a, const SparseInput& b, const SetOptions& options = {});
/// The same of two sparse tensors.
SparseTensor union_(const SparseInput& a, const SparseInput& b, const SetOptions& options = {});

/// How many different values each row has: int32, without the last dimension.
Tensor size(const SparseInput& a, const SetOptions& options = {});

}  // namespace flowray::tf::sets

#pragma GCC visibility pop
