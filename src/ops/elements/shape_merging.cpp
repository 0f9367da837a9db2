#include "ops/elements/shape_merging.h"

#include <fmt/format.h>

#include "graph/node_in_text.h"

namespace flowray::ops {

using graph::ShapeContext;

Shape merge_shapes(const Shape& a, const Shape& b) {
  if (!a.has_rank()) return b;
  if (!b.has_rank()) return a;
  if (a.rank() != b.rank()) {
    ShapeContext::fail(fmt::format("Shapes must be equal rank, but are {} and {}", a.rank(), b.rank()));
  }
  Shape merged = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.dim(i) >= 0 && b.dim(i) >= 0 && a.dim(i) != b.dim(i)) {
      ShapeContext::fail(
          fmt::format("Dimension {} in both shapes must be equal, but are {} and {}. Shapes are {} and {}.",
                      i, a.dim(i), b.dim(i), a.to_string(), b.to_string()));
    }
    if (a.dim(i) < 0) merged.set_dim(i, b.dim(i));
  }
  return merged;
}

void same_shape(ShapeContext& context) {
  const Shape& a = context.input(0);
  const Shape& b = context.input(1);
  if (context.running() && !(a == b)) {
    ShapeContext::fail(fmt::format(
        "Inputs to operation {} of type {} must have the same size and shape.  Input 0: {} != input 1: {}",
        graph::kNodeInText, context.schema().name, a.to_string(), b.to_string()));
  }
  context.set_output(0, merge_shapes(a, b));
}

void check_dim(int64_t dim, int64_t wanted) {
  if (dim == Shape::kUnknownDim || dim == wanted) return;
  graph::ShapeContext::fail(fmt::format("Dimension must be {} but is {}", wanted, dim));
}

}  // namespace flowray::ops
