// UnravelIndex: where an element stands that is the so-manieth of an array.

#include "core/invalid_argument.h"
#include "graph/integers.h"
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

/// The number of elements of an array of these dimensions; the most that a type holds where they are more.
int64_t elements_of(const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) {
      invalid_argument(fmt::format("Input dims cannot be negative. Got dim = {} at index {}", dims[i], i));
    }
    if (dims[i] == 0) {
      invalid_argument(
          fmt::format("Input dims cannot contain a dim of zero, but dims contains zero at index {}", i));
    }
    if (__builtin_mul_overflow(product, dims[i], &product))
      invalid_argument("Input dims product is causing integer overflow");
  }
  return product;
}

void unravel_index(DynamicCall& call) {
  const Array& indices = call.in(0);
  const Array& dims = call.in(1);
  if (indices.rank() > 1) {
    invalid_argument(
        fmt::format("The indices can only be scalar or vector, got \"{}\"", indices.shape().to_string()));
  }
  if (dims.rank() != 1) {
    invalid_argument(fmt::format("The indices can only be 1-D, got \"{}\"", dims.shape().to_string()));
  }
  if (indices.size() == 0) {
    invalid_argument(fmt::format("received empty tensor indices: Tensor<type: {} shape: {} values: >",
                                 dtype_name(indices.dtype()), indices.shape().to_string()));
  }
  const std::vector<int64_t> numbers = graph::to_integers(indices);
  const std::vector<int64_t> sizes = graph::to_integers(dims);
  const int64_t elements = elements_of(sizes);
  for (const int64_t number : numbers) {
    if (number < 0) invalid_argument("index is negative");
    if (number >= elements) invalid_argument("index is out of bound as with dims");
  }
  const auto count = static_cast<int64_t>(numbers.size());
  Array output(DType::kInt64, indices.rank() == 0 ? Shape{dims.dim(0)} : Shape{dims.dim(0), count});
  auto* const out = output.mutable_data<int64_t>();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = numbers[static_cast<size_t>(i)];
    for (int64_t d = dims.dim(0) - 1; d >= 0; --d) {
      out[d * count + i] = rest % sizes[static_cast<size_t>(d)];
      rest /= sizes[static_cast<size_t>(d)];
    }
  }
  call.set_out(0, output.astype(indices.dtype()));
}

void unravel_index_shape(ShapeContext& context) {
  const Shape& indices = context.input(0);
  const Shape& dims = context.input(1);
  if (dims.has_rank() && dims.rank() != 1 && !context.running()) context.with_rank(1, 1);
  if (!indices.has_rank()) return;
  const int64_t count = dims.has_rank() && dims.rank() == 1 ? dims.dim(0) : Shape::kUnknownDim;
  context.set_output(0, indices.rank() == 0 ? Shape{count} : Shape{count, indices.dim(0)});
}

constexpr graph::OpRow kUnravelIndexOps[] = {
    {.name = "UnravelIndex",
     .inputs = "indices:Tidx, dims:Tidx",
     .outputs = "output:Tidx",
     .attrs = "Tidx:type=int32{indices}",
     .shape = unravel_index_shape,
     .compute = unravel_index},
};

}  // namespace

void register_unravel_index_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kUnravelIndexOps) table.add(row);
}

}  // namespace flowray::ops
