// Diag and DiagPart: an array on the diagonal of one with twice the dimensions, and back.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/array/register.h"
#include "ops/elements/element_words.h"
#include "ops/elements/shape_merging.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::ops {
namespace {

using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void diag_shape(ShapeContext& context) {
  if (context.running() && context.input(0).rank() == 0)
    ShapeContext::fail("Input must be at least rank 1, got 0");
  const Shape shape = context.with_rank_at_least(0, 1);
  context.set_output(0, shape.concatenate(shape));
}

void check_diag_part_in_step(const Shape& shape) {
  if (shape.rank() == 0 || shape.rank() % 2 != 0) {
    // The blanks are TensorFlow's.
    ShapeContext::fail(fmt::format("The rank of the tensor should be{:42}even and positive, got shape {}", "",
                                   shape.to_string()));
  }
  const int half = shape.rank() / 2;
  for (int i = 0; i < half; ++i) {
    if (shape.dim(i) == shape.dim(i + half)) continue;
    ShapeContext::fail(
        fmt::format("Invalid shape {}: dimensions {} and {} do not match.", shape.to_string(), i, i + half));
  }
}

void diag_part_shape(ShapeContext& context) {
  const Shape& shape = context.input(0);
  if (context.running()) check_diag_part_in_step(shape);
  if (!shape.has_rank()) return;
  if (shape.rank() % 2 != 0 || shape.rank() == 0) {
    ShapeContext::fail(fmt::format("Input must have even and non-zero rank, input rank is {}", shape.rank()));
  }
  const auto half = static_cast<size_t>(shape.rank() / 2);
  context.set_output(0, merge_shapes(Shape(shape.dims().first(half)), Shape(shape.dims().last(half))));
}

/// Element i of the small array and element i * (n + 1) of the large one are the same.
template <class W>
void run_diag(const KernelCall& call, int64_t n) {
  std::fill_n(call.out<W>(0), n * n, W{});
  for (int64_t i = 0; i < n; ++i) call.out<W>(0)[i * (n + 1)] = call.in<W>(0)[i];
}

template <class W>
void run_diag_part(const KernelCall& call, int64_t n) {
  for (int64_t i = 0; i < n; ++i) call.out<W>(0)[i] = call.in<W>(0)[i * (n + 1)];
}

template <bool kIsPart>
std::unique_ptr<graph::Kernel> prepare_diagonal(PrepareContext& context) {
  const int64_t n = (kIsPart ? context.output_shape(0) : context.input_shape(0)).num_elements();
  std::unique_ptr<graph::Kernel> kernel;
  (void)dispatch_words(context.input_dtype(0), [&]<class W>() {
    kernel = graph::make_kernel(
        [n](const KernelCall& call) { kIsPart ? run_diag_part<W>(call, n) : run_diag<W>(call, n); });
  });
  if (kernel == nullptr) context.no_kernel_for(context.input_dtype(0));
  return kernel;
}

constexpr graph::OpRow kDiagonalOps[] = {
    {.name = "Diag",
     .inputs = "diagonal:T",
     .outputs = "output:T",
     .attrs = "T:type{wide_numbers}",
     .shape = diag_shape,
     .gradient = [](graph::GradientContext& g) -> std::vector<graph::Endpoint> {
       return {g.op("DiagPart", {g.grad()})};
     },
     .prepare = prepare_diagonal<false>},
    {.name = "DiagPart",
     .inputs = "input:T",
     .outputs = "diagonal:T",
     .attrs = "T:type{wide_numbers}",
     .shape = diag_part_shape,
     .gradient = [](graph::GradientContext& g) -> std::vector<graph::Endpoint> {
       return {g.op("Diag", {g.grad()})};
     },
     .prepare = prepare_diagonal<true>},
};

}  // namespace

void register_diagonal_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kDiagonalOps) table.add(row);
}

}  // namespace flowray::ops
