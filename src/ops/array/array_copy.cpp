/// Empty and DeepCopy: arrays that programs of others write over.
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"

#include <fmt/format.h>

#include <vector>

namespace flowray::ops {
namespace {

using graph::DynamicCall;
using graph::ShapeContext;

void empty_shape(ShapeContext& context) { context.set_output(0, context.value_as_shape(0)); }

void empty(DynamicCall& call) {
  const Array& shape = call.in(0);
  if (shape.rank() != 1) {
    throw errors::InvalidArgumentError(
        fmt::format("shape must be a vector of int32, got shape {}", shape.shape().to_string()));
  }
  std::vector<int64_t> dims;
  for (const int32_t dim : shape.span<int32_t>()) {
    if (dim < 0) throw errors::InvalidArgumentError(fmt::format("Dimension {} must be >= 0", dim));
    dims.push_back(dim);
  }
  call.set_out(0, Array(call.attrs().get<DType>("dtype"), Shape(dims)));
}

void deep_copy(DynamicCall& call) {
  const Array& x = call.in(0);
  Array copy = x;
  const bool is_plain = dtype_size(x.dtype()) > 0 && x.dtype() != DType::kString;
  if (is_plain && x.size() > 0) (void)copy.mutable_raw_data();  // detaches
  call.set_out(0, std::move(copy));
}

constexpr graph::OpRow kArrayCopyOps[] = {
    {.name = "Empty",
     .inputs = "shape:int32",
     .outputs = "output:dtype",
     .attrs = "dtype:type; init:bool=false",
     .stateful = true,
     .shape = empty_shape,
     .compute = empty},
    {.name = "DeepCopy",
     .inputs = "x:T",
     .outputs = "y:T",
     .attrs = "T:type",
     .stateful = true,
     .shape = graph::unchanged_shape,
     .compute = deep_copy},
};

}  // namespace

void register_array_copy_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayCopyOps) table.add(row);
}

}  // namespace flowray::ops
