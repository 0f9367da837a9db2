// Functions of mathematical physics and statistics, elementwise: the gamma function's and the normal
// distribution's family, inverse hyperbolic functions, products that forgive zero. The series are Eigen's.

#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/pointwise.h"
#include "ops/elements/shape_merging.h"
#include "ops/math/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include <cmath>
#include <limits>
#include <numbers>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::NameScope;
using graph::OpTable;
using graph::ShapeContext;
using Gradient = std::vector<Endpoint>;

// ---- functions

#define FLOWRAY_FUNCTION1(Name, expression) \
  struct Name {                             \
    template <class T>                      \
    static T apply(T x) {                   \
      return expression;                    \
    }                                       \
  };
#define FLOWRAY_FUNCTION2(Name, expression) \
  struct Name {                             \
    template <class T>                      \
    static T apply(T x, T y) {              \
      return expression;                    \
    }                                       \
  };
// A series is dear beside a call of it, and large: once for each type that is computed in,
// instead of in each loop.
#define FLOWRAY_SERIES1(Name, expression)   \
  struct Name {                             \
    template <class T>                      \
    [[gnu::noinline]] static T apply(T x) { \
      return expression;                    \
    }                                       \
  };
#define FLOWRAY_SERIES2(Name, expression)        \
  struct Name {                                  \
    template <class T>                           \
    [[gnu::noinline]] static T apply(T x, T y) { \
      return expression;                         \
    }                                            \
  };

FLOWRAY_FUNCTION1(Asinh, std::asinh(x))
FLOWRAY_FUNCTION1(Acosh, std::acosh(x))
FLOWRAY_FUNCTION1(Atanh, std::atanh(x))
FLOWRAY_SERIES1(Lgamma, Eigen::numext::lgamma(x))
FLOWRAY_SERIES1(Digamma, Eigen::numext::digamma(x))
FLOWRAY_SERIES1(Ndtri, x<T(0) || x> T(1) ? std::numeric_limits<T>::quiet_NaN() : Eigen::numext::ndtri(x))
FLOWRAY_SERIES1(Erfinv, std::abs(x) > T(1)
                            ? std::numeric_limits<T>::quiet_NaN()
                            : Eigen::numext::ndtri((x + T(1)) / T(2)) * T(std::numbers::sqrt2 / 2))
/// Whether Eigen makes a long of `x`, which it may not fit, to see whether it is even in a pole of Zeta. A
/// real so large is an even number, or infinite.
template <class T>
bool is_pole_of_large(T x, T y) {
  return x >= T(int64_t{1} << 62) && y <= T(0) && y == std::floor(y);
}
FLOWRAY_SERIES2(Zeta, is_pole_of_large(x, y) ? std::numeric_limits<T>::infinity() : Eigen::numext::zeta(x, y))
FLOWRAY_SERIES2(Polygamma,
                is_pole_of_large(x, y) ? std::numeric_limits<T>::infinity() : Eigen::numext::polygamma(x, y))
FLOWRAY_SERIES2(Igamma, Eigen::numext::igamma(x, y))
FLOWRAY_SERIES2(Igammac, Eigen::numext::igammac(x, y))
FLOWRAY_SERIES2(IgammaGradA, Eigen::numext::igamma_der_a(x, y))
FLOWRAY_SERIES2(RandomGammaGrad, Eigen::numext::gamma_sample_der_alpha(x, y))
FLOWRAY_FUNCTION2(Xdivy, x == T(0) ? T(0) : x / y)
FLOWRAY_FUNCTION2(Xlogy, x == T(0) ? T(0) : x * std::log(y))
FLOWRAY_FUNCTION2(MulNoNan, y == T(0) ? T(0) : x * y)
FLOWRAY_FUNCTION2(NextAfter, std::nextafter(x, y))

struct Xlog1py {
  template <class T>
  static T apply(T x, T y) {
    if (x == T(0)) return T(0);
    if constexpr (kIsComplex<T>)
      return x * Eigen::numext::log1p(y);
    else
      return x * std::log1p(y);
  }
};
struct Betainc {
  template <class T>
  [[gnu::noinline]] static T apply(T a, T b, T x) {
    return Eigen::numext::betainc(a, b, x);
  }
};

// ---- gradients; nodes and names are those of TensorFlow's Python

Endpoint mul(GradientContext& g, Endpoint x, Endpoint y) { return g.op("Mul", {x, y}, {}, "mul"); }

Gradient asinh_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  return {g.op("RealDiv", {g.grad(), g.op("Cosh", {python_conjugate(g, g.output(0))})}, {}, "truediv")};
}
Gradient acosh_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  return {g.op("RealDiv", {g.grad(), g.op("Sinh", {python_conjugate(g, g.output(0))})}, {}, "truediv")};
}
Gradient atanh_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint square = g.op("Square", {python_conjugate(g, g.input(0))});
  const Endpoint one = python_number(g, 1, g.grad().dtype());
  return {mul(g, g.grad(), g.op("Reciprocal", {g.op("Sub", {one, square})}))};
}

Gradient lgamma_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  return {mul(g, g.grad(), g.op("Digamma", {g.input(0)}))};
}
Gradient digamma_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint one = python_number(g, 1, g.input(0).dtype());
  return {mul(g, g.grad(), g.op("Polygamma", {one, g.input(0)}))};
}

/// grad * factor * exp(y^2 / divisor)
Gradient bell_gradient(GradientContext& g, double factor, bool halved) {
  const Endpoint scale = python_number(g, factor, g.grad().dtype());
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint scaled = mul(g, g.grad(), scale);
  Endpoint exponent = g.op("Square", {g.output(0)});
  if (halved) exponent = python_with_right(g, "RealDiv", exponent, 2, "truediv");
  return {mul(g, scaled, g.op("Exp", {exponent}))};
}
Gradient erfinv_gradient(GradientContext& g) {
  return bell_gradient(g, std::sqrt(std::numbers::pi) / 2, false);
}
Gradient ndtri_gradient(GradientContext& g) {
  return bell_gradient(g, std::sqrt(2 * std::numbers::pi), true);
}

/// What special_math_ops makes: the op in a name scope of its own.
Endpoint in_scope(GradientContext& g, std::string_view scope_name, std::string_view op,
                  std::vector<Endpoint> inputs) {
  const NameScope scope(g.graph(), scope_name);
  return g.op(op, std::move(inputs));
}

/// math_ops.cast of a Python float: a float32 constant, cast where another dtype is asked for.
Endpoint python_cast_number(GradientContext& g, double number, DType dtype) {
  const NameScope scope(g.graph(), "Cast");
  const Endpoint constant = python_number(g, number, DType::kFloat32, "x");
  if (dtype == DType::kFloat32) return constant;
  return g.op("Cast", {constant}, {{"DstT", dtype}}, scope.path());
}

/// The two inputs of a gradient that is summed over what was broadcast.
struct BroadcastPair {
  GradientContext& g;
  Endpoint first_shape;
  Endpoint second_shape;
  graph::Node* axes;

  BroadcastPair(GradientContext& context, int first, int second)
      : g(context),
        first_shape(python_shape(g, g.input(first))),
        second_shape(python_shape(g, g.input(second))),
        axes(context.Builder::node("BroadcastGradientArgs", {first_shape, second_shape})) {}

  Endpoint summed(Endpoint partial, int which) const {
    const Endpoint sum = g.op("Sum", {mul(g, partial, g.grad()), axes->output(which)});
    return g.op("Reshape", {sum, which == 0 ? first_shape : second_shape});
  }
};

Gradient polygamma_gradient(GradientContext& g) {
  const BroadcastPair pair(g, 0, 1);
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint next = python_with_right(g, "AddV2", g.input(0), 1, "add");
  return {{}, pair.summed(g.op("Polygamma", {next, g.input(1)}), 1)};
}

Gradient zeta_gradient(GradientContext& g) {
  const BroadcastPair pair(g, 0, 1);
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint minus_x = g.op("Neg", {g.input(0)});
  const Endpoint next = python_with_right(g, "AddV2", g.input(0), 1, "add");
  return {{}, pair.summed(mul(g, minus_x, g.op("Zeta", {next, g.input(1)})), 1)};
}

Gradient igamma_gradient(GradientContext& g) {
  const Endpoint a = g.input(0);
  const Endpoint x = g.input(1);
  const BroadcastPair pair(g, 0, 1);
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint of_a = g.op("IgammaGradA", {a, x});
  const Endpoint minus_x = g.op("Neg", {x});
  const Endpoint before = python_with_right(g, "Sub", a, 1, "sub");
  const Endpoint powers = mul(g, before, g.op("Log", {x}));
  const Endpoint sum = g.op("AddV2", {minus_x, powers}, {}, "add");
  const Endpoint exponent = g.op("Sub", {sum, g.op("Lgamma", {a})}, {}, "sub");
  const Endpoint of_x = g.op("Exp", {exponent});
  const Endpoint sum_a = pair.summed(of_a, 0);
  return {sum_a, pair.summed(of_x, 1)};
}

Gradient igammac_gradient(GradientContext& g) {
  const Gradient igamma = igamma_gradient(g);
  const Endpoint of_a = g.op("Neg", {igamma[0]});
  return {of_a, g.op("Neg", {igamma[1]})};
}

Gradient betainc_gradient(GradientContext& g) {
  const Endpoint a = g.input(0);
  const Endpoint b = g.input(1);
  const Endpoint x = g.input(2);
  const BroadcastPair pair(g, 0, 2);
  const Endpoint lgamma_a = g.op("Lgamma", {a});
  const Endpoint lgamma_b = g.op("Lgamma", {b});
  const Endpoint sum = g.op("AddV2", {lgamma_a, lgamma_b}, {}, "add");
  const Endpoint both = g.op("AddV2", {a, b}, {}, "add");
  const Endpoint log_beta = g.op("Sub", {sum, g.op("Lgamma", {both})}, {}, "sub");
  const Endpoint b_before = python_with_right(g, "Sub", b, 1, "sub");
  const Endpoint first = in_scope(g, "xlog1py", "Xlog1py", {b_before, g.op("Neg", {x})});
  const Endpoint a_before = python_with_right(g, "Sub", a, 1, "sub");
  const Endpoint second = g.op("Xlogy", {a_before, x});
  const Endpoint logs = g.op("AddV2", {first, second}, {}, "add");
  const Endpoint of_x = g.op("Exp", {g.op("Sub", {logs, log_beta}, {}, "sub")});
  return {{}, {}, pair.summed(of_x, 1)};
}

/// 1 where x is not 0, else 0.
Endpoint python_not_zero(GradientContext& g, Endpoint x) {
  const DType dtype = base_dtype(x.dtype());
  const Endpoint zero = python_cast_number(g, 0, dtype);
  return g.op("Cast", {g.op("NotEqual", {x, zero})}, {{"DstT", dtype}});
}

/// For OP(x, y): OP(x != 0, y), and what `of_y` makes.
template <class OfY>
Gradient forgiving_gradient(GradientContext& g, std::string_view op, OfY of_y) {
  const BroadcastPair pair(g, 0, 1);
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint partial_x = g.op(op, {python_not_zero(g, g.input(0)), g.input(1)});
  const Endpoint partial_y = of_y();
  const Endpoint gx = pair.summed(partial_x, 0);
  return {gx, pair.summed(partial_y, 1)};
}
Gradient xlogy_gradient(GradientContext& g) {
  return forgiving_gradient(g, "Xlogy", [&] { return g.op("Xdivy", {g.input(0), g.input(1)}); });
}
Gradient xlog1py_gradient(GradientContext& g) {
  return forgiving_gradient(g, "Xlog1py", [&] {
    return g.op("Xdivy", {g.input(0), python_with_right(g, "AddV2", g.input(1), 1, "add")});
  });
}
Gradient xdivy_gradient(GradientContext& g) {
  return forgiving_gradient(g, "Xdivy", [&] {
    const Endpoint negative = g.op("Neg", {g.input(0)});
    return g.op("Xdivy", {negative, python_with_right(g, "Pow", g.input(1), 2, "pow")});
  });
}

Gradient mul_no_nan_gradient(GradientContext& g) {
  const Endpoint gx = g.op("MulNoNan", {g.grad(), g.input(1)});
  const Endpoint gy = g.op("MulNoNan", {g.input(0), g.grad()});
  if (python_same_static_shapes(g.input(0), g.input(1), g.grad())) return {gx, gy};
  return python_reduce_gradients(g, g.input(0), g.input(1), gx, gy);
}

Gradient next_after_gradient(GradientContext& g) {
  const BroadcastPair pair(g, 0, 1);
  const WaitFor wait(g.graph(), g.grad());
  const auto filled = [&](Endpoint shape, double value, DType dtype, std::string_view name) {
    const NameScope scope(g.graph(), name);
    return g.op("Fill", {shape, python_number(g, value, dtype)}, {}, scope.path());
  };
  const Endpoint ones = filled(pair.first_shape, 1, g.input(0).dtype(), "ones");
  const Endpoint zeros = filled(pair.second_shape, 0, g.input(1).dtype(), "zeros");
  const Endpoint gx = pair.summed(ones, 0);
  return {gx, pair.summed(zeros, 1)};
}

// ---- shapes

/// TensorFlow's kernel compares two at a time.
void check_running_betainc(const ShapeContext& context) {
  constexpr const char* kNames[] = {"a", "b", "x"};
  for (const auto& [i, j] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2)}) {
    const Shape& first = context.input(i);
    const Shape& second = context.input(j);
    if (first.rank() == 0 || second.rank() == 0 || first == second) continue;
    ShapeContext::fail(fmt::format("Shapes of {} and {} are inconsistent: {} vs. {}", kNames[i], kNames[j],
                                   first.to_string(), second.to_string()));
  }
}

/// All of one shape; scalars go with any.
void betainc_shape(ShapeContext& context) {
  if (context.running()) check_running_betainc(context);
  Shape shape;
  bool unknown = false;
  for (int i = 0; i < 3; ++i) {
    const Shape& input = context.input(i);
    if (!input.has_rank()) unknown = true;
    if (!input.has_rank() || input.rank() == 0) continue;
    if (shape.rank() == 0) {
      shape = input;
      continue;
    }
    shape = merge_shapes(shape, input);
  }
  context.set_output(0, unknown && shape.rank() == 0 ? Shape::unknown_rank() : shape);
}

// ---- the ops

/// A function of one tensor.
constexpr graph::OpRow of_one(std::string_view name, std::string_view inputs, std::string_view outputs,
                              std::string_view attrs, graph::PrepareFunction prepare,
                              graph::GradientFunction gradient) {
  return {.name = name,
          .inputs = inputs,
          .outputs = outputs,
          .attrs = attrs,
          .shape = graph::unchanged_shape,
          .gradient = gradient,
          .prepare = prepare};
}

/// A function of two, which are broadcast.
constexpr graph::OpRow of_two(std::string_view name, std::string_view inputs, std::string_view outputs,
                              std::string_view attrs, graph::PrepareFunction prepare,
                              graph::GradientFunction gradient) {
  return {.name = name,
          .inputs = inputs,
          .outputs = outputs,
          .attrs = attrs,
          .shape = graph::broadcast_shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr graph::OpRow kOfOne[] = {
    of_one("Asinh", "x:T", "y:T", "T:type{math_floats_and_complex}",
           prepare_pointwise<Asinh, FloatAndComplexTypes, 1>, asinh_gradient),
    of_one("Acosh", "x:T", "y:T", "T:type{math_floats_and_complex}",
           prepare_pointwise<Acosh, FloatAndComplexTypes, 1>, acosh_gradient),
    of_one("Atanh", "x:T", "y:T", "T:type{math_floats_and_complex}",
           prepare_pointwise<Atanh, FloatAndComplexTypes, 1>, atanh_gradient),
    of_one("Lgamma", "x:T", "y:T", "T:type{math_floats}", prepare_pointwise<Lgamma, RealFloatTypes, 1>,
           lgamma_gradient),
    of_one("Digamma", "x:T", "y:T", "T:type{math_floats}", prepare_pointwise<Digamma, RealFloatTypes, 1>,
           digamma_gradient),
    of_one("Erfinv", "x:T", "y:T", "T:type{math_floats}", prepare_pointwise<Erfinv, FloatTypes, 1>,
           erfinv_gradient),
    of_one("Ndtri", "x:T", "y:T", "T:type{math_floats}", prepare_pointwise<Ndtri, FloatTypes, 1>,
           ndtri_gradient),
};

constexpr graph::OpRow kOfTwo[] = {
    of_two("Polygamma", "a:T, x:T", "z:T", "T:type{wide_floats}", prepare_pointwise<Polygamma, FloatTypes, 2>,
           polygamma_gradient),
    of_two("Zeta", "x:T, q:T", "z:T", "T:type{wide_floats}", prepare_pointwise<Zeta, FloatTypes, 2>,
           zeta_gradient),
    of_two("Igamma", "a:T, x:T", "z:T", "T:type{math_floats}", prepare_pointwise<Igamma, RealFloatTypes, 2>,
           igamma_gradient),
    of_two("Igammac", "a:T, x:T", "z:T", "T:type{math_floats}", prepare_pointwise<Igammac, RealFloatTypes, 2>,
           igammac_gradient),
    of_two("IgammaGradA", "a:T, x:T", "z:T", "T:type{wide_floats}",
           prepare_pointwise<IgammaGradA, FloatTypes, 2>, nullptr),
    of_two("RandomGammaGrad", "alpha:T, sample:T", "output:T", "T:type{wide_floats}",
           prepare_pointwise<RandomGammaGrad, FloatTypes, 2>, nullptr),
    of_two("Xdivy", "x:T, y:T", "z:T", "T:type{math_floats_and_complex}",
           prepare_pointwise<Xdivy, FloatAndComplexTypes, 2>, xdivy_gradient),
    of_two("Xlogy", "x:T, y:T", "z:T", "T:type{math_floats_and_complex}",
           prepare_pointwise<Xlogy, FloatAndComplexTypes, 2>, xlogy_gradient),
    of_two("Xlog1py", "x:T, y:T", "z:T", "T:type{math_floats_and_complex}",
           prepare_pointwise<Xlog1py, FloatAndComplexTypes, 2>, xlog1py_gradient),
    of_two("MulNoNan", "x:T, y:T", "z:T", "T:type{math_floats_and_complex}",
           prepare_pointwise<MulNoNan, FloatAndComplexTypes, 2>, mul_no_nan_gradient),
    of_two("NextAfter", "x1:T, x2:T", "output:T", "T:type=float32{[float64,float32]}",
           prepare_pointwise<NextAfter, FloatTypes, 2>, next_after_gradient),
};

constexpr graph::OpRow kOfThree[] = {
    {.name = "Betainc",
     .inputs = "a:T, b:T, x:T",
     .outputs = "z:T",
     .attrs = "T:type{wide_floats}",
     .shape = betainc_shape,
     .gradient = betainc_gradient,
     .prepare = prepare_pointwise<Betainc, FloatTypes, 3>},
};

}  // namespace

void register_special_function_ops(OpTable& table) {
  for (const graph::OpRow& row : kOfOne) table.add(row);
  for (const graph::OpRow& row : kOfTwo) table.add(row);
  for (const graph::OpRow& row : kOfThree) table.add(row);
}

}  // namespace flowray::ops
