// Where: the coordinates of elements that are not zero. How many there are shows only in the step.

#include "core/dtype_dispatch.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <complex>

namespace flowray::ops {

using graph::DynamicCall;
using graph::ShapeContext;

namespace {

void where_shape(ShapeContext& context) {
  const Shape& input = context.input(0);
  context.set_output(0, {Shape::kUnknownDim, input.has_rank() ? input.rank() : Shape::kUnknownDim});
}

/// One row of coordinates for each element of `x` that is not zero, in the order of the elements. What
/// another process writes there between the two passes may change what is found,
/// but not how many rows there are.
template <class T>
Array coordinates(const Array& x) {
  const T* elements = x.data<T>();
  int64_t found = 0;
  for (int64_t i = 0; i < x.size(); ++i) found += elements[i] != T{} ? 1 : 0;
  const int rank = x.rank();
  Array result = Array::uninitialized(DType::kInt64, {found, rank});
  int64_t* row = result.mutable_data<int64_t>();
  int64_t* const end = row + result.size();
  for (int64_t i = 0; i < x.size() && row != end; ++i) {
    if (elements[i] == T{}) continue;
    int64_t rest = i;
    for (int d = rank - 1; d >= 0; --d) {
      row[d] = rest % x.dim(d);
      rest /= x.dim(d);
    }
    row += rank;
  }
  std::fill(row, end, 0);
  return result;
}

void compute_where(DynamicCall& call) {
  constexpr int kMostDims = 8;
  if (const int rank = call.in(0).rank(); rank < 1 || rank > kMostDims) {
    throw errors::InvalidArgumentError(fmt::format("WhereOp : Unhandled input dimensions: {}", rank));
  }
  const Array& x = call.in(0);
  using Types = TypeList<float, double, int32_t, int64_t, bool, float16, bfloat16, int8_t, int16_t, uint8_t,
                         uint16_t, uint32_t, uint64_t, std::complex<float>, std::complex<double>>;
  const bool known = dispatch<Types>(x.dtype(), [&]<class T>() { call.set_out(0, coordinates<T>(x)); });
  if (!known)
    throw errors::UnimplementedError(fmt::format("Where has no kernel for {}", dtype_name(x.dtype())));
}

constexpr graph::OpRow kArrayWhereOps[] = {
    {.name = "Where",
     .inputs = "input:T",
     .outputs = "index:int64",
     .attrs = "T:type=bool{[float32,float64,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,"
              "bfloat16,qint16,quint16,uint16,complex128,float16,uint32,uint64,bool]}",
     .shape = where_shape,
     .compute = compute_where},
};

}  // namespace

void register_array_where_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kArrayWhereOps) table.add(row);
}

}  // namespace flowray::ops
