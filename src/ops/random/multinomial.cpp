// Multinomial, StatelessMultinomial: classes drawn by their logits, TensorFlow's for the same seeds.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/philox.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/random/random_generator.h"
#include "ops/random/register.h"
#include "ops/random/stateless_seed.h"

namespace flowray::ops {
namespace {

using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

void multinomial_shape(ShapeContext& context) {
  if (context.running()) {
    const Shape& logits = context.input(0);
    const Shape& samples = context.input(1);
    if (logits.rank() != 2) ShapeContext::fail("logits should be a matrix, got shape " + logits.to_string());
    if (samples.rank() != 0)
      ShapeContext::fail("num_samples should be a scalar, got shape " + samples.to_string());
  }
  const Shape logits = context.with_rank(0, 2);
  context.with_rank(1, 0);
  int64_t samples = Shape::kUnknownDim;
  if (context.value(1) != nullptr) {
    samples = context.integers(1)[0];
    if (samples < 0) {
      ShapeContext::fail(fmt::format("num_samples should be {}, got {}",
                                     context.running() ? "non-negative" : "nonnegative", samples));
    }
  }
  if (context.running() && logits.dim(1) <= 0) {
    ShapeContext::fail(fmt::format("num_classes should be positive, got {}", logits.dim(1)));
  }
  context.set_output(0, Shape{logits.dim(0), samples});
}

/// Random numbers in [0, 1) from one word pair after the other.
class Doubles {
 public:
  explicit Doubles(Philox generator) : generator_(generator) {}

  double next() {
    if (used_ == words_.size()) {
      words_ = generator_.next();
      used_ = 0;
    }
    const uint64_t high = words_[used_] & 0xfffffu;
    const uint64_t bits = (uint64_t{0x3ff} << 52) | (high << 32) | words_[used_ + 1];
    used_ += 2;
    return std::bit_cast<double>(bits) - 1.0;
  }

 private:
  Philox generator_;
  Philox::Words words_{};
  size_t used_ = words_.size();
};

/// sums[c] = the exponentials of logits 0 to c, less their greatest; those that are not finite count
/// for nothing.
template <class T>
void accumulate_exponentials(const T* logits, int64_t classes, double* sums) {
  T greatest = std::numeric_limits<T>::lowest();
  for (int64_t c = 0; c < classes; ++c) {
    if (std::isfinite(logits[c])) greatest = std::max(greatest, logits[c]);
  }
  double sum = 0;
  for (int64_t c = 0; c < classes; ++c) {
    if (std::isfinite(logits[c]))
      sum += std::exp(static_cast<double>(logits[c]) - static_cast<double>(greatest));
    sums[c] = sum;
  }
}

void stateless_multinomial_shape(ShapeContext& context) {
  if (context.running()) {
    const Shape& seed = context.input(2);
    if (seed.rank() != 1 || seed.dim(0) != 2)
      ShapeContext::fail("seed must have shape [2], not " + seed.to_string());
  }
  multinomial_shape(context);
  ShapeContext::merge_dim(context.with_rank(2, 1).dim(0), 2);
}

/// `begin` gives the random numbers of a call, of which it needs so many words.
template <class Begin>
std::unique_ptr<graph::Kernel> prepare_classes(PrepareContext& context, const Begin& begin) {
  const int64_t rows = context.output_shape(0).dim(0);
  const int64_t samples = context.output_shape(0).dim(1);
  const int64_t classes = context.input_shape(0).dim(1);
  return kernel_for_dtype<FloatTypes>(context, context.input_dtype(0), [&]<class T>() {
    return kernel_for_dtype<IndexTypes>(context, context.output_dtype(0), [&]<class Index>() {
      return graph::make_kernel(
          [=](const KernelCall& call) {
            if (rows * samples == 0) return;
            // Two words for each number, and each row's numbers rounded up to whole positions.
            Doubles doubles(begin(call, rows * ((samples + 3) / 4 * 4) * 2));
            double* sums = call.workspace<double>();
            for (int64_t r = 0; r < rows; ++r) {
              accumulate_exponentials(call.in<T>(0) + r * classes, classes, sums);
              for (int64_t s = 0; s < samples; ++s) {
                const double wanted = doubles.next() * sums[classes - 1];
                const double* found = std::upper_bound(sums, sums + classes, wanted);
                call.out<Index>(0)[r * samples + s] = static_cast<Index>(found - sums);
              }
            }
          },
          {.workspace_bytes = static_cast<size_t>(classes) * sizeof(double)});
    });
  });
}

std::unique_ptr<graph::Kernel> prepare_multinomial(PrepareContext& context) {
  return prepare_classes(context, [generator = generator_of(context)](const KernelCall&, int64_t num_words) {
    return generator->stream.reserve(num_words);
  });
}

std::unique_ptr<graph::Kernel> prepare_stateless_multinomial(PrepareContext& context) {
  return prepare_classes(context, [seed_dtype = context.input_dtype(2)](const KernelCall& call, int64_t) {
    return philox_of_seed({call.in<void>(2), seed_dtype});
  });
}

constexpr graph::OpRow kMultinomialOps[] = {
    {.name = "Multinomial",
     .inputs = "logits:T, num_samples:int32",
     .outputs = "output:output_dtype",
     .attrs = "seed:int=0; seed2:int=0; T:type{real_numbers}; output_dtype:type=int64{indices}",
     .stateful = true,
     .shape = multinomial_shape,
     .not_differentiable = true,
     .prepare = prepare_multinomial},
    {.name = "StatelessMultinomial",
     .inputs = "logits:T, num_samples:int32, seed:Tseed",
     .outputs = "output:output_dtype",
     .attrs = "T:type{real_numbers}; Tseed:type=int64{indices}; output_dtype:type=int64{indices}",
     .shape = stateless_multinomial_shape,
     .not_differentiable = true,
     .prepare = prepare_stateless_multinomial},
};

}  // namespace

void register_multinomial_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kMultinomialOps) table.add(row);
}

}  // namespace flowray::ops
