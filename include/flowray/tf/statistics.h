#pragma once
/// Counts, spreads, histograms and means of segments: functions of TensorFlow's math_ops that are made of
/// several operations. Nodes and names are those that its functions make.

#include <flowray/tf/math_ops.h>

#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

struct CountNonzeroOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  OptionalInput axis = {};
  bool keepdims = false;
  DType dtype = DType::kInt64;
  std::string name = {};
  /// The older name of axis; ValueError if both are given.
  OptionalInput reduction_indices = {};
  std::optional<bool> keep_dims = std::nullopt;
};
/// How many elements are not 0 (false, ""), as reduce_sum counts.
Tensor count_nonzero(const Input& x, const CountNonzeroOptions& options = {});

struct SpreadOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  OptionalInput axis = {};
  bool keepdims = false;
  std::string name = {};
};

namespace math {
/// The mean of the squared distances from the mean. Throws TypeError for integers.
Tensor reduce_variance(const Input& x, const SpreadOptions& options = {});
/// Its square root.
Tensor reduce_std(const Input& x, const SpreadOptions& options = {});
}  // namespace math

struct HistogramOptions {
  Input nbins = 100;
  /// int32 or int64.
  DType dtype = DType::kInt32;
  std::string name = {};
};
/// How many values are in each of `nbins` equal parts of value_range = {lowest, highest}; what is outside
/// counts in the first or last.
Tensor histogram_fixed_width(const Input& values, const Input& value_range,
                             const HistogramOptions& options = {});
/// In which of the parts each value is, in the shape of `values`.
Tensor histogram_fixed_width_bins(const Input& values, const Input& value_range,
                                  const HistogramOptions& options = {});

/// Of the rows with one number in `segment_ids` the mean: num_segments rows, 0 for a number that is not
/// there.
Tensor unsorted_segment_mean(const Input& data, const Input& segment_ids, const Input& num_segments,
                             const NameOption& options = {});
/// The sum divided by the square root of their number.
Tensor unsorted_segment_sqrt_n(const Input& data, const Input& segment_ids, const Input& num_segments,
                               const NameOption& options = {});

struct AccumulateOptions {
  /// What the sum's shape is known to be.
  TensorShape shape = TensorShape::unknown_rank();
  std::string name = {};
};
/// tf::add_n by its older name. Throws ValueError for an empty list.
Tensor accumulate_n(const std::vector<Input>& inputs, const AccumulateOptions& options = {});

/// log|Beta(x)|, along the last dimension.
Tensor lbeta(const Input& x, const NameOption& options = {});
/// log(sigmoid(x)), which does not overflow.
Tensor log_sigmoid(const Input& x, const NameOption& options = {});
/// A scalar times a tensor. Throws ValueError "Only scalar multiply works, got shape ...".
Tensor scalar_mul(const Input& scalar, const Input& x, const NameOption& options = {});
/// cast that keeps values within the limits of the dtype first. Throws TypeError for dtypes that are no real
/// numbers.
Tensor saturate_cast(const Input& value, DType dtype, const NameOption& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
