#pragma once
/// Arithmetic, comparisons, casts, reductions and matrix products: tf.math of TensorFlow 1, most of which is
/// in tf itself. More of matrices is in flowray/tf/linalg.h.
///
/// Of all of these: shapes of two operands broadcast as in NumPy; a number takes the dtype of the operand
/// before it. Throws, where the function is called, TypeError for dtypes that do not fit and ValueError for
/// shapes that do not; operands of two graphs are a ValueError. Nodes, names and attributes are those that
/// TensorFlow's function of the same name makes.

#include <flowray/tf/input.h>
#include <flowray/tf/variable.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

// ---- one operand, element by element; the result has its shape

/// -x.
Tensor negative(const Input& x, const NameOption& options = {});
/// |x|.
Tensor abs(const Input& x, const NameOption& options = {});
/// x * x.
Tensor square(const Input& x, const NameOption& options = {});
/// The square root; NaN for numbers below 0.
Tensor sqrt(const Input& x, const NameOption& options = {});
/// 1 / sqrt(x).
Tensor rsqrt(const Input& x, const NameOption& options = {});
/// e to the power of x.
Tensor exp(const Input& x, const NameOption& options = {});
/// exp(x) - 1, exact also for small x.
Tensor expm1(const Input& x, const NameOption& options = {});
/// The natural logarithm.
Tensor log(const Input& x, const NameOption& options = {});
/// log(1 + x), exact also for small x.
Tensor log1p(const Input& x, const NameOption& options = {});
/// The sine of x in radians.
Tensor sin(const Input& x, const NameOption& options = {});
/// The cosine of x in radians.
Tensor cos(const Input& x, const NameOption& options = {});
/// The hyperbolic tangent.
Tensor tanh(const Input& x, const NameOption& options = {});
/// 1 / (1 + exp(-x)).
Tensor sigmoid(const Input& x, const NameOption& options = {});
/// The error function.
Tensor erf(const Input& x, const NameOption& options = {});
/// -1, 0 or 1.
Tensor sign(const Input& x, const NameOption& options = {});
/// The largest integer that is not above x, in x's dtype.
Tensor floor(const Input& x, const NameOption& options = {});
/// The smallest integer that is not below x, in x's dtype.
Tensor ceil(const Input& x, const NameOption& options = {});
/// To the nearest integer, halves to the even one. Integers stay as they are, without a node.
Tensor round(const Input& x, const NameOption& options = {});
/// 1 / x.
Tensor reciprocal(const Input& x, const NameOption& options = {});
/// Whether each element is NaN: bools.
Tensor is_nan(const Input& x, const NameOption& options = {});
/// Whether each element is infinite: bools.
Tensor is_inf(const Input& x, const NameOption& options = {});
/// Whether each element is a number and not infinite: bools.
Tensor is_finite(const Input& x, const NameOption& options = {});
/// Whether x, of bools, is false.
Tensor logical_not(const Input& x, const NameOption& options = {});
/// log|Beta(x)|, along the last dimension.
Tensor lbeta(const Input& x, const NameOption& options = {});
/// log(sigmoid(x)), which does not overflow.
Tensor log_sigmoid(const Input& x, const NameOption& options = {});

// ---- parts of complex numbers; real numbers are complex ones without an imaginary part

/// The real part; of real numbers the tensor itself.
Tensor real(const Input& input, const NameOption& options = {});
/// The imaginary part; of real numbers zeros.
Tensor imag(const Input& input, const NameOption& options = {});
/// The conjugate; of real numbers the tensor itself. Throws TypeError for dtypes that are not numeric.
Tensor conj(const Input& x, const NameOption& options = {});
/// The angle to the positive real axis, in radians: 0 or pi for real numbers.
Tensor angle(const Input& input, const NameOption& options = {});

// ---- two operands of one dtype, element by element

/// x + y; strings are joined.
Tensor add(const Input& x, const Input& y, const NameOption& options = {});
/// x - y.
Tensor subtract(const Input& x, const Input& y, const NameOption& options = {});
/// x * y.
Tensor multiply(const Input& x, const Input& y, const NameOption& options = {});
/// x / y as the operator divides: integers become float64 (8 and 16 bits: float32) first.
Tensor divide(const Input& x, const Input& y, const NameOption& options = {});
/// Integers become float64 (of 8 and 16 bits: float32) first.
Tensor truediv(const Input& x, const Input& y, const NameOption& options = {});
/// Python 2's division: of integers rounded down, else exact.
Tensor div(const Input& x, const Input& y, const NameOption& options = {});
/// x / y rounded down, also of floats: the quotient that goes with floormod.
Tensor floordiv(const Input& x, const Input& y, const NameOption& options = {});
/// floordiv by the older name, which the node bears.
Tensor floor_div(const Input& x, const Input& y, const NameOption& options = {});
/// x / y of floats and complex numbers.
Tensor realdiv(const Input& x, const Input& y, const NameOption& options = {});
/// Rounded towards zero, of integers.
Tensor truncatediv(const Input& x, const Input& y, const NameOption& options = {});
/// 0 where y is 0. Integers become floats as in truediv.
Tensor div_no_nan(const Input& x, const Input& y, const NameOption& options = {});
/// x - floordiv(x, y) * y: has the sign of y.
Tensor mod(const Input& x, const Input& y, const NameOption& options = {});
/// mod by another name.
Tensor floormod(const Input& x, const Input& y, const NameOption& options = {});
/// Has the sign of x, as C++'s %.
Tensor truncatemod(const Input& x, const Input& y, const NameOption& options = {});
/// The greater of x and y.
Tensor maximum(const Input& x, const Input& y, const NameOption& options = {});
/// The smaller of x and y.
Tensor minimum(const Input& x, const Input& y, const NameOption& options = {});
/// x to the power of y.
Tensor pow(const Input& x, const Input& y, const NameOption& options = {});
/// (x - y) * (x - y).
Tensor squared_difference(const Input& x, const Input& y, const NameOption& options = {});

/// x == y. Comparisons give bools.
Tensor equal(const Input& x, const Input& y, const NameOption& options = {});
/// x != y.
Tensor not_equal(const Input& x, const Input& y, const NameOption& options = {});
/// x < y.
Tensor less(const Input& x, const Input& y, const NameOption& options = {});
/// x <= y.
Tensor less_equal(const Input& x, const Input& y, const NameOption& options = {});
/// x > y.
Tensor greater(const Input& x, const Input& y, const NameOption& options = {});
/// x >= y.
Tensor greater_equal(const Input& x, const Input& y, const NameOption& options = {});
/// x and y, of bools.
Tensor logical_and(const Input& x, const Input& y, const NameOption& options = {});
/// x or y.
Tensor logical_or(const Input& x, const Input& y, const NameOption& options = {});
/// Either x or y, but not both.
Tensor logical_xor(const Input& x, const Input& y, const NameOption& options = {});

/// A scalar times a tensor. Throws ValueError "Only scalar multiply works, got shape ...".
Tensor scalar_mul(const Input& scalar, const Input& x, const NameOption& options = {});

// ---- several operands

/// The sum of tensors of one shape and dtype; one alone is returned as it is. Throws ValueError for none.
Tensor add_n(const List<Input>& inputs, const NameOption& options = {});
/// minimum and then maximum; the limits must not make the shape larger (ValueError).
Tensor clip_by_value(const Input& t, const Input& clip_value_min, const Input& clip_value_max,
                     const NameOption& options = {});

struct AccumulateOptions {
  /// What the sum's shape is known to be.
  TensorShape shape = TensorShape::unknown_rank();
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// tf::add_n by its older name. Throws ValueError for an empty list.
Tensor accumulate_n(const List<Input>& inputs, const AccumulateOptions& options = {});

// ---- gradients and other tensors that are kept within a length

struct ClipByNormOptions {
  /// The dimensions that a length is measured along; none: all.
  OptionalInput axes = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// t, made shorter where its Euclidean length is more than `clip_norm`.
Tensor clip_by_norm(const Input& t, const Input& clip_norm, const ClipByNormOptions& options = {});
/// t, made shorter where its Euclidean length divided by the number of its elements is more than `clip_norm`.
Tensor clip_by_average_norm(const Input& t, const Input& clip_norm, const NameOption& options = {});
/// The Euclidean length of all of them together; a None counts as nothing.
Tensor global_norm(const List<Tensor>& t_list, const NameOption& options = {});

struct ClipByGlobalNormOptions {
  /// What the length is taken to be; none: global_norm(t_list).
  OptionalInput use_norm = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
struct ClippedTensors {
  /// The tensors, in their order; a None stays one.
  std::vector<Tensor> tensors;
  Tensor norm;  // their length before
};
/// The tensors, all made shorter by the same factor where they are longer than `clip_norm` together. A length
/// of NaN makes them all NaN.
ClippedTensors clip_by_global_norm(const List<Tensor>& t_list, const Input& clip_norm,
                                   const ClipByGlobalNormOptions& options = {});

// ---- dtypes

/// The DType called "float32", "bool", ... Throws TypeError for other words.
DType as_dtype(std::string_view type_value);
/// Element by element as C++ converts; a tensor that has the dtype already is returned as it is.
Tensor cast(const Input& x, DType dtype, const NameOption& options = {});
/// cast to float32.
Tensor to_float(const Input& x, const NameOption& options = {});
/// cast to float64.
Tensor to_double(const Input& x, const NameOption& options = {});
/// cast to int32.
Tensor to_int32(const Input& x, const NameOption& options = {});
/// cast to int64.
Tensor to_int64(const Input& x, const NameOption& options = {});
/// cast that keeps values within the limits of the dtype first. Throws TypeError for other
/// dtypes than those of real numbers.
Tensor saturate_cast(const Input& value, DType dtype, const NameOption& options = {});

// ---- ranges

struct RangeOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Left out: the widest of start, limit and delta.
  DType dtype = DType::kInvalid;
  /// The name of its node, or of the scope of its nodes.
  std::string name = "range";
};
/// The vector 0, 1, ... below `limit`. Scalars, integers or floats.
Tensor range(const Input& limit, const RangeOptions& options = {});
/// The vector start, start + delta, ... as long as it is below `limit` (above, for a negative delta).
Tensor range(const Input& start, const Input& limit, const Input& delta, const RangeOptions& options = {});
/// The same by steps of 1: tf::range(2, 5) is {2, 3, 4}.
template <InputLike T>
Tensor range(const Input& start, const T& limit, const RangeOptions& options = {}) {
  return range(start, limit, Input(1, start.where()), options);
}

// ---- reductions

struct ReduceOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Dimensions to reduce: one, a list, or an int32 or int64 tensor; negative ones count from the end. Left
  /// out: all.
  OptionalInput axis = {};
  /// Keeps reduced dimensions, with size 1; true where the result meets the input again: it broadcasts then.
  bool keepdims = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// The older names of axis and keepdims; ValueError if both are given.
  OptionalInput reduction_indices = {};
  /// The older name of keepdims; ValueError if both are given.
  std::optional<bool> keep_dims = std::nullopt;
};

/// reduce_sum(x), reduce_sum(x, 1), reduce_sum(x, {0, 2}, {.keepdims = true}), reduce_sum(x,
/// {.reduction_indices = 1}). The result is x's shape without the reduced dimensions, so a scalar where no
/// axis is given.
Tensor reduce_sum(const Input& x, const ReduceOptions& options = {});
/// The mean of the elements; of integers rounded towards zero.
Tensor reduce_mean(const Input& x, const ReduceOptions& options = {});
/// The largest element.
Tensor reduce_max(const Input& x, const ReduceOptions& options = {});
/// The smallest element.
Tensor reduce_min(const Input& x, const ReduceOptions& options = {});
/// The product of the elements.
Tensor reduce_prod(const Input& x, const ReduceOptions& options = {});
/// Whether all of the elements, which are bools, are true.
Tensor reduce_all(const Input& x, const ReduceOptions& options = {});
/// Whether any of the elements, which are bools, is true.
Tensor reduce_any(const Input& x, const ReduceOptions& options = {});
/// log(sum(exp(x))), computed so that nothing overflows.
Tensor reduce_logsumexp(const Input& x, const ReduceOptions& options = {});

// The axis, or a list of them, as the second argument. (Templates, so that braces with a field in them are
// options: a name that none has is an error.)

/// The same along the second argument, one axis or a tensor of them: reduce_sum(x, 1).
template <AxisLike T>
Tensor reduce_sum(const Input& x, const T& axis, ReduceOptions options = {}) {
  options.axis = axis;
  return reduce_sum(x, options);
}
/// The same along the axes in braces: reduce_sum(x, {0, 2}).
template <size_t N>
Tensor reduce_sum(const Input& x, const ListItem (&axis)[N], ReduceOptions options = {}) {
  options.axis = list_of_items(axis);
  return reduce_sum(x, options);
}
/// The same along the second argument, one axis or a tensor of them: reduce_mean(x, 1).
template <AxisLike T>
Tensor reduce_mean(const Input& x, const T& axis, ReduceOptions options = {}) {
  options.axis = axis;
  return reduce_mean(x, options);
}
/// The same along the axes in braces: reduce_mean(x, {0, 2}).
template <size_t N>
Tensor reduce_mean(const Input& x, const ListItem (&axis)[N], ReduceOptions options = {}) {
  options.axis = list_of_items(axis);
  return reduce_mean(x, options);
}
/// The same along the second argument, one axis or a tensor of them: reduce_max(x, 1).
template <AxisLike T>
Tensor reduce_max(const Input& x, const T& axis, ReduceOptions options = {}) {
  options.axis = axis;
  return reduce_max(x, options);
}
/// The same along the axes in braces: reduce_max(x, {0, 2}).
template <size_t N>
Tensor reduce_max(const Input& x, const ListItem (&axis)[N], ReduceOptions options = {}) {
  options.axis = list_of_items(axis);
  return reduce_max(x, options);
}
/// The same along the second argument, one axis or a tensor of them: reduce_min(x, 1).
template <AxisLike T>
Tensor reduce_min(const Input& x, const T& axis, ReduceOptions options = {}) {
  options.axis = axis;
  return reduce_min(x, options);
}
/// The same along the axes in braces: reduce_min(x, {0, 2}).
template <size_t N>
Tensor reduce_min(const Input& x, const ListItem (&axis)[N], ReduceOptions options = {}) {
  options.axis = list_of_items(axis);
  return reduce_min(x, options);
}
/// The same along the second argument, one axis or a tensor of them: reduce_prod(x, 1).
template <AxisLike T>
Tensor reduce_prod(const Input& x, const T& axis, ReduceOptions options = {}) {
  options.axis = axis;
  return reduce_prod(x, options);
}
/// The same along the axes in braces: reduce_prod(x, {0, 2}).
template <size_t N>
Tensor reduce_prod(const Input& x, const ListItem (&axis)[N], ReduceOptions options = {}) {
  options.axis = list_of_items(axis);
  return reduce_prod(x, options);
}
/// The same along the second argument, one axis or a tensor of them: reduce_all(x, 1).
template <AxisLike T>
Tensor reduce_all(const Input& x, const T& axis, ReduceOptions options = {}) {
  options.axis = axis;
  return reduce_all(x, options);
}
/// The same along the axes in braces: reduce_all(x, {0, 2}).
template <size_t N>
Tensor reduce_all(const Input& x, const ListItem (&axis)[N], ReduceOptions options = {}) {
  options.axis = list_of_items(axis);
  return reduce_all(x, options);
}
/// The same along the second argument, one axis or a tensor of them: reduce_any(x, 1).
template <AxisLike T>
Tensor reduce_any(const Input& x, const T& axis, ReduceOptions options = {}) {
  options.axis = axis;
  return reduce_any(x, options);
}
/// The same along the axes in braces: reduce_any(x, {0, 2}).
template <size_t N>
Tensor reduce_any(const Input& x, const ListItem (&axis)[N], ReduceOptions options = {}) {
  options.axis = list_of_items(axis);
  return reduce_any(x, options);
}
/// The same along the second argument, one axis or a tensor of them: reduce_logsumexp(x, 1).
template <AxisLike T>
Tensor reduce_logsumexp(const Input& x, const T& axis, ReduceOptions options = {}) {
  options.axis = axis;
  return reduce_logsumexp(x, options);
}
/// The same along the axes in braces: reduce_logsumexp(x, {0, 2}).
template <size_t N>
Tensor reduce_logsumexp(const Input& x, const ListItem (&axis)[N], ReduceOptions options = {}) {
  options.axis = list_of_items(axis);
  return reduce_logsumexp(x, options);
}

struct CountNonzeroOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Dimensions to count along: one, a list, or a tensor; negative ones count from the end. Left out: all.
  OptionalInput axis = {};
  /// Keeps reduced dimensions, with size 1; true where the result meets the input again: it broadcasts then.
  bool keepdims = false;
  /// The dtype of the counts.
  DType dtype = DType::kInt64;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// The older name of axis; ValueError if both are given.
  OptionalInput reduction_indices = {};
  /// The older name of keepdims; ValueError if both are given.
  std::optional<bool> keep_dims = std::nullopt;
};
/// How many elements are not 0 (false, ""), as reduce_sum counts.
Tensor count_nonzero(const Input& x, const CountNonzeroOptions& options = {});

struct ArgMaxOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// The dimension along which to look; left out: 0.
  OptionalInput axis = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// The older name of axis; ValueError if both are given.
  OptionalInput dimension = {};
  /// The dtype of the result: int64 or int32.
  DType output_type = DType::kInt64;
};
/// Where along the axis the largest (smallest) element stands, the first of equal ones: x's shape without
/// that dimension.
Tensor argmax(const Input& x, const ArgMaxOptions& options = {});
/// Where along the axis the smallest element stands, the first of equal ones:
/// x's shape without that dimension.
Tensor argmin(const Input& x, const ArgMaxOptions& options = {});
/// The same along the second argument, a number or a scalar tensor: argmax(x, 1).
template <InputLike T>
Tensor argmax(const Input& x, const T& axis, ArgMaxOptions options = {}) {
  options.axis = axis;
  return argmax(x, options);
}
/// The same along the second argument, a number or a scalar tensor: argmin(x, 1).
template <InputLike T>
Tensor argmin(const Input& x, const T& axis, ArgMaxOptions options = {}) {
  options.axis = axis;
  return argmin(x, options);
}

// ---- counts and histograms

struct BincountOptions {
  /// What each value counts; left out: 1.
  OptionalInput weights = {};
  /// The least and the largest number of bins.
  OptionalInput minlength = {};
  /// The largest number of bins: values from it on are not counted.
  OptionalInput maxlength = {};
  /// Of the counts where there are no weights.
  DType dtype = DType::kInt32;
};
/// How often 0, 1, 2, ... stand in `arr`.
Tensor bincount(const Input& arr, const BincountOptions& options = {});

struct HistogramOptions {
  /// How many parts there are, an int32 scalar; above 0.
  Input nbins = 100;
  /// The dtype of the result: int32 or int64.
  DType dtype = DType::kInt32;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// How many values are in each of `nbins` equal parts of value_range = {lowest, highest}; what is outside
/// counts in the first or last.
Tensor histogram_fixed_width(const Input& values, const Input& value_range,
                             const HistogramOptions& options = {});
/// In which of the parts each value is, in the shape of `values`.
Tensor histogram_fixed_width_bins(const Input& values, const Input& value_range,
                                  const HistogramOptions& options = {});

// ---- rows put together by segments

/// The mean of the rows with one number in `segment_ids`: num_segments rows,
/// 0 for a number that is not there.
Tensor unsorted_segment_mean(const Input& data, const Input& segment_ids, const Input& num_segments,
                             const NameOption& options = {});
/// The sum of the rows with one number in `segment_ids`, divided by the square root of their number.
Tensor unsorted_segment_sqrt_n(const Input& data, const Input& segment_ids, const Input& num_segments,
                               const NameOption& options = {});

struct SparseSegmentOptions {
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// How many rows the result has; left out: one for each id up to the last.
  OptionalInput num_segments = {};
  /// Whether the gradient is of the rows that were read (IndexedSlices), not of the whole tensor; true for
  /// large tables of which a step reads few rows.
  bool sparse_gradient = false;
};
/// The sums of the rows data[indices[i]] with the same segment_ids[i], which must not fall.
Tensor sparse_segment_sum(const Input& data, const Input& indices, const Input& segment_ids,
                          const SparseSegmentOptions& options = {});
/// The means of the rows data[indices[i]] with the same segment_ids[i], which must not fall.
Tensor sparse_segment_mean(const Input& data, const Input& indices, const Input& segment_ids,
                           const SparseSegmentOptions& options = {});
/// The sums of the rows data[indices[i]] with the same segment_ids[i],
/// divided by the square root of their number.
Tensor sparse_segment_sqrt_n(const Input& data, const Input& indices, const Input& segment_ids,
                             const SparseSegmentOptions& options = {});

// ---- orders

/// Whether no element is less than the one before it, the dimensions read in a row: a bool scalar.
Tensor is_non_decreasing(const Input& x, const NameOption& options = {});
/// Whether each element is more than the one before it.
Tensor is_strictly_increasing(const Input& x, const NameOption& options = {});

// ---- matrix products

struct MatMulOptions {
  /// Whether the last two dimensions of a are exchanged first. Cheaper than transposing it in a node of its
  /// own.
  bool transpose_a = false;
  /// The same of b.
  bool transpose_b = false;
  /// Conjugated and transposed; for real numbers the same as transposed.
  bool adjoint_a = false;
  /// The same of b.
  bool adjoint_b = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// [..., n, k] times [..., k, m] gives [..., n, m]. Two matrices make a MatMul, more dimensions a
/// BatchMatMulV2 whose leading dimensions broadcast. Throws ValueError for transpose and adjoint of the
/// same operand.
Tensor matmul(const Input& a, const Input& b, const MatMulOptions& options = {});

/// The sums of products of elements over some dimensions of both: a's `a_axes` are summed with b's `b_axes`,
/// one after the other; what is left of a's dimensions stands before what is left of b's. Throws ValueError
/// where the lists differ in length or an axis is out of range, UnimplementedError where a rank is not known.
Tensor tensordot(const Input& a, const Input& b, const std::vector<int64_t>& a_axes,
                 const std::vector<int64_t>& b_axes, const NameOption& options = {});
struct TensordotOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The last `axes` dimensions of a with the first of b.
Tensor tensordot(const Input& a, const Input& b, int64_t axes, const TensordotOptions& options = {});

// ---- what only tf.math has

struct SpreadOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Dimensions to reduce: one, a list, or a tensor; negative ones count from the end. Left out: all.
  OptionalInput axis = {};
  /// Keeps reduced dimensions, with size 1; true where the result meets the input again: it broadcasts then.
  bool keepdims = false;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};

namespace math {
/// The mean of the squared distances from the mean. Throws TypeError for integers.
Tensor reduce_variance(const Input& x, const SpreadOptions& options = {});
/// The square root of reduce_variance: the standard deviation. Throws TypeError for integers.
Tensor reduce_std(const Input& x, const SpreadOptions& options = {});

/// 1 / x, and 0 where x is 0.
Tensor reciprocal_no_nan(const Input& x, const NameOption& options = {});
}  // namespace math

}  // namespace flowray::tf

#pragma GCC visibility pop
