// ListDiff: the elements of one list that another one does not have, and where they stand.

#include "core/dtype_dispatch.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/reduce/register.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace flowray::ops {

using graph::KernelCall;
using graph::OpTable;
using graph::PrepareContext;
using graph::ShapeContext;

namespace {

using Comparable = TypeList<float, double, float16, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t,
                            uint16_t, uint32_t, uint64_t>;

/// Positions of x's elements that y does not have. NaN equals nothing, so it is in no list.
template <class T>
std::vector<int64_t> kept_positions(const Array& x, const Array& y) {
  std::set<T> excluded;
  for (int64_t i = 0; i < y.size(); ++i) {
    if (const T value = y.data<T>()[i]; value == value) excluded.insert(value);
  }
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < x.size(); ++i) {
    if (const T value = x.data<T>()[i]; value != value || !excluded.contains(value)) positions.push_back(i);
  }
  return positions;
}

/// How many are left shows only in the values.
void list_diff_shape(ShapeContext& context) {
  int64_t count = Shape::kUnknownDim;
  for (int i = 0; i < 2 && context.running(); ++i) {
    if (context.input(i).rank() != 1)
      ShapeContext::fail(i == 0 ? "x should be a 1D vector." : "y should be a 1D vector.");
  }
  context.with_rank(0, 1);
  context.with_rank(1, 1);
  if (context.running() && context.value(0) != nullptr && context.value(1) != nullptr) {
    (void)dispatch<Comparable>(context.input_dtype(0), [&]<class T>() {
      count = static_cast<int64_t>(kept_positions<T>(*context.value(0), *context.value(1)).size());
    });
  }
  context.set_output(0, Shape{count});
  context.set_output(1, Shape{count});
}

std::unique_ptr<graph::Kernel> prepare_list_diff(PrepareContext& context) {
  if (context.input_value(0) == nullptr || context.input_value(1) == nullptr)
    throw graph::UnknownValue("Which elements are left shows in the run");
  const bool narrow = context.output_dtype(1) == DType::kInt32;
  return kernel_for_dtype<Comparable>(context, context.input_dtype(0), [&]<class T>() {
    std::vector<int64_t> kept = kept_positions<T>(*context.input_value(0), *context.input_value(1));
    // No more than the shape function counted, whatever another process has written there meanwhile.
    kept.resize(static_cast<size_t>(context.output_shape(0).num_elements()));
    return graph::make_kernel([narrow, positions = std::move(kept)](const KernelCall& call) {
      for (size_t i = 0; i < positions.size(); ++i) {
        call.out<T>(0)[i] = call.in<T>(0)[positions[i]];
        if (narrow) {
          call.out<int32_t>(1)[i] = static_cast<int32_t>(positions[i]);
        } else {
          call.out<int64_t>(1)[i] = positions[i];
        }
      }
    });
  });
}

constexpr graph::OpRow kListDiffOps[] = {
    {.name = "ListDiff",
     .inputs = "x:T, y:T",
     .outputs = "out:T, idx:out_idx",
     .attrs = "T:type; out_idx:type=int32{indices}",
     .shape = list_diff_shape,
     .prepare = prepare_list_diff},
};

}  // namespace

void register_list_diff_ops(OpTable& table) {
  for (const graph::OpRow& row : kListDiffOps) table.add(row);
}

}  // namespace flowray::ops
