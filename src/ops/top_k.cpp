// TopKV2: the greatest elements of each row, and where they stand.

#include "graph/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/dtype_lists.h"
#include "ops/kernel_for_dtype.h"
#include "ops/math_ops.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace flowray::ops {

using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

namespace {

void check_in_step(const ShapeContext& context) {
  if (context.input(1).rank() != 0) {
    ShapeContext::fail(fmt::format("k must be scalar, got shape {}", context.input(1).to_string()));
  }
  const int64_t k = context.integers(1)[0];
  const Shape& input = context.input(0);
  if (k < 0) ShapeContext::fail(fmt::format("Need k >= 0, got {}", k));
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
  context.with_rank(1, 0);
  if (!shape.has_rank()) return;
  int64_t k = Shape::kUnknownDim;
  if (context.value(1) != nullptr) {
    k = context.integers(1)[0];
    if (k < 0) ShapeContext::fail(fmt::format("Need k >= 0, got {}", k));
    if (shape.dim(-1) >= 0 && shape.dim(-1) < k) {
      ShapeContext::fail(fmt::format("input must have last dimension >= k = {} but is {}", k, shape.dim(-1)));
    }
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
            std::vector<int64_t> order(static_cast<size_t>(columns));
            for (int64_t r = 0; r < rows; ++r) {
              find_greatest(call.in<T>(0) + r * columns, columns, k, order, call.out<T>(0) + r * k,
                            call.out<Index>(1) + r * k);
            }
          });
        });
  });
}

}  // namespace

void register_top_k_ops(graph::OpTable& table) {
  table.add({.name = "TopKV2",
             .inputs = "input:T, k:Tk",
             .outputs = "values:T, indices:index_type",
             .attrs = "sorted:bool=true; T:type" FLOWRAY_REAL_NUMBERS
                      "; Tk:type=int32{[int16,int32,int64]}; index_type:type=int32{[int16,int32,int64]}",
             .shape = top_k_shape,
             .prepare = prepare_top_k});
}

}  // namespace flowray::ops
