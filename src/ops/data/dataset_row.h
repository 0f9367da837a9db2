#pragma once
/// Ops that make a dataset of others, as rows of tables.

#include "graph/op_schema.h"
#include "graph/shape_context.h"

#include <string_view>

namespace flowray::ops {

/// The row of an op that makes a dataset.
constexpr graph::OpRow dataset(std::string_view name, std::string_view inputs, std::string_view attrs,
                               graph::StartFunction start) {
  return {.name = name,
          .inputs = inputs,
          .outputs = "handle:variant",
          .attrs = attrs,
          .shape = graph::scalar_shape,
          .start = start};
}

/// Outputs of the shapes in output_shapes: the components of an element.
void components_shape(graph::ShapeContext& context);

}  // namespace flowray::ops
