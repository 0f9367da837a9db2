// Bitcast: the same bytes as another type.

#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"

#include <fmt/format.h>

#include <cstring>

namespace flowray::ops {
namespace {

using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::PrepareContext;
using graph::ShapeContext;

void bitcast_shape(ShapeContext& context) {
  const auto from = static_cast<int64_t>(dtype_size(context.input_dtype(0)));
  const auto to = static_cast<int64_t>(dtype_size(context.attrs().get<DType>("type")));
  const Shape& shape = context.input(0);
  if (!shape.has_rank()) return;
  if (from == to) return context.set_output(0, shape);
  if (from > to) return context.set_output(0, shape.concatenate(Shape{from / to}));
  const int64_t ratio = to / from;
  if (shape.rank() == 0 || (shape.dim(-1) >= 0 && shape.dim(-1) != ratio)) {
    if (context.running()) {
      ShapeContext::fail(
          fmt::format("Cannot bitcast from {} to {}\nThe last dimension of {} must be {}: the elements of {} "
                      "make one of {}",
                      static_cast<int>(context.input_dtype(0)),
                      static_cast<int>(context.attrs().get<DType>("type")), shape.to_string(), ratio,
                      dtype_name(context.input_dtype(0)), dtype_name(context.attrs().get<DType>("type"))));
    }
    ShapeContext::fail(
        fmt::format("Cannot bitcast from dtype of {} bytes to one of {} bytes: the last dimension of {} "
                    "must be {}",
                    from, to, shape.to_string(), ratio));
  }
  context.set_output(0, Shape(shape.dims().first(static_cast<size_t>(shape.rank()) - 1)));
}

std::unique_ptr<Kernel> prepare_bitcast(PrepareContext& context) {
  const size_t bytes =
      static_cast<size_t>(context.input_shape(0).num_elements()) * dtype_size(context.input_dtype(0));
  return make_kernel([bytes](const KernelCall& call) {
    if (bytes > 0) std::memcpy(call.out<char>(0), call.in<char>(0), bytes);
  });
}

constexpr graph::OpRow kBitcastOps[] = {
    {.name = "Bitcast",
     .inputs = "input:T",
     .outputs = "output:type",
     .attrs = "T:type{[bfloat16,float16,float32,float64,int64,int32,uint8,uint16,uint32,uint64,int8,int16,"
              "complex64,complex128,qint8,quint8,qint16,quint16,qint32]}; "
              "type:type{[bfloat16,float16,float32,float64,int64,int32,uint8,uint16,uint32,uint64,int8,int16,"
              "complex64,complex128,qint8,quint8,qint16,quint16,qint32]}",
     .shape = bitcast_shape,
     .prepare = prepare_bitcast},
};

}  // namespace

void register_bitcast_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kBitcastOps) table.add(row);
}

}  // namespace flowray::ops
