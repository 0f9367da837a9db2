// StatelessRandomUniform, ...: random numbers that depend on their seed alone, and are TensorFlow's for
// the same.

#include "core/philox.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/integer_reader.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/random/random_fills.h"
#include "ops/random/register.h"
#include "ops/random/stateless_seed.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

/// Input 0 holds the output's shape, input 1 the two numbers of the seed, and those behind are scalars.
void stateless_shape(ShapeContext& context) {
  if (context.running()) {
    const Shape& seed = context.input(1);
    if (seed.rank() != 1 || seed.dim(0) != 2)
      ShapeContext::fail("seed must have shape [2], not " + seed.to_string());
    for (int i = 2; i < context.num_inputs(); ++i) {
      if (context.input(i).rank() == 0) continue;
      ShapeContext::fail(fmt::format("{} must be 0-D, got shape {}", i == 2 ? "minval" : "maxval",
                                     context.input(i).to_string()));
    }
    if (context.input(0).rank() != 1) {
      ShapeContext::fail("shape must be a vector of {int32,int64}, got shape " +
                         context.input(0).to_string());
    }
  }
  if (context.running() && context.value(0) != nullptr) {
    for (const int64_t dim : context.integers(0)) {
      if (dim < 0) ShapeContext::fail(fmt::format("Dimension {} must be >= 0", dim));
    }
  }
  context.with_rank(0, 1);
  ShapeContext::merge_dim(context.with_rank(1, 1).dim(0), 2);
  for (int i = 2; i < context.num_inputs(); ++i) context.with_rank(i, 0);
  context.set_output(0, context.value_as_shape(0));
}

template <class Distribution>
std::unique_ptr<Kernel> prepare_stateless(PrepareContext& context) {
  return kernel_for_dtype<RandomFloatTypes>(context, context.output_dtype(0), [&]<class T>() {
    const int64_t count = context.output_shape(0).num_elements();
    return graph::make_kernel([count, seed_dtype = context.input_dtype(1)](const KernelCall& call) {
      const Philox start = philox_of_seed({call.in<void>(1), seed_dtype});
      Distribution::fill(start, std::span<T>(call.out<T>(0), static_cast<size_t>(count)), call.parallel());
    });
  });
}

std::unique_ptr<Kernel> prepare_stateless_int(PrepareContext& context) {
  return kernel_for_dtype<IndexTypes>(context, context.output_dtype(0), [&]<class T>() {
    const int64_t count = context.output_shape(0).num_elements();
    return graph::make_kernel([count, seed_dtype = context.input_dtype(1)](const KernelCall& call) {
      const T least = *call.in<T>(2);
      const T limit = *call.in<T>(3);
      if (least >= limit && count > 0) {
        throw errors::InvalidArgumentError(fmt::format("Need minval < maxval, got {} >= {}", least, limit));
      }
      if (count == 0) return;
      fill_uniform_int(philox_of_seed({call.in<void>(1), seed_dtype}), least, limit,
                       std::span<T>(call.out<T>(0), static_cast<size_t>(count)), call.parallel());
    });
  });
}

constexpr graph::OpRow stateless_row(std::string_view name, graph::PrepareFunction prepare) {
  return {.name = name,
          .inputs = "shape:T, seed:Tseed",
          .outputs = "output:dtype",
          .attrs = "dtype:type=float32{floats}; T:type=int32{indices}; Tseed:type=int64{indices}",
          .shape = stateless_shape,
          .not_differentiable = true,
          .prepare = prepare};
}

constexpr graph::OpRow kOps[] = {
    stateless_row("StatelessRandomUniform", prepare_stateless<UniformFill>),
    stateless_row("StatelessRandomNormal", prepare_stateless<NormalFill>),
    stateless_row("StatelessTruncatedNormal", prepare_stateless<TruncatedNormalFill>),
};

constexpr graph::OpRow kStatelessRandomOps[] = {
    {.name = "StatelessRandomUniformInt",
     .inputs = "shape:T, seed:Tseed, minval:dtype, maxval:dtype",
     .outputs = "output:dtype",
     .attrs = "dtype:type{indices}; T:type{indices}; Tseed:type=int64{indices}",
     .shape = stateless_shape,
     .not_differentiable = true,
     .prepare = prepare_stateless_int},
};

}  // namespace

void register_stateless_random_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kOps) table.add(row);
  for (const graph::OpRow& row : kStatelessRandomOps) table.add(row);
}

}  // namespace flowray::ops
