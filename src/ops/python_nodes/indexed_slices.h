#pragma once
/// The gradient of gathering rows: TensorFlow's IndexedSlices, rows and their numbers. Here it is a tensor
/// like any other, the sum of the rows by number; a consumer that can work on the rows alone asks for them,
/// and then the sum is unread and is never run.

#include "graph/graph.h"

#include <string_view>
#include <vector>

namespace flowray::ops {

/// An attribute of nodes that sum up slices: input 0 are the rows, input 1 their numbers.
inline constexpr std::string_view kSlicesMark = "_sum_of_slices";

struct IndexedSlices {
  graph::Endpoint values;
  graph::Endpoint indices;
};

/// The slices that `gradient` is the sum of; of each gathering one. None if it is, or contains,
/// anything else.
inline std::vector<IndexedSlices> slices_of(graph::Endpoint gradient) {
  const graph::Node& node = *gradient.node;
  if (node.attrs().contains(kSlicesMark)) return {{node.input(0), node.input(1)}};
  if (node.op() != "AddN") return {};
  std::vector<IndexedSlices> all;
  for (const graph::Endpoint& input : node.inputs()) {
    const std::vector<IndexedSlices> some = slices_of(input);
    if (some.empty()) return {};
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace flowray::ops
