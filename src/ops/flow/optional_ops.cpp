/// Optionals: some arrays or nothing, as one value.
#include "ops/elements/optional_value.h"
#include "ops/flow/register.h"

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/python_nodes/python_array_nodes.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;
using graph::DynamicCall;

const OptionalValue& optional_of(DynamicCall& call, std::string_view op) {
  if (const auto* optional = graph::variant_as<OptionalValue>(call.in(0))) return *optional;
  throw InvalidArgumentError(fmt::format("Input to {} must be an OptionalVariant object.", op));
}

void optional_none(DynamicCall& call) {
  call.set_out(0, graph::variant_array(std::make_shared<OptionalValue>()));
}

void optional_from_value(DynamicCall& call) {
  std::vector<Array> components;
  for (int i = 0; i < call.num_inputs(); ++i) components.push_back(call.in(i));
  call.set_out(0, graph::variant_array(std::make_shared<OptionalValue>(std::move(components))));
}

void optional_has_value(DynamicCall& call) {
  call.set_out(0, Array(optional_of(call, "OptionalHasValue").components().has_value()));
}

void optional_get_value(DynamicCall& call) {
  const OptionalValue& optional = optional_of(call, "OptionalGetValue");
  const auto& dtypes = call.attrs().get<std::vector<DType>>("output_types");
  const auto& shapes = call.attrs().get<std::vector<Shape>>("output_shapes");
  if (!optional.components().has_value())
    throw InvalidArgumentError("The given optional does not have a value.");
  const std::vector<Array>& components = *optional.components();
  if (components.size() != dtypes.size()) {
    throw InvalidArgumentError(
        fmt::format("The given optional has {} components, expected {}", components.size(), dtypes.size()));
  }
  for (size_t i = 0; i < components.size(); ++i) {
    if (components[i].dtype() != dtypes[i]) {
      throw InvalidArgumentError(fmt::format(
          "The given optional does not match the expected type for component {}. Expected: {}. Actual: {}.",
          i, dtype_kernel_name(dtypes[i]), dtype_kernel_name(components[i].dtype())));
    }
    if (i < shapes.size() && !shapes[i].is_compatible_with(components[i].shape())) {
      throw InvalidArgumentError(fmt::format(
          "The given optional does not match the expected shape for component {}. Expected: {}. Actual: {}.",
          i, shapes[i].to_string(), components[i].shape().to_string()));
    }
    call.set_out(static_cast<int>(i), components[i]);
  }
}

void value_shapes(graph::ShapeContext& context) {
  const auto& shapes = context.attrs().get<std::vector<Shape>>("output_shapes");
  if (static_cast<int>(shapes.size()) != context.num_outputs()) return;
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, shapes[static_cast<size_t>(i)]);
}

graph::Attrs value_attrs(const std::vector<DType>& dtypes, std::vector<Shape> shapes) {
  return {{"output_types", dtypes}, {"output_shapes", std::move(shapes)}};
}

/// The components of the gradient, which is an optional as well.
std::vector<graph::Endpoint> from_value_gradient(graph::GradientContext& g) {
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
  for (int i = 0; i < g.num_inputs(); ++i) {
    dtypes.push_back(base_dtype(g.input(i).dtype()));
    shapes.push_back(g.input(i).shape());
  }
  return python_outputs(g, "OptionalGetValue", {g.grad()}, value_attrs(dtypes, std::move(shapes)));
}

std::vector<graph::Endpoint> get_value_gradient(graph::GradientContext& g) {
  return {g.op("OptionalFromValue", {g.grads().begin(), g.grads().end()})};
}

constexpr graph::OpRow kOptionalOps[] = {
    {.name = "OptionalNone",
     .outputs = "optional:variant",
     .shape = graph::scalar_shape,
     .compute = optional_none},
    {.name = "OptionalFromValue",
     .inputs = "components:[Toutput_types]",
     .outputs = "optional:variant",
     .attrs = "Toutput_types:list(type)>=1",
     .shape = graph::scalar_shape,
     .gradient = from_value_gradient,
     .compute = optional_from_value},
    {.name = "OptionalHasValue",
     .inputs = "optional:variant",
     .outputs = "has_value:bool",
     .shape = graph::scalar_shape,
     .compute = optional_has_value},
    {.name = "OptionalGetValue",
     .inputs = "optional:variant",
     .outputs = "components:[output_types]",
     .attrs = "output_types:list(type)>=1; output_shapes:list(shape)>=1",
     .shape = value_shapes,
     .gradient = get_value_gradient,
     .compute = optional_get_value},
};

}  // namespace

void register_optional_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kOptionalOps) table.add(row);
}

}  // namespace flowray::ops
