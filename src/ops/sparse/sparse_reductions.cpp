// Sums and maxima along dimensions of a sparse tensor, as a dense or as a sparse one.

#include "core/wrapping.h"
#include "graph/constant_value.h"
#include "graph/gradient_context.h"
#include "graph/integers.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "ops/sparse/register.h"
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

/// What is reduced, and what is left.
struct SparseReduction {
  std::vector<int64_t> dims;
  std::vector<int64_t> kept;  // the axes that are left
  bool keeps_rank;

  /// The dimensions of the result.
  std::vector<int64_t> result_dims() const {
    if (!keeps_rank) {
      std::vector<int64_t> left;
      for (const int64_t axis : kept) left.push_back(dims[static_cast<size_t>(axis)]);
      return left;
    }
    std::vector<int64_t> all(dims.size(), 1);
    for (const int64_t axis : kept) all[static_cast<size_t>(axis)] = dims[static_cast<size_t>(axis)];
    return all;
  }
};

SparseReduction checked_reduction(const DynamicCall& call) {
  check_rank(call.in(2), 1, "Expected input_shape to be a vector; got shape:");
  if (call.in(3).rank() > 1) {
    invalid_argument(fmt::format("Expected reduction_axes to be a scalar or a vector; got shape: {}",
                                 call.in(3).shape().to_string()));
  }
  const int64_t rank = call.in(2).size();
  std::vector<bool> is_reduced(static_cast<size_t>(rank), false);
  for (const int64_t axis : graph::to_integers(call.in(3))) {
    if (axis < -rank || axis >= rank) {
      invalid_argument(
          fmt::format("Invalid reduction dimension {}, for input with {} dimensions.", axis, rank));
    }
    is_reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  SparseReduction reduction{checked_dims(call.in(2)), {}, call.attrs().get<bool>("keep_dims")};
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (!is_reduced[static_cast<size_t>(axis)]) reduction.kept.push_back(axis);
  }
  check_sparse(call.in(0), call.in(1), reduction.dims);
  return reduction;
}

/// Values that go into one number of the result: rows [begin, end) of those in order.
struct Group {
  size_t begin;
  size_t end;
};

bool are_together(std::span<const int64_t> a, std::span<const int64_t> b, std::span<const int64_t> axes) {
  return std::ranges::all_of(
      axes, [&](int64_t axis) { return a[static_cast<size_t>(axis)] == b[static_cast<size_t>(axis)]; });
}

/// The kept axes first, then the others in their own order.
std::vector<int64_t> order_of(const SparseReduction& reduction) {
  std::vector<int64_t> order = reduction.kept;
  for (int64_t axis = 0; axis < std::ssize(reduction.dims); ++axis) {
    if (!std::ranges::binary_search(reduction.kept, axis)) order.push_back(axis);
  }
  return order;
}

std::vector<Group> groups_of(const Coordinates& coordinates, const std::vector<int64_t>& rows,
                             const SparseReduction& reduction) {
  std::vector<Group> groups;
  for (size_t begin = 0; begin < rows.size();) {
    size_t end = begin + 1;
    while (end < rows.size() &&
           are_together(coordinates[rows[begin]], coordinates[rows[end]], reduction.kept))
      ++end;
    groups.push_back({begin, end});
    begin = end;
  }
  return groups;
}

/// The sum, or the greatest, of at least one value.
template <class T, bool kIsSum>
T reduced(std::span<const T> values) {
  if constexpr (kIsSum) {
    auto sum = Wide<T>(0);
    for (const T& value : values) sum = static_cast<Wide<T>>(wrapping_add(sum, static_cast<Wide<T>>(value)));
    return static_cast<T>(sum);
  } else {
    return *std::ranges::max_element(values);
  }
}

/// The place of a group in the dense result.
int64_t place_of(std::span<const int64_t> at, const SparseReduction& reduction) {
  int64_t place = 0;
  for (const int64_t axis : reduction.kept) {
    const auto d = static_cast<size_t>(axis);
    if (at[d] < 0 || at[d] >= reduction.dims[d]) {
      throw errors::InvalidArgumentError(
          fmt::format("Obtained a write index which is outside of bounds: {} of dimension {}, which has {}",
                      at[d], d, reduction.dims[d]));
    }
    place = place * reduction.dims[d] + at[d];  // size: within the result
  }
  return place;
}

template <class T, bool kIsSum>
Array dense_result(const DynamicCall& call, const SparseReduction& reduction) {
  const std::vector<int64_t> dims = reduction.result_dims();
  Array out(call.in(1).dtype(), Shape(dims));
  std::fill_n(out.mutable_data<T>(), out.size(), T(0));
  const Coordinates coordinates(call.in(0));
  const std::vector<int64_t> rows = sorted_rows(coordinates, order_of(reduction));
  const Array values = picked_rows(call.in(1), rows);
  for (const Group& group : groups_of(coordinates, rows, reduction)) {
    const auto some = values.span<T>().subspan(group.begin, group.end - group.begin);
    out.mutable_data<T>()[place_of(coordinates[rows[group.begin]], reduction)] = reduced<T, kIsSum>(some);
  }
  return out;
}

template <class T, bool kIsSum>
void sparse_result(DynamicCall& call, const SparseReduction& reduction) {
  const std::vector<int64_t> dims = reduction.result_dims();
  const Coordinates coordinates(call.in(0));
  const std::vector<int64_t> rows = sorted_rows(coordinates, order_of(reduction));
  const Array values = picked_rows(call.in(1), rows);
  const std::vector<Group> groups = groups_of(coordinates, rows, reduction);
  std::vector<int64_t> numbers(groups.size() * dims.size(), 0);
  Array out(values.dtype(), Shape{std::ssize(groups)});
  for (size_t i = 0; i < groups.size(); ++i) {
    const auto at = coordinates[rows[groups[i].begin]];
    for (size_t k = 0; k < reduction.kept.size(); ++k) {
      const auto axis = static_cast<size_t>(reduction.kept[k]);
      numbers[i * dims.size() + (reduction.keeps_rank ? axis : k)] = at[axis];
    }
    const auto some = values.span<T>().subspan(groups[i].begin, groups[i].end - groups[i].begin);
    out.mutable_data<T>()[i] = reduced<T, kIsSum>(some);
  }
  call.set_out(0, coordinates_of(numbers, std::ssize(groups), std::ssize(dims)));
  call.set_out(1, std::move(out));
  call.set_out(2, Array(dims));
}

template <bool kIsSum, bool kIsSparse>
void reduce(DynamicCall& call) {
  using Types = std::conditional_t<kIsSum, AllNumberTypes, RealTypes>;
  const SparseReduction reduction = checked_reduction(call);
  const bool is_known = dispatch<Types>(call.in(1).dtype(), [&]<class T>() {
    if constexpr (kIsSparse) {
      sparse_result<T, kIsSum>(call, reduction);
    } else {
      call.set_out(0, dense_result<T, kIsSum>(call, reduction));
    }
  });
  if (!is_known) {
    throw errors::UnimplementedError(
        fmt::format("There is no kernel for {}", dtype_name(call.in(1).dtype())));
  }
}

// ---- shapes and gradients

/// The dimensions that are left, where shape and axes are known.
void reduce_shape(ShapeContext& context) {
  context.set_output(0, Shape::unknown_rank());
  if (context.value(2) == nullptr || context.value(3) == nullptr) return;
  const std::vector<int64_t> dims = context.integers(2);
  const int64_t rank = std::ssize(dims);
  std::vector<bool> is_reduced(dims.size(), false);
  for (const int64_t axis : context.integers(3)) {
    if (axis < -rank || axis >= rank) return;  // a step says so
    is_reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
  }
  const bool keeps_rank = context.attrs().get<bool>("keep_dims");
  std::vector<int64_t> left;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] < 0) return;
    if (!is_reduced[d] || keeps_rank) left.push_back(is_reduced[d] ? 1 : dims[d]);
  }
  context.set_output(0, Shape(left));
}

/// math_ops.reduced_shape(shape, axes): 1 for what is reduced; numbers where both are known.
std::optional<std::vector<int64_t>> known_reduced_shape(Endpoint shape, Endpoint axes) {
  const Array dims_value = graph::constant_value(shape);
  const Array axes_value = graph::constant_value(axes);
  if (!dims_value.has_value() || !axes_value.has_value()) return std::nullopt;
  std::vector<int64_t> dims = graph::to_integers(dims_value);
  for (const int64_t axis : graph::to_integers(axes_value)) {
    const int64_t rank = std::ssize(dims);
    if (axis >= -rank && axis < rank) dims[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = 1;
  }
  return dims;
}

/// The same by nodes.
Endpoint python_reduced_shape(GradientContext& g, Endpoint shape, Endpoint axes) {
  const Endpoint dims = python_cast(g, shape, DType::kInt32);
  const Endpoint rank = python_size_of(g, dims);
  const Endpoint shifted = g.op("AddV2", {axes, rank}, {}, "add");
  const Endpoint places = g.op("FloorMod", {shifted, rank}, {}, "mod");
  const Endpoint places_shape = python_shape(g, places);
  const Endpoint every = python_range(g, 0, rank);
  Endpoint ones;
  {
    const graph::NameScope scope(g.graph(), "ones");
    const Endpoint one = python_scalar(g, 1, DType::kInt32, "Const");
    ones = g.op("Fill", {places_shape, one}, {}, scope.path());
  }
  return python_outputs(g, "DynamicStitch", {every, places, dims, ones}).front();
}

std::vector<Endpoint> reduce_sum_gradient(GradientContext& g) {
  const Endpoint dims = g.input(2);
  Endpoint gradient;
  Endpoint kept;
  if (const auto known = known_reduced_shape(dims, g.input(3))) {
    gradient = python_reshape_to(g, g.grad(), *known);
    const graph::NameScope scope(g.graph(), "Cast");
    const Endpoint sizes = python_integers(g, *known, DType::kInt32, "x");
    kept = g.op("Cast", {sizes}, {{"DstT", DType::kInt64}}, scope.path());
  } else {
    const Endpoint sizes = python_reduced_shape(g, dims, g.input(3));
    gradient = g.op("Reshape", {g.grad(), sizes});
    kept = python_cast(g, sizes, DType::kInt64);
  }
  const Endpoint scale = g.op("FloorDiv", {dims, kept}, {}, "floordiv");
  const Endpoint places = g.op("FloorDiv", {g.input(0), scale}, {}, "floordiv");
  return {{}, g.op("GatherNd", {gradient, places}), {}, {}};
}

constexpr std::string_view kInputs =
    "input_indices:int64, input_values:T, input_shape:int64, reduction_axes:int32";
constexpr std::string_view kSparseOutputs = "output_indices:int64, output_values:T, output_shape:int64";

constexpr graph::OpRow kSparseReductionOps[] = {
    {.name = "SparseReduceSum",
     .inputs = kInputs,
     .outputs = "output:T",
     .attrs = "keep_dims:bool=false; T:type{numbers}",
     .shape = reduce_shape,
     .gradient = reduce_sum_gradient,
     .compute = reduce<true, false>},
    {.name = "SparseReduceMax",
     .inputs = kInputs,
     .outputs = "output:T",
     .attrs = "keep_dims:bool=false; T:type{real_numbers}",
     .shape = reduce_shape,
     .compute = reduce<false, false>},
    {.name = "SparseReduceSumSparse",
     .inputs = kInputs,
     .outputs = kSparseOutputs,
     .attrs = "keep_dims:bool=false; T:type{numbers}",
     .shape = graph::unknown_shape,
     .compute = reduce<true, true>},
    {.name = "SparseReduceMaxSparse",
     .inputs = kInputs,
     .outputs = kSparseOutputs,
     .attrs = "keep_dims:bool=false; T:type{real_numbers}",
     .shape = graph::unknown_shape,
     .compute = reduce<false, true>},
};

}  // namespace

void register_sparse_reduction_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kSparseReductionOps) table.add(row);
}

}  // namespace flowray::ops
