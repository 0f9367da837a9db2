#pragma once
/// Constants, placeholders, shapes, and functions that move, choose, repeat and sort values: what TensorFlow
/// 1 has in array_ops and its siblings.
///
/// Errors of wrong shapes (ValueError) and dtypes (TypeError) are thrown where the function is called, as far
/// as shapes are known there, else in the step (errors::InvalidArgumentError). Nodes, names and attributes
/// are those that TensorFlow's function of the same name makes. A shape may be a list of numbers and scalar
/// tensors, a vector tensor, or a TensorShape. `x[...]` is in flowray/tf/slicing.h.

#include <flowray/tf/graph.h>
#include <flowray/tf/input.h>
#include <flowray/tf/slicing.h>
#include <flowray/tf/variable.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf {

// ---- values that come from outside of the graph

struct ConstantOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// kInvalid: the value's own (int32 and float32 for C++'s int and double).
  DType dtype = DType::kInvalid;
  /// The value's elements in this shape; if they are fewer, the last one is repeated.
  std::optional<TensorShape> shape = std::nullopt;
  /// The name of its node, or of the scope of its nodes.
  std::string name = "Const";
};
/// tf::constant(1), tf::constant({{1., 2.}, {3., 4.}}), tf::constant(array, tf::float32). A Const node.
/// Throws TypeError for a value that the dtype cannot hold ("Expected int32, but got 1.5 of type 'float'."),
/// ValueError for too many values.
Tensor constant(const Input& value, const ConstantOptions& options = {});
/// The same with the dtype as the second argument: tf::constant(1, tf::float32).
template <int = 0>
Tensor constant(const Input& value, DType dtype, ConstantOptions options = {}) {
  options.dtype = dtype;
  return constant(value, options);
}
/// tf.convert_to_tensor: a Const called "Const" unless `value` is a tensor.
Tensor convert_to_tensor(const Input& value, const ConstantOptions& options = {});

/// A value that is fed: tf::placeholder(tf::float32, {tf::None, 784}). A step that is not fed it
/// throws InvalidArgumentError "You must feed a value for placeholder tensor ...". A dimension below
/// -1 is a ValueError.
Tensor placeholder(DType dtype, const TensorShape& shape = TensorShape::unknown_rank(),
                   const NameOption& options = {}, Input::Where where = Input::Where::current());
struct PlaceholderOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The same of any shape: tf::placeholder(tf::float32, {.name = "x"}).
template <int = 0>
Tensor placeholder(DType dtype, const PlaceholderOptions& options,
                   Input::Where where = Input::Where::current()) {
  return placeholder(dtype, TensorShape::unknown_rank(), {.name = options.name}, where);
}
/// `input` where nothing is fed. Its shape must be compatible with `shape`.
Tensor placeholder_with_default(const Input& input, const TensorShape& shape, const NameOption& options = {});

/// What is known of a tensor's value without a session: it follows from constants and shapes.
std::optional<Array> get_static_value(const Tensor& tensor, Input::Where where = Input::Where::current());

// ---- the same value

/// The same value by a node of its own: what reads it can be placed, fed or waited for apart from `input`.
Tensor identity(const Input& input, const NameOption& options = {});
/// Several at once, of whatever dtypes, by one node.
std::vector<Tensor> identity_n(const List<Input>& inputs, const NameOption& options = {});
/// identity through which no gradient flows.
Tensor stop_gradient(const Input& input, const NameOption& options = {});

// ---- filled tensors

/// Zeros (false for bools, "" for strings): a Const where the shape is known and has fewer than 1,000
/// elements, else a Fill.
Tensor zeros(const Input& shape, DType dtype = float32, const NameOption& options = {});
/// Ones (true for bools, "" for strings): a Const where the shape is known and has fewer than 1,000 elements,
/// else a Fill.
Tensor ones(const Input& shape, DType dtype = float32, const NameOption& options = {});
/// The same float32 zeros, with a name: tf::zeros({2}, {.name = "z"}).
template <int = 0>
Tensor zeros(const Input& shape, const NameOption& options) {
  return zeros(shape, float32, options);
}
/// The same float32 ones, with a name: tf::ones({2}, {.name = "o"}).
template <int = 0>
Tensor ones(const Input& shape, const NameOption& options) {
  return ones(shape, float32, options);
}
/// Every element is the scalar `value`, whose dtype it has.
Tensor fill(const Input& dims, const Input& value, const NameOption& options = {});

struct LikeOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// The dtype of the result; kInvalid: the tensor's.
  DType dtype = DType::kInvalid;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// Whether a shape that is known when the node is made becomes a constant of the graph; false: each step
  /// asks the tensor for its shape, for a graph in which another one takes its place later.
  bool optimize = true;
};
/// Zeros of the tensor's shape, known or not.
Tensor zeros_like(const Input& tensor, const LikeOptions& options = {});
/// Ones of the tensor's shape, known or not.
Tensor ones_like(const Input& tensor, const LikeOptions& options = {});
/// The same with the dtype as the second argument.
template <int = 0>
Tensor zeros_like(const Input& tensor, DType dtype, LikeOptions options = {}) {
  options.dtype = dtype;
  return zeros_like(tensor, options);
}
/// The same with the dtype as the second argument.
template <int = 0>
Tensor ones_like(const Input& tensor, DType dtype, LikeOptions options = {}) {
  options.dtype = dtype;
  return ones_like(tensor, options);
}

// ---- shapes

struct ShapeOptions {
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// The dtype of the result: int32 or int64.
  DType out_type = DType::kInt32;
};
/// The shape as a vector; a Const where it is known.
Tensor shape(const Input& input, const ShapeOptions& options = {});
/// The shapes of several tensors, by one ShapeN node.
std::vector<Tensor> shape_n(const List<Input>& inputs, const ShapeOptions& options = {});
/// The number of elements, a scalar; a Const where it is known.
Tensor size(const Input& input, const ShapeOptions& options = {});
/// The number of dimensions, an int32 scalar; a Const where it is known.
Tensor rank(const Input& input, const NameOption& options = {});

/// The same elements in another shape of the same number; one dimension may be -1.
Tensor reshape(const Input& tensor, const Input& shape, const NameOption& options = {});
/// A new dimension of size 1 at `axis` of the result.
Tensor expand_dims(const Input& input, const Input& axis, const NameOption& options = {});

struct SqueezeOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Dimensions of size 1 to remove; none given: all of them.
  OptionalInput axis = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// The older name of axis; ValueError if both are given.
  OptionalInput squeeze_dims = {};
};
/// tf::squeeze(x), tf::squeeze(x, 1), tf::squeeze(x, {0, 2}). The axes are numbers.
Tensor squeeze(const Input& input, const SqueezeOptions& options = {});
/// The same with the axis as the second argument: tf::squeeze(x, 1).
template <AxisLike T>
Tensor squeeze(const Input& input, const T& axis, SqueezeOptions options = {}) {
  options.axis = axis;
  return squeeze(input, options);
}
/// The same with several axes in braces: tf::squeeze(x, {0, 2}).
template <size_t N>
Tensor squeeze(const Input& input, const ListItem (&axis)[N], SqueezeOptions options = {}) {
  options.axis = list_of_items(axis);
  return squeeze(input, options);
}

/// `input` in the given shape: dimensions of size 1, and missing ones in front, are repeated.
Tensor broadcast_to(const Input& input, const Input& shape, const NameOption& options = {});

struct TransposeOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Dimension i of the result is dimension perm[i] of x; left out: in reverse order.
  OptionalInput perm = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The dimensions of x in another order: [2,3,4] by {2, 0, 1} is [4,2,3].
Tensor transpose(const Input& x, const TransposeOptions& options = {});
/// The same with the order as the second argument, a vector or a tensor.
template <InputLike T>
Tensor transpose(const Input& x, const T& perm, TransposeOptions options = {}) {
  options.perm = perm;
  return transpose(x, options);
}
/// The same with the order in braces: tf::transpose(x, {2, 0, 1}).
template <size_t N>
Tensor transpose(const Input& x, const ListItem (&perm)[N], TransposeOptions options = {}) {
  options.perm = list_of_items(perm);
  return transpose(x, options);
}

/// The last two dimensions exchanged. Throws ValueError for a vector or scalar.
Tensor matrix_transpose(const Input& x, const NameOption& options = {});

// ---- together and apart

/// Along an existing dimension: [2,3] and [4,3] along 0 give [6,3].
Tensor concat(const List<Input>& values, const Input& axis, const NameOption& options = {});

struct StackOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Where the new dimension stands, from -(rank + 1) to rank of the values; ValueError for others.
  int64_t axis = 0;
  /// The name of its node, or of the scope of its nodes.
  std::string name = "stack";
};
/// Along a new dimension: n tensors of [2,3] along 0 give [n,2,3].
Tensor stack(const List<Input>& values, const StackOptions& options = {});
/// The same with the axis as the second argument: tf::stack({x, y}, 1).
template <int = 0>
Tensor stack(const List<Input>& values, int64_t axis, StackOptions options = {}) {
  options.axis = axis;
  return stack(values, options);
}

struct UnstackOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// The number of parts, where the shape does not tell it.
  std::optional<int64_t> num = std::nullopt;
  /// The dimension that is taken apart, counted from the end where negative.
  int64_t axis = 0;
  /// The name of its node, or of the scope of its nodes.
  std::string name = "unstack";
};
/// The inverse of stack. Throws ValueError "Cannot infer argument `num` from shape ...".
std::vector<Tensor> unstack(const Input& value, const UnstackOptions& options = {});

struct SplitOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// The dimension that is split, a number or an int32 scalar; left out: 0.
  OptionalInput axis = {};
  /// The number of parts, where the shape of `size_splits` does not tell it.
  std::optional<int64_t> num = std::nullopt;
  /// The name of its node, or of the scope of its nodes.
  std::string name = "split";
};
/// tf::split(x, 3) gives 3 equal parts, tf::split(x, {1, 2, 3}) parts of these sizes (one may be -1), along
/// `axis` (0).
std::vector<Tensor> split(const Input& value, const Input& num_or_size_splits,
                          const SplitOptions& options = {});
/// The same with the axis behind the sizes: tf::split(x, 3, 1).
template <int = 0>
std::vector<Tensor> split(const Input& value, const Input& num_or_size_splits, const Input& axis,
                          SplitOptions options = {}) {
  options.axis = axis;
  return split(value, num_or_size_splits, options);
}

// ---- parts

/// `size` elements (-1: all) from `begin` on in each dimension.
Tensor slice(const Input& input, const Input& begin, const Input& size, const NameOption& options = {});

struct StridedSliceOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Bit i: begin[i] does not count, and item i starts at the first element (the
  /// last one for a negative stride).
  int64_t begin_mask = 0;
  /// Bit i: end[i] does not count, and item i goes as far as it can.
  int64_t end_mask = 0;
  /// Bit i: item i stands for all dimensions that the others leave, as tf::ellipsis; one bit at most.
  int64_t ellipsis_mask = 0;
  /// Bit i: item i is a new dimension of size 1, as tf::newaxis.
  int64_t new_axis_mask = 0;
  /// Bit i: item i takes the one element begin[i], and its dimension is dropped.
  int64_t shrink_axis_mask = 0;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// What x[...] is made of. Bits of the masks stand for items of begin, end and strides.
Tensor strided_slice(const Input& input, const Input& begin, const Input& end, const Input& strides,
                     const StridedSliceOptions& options = {});
/// With strides of 1.
Tensor strided_slice(const Input& input, const Input& begin, const Input& end,
                     const StridedSliceOptions& options = {});

struct GatherOptions {
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// The dimension to gather along; left out: batch_dims.
  OptionalInput axis = {};
  /// How many leading dimensions of params and indices are the same and stay; negative:
  /// counted from indices' end.
  int64_t batch_dims = 0;
};
/// Rows (or slices along axis) of `params` by number: [4,5] by indices of [2,2] gives [2,2,5]. An index
/// outside is an InvalidArgumentError of the step.
Tensor gather(const Input& params, const Input& indices, const GatherOptions& options = {});

struct GatherNdOptions {
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// How many leading dimensions of params and indices are the same and stay.
  int64_t batch_dims = 0;
};
/// Elements (or slices) of `params` by coordinates, the last dimension of `indices`: [4,5] by [6,2] gives
/// [6], by [6,1] [6,5]. Of a resource variable what is asked for is read alone. Throws ValueError for
/// batch_dims below zero, or not below the rank of both.
Tensor gather_nd(const Input& params, const Input& indices, const GatherNdOptions& options = {});

/// Elements of x where the condition (bools of x's shape, or a vector for x's rows, or a scalar) is true,
/// else of y.
Tensor where(const Input& condition, const Input& x, const Input& y, const NameOption& options = {});
/// The coordinates of true elements: int64 [number, rank].
Tensor where(const Input& condition, const NameOption& options = {});
/// Elements of x where the condition is true, else of y; all three broadcast.
Tensor where_v2(const Input& condition, const Input& x, const Input& y, const NameOption& options = {});

struct BooleanMaskOptions {
  /// The name of its node, or of the scope of its nodes.
  std::string name = "boolean_mask";
  /// The first dimension of the tensor that the mask speaks of.
  int64_t axis = 0;
};
/// The elements, or slices, of `tensor` where `mask` is true, one after the other: [2,3,4] by a mask of [2,3]
/// gives [?,4]. Throws ValueError for a scalar mask, one whose number of dimensions is not known, or shapes
/// that do not fit.
Tensor boolean_mask(const Input& tensor, const Input& mask, const BooleanMaskOptions& options = {});

/// Rows of `params` by number, the leading dimensions of both being the same: [2,3,4] by [2,5] is [2,5,4].
/// The older form of tf::gather with batch_dims. Throws ValueError where `indices` has no known rank.
Tensor batch_gather(const Input& params, const Input& indices, const NameOption& options = {});

// ---- repeated and moved

/// x repeated multiples[i] times along dimension i.
Tensor tile(const Input& input, const Input& multiples, const NameOption& options = {});

struct PadOptions {
  /// "CONSTANT", "REFLECT" or "SYMMETRIC".
  std::string mode = "CONSTANT";
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// The scalar that "CONSTANT" fills with.
  Input constant_values = 0;
};
/// paddings[i] = {before, after} dimension i.
Tensor pad(const Input& tensor, const Input& paddings, const PadOptions& options = {});
/// The order along each dimension in `axis` reversed.
Tensor reverse(const Input& tensor, const Input& axis, const NameOption& options = {});
/// y with y[x[i]] = i.
Tensor invert_permutation(const Input& x, const NameOption& options = {});

struct OneHotOptions {
  /// At the index; left out: 1.
  OptionalInput on_value = {};
  /// Everywhere else; left out: 0.
  OptionalInput off_value = {};
  /// Where the new dimension stands; -1: last.
  int64_t axis = -1;
  /// kInvalid: on_value's or off_value's, else float32.
  DType dtype = DType::kInvalid;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Vectors of length `depth` with on_value (1) at the index, off_value (0) elsewhere; all off for an
/// index outside.
Tensor one_hot(const Input& indices, const Input& depth, const OneHotOptions& options = {});

struct RepeatOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// Left out: of the elements in a row.
  std::optional<int64_t> axis = std::nullopt;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Each element along `axis` so many times: {1, 2} by {2, 3} is {1, 1, 2, 2, 2}. `repeats` is a scalar or has
/// one number for each element. The rank of `input` must be known (ValueError).
Tensor repeat(const Input& input, const Input& repeats, const RepeatOptions& options = {});

// ---- masks and grids

struct SequenceMaskOptions {
  NamedFieldsOnly named_fields_only = NamedFieldsOnly();
  /// A scalar, the size of the new dimension; left out: the largest length.
  OptionalInput maxlen = {};
  /// The dtype of the result: true and false become 1 and 0 of it.
  DType dtype = DType::kBool;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// One row for each length, true (1) as long as it goes: lengths of [2] give [2, maxlen]. Throws ValueError
/// for a `maxlen` that is not a scalar.
Tensor sequence_mask(const Input& lengths, const SequenceMaskOptions& options = {});
/// The same with the size as the second argument: tf::sequence_mask(lengths, 5).
template <InputLike T>
Tensor sequence_mask(const Input& lengths, const T& maxlen, SequenceMaskOptions options = {}) {
  options.maxlen = maxlen;
  return sequence_mask(lengths, options);
}

struct MeshgridOptions {
  /// "xy": the second dimension follows the first vector, as in drawings; "ij": the first one does.
  std::string indexing = "xy";
  /// The name of its node, or of the scope of its nodes.
  std::string name = "meshgrid";
};
/// The coordinates of all points of a grid, one tensor for each vector. Throws ValueError for
/// another indexing.
std::vector<Tensor> meshgrid(const List<Input>& args, const MeshgridOptions& options = {});

// ---- blocks of images as images of their own, and back, with one size of blocks for height and width

/// The inverse of space_to_batch, with `crops` taken off the height and width: a [2, 2] matrix.
Tensor batch_to_space(const Input& input, const Input& crops, int64_t block_size,
                      const NameOption& options = {});
/// An image for each place in a block of block_size x block_size pixels. Height and width are filled up with
/// zeros by `paddings`, a [2, 2] matrix, and are multiples of block_size then.
Tensor space_to_batch(const Input& input, const Input& paddings, int64_t block_size,
                      const NameOption& options = {});

// ---- sorted values

struct SortOptions {
  /// The dimension to sort along; -1: the last.
  int64_t axis = -1;
  /// "ASCENDING" or "DESCENDING".
  std::string direction = "ASCENDING";
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The values in order, in the shape of `values`. Throws ValueError for another direction.
Tensor sort(const Input& values, const SortOptions& options = {});
/// Where the values in order stand: int32, in the shape of `values`. Equal ones keep their order.
Tensor argsort(const Input& values, const SortOptions& options = {});

struct SearchsortedOptions {
  /// "left": in front of equal values; "right": behind them. Throws ValueError for anything else.
  std::string side = "left";
  /// The dtype of the result: int32 or int64.
  DType out_type = DType::kInt32;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// Where each of `values` would stand in the sorted sequence, both of the same shape but for the
/// last dimension.
Tensor searchsorted(const Input& sorted_sequence, const Input& values,
                    const SearchsortedOptions& options = {});

}  // namespace flowray::tf

#pragma GCC visibility pop
