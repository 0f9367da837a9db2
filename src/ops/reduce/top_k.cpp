// TopKV2: the greatest elements of each row, and where they stand.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "ops/reduce/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace flowray::ops {

using graph::Endpoint;
using graph::GradientContext;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

namespace {

/// How many are asked for: an attribute of TopK, an input of TopKV2, of which it may not be known yet.
int64_t asked_for(const ShapeContext& context) {
  if (context.num_inputs() == 1) return context.attrs().get<int64_t>("k");
  if (!context.running() && context.value(1) == nullptr) return Shape::kUnknownDim;
  const int64_t k = context.integers(1)[0];
  if (k < 0) {
    ShapeContext::fail(
        context.running()
            ? fmt::format("Need k >= 0, got {}", k)
            : fmt::format("Dimension size, given by scalar input 1, must be non-negative but is {}", k));
  }
  return k;
}

void check_in_step(const ShapeContext& context) {
  if (context.num_inputs() > 1 && context.input(1).rank() != 0) {
    ShapeContext::fail(fmt::format("k must be scalar, got shape {}", context.input(1).to_string()));
  }
  const int64_t k = asked_for(context);
  const Shape& input = context.input(0);
  if (input.rank() < 1)
    ShapeContext::fail(fmt::format("input must be >= 1-D, got shape {}", input.to_string()));
  if (input.dim(-1) < k) {
    ShapeContext::fail(
        fmt::format("input must have at least k columns. Had {}, needed {}", input.dim(-1), k));
  }
}

void top_k_shape(ShapeContext& context) {
  if (context.running()) check_in_step(context);
  Shape shape = context.with_rank_at_least(0, 1);
  if (context.num_inputs() > 1) context.with_rank(1, 0);
  if (!shape.has_rank()) return;
  const int64_t k = asked_for(context);
  if (k >= 0 && shape.dim(-1) >= 0 && shape.dim(-1) < k) {
    ShapeContext::fail(fmt::format("input must have last dimension >= k = {} but is {}", k, shape.dim(-1)));
  }
  shape.set_dim(-1, k);
  context.set_output(0, shape);
  context.set_output(1, shape);
}

/// NaN is greater than everything; of equals the first comes first.
template <class T>
bool comes_before(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (a != a || b != b) return a != a && b == b;
  }
  return a > b;
}

template <class T, class Index>
void find_greatest(const T* row, int64_t columns, int64_t k, std::vector<int64_t>& order, T* values,
                   Index* indices) {
  std::iota(order.begin(), order.end(), int64_t{0});
  const auto before = [&](int64_t a, int64_t b) {
    if (comes_before(row[a], row[b])) return true;
    return !comes_before(row[b], row[a]) && a < b;
  };
  std::partial_sort(order.begin(), order.begin() + k, order.begin() + columns, before);
  for (int64_t i = 0; i < k; ++i) {
    values[i] = row[order[static_cast<size_t>(i)]];
    indices[i] = static_cast<Index>(order[static_cast<size_t>(i)]);
  }
}

using RankedTypes = TypeList<float, double, int32_t, int64_t, uint8_t, uint64_t>;

std::unique_ptr<graph::Kernel> prepare_top_k(PrepareContext& context) {
  const int64_t k = context.output_shape(0).dim(-1);
  const int64_t columns = context.input_shape(0).dim(-1);
  const int64_t rows = columns == 0 ? 0 : context.input_shape(0).num_elements() / columns;
  return kernel_for_dtype<RankedTypes>(context, context.input_dtype(0), [&]<class T>() {
    return kernel_for_dtype<TypeList<int16_t, int32_t, int64_t>>(
        context, context.output_dtype(1), [&]<class Index>() {
          return graph::make_kernel([=](const KernelCall& call) {
            if (rows == 0) return;  // of any length
            std::vector<int64_t> order(static_cast<size_t>(columns));
            for (int64_t r = 0; r < rows; ++r) {
              find_greatest(call.in<T>(0) + r * columns, columns, k, order, call.out<T>(0) + r * k,
                            call.out<Index>(1) + r * k);
            }
          });
        });
  });
}

/// The last of `dims`, as an int64.
Endpoint last_of(GradientContext& g, Endpoint dims) {
  const Endpoint wide = python_cast(g, dims, DType::kInt64);
  const Endpoint last = python_with_number(g, "Sub", python_size_of(g, dims), 1, "sub");
  return python_gather(g, wide, last);
}

/// The gradients of the values go to where their indices, counted through all rows, say.
std::vector<Endpoint> top_k_gradient(GradientContext& g) {
  const Endpoint indices = g.output(1);
  const Endpoint in_shape = python_shape(g, g.input(0));
  const Endpoint found_shape = python_shape(g, indices);
  const Endpoint k = last_of(g, found_shape);
  const Endpoint rows = g.op("Reshape", {indices, python_list(g, {-1, k}, DType::kInt64, "stack")});
  const Endpoint length = last_of(g, in_shape);
  const Endpoint count = python_cast(g, python_element(g, python_shape(g, rows), 0), DType::kInt64);
  const Endpoint end = g.op("Mul", {count, length}, {}, "mul");
  Endpoint starts;
  {
    const graph::NameScope scope(g.graph(), "range");
    const Endpoint zero = python_cast(g, g.constant(Array(int32_t{0}), "start"), DType::kInt64);
    starts = g.op("Range", {zero, end, length}, {}, scope.path());
  }
  const Endpoint column = python_cast(g, python_expand_dims(g, starts, -1), base_dtype(indices.dtype()));
  const Endpoint places = python_reshape_to(g, g.op("AddV2", {rows, column}, {}, "add"), {-1});
  const Endpoint place_rows = python_expand_dims(g, places, -1);
  const Endpoint updates = python_reshape_to(g, g.grad(), {-1});
  const Endpoint size = g.op("Prod", {in_shape, python_integers(g, {0}, DType::kInt32, "Const")});
  Endpoint flat;
  {
    const graph::NameScope scope(g.graph(), "ScatterNd");
    const DType dtype = base_dtype(indices.dtype());
    flat = g.op("ScatterNd", {place_rows, updates, python_list(g, {size}, dtype, "shape")}, {}, scope.path());
  }
  const Endpoint spread = g.op("Reshape", {flat, in_shape});
  if (g.num_inputs() == 1) return {spread};
  return {spread, g.constant(Array(int32_t{0}), "zeros")};
}

constexpr graph::OpRow kTopKOps[] = {
    {.name = "TopK",
     .inputs = "input:T",
     .outputs = "values:T, indices:int32",
     .attrs = "k:int>=0; sorted:bool=true; T:type{real_numbers}",
     .shape = top_k_shape,
     .gradient = top_k_gradient,
     .prepare = prepare_top_k},
    {.name = "TopKV2",
     .inputs = "input:T, k:Tk",
     .outputs = "values:T, indices:index_type",
     .attrs = "sorted:bool=true; T:type{real_numbers}; Tk:type=int32{indices_and_int16}; "
              "index_type:type=int32{indices_and_int16}",
     .shape = top_k_shape,
     .gradient = top_k_gradient,
     .prepare = prepare_top_k},
};

}  // namespace

void register_top_k_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kTopKOps) table.add(row);
}

}  // namespace flowray::ops
