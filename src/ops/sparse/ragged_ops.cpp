// Rows of different lengths: values one after the other, and where each row begins.

#include "core/checked_size.h"
#include "core/wrapping.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/word_access.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "ops/sparse/register.h"
#include "ops/sparse/sparse_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::Endpoint;
using graph::GradientContext;
using graph::ShapeContext;

/// Numbers as an int32 or int64 vector.
Array places_of_type(const std::vector<int64_t>& numbers, DType dtype) {
  return Array(numbers).astype(dtype);
}

// ---- RaggedRange

void range_shape(ShapeContext& context) {
  int64_t rows = kUnknown;
  for (int i = 0; i < 3; ++i) {
    const Shape& shape = context.input(i);
    if (shape.has_rank() && shape.rank() > 1)
      ShapeContext::fail(fmt::format("Shape must be at most rank 1 but is rank {}", shape.rank()));
    if (shape.has_rank() && shape.rank() == 1) rows = ShapeContext::merge_dim(rows, shape.dim(0));
  }
  const bool all_scalars = std::ranges::all_of(std::vector{0, 1, 2}, [&](int i) {
    return context.input(i).has_rank() && context.input(i).rank() == 0;
  });
  if (all_scalars) rows = 1;
  context.set_output(0, Shape{rows < 0 ? kUnknown : rows + 1});
  context.set_output(1, Shape{kUnknown});
}

/// How many numbers there are from start to limit.
template <class T>
int64_t range_size(T start, T limit, T delta) {
  using Computed = Wide<T>;
  const auto from = static_cast<Computed>(start);
  const auto to = static_cast<Computed>(limit);
  const auto by = static_cast<Computed>(delta);
  if (by == Computed(0)) invalid_argument("Requires delta != 0");
  if ((by > 0 && from >= to) || (by < 0 && from <= to)) return 0;
  if constexpr (std::is_integral_v<Computed>) {
    const auto distance = static_cast<uint64_t>(
        by > 0 ? wrapping_subtract(static_cast<int64_t>(to), static_cast<int64_t>(from))
               : wrapping_subtract(static_cast<int64_t>(from), static_cast<int64_t>(to)));
    const uint64_t step =
        by > 0 ? static_cast<uint64_t>(by) : uint64_t{0} - static_cast<uint64_t>(static_cast<int64_t>(by));
    const uint64_t size = (distance - 1) / step + 1;
    if (size > static_cast<uint64_t>(INT64_MAX))
      invalid_argument("Requires ((limit - start) / delta) <= 2**63 - 1");
    return static_cast<int64_t>(size);
  } else {
    const double size =
        std::ceil(std::abs((static_cast<double>(to) - static_cast<double>(from)) / static_cast<double>(by)));
    constexpr double kMost = 9007199254740992.0;  // 2^53
    if (!(size <= kMost)) invalid_argument(fmt::format("Requires ((limit - start) / delta) <= {}", kMost));
    return static_cast<int64_t>(size);
  }
}

template <class T>
void ragged_range(DynamicCall& call) {
  int64_t rows = 1;
  bool has_vector = false;
  constexpr const char* kNames[] = {"starts", "limits", "deltas"};
  for (int i = 0; i < 3; ++i) {
    const Array& input = call.in(i);
    if (input.rank() > 1) invalid_argument(fmt::format("{} must be a scalar or vector", kNames[i]));
    if (input.rank() == 0) continue;
    if (has_vector && input.size() != rows)
      invalid_argument("starts, limits, and deltas must have the same shape");
    has_vector = true;
    rows = input.size();
  }
  const auto at = [&](int i, int64_t row) { return call.in(i).data<T>()[call.in(i).rank() == 0 ? 0 : row]; };
  std::vector<int64_t> splits = {0};
  for (int64_t row = 0; row < rows; ++row)
    splits.push_back(checked(splits.back()) + range_size<T>(at(0, row), at(1, row), at(2, row)));
  const DType splits_dtype = call.attrs().get<DType>("Tsplits");
  if (splits_dtype == DType::kInt32 && splits.back() > INT32_MAX)
    invalid_argument("Requires ((limit - start) / delta) <= 2147483647");
  Array values(call.in(0).dtype(), Shape{splits.back()});
  T* to = values.mutable_data<T>();
  for (int64_t row = 0; row < rows; ++row) {
    using Computed = Wide<T>;
    auto value = static_cast<Computed>(at(0, row));
    const auto delta = static_cast<Computed>(at(2, row));
    const auto r = static_cast<size_t>(row);
    for (int64_t k = splits[r]; k < splits[r + 1]; ++k) {
      *to++ = static_cast<T>(value);
      value = wrapping_add(value, delta);
    }
  }
  call.set_out(0, places_of_type(splits, splits_dtype));
  call.set_out(1, std::move(values));
}

void compute_ragged_range(DynamicCall& call) {
  using RangeTypes = TypeList<bfloat16, float, double, int32_t, int64_t>;
  if (!dispatch<RangeTypes>(call.in(0).dtype(), [&]<class T>() { ragged_range<T>(call); }))
    throw errors::UnimplementedError(
        fmt::format("There is no kernel for {}", dtype_name(call.in(0).dtype())));
}

// ---- where rows begin

/// Checked: from 0, never smaller than before, to `count`.
/// `past_the_end` is what TensorFlow says of another end.
std::vector<int64_t> checked_splits(const Array& array, int64_t count, std::string_view past_the_end) {
  if (array.rank() != 1) invalid_argument("ragged splits must be a vector");
  if (array.size() < 1) invalid_argument("ragged splits may not be empty.");
  std::vector<int64_t> splits = graph::to_integers(array);
  if (splits.front() != 0) invalid_argument("First value of ragged splits must be 0.");
  for (size_t i = 1; i < splits.size(); ++i) {
    if (splits[i] < splits[i - 1]) {
      invalid_argument(fmt::format("Ragged splits should be non decreasing, but we got {} followed by {}",
                                   splits[i - 1], splits[i]));
    }
  }
  if (splits.back() != count) {
    invalid_argument(
        fmt::format("{}\nThe last value is {}, but there are {} values", past_the_end, splits.back(), count));
  }
  return splits;
}

/// All of a tensor's, from the outermost inwards: inputs 0 to depth - 1.
std::vector<std::vector<int64_t>> nested_splits(const DynamicCall& call, int depth, int64_t num_values,
                                                std::string_view past_the_end) {
  std::vector<std::vector<int64_t>> all(static_cast<size_t>(depth));
  int64_t count = num_values;
  for (int i = depth - 1; i >= 0; --i) {
    all[static_cast<size_t>(i)] = checked_splits(call.in(i), count, past_the_end);
    count = std::ssize(all[static_cast<size_t>(i)]) - 1;
  }
  return all;
}

// ---- RaggedTensorToSparse

void ragged_to_sparse_shape(ShapeContext& context) {
  const int depth = context.num_inputs() - 1;
  const Shape& values = context.input(depth);
  int64_t rank = kUnknown;
  if (values.has_rank()) {
    if (values.rank() < 1) ShapeContext::fail("Shape must be at least rank 1 but is rank 0");
    rank = values.rank() + depth;
  }
  context.set_output(0, Shape{values.is_fully_defined() ? values.num_elements() : kUnknown, rank});
  context.set_output(1, Shape{values.is_fully_defined() ? values.num_elements() : kUnknown});
  context.set_output(2, Shape{rank});
}

void ragged_to_sparse(DynamicCall& call) {
  const int depth = call.num_inputs() - 1;
  const Array& values = call.in(depth);
  if (values.rank() < 1) invalid_argument("Invalid rt_dense_values: it must have at least one dimension");
  const auto splits =
      nested_splits(call, depth, values.dim(0),
                    "Final value of ragged splits must match the length the corresponding ragged values.");
  const int64_t rank = checked(values.rank()) + depth;
  const int64_t inner = values.dim(0) == 0 ? 0 : values.size() / values.dim(0);
  std::vector<int64_t> dims = {std::ssize(splits.front()) - 1};
  for (const std::vector<int64_t>& some : splits) {
    int64_t longest = 0;
    for (size_t i = 1; i < some.size(); ++i) longest = std::max(longest, some[i] - some[i - 1]);
    dims.push_back(longest);
  }
  for (int d = 1; d < values.rank(); ++d) dims.push_back(values.dim(d));
  Array indices(DType::kInt64, Shape{values.size(), rank});
  auto* to = indices.mutable_data<int64_t>();
  // The row of each dimension that the present value is in.
  std::vector<size_t> row(splits.size(), 0);
  const int64_t count = inner == 0 ? 0 : values.dim(0);  // of values without elements there may be 2^62
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = i;
    std::vector<int64_t> at(splits.size() + 1, 0);
    for (size_t d = splits.size(); d-- > 0;) {
      while (splits[d][row[d] + 1] <= place) ++row[d];
      at[d + 1] = place - splits[d][row[d]];
      place = static_cast<int64_t>(row[d]);
    }
    at[0] = place;
    for (int64_t k = 0; k < inner; ++k) {
      to = std::copy(at.begin(), at.end(), to);
      int64_t rest = k;
      for (int d = values.rank() - 1; d >= 1; --d) {
        to[d - 1] = rest % values.dim(d);
        rest /= values.dim(d);
      }
      to += values.rank() - 1;
    }
  }
  call.set_out(0, std::move(indices));
  call.set_out(1, values.reshape(Shape{values.size()}));
  call.set_out(2, Array(dims));
}

std::vector<Endpoint> ragged_to_sparse_gradient(GradientContext& g) {
  std::vector<Endpoint> all(static_cast<size_t>(g.num_inputs()));
  all.back() = g.op("Reshape", {g.grad(1), python_shape(g, g.input(g.num_inputs() - 1))});
  return all;
}

// ---- RaggedTensorToTensor

void ragged_to_tensor_shape(ShapeContext& context) {
  const Shape asked = context.value_as_shape(0);
  const Shape& values = context.input(1);
  const auto& kinds = context.attrs().get<std::vector<std::string>>("row_partition_types");
  const auto is_ragged = [](const std::string& kind) { return kind != "FIRST_DIM_SIZE"; };
  const int64_t depth = std::ranges::count_if(kinds, is_ragged);
  Shape result = Shape::unknown_rank();
  if (values.has_rank() && values.rank() >= 1) {
    result = Shape::of_rank(checked(values.rank()) + depth);
    for (int d = 1; d < values.rank(); ++d)
      result.set_dim(d + static_cast<int>(depth), values.dim(d));  // size: a rank
  }
  if (asked.has_rank()) {
    if (result.has_rank() && result.rank() != asked.rank())
      ShapeContext::fail(
          fmt::format("Shapes must be equal rank, but are {} and {}", asked.rank(), result.rank()));
    if (!result.has_rank()) result = asked;
    for (int d = 0; d < asked.rank(); ++d) {
      if (asked.dim(d) >= 0) result.set_dim(d, asked.dim(d));
    }
  }
  context.set_output(0, result);
}

/// How the rows of one dimension are told: row i has values [begin[i], begin[i + 1]).
std::vector<int64_t> splits_of_partition(const Array& partition, const std::string& kind, int64_t rows) {
  if (kind == "ROW_SPLITS") {
    if (partition.rank() != 1 || partition.size() < 1)
      invalid_argument("Invalid row split size: it must be a vector with at least one element");
    std::vector<int64_t> splits = graph::to_integers(partition);
    if (splits.front() != 0)
      invalid_argument(
          fmt::format("Invalid row split size.\nThe first row split is {}, not 0", splits.front()));
    for (size_t i = 1; i < splits.size(); ++i) {
      if (splits[i] < splits[i - 1])
        invalid_argument("Invalid row split size.\nRow splits must not decrease");
    }
    return splits;
  }
  if (kind != "VALUE_ROWIDS")
    invalid_argument(fmt::format(
        "Unsupported row partition type {}: it must be FIRST_DIM_SIZE, VALUE_ROWIDS or ROW_SPLITS", kind));
  if (partition.rank() != 1) invalid_argument("value_rowids must be a vector");
  std::vector<int64_t> counts(static_cast<size_t>(checked_count("rows", rows)) + 1, 0);
  int64_t before = 0;
  for (const int64_t row : graph::to_integers(partition)) {
    if (row < before || row >= rows)
      invalid_argument(fmt::format("Invalid value_rowids: {} of {} rows, after {}", row, rows, before));
    ++counts[static_cast<size_t>(row) + 1];
    before = row;
  }
  for (size_t i = 1; i < counts.size(); ++i) counts[i] += counts[i - 1];  // size: at most the values
  return counts;
}

struct Partitions {
  std::vector<std::vector<int64_t>> splits;
  int64_t rows = 0;
};

Partitions partitions_of(const DynamicCall& call) {
  const auto& kinds = call.attrs().get<std::vector<std::string>>("row_partition_types");
  const int count = call.num_inputs() - 3;
  if (std::ssize(kinds) != count) {
    invalid_argument(
        fmt::format("Length of row_partition_types ({}) does not match the number of row partitions ({})",
                    kinds.size(), count));
  }
  Partitions all;
  int64_t rows = -1;
  for (int i = 0; i < count; ++i) {
    const std::string& kind = kinds[static_cast<size_t>(i)];
    const Array& partition = call.in(3 + i);
    if (kind == "FIRST_DIM_SIZE") {
      if (i != 0 || partition.size() != 1)
        invalid_argument("FIRST_DIM_SIZE must be the first row partition, and one number");
      rows = graph::to_integers(partition).front();
      if (rows < 0) invalid_argument(fmt::format("Dimension {} must be >= 0", rows));
      all.rows = rows;
      continue;
    }
    if (rows < 0 && kind == "VALUE_ROWIDS")
      invalid_argument("Cannot handle VALUE_ROWIDS in first dimension.");
    std::vector<int64_t> splits = splits_of_partition(partition, kind, rows);
    if (rows >= 0 && rows != std::ssize(splits) - 1)
      invalid_argument(
          fmt::format("Invalid row split: it has {} rows where there are {}", splits.size() - 1, rows));
    if (all.splits.empty()) all.rows = std::ssize(splits) - 1;
    rows = splits.back();
    all.splits.push_back(std::move(splits));
  }
  if (all.splits.empty()) invalid_argument("There must be a row partition beside FIRST_DIM_SIZE");
  return all;
}

/// [?,3]: -1 is a size that is not asked for.
std::string asked_text(const std::vector<int64_t>& dims) {
  std::vector<std::string> texts;
  for (const int64_t dim : dims) texts.push_back(dim < 0 ? "?" : std::to_string(dim));
  return fmt::format("[{}]", fmt::join(texts, ","));
}

/// The shape that the dense tensor gets: what is asked for, and else what holds all.
std::vector<int64_t> dense_dims(const DynamicCall& call, const Partitions& all) {
  const Array& values = call.in(1);
  std::vector<int64_t> dims = {all.rows};
  for (const std::vector<int64_t>& splits : all.splits) {
    int64_t longest = 0;
    for (size_t i = 1; i < splits.size(); ++i) longest = std::max(longest, splits[i] - splits[i - 1]);
    dims.push_back(longest);
  }
  for (int d = 1; d < values.rank(); ++d) dims.push_back(values.dim(d));
  const Array& asked = call.in(0);
  const std::vector<int64_t> wanted = graph::to_integers(asked);
  if (asked.rank() == 0) {
    if (wanted.front() != -1) invalid_argument("The shape of a RaggedTensorToTensor is a vector, or -1");
    return dims;
  }
  if (asked.rank() != 1 || wanted.size() != dims.size()) {
    invalid_argument(
        fmt::format("rt_input.shape and shape={} are incompatible: rt_input.rank = {} but shape.rank = {}",
                    asked_text(wanted), dims.size(), wanted.size()));
  }
  for (size_t d = 0; d < dims.size(); ++d) {
    if (wanted[d] < -1) invalid_argument(fmt::format("Dimension {} must be >= -1", wanted[d]));
    if (wanted[d] < 0) continue;
    if (d > all.splits.size() && wanted[d] != dims[d]) {
      invalid_argument(fmt::format(
          "rt_input.shape and shape={} are incompatible: rt_input.shape[{}] = {} but shape[{}] = {}",
          asked_text(wanted), d, dims[d], d, wanted[d]));
    }
    dims[d] = wanted[d];
  }
  return dims;
}

/// Where each value goes in the dense tensor, counted in values; -1: nowhere.
std::vector<int64_t> places_of_values(const Partitions& all, const std::vector<int64_t>& dims) {
  std::vector<int64_t> places;
  for (int64_t row = 0; row < all.rows; ++row) places.push_back(row < dims[0] ? row : -1);
  for (size_t d = 0; d < all.splits.size(); ++d) {
    const std::vector<int64_t>& splits = all.splits[d];
    std::vector<int64_t> inner;
    inner.reserve(static_cast<size_t>(splits.back()));
    for (size_t row = 0; row + 1 < splits.size(); ++row) {
      for (int64_t k = splits[row]; k < splits[row + 1]; ++k) {
        const int64_t column = k - splits[row];
        const bool is_in = row < places.size() && places[row] >= 0 && column < dims[d + 1];
        inner.push_back(is_in ? places[row] * dims[d + 1] + column : -1);  // size: within the dense tensor
      }
    }
    places = std::move(inner);
  }
  return places;
}

/// A value, or a default for one, repeated as far as its shape is smaller than that of a value.
template <class W>
void fill_with_default(const Array& fallback, int64_t inner, Array& out) {
  const W* const from = words_in<W>(fallback);
  W* const to = words_in<W>(out);
  const int64_t size = fallback.size();
  for (int64_t i = 0; i < out.size(); ++i) to[i] = from[size == 1 ? 0 : (i % inner) % size];
}

void ragged_to_tensor(DynamicCall& call) {
  const Array& values = call.in(1);
  const Array& fallback = call.in(2);
  if (values.rank() < 1) invalid_argument("values must have at least one dimension");
  const Partitions all = partitions_of(call);
  if (all.splits.back().back() != values.dim(0)) {
    invalid_argument(fmt::format("Invalid row split: the last value is {}, but there are {} values",
                                 all.splits.back().back(), values.dim(0)));
  }
  const std::vector<int64_t> dims = dense_dims(call, all);
  const Shape inner_shape(values.shape().dims().subspan(1));
  const int64_t inner = inner_shape.num_elements();
  const Shape& default_shape = fallback.shape();
  if (fallback.size() != 1) {
    const auto tail =
        default_shape.rank() <= inner_shape.rank()
            ? inner_shape.dims().subspan(static_cast<size_t>(inner_shape.rank() - default_shape.rank()))
            : std::span<const int64_t>();
    if (default_shape.rank() > inner_shape.rank() || !std::ranges::equal(tail, default_shape.dims())) {
      invalid_argument(
          fmt::format("default_value.shape={} and rt_input.flat_values.shape={} are incompatible",
                      default_shape.to_string(), values.shape().to_string()));
    }
  }
  Array out(values.dtype(), Shape(dims));
  if (out.size() == 0)
    return call.set_out(0, std::move(out));  // of values without elements there may be 2^62
  const std::vector<int64_t> places = places_of_values(all, dims);
  for_words(values.dtype(), [&]<class W>() {
    fill_with_default<W>(fallback, inner, out);
    for (size_t i = 0; i < places.size(); ++i) {
      if (places[i] < 0) continue;
      copy_words(words_in<W>(values) + static_cast<int64_t>(i) * inner, words_in<W>(out) + places[i] * inner,
                 inner);
    }
  });
  call.set_out(0, std::move(out));
}

// ---- RaggedGather

void ragged_gather_shape(ShapeContext& context) {
  const auto depth = context.attrs().get<int64_t>("PARAMS_RAGGED_RANK");
  const int out_depth = static_cast<int>(context.outputs().size()) - 1;
  const Shape& values = context.input(checked_int32("PARAMS_RAGGED_RANK", depth));
  const Shape& indices = context.input(checked_int32("PARAMS_RAGGED_RANK", checked(depth) + 1));
  if (indices.has_rank() && out_depth != checked(depth) + indices.rank() - 1)
    ShapeContext::fail("OUTPUT_RAGGED_RANK must be equal to PARAMS_RAGGED_RANK + indices.rank - 1");
  for (int i = 0; i < out_depth; ++i) context.set_output(i, Shape{kUnknown});
  Shape inner = values;
  if (inner.has_rank() && inner.rank() > 0) inner.set_dim(0, kUnknown);
  context.set_output(out_depth, inner);
}

/// Where rows of one length begin, and the last ends.
Array even_places(int64_t count, int64_t length, DType dtype) {
  // An array, which is refused where it is too large: of rows without elements there may be 2^62.
  Array places(DType::kInt64, Shape{checked(count) + 1});
  auto* const to = places.mutable_data<int64_t>();
  for (int64_t i = 0; i <= count; ++i) to[i] = checked(i) * length;
  return places.astype(dtype);
}

/// The indices, each of which is the number of one of `rows` rows.
std::vector<int64_t> numbers_of_rows(const Array& indices, int64_t rows) {
  std::vector<int64_t> wanted = graph::to_integers(indices);
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] < 0 || wanted[i] >= rows)
      invalid_argument(fmt::format("indices{} = {} is not in [0, {})",
                                   indices.rank() == 0 ? std::string() : fmt::format("[{}]", i), wanted[i],
                                   rows));
  }
  return wanted;
}

/// Ranges of rows become those of what is in the rows. Where each of the rows ends, counted through.
std::vector<int64_t> enter_rows(std::vector<std::pair<int64_t, int64_t>>& ranges,
                                std::span<const int64_t> splits) {
  std::vector<int64_t> ends = {0};
  for (auto& [begin, end] : ranges) {
    for (int64_t row = begin; row < end; ++row) {
      const auto r = static_cast<size_t>(row);
      ends.push_back(checked(ends.back()) + splits[r + 1] - splits[r]);
    }
    const int64_t first = splits[static_cast<size_t>(begin)];
    end = splits[static_cast<size_t>(end)];
    begin = first;
  }
  return ends;
}

/// The values in these ranges, one behind the other.
Array values_in(const Array& values, const std::vector<std::pair<int64_t, int64_t>>& ranges) {
  CheckedSize total = checked(0);
  for (const auto& [begin, end] : ranges) total += end - begin;
  Shape shape = values.shape();
  shape.set_dim(0, total);
  Array out(values.dtype(), shape);
  const int64_t inner = Shape(values.shape().dims().subspan(1)).num_elements();
  for_words(values.dtype(), [&]<class W>() {
    W* to = words_in<W>(out);
    for (const auto& [begin, end] : ranges) {
      copy_words(words_in<W>(values) + begin * inner, to, (end - begin) * inner);
      to += (end - begin) * inner;
    }
  });
  return out;
}

void ragged_gather(DynamicCall& call) {
  const int depth = checked_int32("PARAMS_RAGGED_RANK", call.attrs().get<int64_t>("PARAMS_RAGGED_RANK"));
  const Array& values = call.in(depth);
  const Array& indices = call.in(checked_int32("inputs", checked(depth) + 1));
  if (values.rank() < 1) invalid_argument("params.rank must be nonzero");
  const auto splits = nested_splits(call, depth, values.dim(0), "Ragged splits must not point past values");
  const DType dtype = call.in(0).dtype();
  const std::vector<int64_t> wanted = numbers_of_rows(indices, std::ssize(splits.front()) - 1);
  // The dimensions of the indices but the last are rows of one length each.
  int output = 0;
  int64_t count = 1;
  for (int d = 0; d + 1 < indices.rank(); ++d) {
    count = checked(count) * indices.dim(d);
    call.set_out(output++, even_places(count, indices.dim(d + 1), dtype));
  }
  // Ranges of rows, and of what is in them, from the outermost dimension inwards.
  std::vector<std::pair<int64_t, int64_t>> ranges;
  for (const int64_t index : wanted) ranges.emplace_back(index, index + 1);
  for (size_t d = 0; d < splits.size(); ++d) {
    const std::vector<int64_t> ends = enter_rows(ranges, splits[d]);
    // With a scalar index, the elements of its row are the result's first dimension.
    if (indices.rank() > 0 || d > 0) call.set_out(output++, places_of_type(ends, dtype));
  }
  call.set_out(output, values_in(values, ranges));
}

// ---- gradients: the place of each value is found by the same op on the values' numbers

/// What flows to the values of a RaggedTensorToTensor; what was cut off gets nothing.
std::vector<Endpoint> ragged_to_tensor_gradient(GradientContext& g) {
  const Endpoint values = g.input(1);
  const Endpoint count = python_element(g, python_shape(g, values), 0);
  const Endpoint numbers = python_range(g, 0, count);
  const Endpoint nowhere = python_scalar(g, -1, DType::kInt32, "nowhere");
  const auto& kinds = g.attrs().get<std::vector<std::string>>("row_partition_types");
  const auto is_ragged = [](const std::string& kind) { return kind != "FIRST_DIM_SIZE"; };
  const int64_t depth = std::ranges::count_if(kinds, is_ragged);
  const Endpoint dims = python_slice_between(g, python_shape(g, g.grad()), std::nullopt, 1 + depth);
  std::vector<Endpoint> inputs = {dims, numbers, nowhere};
  for (int i = 3; i < g.num_inputs(); ++i) inputs.push_back(g.input(i));
  const Endpoint places = g.op("RaggedTensorToTensor", inputs, {{"row_partition_types", kinds}});
  const Endpoint inner = python_slice_between(g, python_shape(g, values), 1, std::nullopt);
  const Endpoint flat_dims = python_concat(g, {python_integers(g, {-1}, DType::kInt32, "all"), inner});
  const Endpoint rows = g.op("Reshape", {g.grad(), flat_dims});
  const Endpoint ids = python_reshape_to(g, places, {-1});
  std::vector<Endpoint> all(static_cast<size_t>(g.num_inputs()));
  all[1] = g.op("UnsortedSegmentSum", {rows, ids, count});
  return all;
}

/// What flows to the values of a RaggedGather: rows may have been taken more than once.
std::vector<Endpoint> ragged_gather_gradient(GradientContext& g) {
  const int last = g.num_inputs() - 1;
  const Endpoint values = g.input(last - 1);
  const Endpoint count = python_element(g, python_shape(g, values), 0);
  const Endpoint numbers = python_range(g, 0, count);
  std::vector<Endpoint> inputs;
  for (int i = 0; i + 1 < last; ++i) inputs.push_back(g.input(i));
  inputs.push_back(numbers);
  inputs.push_back(g.input(last));
  const int64_t out_depth = g.attrs().get<int64_t>("OUTPUT_RAGGED_RANK");
  const std::vector<Endpoint> taken =
      python_outputs(g, "RaggedGather", inputs, {{"OUTPUT_RAGGED_RANK", out_depth}});
  std::vector<Endpoint> all(static_cast<size_t>(g.num_inputs()));
  all[static_cast<size_t>(last - 1)] = g.op("UnsortedSegmentSum", {g.grads().back(), taken.back(), count});
  return all;
}

constexpr graph::OpRow kRaggedOps[] = {
    {.name = "RaggedRange",
     .inputs = "starts:T, limits:T, deltas:T",
     .outputs = "rt_nested_splits:Tsplits, rt_dense_values:T",
     .attrs = "T:type=int32{[bfloat16,float32,float64,int32,int64]}; Tsplits:type=int64{indices}",
     .shape = range_shape,
     .not_differentiable = true,
     .compute = compute_ragged_range},
    {.name = "RaggedTensorToSparse",
     .inputs = "rt_nested_splits:RAGGED_RANK*Tsplits, rt_dense_values:T",
     .outputs = "sparse_indices:int64, sparse_values:T, sparse_dense_shape:int64",
     .attrs = "RAGGED_RANK:int>=1; T:type; Tsplits:type=int64{indices}",
     .shape = ragged_to_sparse_shape,
     .gradient = ragged_to_sparse_gradient,
     .compute = ragged_to_sparse},
    {.name = "RaggedTensorToTensor",
     .inputs =
         "shape:Tshape, values:T, default_value:T, row_partition_tensors:num_row_partition_tensors*Tindex",
     .outputs = "result:T",
     .attrs = "T:type; Tindex:type{indices}; Tshape:type{indices}; num_row_partition_tensors:int>=1; "
              "row_partition_types:list(string)",
     .shape = ragged_to_tensor_shape,
     .gradient = ragged_to_tensor_gradient,
     .compute = ragged_to_tensor},
    {.name = "RaggedGather",
     .inputs =
         "params_nested_splits:PARAMS_RAGGED_RANK*Tsplits, params_dense_values:Tvalues, indices:Tindices",
     .outputs = "output_nested_splits:OUTPUT_RAGGED_RANK*Tsplits, output_dense_values:Tvalues",
     .attrs = "Tvalues:type; Tindices:type{indices}; Tsplits:type=int64{indices}; PARAMS_RAGGED_RANK:int>=1; "
              "OUTPUT_RAGGED_RANK:int>=0",
     .shape = ragged_gather_shape,
     .gradient = ragged_gather_gradient,
     .compute = ragged_gather},
};

}  // namespace

void register_ragged_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kRaggedOps) table.add(row);
}

}  // namespace flowray::ops
