#pragma once
/// Shapes that must be equal, as far as they are known while a graph is built.

#include "graph/shape_context.h"

namespace flowray::ops {

/// What is known when both hold. Throws errors::InvalidArgumentError in TensorFlow's words: "Dimension 0 in
/// both shapes must be equal, but are 2 and 3. Shapes are [2] and [3]." or "Shapes must be equal rank, but
/// are 1 and 2".
Shape merge_shapes(const Shape& a, const Shape& b);

/// Merges inputs 0 and 1 into output 0. Run-time check of element-wise kernels whose inputs do not broadcast:
/// "Inputs to operation NAME of type OP must have the same size and shape.  Input 0: [2] != input 1: [3]".
void same_shape(graph::ShapeContext& context);

/// Throws InvalidArgumentError "Dimension must be 3 but is 2" unless `dim` is unknown or `wanted`.
void check_dim(int64_t dim, int64_t wanted);

}  // namespace flowray::ops
