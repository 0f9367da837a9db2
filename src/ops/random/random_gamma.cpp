// RandomGamma, RandomPoisson and RandomPoissonV2: TensorFlow's numbers for the same seed and seed2. Each
// number has 256 positions of the generator for itself, so that it does not matter how many attempts the
// others took. Sources: Marsaglia and Tsang, "A simple method for generating gamma variables" (2000); Knuth,
// "Seminumerical Algorithms"; Hoermann, "The transformed rejection method for generating Poisson random
// variables" (1993).

#include "core/philox.h"
#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/shape_context.h"
#include "ops/elements/element_types.h"
#include "ops/elements/kernel_for_dtype.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"
#include "ops/random/random_generator.h"
#include "ops/random/register.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::Kernel;
using graph::KernelCall;
using graph::PrepareContext;
using graph::ShapeContext;

constexpr int64_t kPositionsOfNumber = 256;

/// The shape asked for, then that of the parameters.
void parameters_shape(ShapeContext& context) {
  const Shape& input = context.input(0);
  if (context.running()) {
    if (input.rank() != 1) {
      ShapeContext::fail(
          fmt::format("shape must be a vector of {{int32,int64}}, got shape {}", input.to_string()));
    }
    for (const int64_t dim : context.integers(0)) {
      if (dim < 0) ShapeContext::fail(fmt::format("Dimension {} must be >= 0", dim));
    }
  }
  context.with_rank(0, 1);
  context.set_output(0, context.value_as_shape(0).concatenate(context.input(1)));
}

/// Doubles from one generator: uniform and normal ones come in pairs, the second of a pair first.
class Draws {
 public:
  explicit Draws(const Philox& generator) : generator_(generator) {}

  double uniform() {
    if (uniforms_left_ == 0) {
      fill_uniform(generator_, std::span<double>(uniforms_), serial_);
      generator_.skip(1);
      uniforms_left_ = 2;
    }
    return uniforms_[static_cast<size_t>(--uniforms_left_)];
  }
  double normal() {
    if (normals_left_ == 0) {
      fill_normal(generator_, std::span<double>(normals_), serial_);
      generator_.skip(1);
      normals_left_ = 2;
    }
    return normals_[static_cast<size_t>(--normals_left_)];
  }

 private:
  Philox generator_;
  Serial serial_;
  std::array<double, 2> uniforms_{};
  std::array<double, 2> normals_{};
  int uniforms_left_ = 0;
  int normals_left_ = 0;
};

/// Below 1 a number for alpha + 1 is scaled down by a power of a uniform one.
double gamma_number(double alpha, Draws draws) {
  if (alpha == 1) return -std::log1p(-draws.uniform());
  const bool small = alpha < 1;
  const double d = alpha + (small ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  while (true) {
    const double x = draws.normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = draws.uniform();
    const bool surely = u < 1 - 0.0331 * (x * x) * (x * x);
    if (!surely && !(std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v)))) continue;
    return small ? d * v * std::pow(draws.uniform(), 1 / alpha) : d * v;
  }
}

/// Events until the product of uniform numbers falls below exp(-rate).
double poisson_number_of_few(double rate, Draws& draws) {
  const double least = std::exp(-rate);
  double product = 1;
  for (double events = 0;; ++events) {
    product *= draws.uniform();
    if (product <= least) return events;
  }
}

double poisson_number(double rate, double largest, Draws draws) {
  constexpr double kFew = 10;
  if (rate < kFew) return poisson_number_of_few(rate, draws);
  if (std::isnan(rate)) return 0;  // no draw would ever be taken
  if (std::isinf(rate)) return rate;
  if (rate > largest) return largest;
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_acceptance = 1.1239 + 1.1328 / (b - 3.4);
  while (true) {
    const double u = draws.uniform() - 0.5;
    const double v = draws.uniform();
    const double shifted = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > largest) continue;
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    int sign = 0;
    const double density = -rate + k * std::log(rate) - ::lgamma_r(k + 1, &sign);
    if (std::log(v * inverse_acceptance / (a / (shifted * shifted) + b)) <= density) return k;
  }
}

/// As an integer the nearest that there is, and 0 for what is infinite.
template <class T>
T number_as(double number) {
  if constexpr (std::is_integral_v<T>) {
    if (!std::isfinite(number)) return 0;
    // 2^31 and 2^63: what the greatest number rounds up to may be above it.
    return number < -2.0 * static_cast<double>(std::numeric_limits<T>::min() / 2)
               ? static_cast<T>(number)
               : std::numeric_limits<T>::max();
  } else {
    return static_cast<T>(number);
  }
}

/// Number i of parameter k stands at [i, k].
template <class Parameter, class T, class Number>
std::unique_ptr<Kernel> numbers_kernel(PrepareContext& context, Number number) {
  const int64_t parameters = context.input_shape(1).num_elements();
  const int64_t count = context.output_shape(0).num_elements();
  const auto generator = generator_of(context);
  return graph::make_kernel([=](const KernelCall& call) {
    if (count == 0) return;
    const Philox start = generator->stream.reserve(count);
    const int64_t samples = count / parameters;
    constexpr int64_t kMinNumbers = 256;
    call.parallel().for_range(count, kMinNumbers, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end;) {
        const int64_t parameter = i / samples;
        // Once for all its numbers: it may lie where another process writes.
        const auto value = static_cast<double>(call.in<Parameter>(1)[parameter]);
        for (const int64_t last = std::min(end, (parameter + 1) * samples); i < last; ++i) {
          Philox own = start;
          own.skip(static_cast<uint64_t>(i * kPositionsOfNumber));
          call.out<T>(0)[i % samples * parameters + parameter] = number_as<T>(number(value, Draws(own)));
        }
      }
    });
  });
}

using GammaTypes = TypeList<float16, float, double>;
using PoissonTypes = TypeList<float16, float, double, int32_t, int64_t>;

std::unique_ptr<Kernel> prepare_gamma(PrepareContext& context) {
  return kernel_for_dtype<GammaTypes>(context, context.output_dtype(0),
                                      [&]<class T>() { return numbers_kernel<T, T>(context, gamma_number); });
}

std::unique_ptr<Kernel> prepare_poisson(PrepareContext& context) {
  return kernel_for_dtype<PoissonTypes>(context, context.input_dtype(1), [&]<class Rate>() {
    return kernel_for_dtype<PoissonTypes>(context, context.output_dtype(0), [&]<class T>() {
      return numbers_kernel<Rate, T>(context, [](double rate, Draws draws) {
        return poisson_number(rate, static_cast<double>(std::numeric_limits<T>::max()), draws);
      });
    });
  });
}

/// Summed over the numbers of each alpha.
std::vector<Endpoint> gamma_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint rank = python_element(g, python_shape_of_type(g, g.input(0), DType::kInt32), 0);
  Endpoint ones;
  {
    const graph::NameScope scope(g.graph(), "ones");
    const Endpoint dims = python_list(g, {rank}, DType::kInt32, "packed");
    ones = g.op("Fill", {dims, python_scalar(g, 1, DType::kInt32, "Const")}, {}, scope.path());
  }
  const Endpoint alpha_shape = python_shape_of_type(g, g.input(1), DType::kInt32);
  const Endpoint alpha = g.op("Reshape", {g.input(1), python_concat(g, {ones, alpha_shape})});
  const Endpoint slope = g.op("RandomGammaGrad", {alpha, g.output(0)});
  const Endpoint product = g.op("Mul", {g.grad(), slope}, {}, "mul");
  return {{}, g.op("Sum", {product, python_range(g, 0, rank)})};
}

constexpr graph::OpRow kRandomGammaOps[] = {
    {.name = "RandomGamma",
     .inputs = "shape:S, alpha:T",
     .outputs = "output:T",
     .attrs = "seed:int=0; seed2:int=0; S:type{indices}; T:type{ieee_floats}",
     .stateful = true,
     .shape = parameters_shape,
     .gradient = gamma_gradient,
     .prepare = prepare_gamma},
    {.name = "RandomPoisson",
     .inputs = "shape:S, rate:dtype",
     .outputs = "output:dtype",
     .attrs = "seed:int=0; seed2:int=0; S:type{indices}; dtype:type{ieee_floats}",
     .stateful = true,
     .shape = parameters_shape,
     .prepare = prepare_poisson},
    {.name = "RandomPoissonV2",
     .inputs = "shape:S, rate:R",
     .outputs = "output:dtype",
     .attrs =
         "seed:int=0; seed2:int=0; S:type{indices}; R:type=float64{[float16,float32,float64,int32,int64]}; "
         "dtype:type=int64{[float16,float32,float64,int32,int64]}",
     .stateful = true,
     .shape = parameters_shape,
     .prepare = prepare_poisson},
};

}  // namespace

void register_random_gamma_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kRandomGammaOps) table.add(row);
}

}  // namespace flowray::ops
