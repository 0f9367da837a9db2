// Unique and UniqueWithCounts: the different elements of a list, in the order in which they first come;
// UniqueV2 and UniqueWithCountsV2: the different slices along an axis.

#include "core/dtype_dispatch.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/shape_parts.h"
#include "ops/reduce/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace flowray::ops {

using graph::DynamicCall;
using graph::ShapeContext;

namespace {

using ListedTypes = TypeList<float, double, int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t,
                             uint64_t, bool, std::string, float16, bfloat16>;

void unique_shape(ShapeContext& context) {
  context.set_output(0, Shape{Shape::kUnknownDim});
  context.set_output(1, context.with_rank(0, 1));
  if (context.num_outputs() > 2) context.set_output(2, Shape{Shape::kUnknownDim});
}

Array as_indices(const std::vector<int64_t>& values, DType dtype) { return Array(values).astype(dtype); }

template <class T>
struct HashOf : std::hash<T> {};
template <class Format>
struct HashOf<SmallFloat<Format>> {
  size_t operator()(SmallFloat<Format> value) const { return std::hash<float>()(static_cast<float>(value)); }
};

template <class T>
void find_unique(DynamicCall& call, bool with_counts) {
  std::unordered_map<T, int64_t, HashOf<T>> places;
  std::vector<T> values;
  std::vector<int64_t> indices;
  std::vector<int64_t> counts;
  for (const T& value : call.in(0).span<T>()) {
    const auto [found, is_new] = places.try_emplace(value, static_cast<int64_t>(values.size()));
    if (is_new) {
      values.push_back(value);
      counts.push_back(0);
    }
    indices.push_back(found->second);
    ++counts[static_cast<size_t>(found->second)];
  }
  const DType dtype = call.attrs().get<DType>("out_idx");
  call.set_out(0, Array(values));
  call.set_out(1, as_indices(indices, dtype));
  if (with_counts) call.set_out(2, as_indices(counts, dtype));
}

template <bool kWithCounts>
void unique(DynamicCall& call) {
  const Array& x = call.in(0);
  if (x.rank() != 1) throw errors::InvalidArgumentError("unique expects a 1D vector.");
  if (!dispatch<ListedTypes>(x.dtype(), [&]<class T>() { find_unique<T>(call, kWithCounts); })) {
    throw errors::UnimplementedError(fmt::format("Unique has no kernel for {}", dtype_name(x.dtype())));
  }
}

// ---- along an axis

/// The one number that `axis` holds, counted from 0; none where it is empty. Building and the step refuse
/// others in other words: `dot` ends the sentence, `out_of_range` is a format of the rank.
std::optional<int> unique_axis(const Array& axis, int64_t rank, std::string_view dot,
                               std::string_view out_of_range) {
  if (axis.size() == 0) return std::nullopt;
  if (axis.size() > 1) {
    throw errors::InvalidArgumentError(
        fmt::format("axis does not support input tensors larger than 1 elements{}", dot));
  }
  const int64_t given = graph::to_integers(axis)[0];
  const int64_t found = given < 0 ? given + rank : given;
  if (found < 0 || found >= rank)
    throw errors::InvalidArgumentError(fmt::format(fmt::runtime(out_of_range), rank));
  return static_cast<int>(found);
}

void unique_slices_shape(ShapeContext& context) {
  const Shape& x = context.input(0);
  context.set_output(0, x.has_rank() ? Shape::of_rank(x.rank()) : x);
  Shape indices{Shape::kUnknownDim};
  if (x.has_rank() && context.value(1) != nullptr && !context.running()) {
    const std::optional<int> axis =
        unique_axis(*context.value(1), x.rank(), ".", "axis expects to be in the range [-{0}, {0})");
    if (!axis && x.rank() != 1) ShapeContext::fail("x expects a 1D vector.");
    indices = Shape{x.dim(axis.value_or(0))};
  }
  context.set_output(1, indices);
  if (context.num_outputs() > 2) context.set_output(2, Shape{Shape::kUnknownDim});
}

template <class T>
struct HashOfSlice {
  size_t operator()(const std::vector<T>& slice) const {
    size_t hash = 0;
    for (const T value : slice) hash = hash * 31 + HashOf<T>()(value);
    return hash;
  }
};
template <>
struct HashOfSlice<std::string> {
  size_t operator()(const std::vector<std::string>& slice) const {
    size_t hash = 0;
    for (const std::string& value : slice) hash = hash * 31 + std::hash<std::string>()(value);
    return hash;
  }
};

/// The elements of an array as [outer, count, inner], of which `count` is the axis.
struct Slices {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;

  Slices(const Shape& shape, int axis)
      : outer(elements_between(shape, 0, axis)),
        count(shape.dim(axis)),
        inner(elements_between(shape, axis + 1, shape.rank())) {}
};

template <class T>
std::vector<T> slice_of(const T* data, const Slices& slices, int64_t at) {
  std::vector<T> slice;
  for (int64_t o = 0; o < slices.outer; ++o) {
    const T* const from = data + (o * slices.count + at) * slices.inner;
    slice.insert(slice.end(), from, from + slices.inner);
  }
  return slice;
}

/// Slices without elements are all the same. They take no memory, so there may be any number of them.
void find_unique_empty_slices(DynamicCall& call, int axis, bool with_counts) {
  const Array& x = call.in(0);
  const int64_t count = x.dim(axis);
  const int64_t found = std::min<int64_t>(count, 1);
  Shape shape = x.shape();
  shape.set_dim(axis, found);
  const DType dtype = call.attrs().get<DType>("out_idx");
  call.set_out(0, Array(x.dtype(), shape));
  call.set_out(1, Array(dtype, Shape{count}));
  if (with_counts) {
    call.set_out(2, as_indices(std::vector<int64_t>(static_cast<size_t>(found), count), dtype));
  }
}

template <class T>
void find_unique_slices(DynamicCall& call, int axis, bool with_counts) {
  const Array& x = call.in(0);
  if (x.size() == 0) return find_unique_empty_slices(call, axis, with_counts);
  const Slices slices(x.shape(), axis);
  std::unordered_map<std::vector<T>, int64_t, HashOfSlice<T>> places;
  std::vector<int64_t> first;
  std::vector<int64_t> indices;
  std::vector<int64_t> counts;
  for (int64_t i = 0; i < slices.count; ++i) {
    const auto [found, is_new] = places.try_emplace(slice_of(x.data<T>(), slices, i), std::ssize(first));
    if (is_new) {
      first.push_back(i);
      counts.push_back(0);
    }
    indices.push_back(found->second);
    ++counts[static_cast<size_t>(found->second)];
  }
  Shape shape = x.shape();
  shape.set_dim(axis, std::ssize(first));
  Array out(x.dtype(), shape);
  T* to = out.mutable_data<T>();
  for (int64_t o = 0; o < slices.outer; ++o) {
    for (const int64_t i : first)
      to = std::copy_n(x.data<T>() + (o * slices.count + i) * slices.inner, slices.inner, to);
  }
  const DType dtype = call.attrs().get<DType>("out_idx");
  call.set_out(0, std::move(out));
  call.set_out(1, as_indices(indices, dtype));
  if (with_counts) call.set_out(2, as_indices(counts, dtype));
}

template <bool kWithCounts>
void unique_slices(DynamicCall& call) {
  const Array& x = call.in(0);
  if (call.in(1).rank() != 1) throw errors::InvalidArgumentError("axis expects a 1D vector.");
  const std::optional<int> axis = unique_axis(call.in(1), x.rank(), "", "axis has to be between [0, {})");
  if (!axis || x.rank() == 1) return unique<kWithCounts>(call);
  const auto find = [&]<class T>() { find_unique_slices<T>(call, *axis, kWithCounts); };
  if (!dispatch<ListedTypes>(x.dtype(), find))
    throw errors::UnimplementedError(fmt::format("UniqueV2 has no kernel for {}", dtype_name(x.dtype())));
}

constexpr graph::OpRow kUniqueOps[] = {
    {.name = "Unique",
     .inputs = "x:T",
     .outputs = "y:T, idx:out_idx",
     .attrs = "T:type; out_idx:type=int32{indices}",
     .shape = unique_shape,
     .compute = unique<false>},
    {.name = "UniqueWithCounts",
     .inputs = "x:T",
     .outputs = "y:T, idx:out_idx, count:out_idx",
     .attrs = "T:type; out_idx:type=int32{indices}",
     .shape = unique_shape,
     .compute = unique<true>},
    {.name = "UniqueV2",
     .inputs = "x:T, axis:Taxis",
     .outputs = "y:T, idx:out_idx",
     .attrs = "T:type; Taxis:type=int64{indices}; out_idx:type=int32{indices}",
     .shape = unique_slices_shape,
     .compute = unique_slices<false>},
    {.name = "UniqueWithCountsV2",
     .inputs = "x:T, axis:Taxis",
     .outputs = "y:T, idx:out_idx, count:out_idx",
     .attrs = "T:type; Taxis:type=int64{indices}; out_idx:type=int32{indices}",
     .shape = unique_slices_shape,
     .compute = unique_slices<true>},
};

}  // namespace

void register_unique_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kUniqueOps) table.add(row);
}

}  // namespace flowray::ops
