// Random numbers that are TensorFlow's for the same seed and seed2. The generator belongs to the node in its
// session, so that a second run goes on where the first one ended.

#include "core/guarded.h"
#include "core/philox.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/elements/element_words.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/random/random_fills.h"
#include "ops/random/random_generator.h"
#include "ops/random/register.h"

#include <fmt/format.h>

#include <cstring>
#include <numeric>

namespace flowray::ops {
namespace {

using graph::Kernel;
using graph::KernelCall;
using graph::OpRow;
using graph::PrepareContext;
using graph::ShapeContext;

// ---- shapes

/// Input 0 holds the output's shape.
void shape_from_value(ShapeContext& context) {
  const Shape& input = context.input(0);
  if (context.running()) {
    if (input.rank() != 1) {
      ShapeContext::fail(
          fmt::format("shape must be a vector of {{int32,int64}}, got shape {}", input.to_string()));
    }
    if (context.value(0) != nullptr) {
      for (int64_t dim : context.integers(0)) {
        if (dim < 0) ShapeContext::fail(fmt::format("Dimension {} must be >= 0", dim));
      }
    }
  }
  context.with_rank(0, 1);
  context.set_output(0, context.value_as_shape(0));
}

void random_int_shape(ShapeContext& context) {
  for (int i = 1; i <= 2; ++i) {
    const Shape& bound = context.input(i);
    if (!bound.has_rank() || bound.rank() == 0) continue;
    const char* name = i == 1 ? "minval" : "maxval";
    ShapeContext::fail(
        context.running()
            ? fmt::format("{} must be 0-D, got shape {}", name, bound.to_string())
            : fmt::format("{} must be a scalar; got a tensor of shape {}", name, bound.to_string()));
  }
  shape_from_value(context);
}

// ---- kernels

template <class Distribution>
std::unique_ptr<Kernel> prepare_random(PrepareContext& context) {
  return kernel_for_dtype<RandomFloatTypes>(context, context.output_dtype(0), [&]<class T>() {
    const int64_t count = context.output_shape(0).num_elements();
    return graph::make_kernel([count, generator = generator_of(context)](const KernelCall& call) {
      const Philox start = generator->stream.reserve(count);
      Distribution::fill(start, std::span<T>(call.out<T>(0), static_cast<size_t>(count)), call.parallel());
    });
  });
}

std::unique_ptr<Kernel> prepare_random_int(PrepareContext& context) {
  return kernel_for_dtype<IndexTypes>(context, context.output_dtype(0), [&]<class T>() {
    const int64_t count = context.output_shape(0).num_elements();
    return graph::make_kernel([count, generator = generator_of(context)](const KernelCall& call) {
      if (count == 0) return;
      const T least = *call.in<T>(1);
      const T limit = *call.in<T>(2);
      if (least >= limit) {
        throw errors::InvalidArgumentError(fmt::format("Need minval < maxval, got {} >= {}", least, limit));
      }
      const Philox start = generator->stream.reserve(count);
      fill_uniform_int(start, least, limit, std::span<T>(call.out<T>(0), static_cast<size_t>(count)),
                       call.parallel());
    });
  });
}

// ---- shuffling

/// The generator of RandomShuffle moves on by the words that it used, in whole positions.
struct ShuffleGenerator final : graph::NodeState {
  ShuffleGenerator(int64_t seed, int64_t seed2) : next(RandomStream(seed, seed2).reserve(0)) {}

  Philox reserve(int64_t words) {
    auto locked = next.lock();
    const Philox start = *locked;
    locked->skip(static_cast<uint64_t>((words + 3) / 4));
    return start;
  }

  Guarded<Philox> next;
};

/// order[i] becomes the row that goes to place i: each place takes one of the rows that are left.
void shuffle(Philox generator, std::span<int64_t> order) {
  std::iota(order.begin(), order.end(), int64_t{0});
  Philox::Words words{};
  size_t used = words.size();
  for (size_t i = 0; i + 1 < order.size(); ++i) {
    if (used == words.size()) {
      words = generator.next();
      used = 0;
    }
    const uint64_t left = order.size() - i;
    std::swap(order[i], order[i + words[used++] % left]);
  }
}

/// make.operator()<W>() for the width of the dtype's elements.
template <class Make>
std::unique_ptr<Kernel> kernel_for_words(const PrepareContext& context, DType dtype, Make make) {
  std::unique_ptr<Kernel> kernel;
  if (!dispatch_words(dtype, [&]<class W>() { kernel = make.template operator()<W>(); }))
    context.no_kernel_for(dtype);
  return kernel;
}

std::unique_ptr<Kernel> prepare_shuffle(PrepareContext& context) {
  const Shape& shape = context.input_shape(0);
  const DType dtype = context.input_dtype(0);
  const int64_t rows = shape.rank() == 0 ? 1 : shape.dim(0);
  const int64_t count = shape.num_elements();
  if (rows <= 1 || count == 0) {
    return kernel_for_words(context, dtype, [&]<class W>() {
      return graph::make_kernel([count](const KernelCall& call) {
        if (call.in<W>(0) != call.out<W>(0)) copy_words(call.in<W>(0), call.out<W>(0), count);
      });
    });
  }
  const auto generator = context.state<ShuffleGenerator>([&] {
    return std::make_shared<ShuffleGenerator>(context.attrs().get<int64_t>("seed"),
                                              context.attrs().get<int64_t>("seed2"));
  });
  return kernel_for_words(context, dtype, [&]<class W>() {
    return graph::make_kernel(
        [rows, width = count / rows, generator](const KernelCall& call) {
          const std::span<int64_t> order(call.workspace<int64_t>(), static_cast<size_t>(rows));
          shuffle(generator->reserve(rows - 1), order);
          W* to = call.out<W>(0);
          for (int64_t row : order) {
            copy_words(call.in<W>(0) + row * width, to, width);
            to += width;
          }
        },
        {.workspace_bytes = static_cast<size_t>(rows) * sizeof(int64_t)});
  });
}

constexpr OpRow kRandomOps[] = {
    {.name = "RandomUniform",
     .inputs = "shape:T",
     .outputs = "output:dtype",
     .attrs = "seed:int=0; seed2:int=0; dtype:type{floats}; T:type{indices}",
     .stateful = true,
     .shape = shape_from_value,
     .not_differentiable = true,
     .prepare = prepare_random<UniformFill>},
    {.name = "RandomUniformInt",
     .inputs = "shape:T, minval:Tout, maxval:Tout",
     .outputs = "output:Tout",
     .attrs = "seed:int=0; seed2:int=0; Tout:type{indices}; T:type{indices}",
     .stateful = true,
     .shape = random_int_shape,
     .prepare = prepare_random_int},
    {.name = "RandomStandardNormal",
     .inputs = "shape:T",
     .outputs = "output:dtype",
     .attrs = "seed:int=0; seed2:int=0; dtype:type{floats}; T:type{indices}",
     .stateful = true,
     .shape = shape_from_value,
     .not_differentiable = true,
     .prepare = prepare_random<NormalFill>},
    {.name = "TruncatedNormal",
     .inputs = "shape:T",
     .outputs = "output:dtype",
     .attrs = "seed:int=0; seed2:int=0; dtype:type{floats}; T:type{indices}",
     .stateful = true,
     .shape = shape_from_value,
     .not_differentiable = true,
     .prepare = prepare_random<TruncatedNormalFill>},
    {.name = "RandomShuffle",
     .inputs = "value:T",
     .outputs = "output:T",
     .attrs = "seed:int=0; seed2:int=0; T:type",
     .stateful = true,
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .prepare = prepare_shuffle},
};

}  // namespace

void register_random_ops(graph::OpTable& table) {
  for (const OpRow& row : kRandomOps) table.add(row);
}

}  // namespace flowray::ops
