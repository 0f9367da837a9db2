// DynamicStitch, ParallelDynamicStitch: rows put together by their numbers, the adjoint of DynamicPartition.

#include "core/checked_size.h"
#include "core/dtype_dispatch.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/element_words.h"
#include "ops/elements/fill_words.h"
#include "ops/elements/index_text.h"
#include "ops/elements/shape_merging.h"
#include "ops/elements/shape_parts.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::make_kernel;
using graph::NameScope;
using graph::PrepareContext;
using graph::ShapeContext;

Shape suffix(const Shape& shape, int begin) {
  return Shape(shape.dims().subspan(static_cast<size_t>(begin)));
}

bool starts_with(const Shape& shape, const Shape& prefix) {
  return shape.rank() >= prefix.rank() && std::equal(prefix.begin(), prefix.end(), shape.begin());
}

/// While a graph is built: `prefix`, input `prefix_input`, must be how input `whole_input` begins. Returns
/// what follows.
Shape after_prefix(const ShapeContext& context, int whole_input, int prefix_input) {
  const Shape& prefix = context.input(prefix_input);
  if (!prefix.has_rank()) return Shape::unknown_rank();
  const Shape whole = context.with_rank_at_least(whole_input, prefix.rank());
  if (!whole.has_rank()) return whole;
  for (int i = 0; i < prefix.rank(); ++i) ShapeContext::merge_dim(whole.dim(i), prefix.dim(i));
  return suffix(whole, prefix.rank());
}

void check_stitch_in_step(const ShapeContext& context, int count) {
  const Shape& first_indices = context.input(0);
  const Shape& first_data = context.input(count);
  for (int i = 0; i < count; ++i) {
    const Shape& indices = context.input(i);
    const Shape& data = context.input(count + i);
    if (!starts_with(data, indices)) {
      ShapeContext::fail(fmt::format("data[{0}].shape = {1} does not start with indices[{0}].shape = {2}", i,
                                     data.to_string(), indices.to_string()));
    }
    if (!(suffix(data, indices.rank()) == suffix(first_data, first_indices.rank()))) {
      ShapeContext::fail(
          fmt::format("Need data[0].shape[{1}:] = data[{0}].shape[{2}:], got data[0].shape = {3}, "
                      "data[{0}].shape = {4}, indices[0].shape = {5}, indices[{0}].shape = {6}",
                      i, first_indices.rank(), indices.rank(), first_data.to_string(), data.to_string(),
                      first_indices.to_string(), indices.to_string()));
    }
  }
}

void stitch_shape(ShapeContext& context) {
  const int count = context.num_inputs() / 2;
  if (context.running()) check_stitch_in_step(context, count);
  bool all_known = true;
  int64_t rows = 0;
  Shape row = Shape::unknown_rank();
  for (int i = 0; i < count; ++i) {
    row = merge_shapes(row, after_prefix(context, count + i, i));
    all_known = all_known && context.value(i) != nullptr;
    if (!all_known) continue;
    for (int64_t index : context.integers(i)) rows = std::max<int64_t>(rows, checked(index) + 1);
  }
  if (row.has_rank()) context.set_output(0, Shape{all_known ? rows : Shape::kUnknownDim}.concatenate(row));
}

/// Rows that no index names are zero; where an index is there twice the last one wins.
template <class W>
void stitch(const KernelCall& call, const std::vector<int64_t>& num_indices, int64_t rows,
            int64_t row_elements) {
  W* const out = call.out<W>(0);
  for (size_t i = 0; i < num_indices.size(); ++i) {
    const int32_t* const indices = call.in<int32_t>(static_cast<int>(i));
    const W* data = call.in<W>(static_cast<int>(num_indices.size() + i));
    for (int64_t k = 0; k < num_indices[i]; ++k, data += row_elements) {
      const int64_t index = indices[k];
      if (index < 0 || index >= rows) {
        throw errors::InvalidArgumentError(fmt::format("indices[{}] is out of range", k));
      }
      copy_words(data, out + index * row_elements, row_elements);
    }
  }
}

std::unique_ptr<Kernel> prepare_stitch(PrepareContext& context) {
  const Shape& out = context.output_shape(0);
  const int64_t rows = out.dim(0);
  const int64_t row_elements = elements_between(out, 1, out.rank());
  std::vector<int64_t> num_indices;
  for (int i = 0; i < context.num_inputs() / 2; ++i)
    num_indices.push_back(context.input_shape(i).num_elements());
  const DType dtype = context.output_dtype(0);
  std::unique_ptr<Kernel> kernel;
  const bool known = dispatch_words(dtype, [&]<class W>() {
    kernel = make_kernel([num_indices, rows, row_elements, count = out.num_elements(),
                          zero = Array(dtype, Shape())](const KernelCall& call) {
      fill_words(zero.dtype(), zero.raw_data(), call.out<void>(0), count, call.parallel());
      stitch<W>(call, num_indices, rows, row_elements);
    });
  });
  if (!known) context.no_kernel_for(dtype);
  return kernel;
}

std::vector<Endpoint> stitch_gradient(GradientContext& g) {
  const int count = g.num_inputs() / 2;
  std::vector<Endpoint> grads(static_cast<size_t>(g.num_inputs()));
  for (int i = 0; i < count; ++i)
    grads[static_cast<size_t>(count + i)] = python_gather(g, g.grad(), g.input(i));
  return grads;
}

constexpr graph::OpRow dynamic_stitch_row(std::string_view name) {
  return {.name = name,
          .inputs = "indices:N*int32, data:N*T",
          .outputs = "merged:T",
          .attrs = "N:int>=1; T:type",
          .shape = stitch_shape,
          .gradient = stitch_gradient,
          .prepare = prepare_stitch};
}

constexpr graph::OpRow kDynamicStitchOps[] = {
    dynamic_stitch_row("DynamicStitch"),
    dynamic_stitch_row("ParallelDynamicStitch"),
};

}  // namespace

void register_dynamic_stitch_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kDynamicStitchOps) table.add(row);
}

}  // namespace flowray::ops
