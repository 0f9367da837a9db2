// Sparse tensors in another order or shape, put together and taken apart.

#include "core/checked_size.h"
#include "graph/constant_value.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/word_access.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "ops/sparse/register.h"
#include "ops/sparse/sparse_nodes.h"
#include "ops/sparse/sparse_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::ShapeContext;

Array vector_of(const std::vector<int64_t>& numbers) { return Array(numbers); }

// ---- SparseReorder

void reorder_shape(ShapeContext& context) {
  context.set_output(0, context.with_rank(0, 2));
  context.set_output(1, context.with_rank(1, 1));
  context.with_rank(2, 1);
}

void reorder(DynamicCall& call) {
  const Array& indices = call.in(0);
  const auto check = [](const Array& part, int rank, std::string_view what) {
    if (part.rank() != rank)
      invalid_argument(fmt::format("Sparse {} must be rank {} but is rank {}", what, rank, part.rank()));
  };
  check(indices, 2, "indices");
  check(call.in(1), 1, "values");
  check(call.in(2), 1, "shape");
  const std::vector<int64_t> dims = checked_dims(call.in(2));
  check_sparse(indices, call.in(1), dims);
  const Coordinates coordinates(indices);
  if (are_in_order(coordinates, dims)) {
    call.set_out(0, indices);
    call.set_out(1, call.in(1));
    return;
  }
  const std::vector<int64_t> rows = sorted_rows(coordinates, all_axes(coordinates.depth()));
  call.set_out(0, picked_rows(indices, rows));
  call.set_out(1, picked_rows(call.in(1), rows));
}

/// Where each value came from is found by sorting their numbers in the same way.
std::vector<Endpoint> reorder_gradient(GradientContext& g) {
  const Endpoint count = python_element(g, python_shape(g, g.input(0)), 0);
  const Endpoint numbers = python_range(g, 0, count);
  {
    const graph::NameScope unordered(g.graph(), "SparseTensor");
  }  // takes the name, as Python's does
  const Endpoint order = python_reordered(g, {g.input(0), numbers, g.input(2)}).values;
  const Endpoint places = g.op("InvertPermutation", {order});
  return {{}, python_gather(g, g.grad(1), places), {}};
}

// ---- SparseReshape

void reshape_shape(ShapeContext& context) {
  const Shape indices = context.with_rank(0, 2);
  context.with_rank(1, 1);
  const Shape dims = context.with_rank(2, 1);
  context.set_output(0, Shape{indices.dim(0), dims.dim(0)});
  context.set_output(1, dims);
}

/// The dimensions that are asked for, the one that is left open worked out.
std::vector<int64_t> completed_dims(std::vector<int64_t> asked, std::span<const int64_t> from) {
  const int64_t size = Shape(from).num_elements();
  std::optional<size_t> open;
  CheckedSize product = checked(1);
  for (size_t d = 0; d < asked.size(); ++d) {
    if (asked[d] == -1) {
      if (open.has_value()) {
        invalid_argument(fmt::format("only one output dimension may be -1, not both {} and {}", *open, d));
      }
      open = d;
    } else if (asked[d] < 0) {
      invalid_argument(fmt::format("size {} must be non-negative, not {}", d, asked[d]));
    } else {
      product *= asked[d];
    }
  }
  if (open.has_value()) {
    if (product == 0) {
      invalid_argument(
          "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes "
          "are non-zero");
    }
    if (size % product != 0) {
      asked[*open] = 1;
      invalid_argument(fmt::format(
          "Input to reshape is a SparseTensor with {} dense values, but the requested shape requires a "
          "multiple of {}. input_shape={} output_shape={}",
          size, int64_t{product}, numbers_text(from), numbers_text(asked)));
    }
    asked[*open] = size / product;
    product *= asked[*open];
  }
  if (product != size) {
    invalid_argument(fmt::format(
        "Input to reshape is a tensor with {} dense values, but the requested shape has {}. input_shape={} "
        "output_shape={}",
        size, int64_t{product}, numbers_text(from), numbers_text(asked)));
  }
  return asked;
}

/// Each coordinate as the place of its element, and that as a coordinate of the other shape.
Array reshaped_coordinates(const Coordinates& from, std::span<const int64_t> dims,
                           std::span<const int64_t> to) {
  // An array, which is refused where it is too large: of no coordinates each there may be 2^62.
  Array reshaped(DType::kInt64, Shape{from.count(), std::ssize(to)});
  auto* const numbers = reshaped.mutable_data<int64_t>();
  for (int64_t i = 0; i < from.count(); ++i) {
    const auto at = from[i];
    CheckedSize place = checked(0);
    for (size_t d = 0; d < dims.size(); ++d) place = place * dims[d] + at[d];
    int64_t rest = place;
    int64_t* const out = numbers + i * std::ssize(to);
    for (size_t d = to.size(); d-- > 0;) {
      // The first takes what is left, of a coordinate that is out of bounds as well.
      out[d] = d == 0 ? rest : rest % to[d];
      rest = d == 0 ? 0 : rest / to[d];
    }
  }
  return reshaped;
}

void reshape(DynamicCall& call) {
  const Array& indices = call.in(0);
  check_rank(indices, 2, "Input indices should be a matrix but received shape");
  check_rank(call.in(1), 1, "Input shape should be a vector but received shape");
  check_rank(call.in(2), 1, "Target shape should be a vector but received shape");
  const std::vector<int64_t> from = checked_dims(call.in(1));
  const std::vector<int64_t> to = completed_dims(graph::to_integers(call.in(2)), from);
  if (from == to) {
    call.set_out(0, indices);
    call.set_out(1, call.in(1));
    return;
  }
  if (std::ssize(from) != indices.dim(1)) {
    invalid_argument(fmt::format("Input tensor rank must match input shape length.\nThere are {} and {}",
                                 indices.dim(1), from.size()));
  }
  if (indices.dim(0) > 0 && Shape(from).num_elements() == 0) {
    invalid_argument(fmt::format(
        "Input tensor has {} non zero elements but input shape ({}) or output shape ({}) is empty",
        indices.dim(0), numbers_text(from), numbers_text(to)));
  }
  call.set_out(0, reshaped_coordinates(Coordinates(indices), from, to));
  call.set_out(1, vector_of(to));
}

// ---- SparseConcat

void concat_shape(ShapeContext& context) {
  const int n = context.num_inputs() / 3;
  CheckedSize rows = checked(0);
  bool rows_are_known = true;
  int64_t columns = kUnknown;
  Shape dims = Shape{kUnknown};
  for (int i = 0; i < n; ++i) {
    const Shape indices = context.with_rank(i, 2);
    const Shape values = context.with_rank(i + n, 1);
    const Shape shape = context.with_rank(i + 2 * n, 1);
    const int64_t count = ShapeContext::merge_dim(indices.dim(0), values.dim(0));
    rows_are_known = rows_are_known && count >= 0;
    if (rows_are_known) rows += count;
    columns = ShapeContext::merge_dim(columns, indices.dim(1));
    dims.set_dim(0, ShapeContext::merge_dim(dims.dim(0), shape.dim(0)));
  }
  const int64_t count = rows_are_known ? int64_t{rows} : kUnknown;
  context.set_output(0, Shape{count, columns});
  context.set_output(1, Shape{count});
  context.set_output(2, dims);
}

/// The inputs of a concatenation.
struct SparseList {
  std::vector<Array> indices;
  std::vector<Array> values;
  std::vector<std::vector<int64_t>> dims;
};

SparseList checked_list(const DynamicCall& call) {
  const int n = call.num_inputs() / 3;
  const auto check = [&](int first, int rank, std::string_view what) {
    for (int i = 0; i < n; ++i) {
      const Array& part = call.in(first + i);
      if (part.rank() != rank) {
        invalid_argument(
            fmt::format("Input {} received shape {} at position {}", what, part.shape().to_string(), i));
      }
    }
  };
  check(0, 2, "indices should be a matrix but");
  check(n, 1, "values should be a vector but");
  check(2 * n, 1, "shapes should be a vector but");
  SparseList list;
  for (int i = 0; i < n; ++i) {
    list.indices.push_back(call.in(i));
    list.values.push_back(call.in(n + i));
    list.dims.push_back(checked_dims(call.in(2 * n + i)));
  }
  return list;
}

/// The dimension to join along, after whether all the others are the same was looked at.
size_t checked_concat_axis(const SparseList& list, int64_t asked) {
  const std::vector<int64_t>& first = list.dims.front();
  const int64_t rank = std::ssize(first);
  const int64_t axis = asked < 0 ? asked + rank : asked;
  if (axis < 0 || axis >= rank) {
    invalid_argument(fmt::format("Concat dimension must be in range [{}, {}), got {}", -rank, rank, asked));
  }
  for (size_t i = 1; i < list.dims.size(); ++i) {
    const std::vector<int64_t>& dims = list.dims[i];
    if (std::ssize(dims) != rank) {
      invalid_argument(
          fmt::format("Ranks of all input tensors must match: expected {} but got {} at position {}", rank,
                      dims.size(), i));
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      if (static_cast<int64_t>(d) == axis || dims[d] == first[d]) continue;
      invalid_argument(
          fmt::format("Input shapes must match: expected {} for dimension {} but got {} at position {}",
                      first[d], d, dims[d], i));
    }
  }
  return static_cast<size_t>(axis);
}

void concat(DynamicCall& call) {
  const SparseList list = checked_list(call);
  const size_t axis = checked_concat_axis(list, call.attrs().get<int64_t>("concat_dim"));
  std::vector<int64_t> dims = list.dims.front();
  int64_t count = 0;
  for (size_t i = 0; i < list.indices.size(); ++i) {
    check_sparse(list.indices[i], list.values[i], list.dims[i]);
    count += list.indices[i].dim(0);
  }
  std::vector<int64_t> numbers;
  numbers.reserve(static_cast<size_t>(count) * dims.size());  // size: of coordinates that have values
  Array values(list.values.front().dtype(), Shape{count});
  CheckedSize offset = checked(0);
  int64_t row = 0;
  for (size_t i = 0; i < list.indices.size(); ++i) {
    const Coordinates part(list.indices[i]);
    for (int64_t k = 0; k < part.count(); ++k) {
      const auto at = part[k];
      for (size_t d = 0; d < at.size(); ++d) numbers.push_back(d == axis ? offset + at[d] : checked(at[d]));
    }
    for_words(values.dtype(), [&]<class W>() {
      copy_words(words_in<W>(list.values[i]), words_in<W>(values) + row, part.count());
    });
    row += part.count();
    offset += list.dims[i][axis];
  }
  dims[axis] = offset;
  const Array indices = coordinates_of(numbers, count, std::ssize(dims));
  const std::vector<int64_t> rows = sorted_rows(Coordinates(indices), all_axes(std::ssize(dims)));
  call.set_out(0, picked_rows(indices, rows));
  call.set_out(1, picked_rows(values, rows));
  call.set_out(2, vector_of(dims));
}

// ---- SparseSlice, SparseSplit

void slice_shape(ShapeContext& context) {
  const Shape& dims = context.input(2);
  context.set_output(0, Shape{kUnknown, dims.num_elements()});
  context.set_output(1, Shape{kUnknown});
  context.set_output(2, dims);
}

/// What lies within [start, start + size) of each dimension, the coordinates counted from there.
struct SparseBox {
  std::vector<int64_t> start;
  std::vector<int64_t> size;

  bool contains(std::span<const int64_t> at) const {
    for (size_t d = 0; d < at.size(); ++d) {
      if (at[d] < start[d] || at[d] - start[d] >= size[d]) return false;
    }
    return true;
  }
};

struct SparsePart {
  Array indices;
  Array values;
};

SparsePart part_in(const SparseBox& box, const Array& indices, const Array& values) {
  const Coordinates coordinates(indices);
  std::vector<int64_t> rows;
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    const auto at = coordinates[i];
    if (!box.contains(at)) continue;
    rows.push_back(i);
    for (size_t d = 0; d < at.size(); ++d) numbers.push_back(at[d] - box.start[d]);
  }
  return {coordinates_of(numbers, std::ssize(rows), coordinates.depth()), picked_rows(values, rows)};
}

void check_slice(const DynamicCall& call) {
  const Array& indices = call.in(0);
  const Array& values = call.in(1);
  const Array& dims = call.in(2);
  const auto check = [](const Array& array, int rank, std::string_view what) {
    if (array.rank() != rank)
      invalid_argument(fmt::format("Sparse {} must be rank {} but is rank {}", what, rank, array.rank()));
  };
  check(indices, 2, "indices");
  check(values, 1, "values");
  check(dims, 1, "shape");
  if (values.dim(0) != indices.dim(0)) {
    invalid_argument(fmt::format("Number of elements in indices ({}) and values ({}) do not match",
                                 indices.dim(0), values.dim(0)));
  }
  if (dims.size() != indices.dim(1)) {
    invalid_argument(
        fmt::format("Index rank ({}) and shape rank ({}) do not match", indices.dim(1), dims.size()));
  }
  check_rank(call.in(3), 1, "Input start should be a vector but received shape");
  check_rank(call.in(4), 1, "Input size should be a vector but received shape");
  const auto check_length = [&](const Array& array, std::string_view what) {
    if (array.size() != dims.size()) {
      invalid_argument(fmt::format("Expected {} to be a vector of length {} but got length {}", what,
                                   dims.size(), array.size()));
    }
  };
  check_length(call.in(3), "start");
  check_length(call.in(4), "size");
}

void slice(DynamicCall& call) {
  check_slice(call);
  const std::vector<int64_t> dims = checked_dims(call.in(2));
  SparseBox box{graph::to_integers(call.in(3)), graph::to_integers(call.in(4))};
  std::vector<int64_t> out_dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (box.size[d] < 0 || box.start[d] < 0) {
      invalid_argument(fmt::format("Slice start and size must not be negative.\nDimension {} has {} and {}",
                                   d, box.start[d], box.size[d]));
    }
    const int64_t rest = std::max<int64_t>(dims[d] - box.start[d], 0);
    out_dims.push_back(std::min(box.size[d], rest));
  }
  const SparsePart part = part_in(box, call.in(0), call.in(1));
  call.set_out(0, part.indices);
  call.set_out(1, part.values);
  call.set_out(2, vector_of(out_dims));
}

std::vector<Endpoint> slice_gradient(GradientContext& g) {
  const Endpoint values = g.op("SparseSliceGrad", {g.grad(1), g.input(0), g.input(3), g.output(0)});
  return {{}, values, {}, {}, {}};
}

void slice_grad_shape(ShapeContext& context) {
  const Shape indices = context.with_rank(1, 2);
  context.set_output(0, Shape{indices.dim(0)});
}

void check_slice_grad(const DynamicCall& call) {
  const Array& gradient = call.in(0);
  const Array& indices = call.in(1);
  const Array& part = call.in(3);
  if (indices.rank() != 2 || part.rank() != 2) {
    invalid_argument(fmt::format("Input indices should be matrices but received shapes: {} and {}",
                                 indices.shape().to_string(), part.shape().to_string()));
  }
  check_rank(gradient, 1, "Input backprop_val_grad should be a vector but received shape:");
  if (indices.dim(1) != part.dim(1)) {
    invalid_argument(fmt::format("The input and output should have the same ndims: got: {} and {}",
                                 indices.dim(1), part.dim(1)));
  }
  if (part.dim(0) > indices.dim(0)) {
    invalid_argument(
        fmt::format("# rows of output_indices should be not greater than of input_indices, got {} and {}",
                    part.dim(0), indices.dim(0)));
  }
  if (gradient.size() != part.dim(0)) {
    invalid_argument(
        fmt::format("# elements of backprop_val_grad and # rows of output_indices should match (#nnz of "
                    "sum): got {} and {}",
                    gradient.size(), part.dim(0)));
  }
  check_rank(call.in(2), 1, "Input start should be a vector but received shape");
  if (call.in(2).size() != indices.dim(1)) {
    invalid_argument(fmt::format("Expected start to be a vector of length {} but got length {}",
                                 indices.dim(1), call.in(2).size()));
  }
}

void slice_grad(DynamicCall& call) {
  check_slice_grad(call);
  const Array& gradient = call.in(0);
  const Coordinates whole(call.in(1));
  const Coordinates part(call.in(3));
  const auto start = call.in(2).span<int64_t>();
  Array out(gradient.dtype(), Shape{whole.count()});
  int64_t k = 0;
  const auto is_next = [&](int64_t i) {
    for (size_t d = 0; d < start.size(); ++d) {
      int64_t at = 0;
      if (__builtin_add_overflow(part[k][d], start[d], &at) || whole[i][d] != at) return false;
    }
    return true;
  };
  for_words(gradient.dtype(), [&]<class W>() {
    W* const to = words_in<W>(out);
    std::fill_n(to, out.size(), W{});
    for (int64_t i = 0; i < whole.count() && k < part.count(); ++i) {
      if (is_next(i)) to[i] = words_in<W>(gradient)[k++];
    }
  });
  if (k != part.count()) {
    throw errors::InvalidArgumentError(fmt::format(
        "Elements of backprop_val_grad aren't eaten up :all: {} , used: {}", gradient.size(), part.count()));
  }
  call.set_out(0, std::move(out));
}

void split_shape(ShapeContext& context) {
  const int n = static_cast<int>(context.outputs().size()) / 3;
  const Shape& dims = context.input(3);
  for (int i = 0; i < n; ++i) {
    context.set_output(i, Shape{kUnknown, dims.num_elements()});
    context.set_output(n + i, Shape{kUnknown});
    context.set_output(2 * n + i, dims);
  }
}

void split(DynamicCall& call) {
  const int n = checked_int32("Attr num_split", call.attrs().get<int64_t>("num_split"));
  check_rank(call.in(0), 0, "split_dim must be a scalar, but received shape");
  check_rank(call.in(1), 2, "Input indices should be a matrix but received shape");
  check_rank(call.in(2), 1, "Input values should be a vector but received shape");
  check_rank(call.in(3), 1, "Input shape should be a vector but received shape");
  std::vector<int64_t> dims = checked_dims(call.in(3));
  const int64_t asked = call.in(0).item<int64_t>();
  const int64_t rank = std::ssize(dims);
  if (asked < -rank || asked >= rank)
    invalid_argument(fmt::format("Input axis should be in range [-{0}, {0}), got {1}", rank, asked));
  const int64_t axis = asked < 0 ? asked + rank : asked;
  const int64_t size = dims[static_cast<size_t>(axis)];
  if (n > size) {
    invalid_argument(fmt::format(
        "Input num_split should be between 1 and the splitting dimension size ({}), got {}", size, n));
  }
  check_sparse(call.in(1), call.in(2), dims);
  SparseBox box{std::vector<int64_t>(dims.size(), 0), dims};
  for (int i = 0; i < n; ++i) {
    const auto d = static_cast<size_t>(axis);
    box.size[d] = size / n + (i < size % n ? 1 : 0);
    const SparsePart part = part_in(box, call.in(1), call.in(2));
    call.set_out(i, part.indices);
    call.set_out(n + i, part.values);
    call.set_out(2 * n + i, vector_of(box.size));
    box.start[d] += box.size[d];
  }
}

// ---- SparseFillEmptyRows

void fill_rows_shape(ShapeContext& context) {
  const Shape indices = context.with_rank(0, 2);
  const Shape values = context.with_rank(1, 1);
  const Shape dims = context.with_rank(2, 1);
  context.with_rank(3, 0);
  const int64_t count = ShapeContext::merge_dim(indices.dim(0), values.dim(0));
  const int64_t depth = ShapeContext::merge_dim(indices.dim(1), dims.dim(0));
  const Shape known = context.value_as_shape(2);
  const bool has_rows = known.has_rank() && known.rank() > 0;
  context.set_output(0, Shape{kUnknown, depth});
  context.set_output(1, Shape{kUnknown});
  context.set_output(2, Shape{has_rows ? known.dim(0) : kUnknown});
  context.set_output(3, Shape{count});
}

void check_fill_rows(const DynamicCall& call) {
  check_rank(call.in(2), 1, "dense_shape must be a vector, saw:");
  check_rank(call.in(0), 2, "indices must be a matrix, saw:");
  check_rank(call.in(1), 1, "values must be a vector, saw:");
  if (call.in(0).dim(0) != call.in(1).dim(0)) {
    invalid_argument(
        fmt::format("The length of `values` ({}) must match the first dimension of `indices` ({}).",
                    call.in(1).dim(0), call.in(0).dim(0)));
  }
  check_rank(call.in(3), 0, "default_value must be a scalar, saw:");
  if (call.in(2).size() == 0) invalid_argument("Dense shape cannot be empty.");
  if (call.in(0).dim(1) == 0) invalid_argument("indices must have at least one column.");
}

/// Where each value of a tensor goes when the rows without any have got one, and which those rows are.
struct FilledRows {
  std::vector<int64_t> first;   // of each row its first place
  std::vector<bool> is_empty;   // of each row
  std::vector<int64_t> places;  // of each value
  int64_t count = 0;            // of all places
};

FilledRows filled_rows(const Coordinates& coordinates, int64_t num_rows) {
  FilledRows filled;
  std::vector<int64_t> counts(static_cast<size_t>(num_rows), 0);
  for (int64_t i = 0; i < coordinates.count(); ++i) {
    const int64_t row = coordinates[i][0];
    if (row < 0 || row >= num_rows)
      invalid_argument(fmt::format("indices({}, 0) is invalid: {} >= {}", i, row, num_rows));
    ++counts[static_cast<size_t>(row)];
  }
  for (const int64_t count : counts) {
    filled.first.push_back(filled.count);
    filled.is_empty.push_back(count == 0);
    filled.count += std::max<int64_t>(count, 1);
  }
  std::vector<int64_t> next = filled.first;
  for (int64_t i = 0; i < coordinates.count(); ++i)
    filled.places.push_back(next[static_cast<size_t>(coordinates[i][0])]++);
  return filled;
}

void fill_rows(DynamicCall& call) {
  check_fill_rows(call);
  const Coordinates coordinates(call.in(0));
  const int64_t num_rows = graph::to_integers(call.in(2)).front();
  if (num_rows < 0) invalid_argument(fmt::format("Dimension {} must be >= 0", num_rows));
  if (num_rows == 0 && coordinates.count() != 0) {
    invalid_argument(fmt::format("Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {}",
                                 coordinates.count()));
  }
  // Made first: where there is no memory for so many rows, nothing else is tried.
  Array is_empty(DType::kBool, Shape{num_rows});
  const FilledRows filled = filled_rows(coordinates, num_rows);
  std::copy(filled.is_empty.begin(), filled.is_empty.end(), is_empty.mutable_data<bool>());
  const int64_t depth = coordinates.depth();
  Array indices(DType::kInt64, Shape{filled.count, depth});
  std::fill_n(indices.mutable_data<int64_t>(), indices.size(), 0);
  Array values(call.in(1).dtype(), Shape{filled.count});
  auto* const at = indices.mutable_data<int64_t>();
  for (int64_t row = 0; row < num_rows; ++row) at[filled.first[static_cast<size_t>(row)] * depth] = row;
  for (int64_t i = 0; i < coordinates.count(); ++i)
    std::ranges::copy(coordinates[i], at + filled.places[static_cast<size_t>(i)] * depth);
  for_words(values.dtype(), [&]<class W>() {
    W* const to = words_in<W>(values);
    std::fill_n(to, filled.count, *words_in<W>(call.in(3)));
    for (size_t i = 0; i < filled.places.size(); ++i) to[filled.places[i]] = words_in<W>(call.in(1))[i];
  });
  call.set_out(0, std::move(indices));
  call.set_out(1, std::move(values));
  call.set_out(2, std::move(is_empty));
  call.set_out(3, vector_of(filled.places));
}

std::vector<Endpoint> fill_rows_gradient(GradientContext& g) {
  const std::vector<Endpoint> parts = python_outputs(g, "SparseFillEmptyRowsGrad", {g.output(3), g.grad(1)});
  return {{}, parts[0], {}, parts[1]};
}

constexpr graph::OpRow kSparseArrangementOps[] = {
    {.name = "SparseReorder",
     .inputs = "input_indices:int64, input_values:T, input_shape:int64",
     .outputs = "output_indices:int64, output_values:T",
     .attrs = "T:type",
     .shape = reorder_shape,
     .gradient = reorder_gradient,
     .compute = reorder},
    {.name = "SparseReshape",
     .inputs = "input_indices:int64, input_shape:int64, new_shape:int64",
     .outputs = "output_indices:int64, output_shape:int64",
     .shape = reshape_shape,
     .compute = reshape},
    {.name = "SparseConcat",
     .inputs = "indices:N*int64, values:N*T, shapes:N*int64",
     .outputs = "output_indices:int64, output_values:T, output_shape:int64",
     .attrs = "concat_dim:int; N:int>=2; T:type",
     .shape = concat_shape,
     .not_differentiable = true,
     .compute = concat},
    {.name = "SparseSlice",
     .inputs = "indices:int64, values:T, shape:int64, start:int64, size:int64",
     .outputs = "output_indices:int64, output_values:T, output_shape:int64",
     .attrs = "T:type",
     .shape = slice_shape,
     .gradient = slice_gradient,
     .compute = slice},
    {.name = "SparseSliceGrad",
     .inputs = "backprop_val_grad:T, input_indices:int64, input_start:int64, output_indices:int64",
     .outputs = "val_grad:T",
     .attrs = "T:type{numbers}",
     .shape = slice_grad_shape,
     .compute = slice_grad},
    {.name = "SparseSplit",
     .inputs = "split_dim:int64, indices:int64, values:T, shape:int64",
     .outputs = "output_indices:num_split*int64, output_values:num_split*T, output_shape:num_split*int64",
     .attrs = "num_split:int>=1; T:type",
     .shape = split_shape,
     .compute = split},
    {.name = "SparseFillEmptyRows",
     .inputs = "indices:int64, values:T, dense_shape:int64, default_value:T",
     .outputs = "output_indices:int64, output_values:T, empty_row_indicator:bool, reverse_index_map:int64",
     .attrs = "T:type",
     .shape = fill_rows_shape,
     .gradient = fill_rows_gradient,
     .compute = fill_rows},
};

}  // namespace

void register_sparse_arrangement_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSparseArrangementOps) table.add(row);
}

}  // namespace flowray::ops
