// Unique and UniqueWithCounts: the different elements of a list, in the order in which they first come.

#include "core/dtype_dispatch.h"
#include "graph/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/dtype_lists.h"
#include "ops/math_ops.h"

#include <fmt/format.h>

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

}  // namespace

void register_unique_ops(graph::OpTable& table) {
  table.add({.name = "Unique",
             .inputs = "x:T",
             .outputs = "y:T, idx:out_idx",
             .attrs = "T:type; out_idx:type=int32" FLOWRAY_INDICES,
             .shape = unique_shape,
             .compute = unique<false>});
  table.add({.name = "UniqueWithCounts",
             .inputs = "x:T",
             .outputs = "y:T, idx:out_idx, count:out_idx",
             .attrs = "T:type; out_idx:type=int32" FLOWRAY_INDICES,
             .shape = unique_shape,
             .compute = unique<true>});
}

}  // namespace flowray::ops
