#include <flowray/tf/indexed_slices.h>

#include "graph/builder.h"
#include "ops/python_nodes/indexed_slices.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "tf/build/apply_op.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf {
namespace {

using graph::Endpoint;

/// The shape whose first element says how many rows a sum of slices has; none where it was made otherwise.
Tensor shape_of_sum(const graph::Node& sum) {
  const graph::Node& rows = *sum.input(2).node;
  if (sum.is_value()) {  // it has its number of rows, but not what that was taken from
    graph::Builder builder(sum.graph());
    return tensor_of(builder.op("Shape", {{&const_cast<graph::Node&>(sum), 0}}));
  }
  return rows.op() == "StridedSlice" ? tensor_of(rows.input(0)) : Tensor();
}

const graph::Node& first_sum(const graph::Node& gradient) {
  return gradient.op() == "AddN" ? first_sum(*gradient.input(0).node) : gradient;
}

}  // namespace

std::optional<IndexedSlices> indexed_slices(const Tensor& gradient) {
  (void)node_of(gradient, "gradient");
  const std::vector<ops::IndexedSlices> slices = ops::slices_of(endpoint_of(gradient));
  if (slices.empty()) return std::nullopt;
  const auto has_its_dtype = [&](const ops::IndexedSlices& some) {
    return some.indices.dtype() == slices.front().indices.dtype();
  };
  if (!std::ranges::all_of(slices, has_its_dtype)) return std::nullopt;
  graph::Builder builder(gradient.node()->graph());
  const auto joined = [&](auto part) {
    std::vector<Endpoint> parts;
    for (const ops::IndexedSlices& some : slices) parts.push_back(part(some));
    return tensor_of(parts.size() == 1 ? parts.front() : ops::python_concat(builder, parts));
  };
  const Tensor values = joined([](const ops::IndexedSlices& some) { return some.values; });
  const Tensor indices = joined([](const ops::IndexedSlices& some) { return some.indices; });
  return IndexedSlices{values, indices, shape_of_sum(first_sum(*gradient.node()))};
}

Tensor convert_to_tensor(const IndexedSlices& slices, const NameOption& options) {
  (void)node_of(slices.values, "slices.values");
  (void)node_of(slices.indices, "slices.indices");
  if (!slices.dense_shape.has_value()) {
    throw ValueError(fmt::format("Tensor conversion requested for IndexedSlices without dense_shape: {}",
                                 tensor_text(slices.values)));
  }
  graph::Builder builder(slices.values.node()->graph());
  const Endpoint rows = ops::python_element(builder, endpoint_of(slices.dense_shape), 0);
  return tensor_of(builder.op("UnsortedSegmentSum",
                              {endpoint_of(slices.values), endpoint_of(slices.indices), rows},
                              {{std::string(ops::kSlicesMark), true}}, options.name));
}

}  // namespace flowray::tf
