// Bessel functions, elementwise. The series are Eigen's.

#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/pointwise.h"
#include "ops/math/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using graph::OpTable;
using BesselGradient = std::vector<Endpoint>;

// A series is large: once for each type that is computed in, instead of in each loop.
#define FLOWRAY_BESSEL(Name, function)      \
  struct Name {                             \
    template <class T>                      \
    [[gnu::noinline]] static T apply(T x) { \
      return Eigen::numext::function(x);    \
    }                                       \
  };
FLOWRAY_BESSEL(BesselI0, bessel_i0)
FLOWRAY_BESSEL(BesselI0e, bessel_i0e)
FLOWRAY_BESSEL(BesselI1, bessel_i1)
FLOWRAY_BESSEL(BesselI1e, bessel_i1e)
FLOWRAY_BESSEL(BesselJ0, bessel_j0)
FLOWRAY_BESSEL(BesselJ1, bessel_j1)
FLOWRAY_BESSEL(BesselK0, bessel_k0)
FLOWRAY_BESSEL(BesselK0e, bessel_k0e)
FLOWRAY_BESSEL(BesselK1, bessel_k1)
FLOWRAY_BESSEL(BesselK1e, bessel_k1e)
FLOWRAY_BESSEL(BesselY0, bessel_y0)
FLOWRAY_BESSEL(BesselY1, bessel_y1)
#undef FLOWRAY_BESSEL

// ---- gradients: names and order of nodes are TensorFlow's

Endpoint bessel_product(GradientContext& g, Endpoint x, Endpoint y) { return g.op("Mul", {x, y}, {}, "mul"); }
Endpoint subtracted(GradientContext& g, Endpoint x, Endpoint y) { return g.op("Sub", {x, y}, {}, "sub"); }

/// y / x
Endpoint of_input(GradientContext& g) { return g.op("RealDiv", {g.output(0), g.input(0)}, {}, "div"); }

Endpoint other_bessel(GradientContext& g, std::string_view scope, std::string_view op) {
  const graph::NameScope in_scope(g.graph(), scope);
  return g.op(op, {g.input(0)});
}

/// math_ops.cast of a Python float: a float32 constant, cast where another dtype is asked for.
Endpoint value_at_zero(GradientContext& g, double number, DType dtype) {
  const graph::NameScope in_scope(g.graph(), "Cast");
  const Endpoint constant = python_number(g, number, DType::kFloat32, "x");
  return dtype == DType::kFloat32 ? constant : g.op("Cast", {constant}, {{"DstT", dtype}}, in_scope.path());
}

BesselGradient bessel_i0_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  return {bessel_product(g, g.grad(), other_bessel(g, "bessel_i1", "BesselI1"))};
}

BesselGradient bessel_i0e_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint next = other_bessel(g, "bessel_i1e", "BesselI1e");
  const Endpoint shift = bessel_product(g, g.op("Sign", {g.input(0)}), g.output(0));
  return {bessel_product(g, g.grad(), subtracted(g, next, shift))};
}

/// Where x is 0 `at_zero`, else z0(x) - y / x.
BesselGradient first_order_gradient(GradientContext& g, double at_zero, std::string_view scope,
                                    std::string_view before) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint x = g.input(0);
  const Endpoint is_zero = python_with_right(g, "Equal", x, 0, "Equal");
  const Endpoint known = value_at_zero(g, at_zero, base_dtype(x.dtype()));
  const Endpoint zeroth = other_bessel(g, scope, before);
  const Endpoint elsewhere = subtracted(g, zeroth, of_input(g));
  return {bessel_product(g, g.grad(), g.op("SelectV2", {is_zero, known, elsewhere}))};
}
/// 1 at 0, where the derivative is a half: so does TensorFlow.
BesselGradient bessel_i1_gradient(GradientContext& g) {
  return first_order_gradient(g, 1, "bessel_i0", "BesselI0");
}
BesselGradient bessel_j1_gradient(GradientContext& g) {
  return first_order_gradient(g, 0.5, "bessel_j0", "BesselJ0");
}

BesselGradient bessel_i1e_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint x = g.input(0);
  const Endpoint is_zero = python_with_right(g, "Equal", x, 0, "Equal");
  const Endpoint half = value_at_zero(g, 0.5, base_dtype(x.dtype()));
  const Endpoint before = other_bessel(g, "bessel_i0e", "BesselI0e");
  const Endpoint sum = g.op("AddV2", {g.op("Sign", {x}), g.op("Reciprocal", {x})}, {}, "add");
  const Endpoint elsewhere = subtracted(g, before, bessel_product(g, g.output(0), sum));
  return {bessel_product(g, g.grad(), g.op("SelectV2", {is_zero, half, elsewhere}))};
}

/// Of a function whose derivative is the negative of another one.
BesselGradient negative_gradient(GradientContext& g, std::string_view scope, std::string_view next) {
  const WaitFor wait(g.graph(), g.grad());
  return {bessel_product(g, g.grad(), g.op("Neg", {other_bessel(g, scope, next)}))};
}
BesselGradient bessel_j0_gradient(GradientContext& g) {
  return negative_gradient(g, "bessel_j1", "BesselJ1");
}
BesselGradient bessel_y0_gradient(GradientContext& g) {
  return negative_gradient(g, "bessel_y1", "BesselY1");
}
BesselGradient bessel_k0_gradient(GradientContext& g) {
  return negative_gradient(g, "bessel_k1", "BesselK1");
}

BesselGradient bessel_k0e_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  return {
      bessel_product(g, g.grad(), subtracted(g, g.output(0), other_bessel(g, "bessel_k1e", "BesselK1e")))};
}

BesselGradient bessel_k1_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint before = g.op("Neg", {other_bessel(g, "bessel_k0", "BesselK0")});
  return {bessel_product(g, g.grad(), subtracted(g, before, of_input(g)))};
}

BesselGradient bessel_k1e_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint reciprocal = g.op("Reciprocal", {g.input(0)});
  const Endpoint scaled = bessel_product(g, g.output(0), python_with_left(g, "Sub", 1, reciprocal, "sub"));
  const Endpoint before = other_bessel(g, "bessel_k0e", "BesselK0e");
  return {bessel_product(g, g.grad(), subtracted(g, scaled, before))};
}

BesselGradient bessel_y1_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint before = other_bessel(g, "bessel_y0", "BesselY0");
  return {bessel_product(g, g.grad(), subtracted(g, before, of_input(g)))};
}

template <class Function>
constexpr graph::OpRow bessel(std::string_view name, graph::GradientFunction gradient) {
  return {.name = name,
          .inputs = "x:T",
          .outputs = "y:T",
          .attrs = "T:type{math_floats}",
          .shape = graph::unchanged_shape,
          .gradient = gradient,
          .prepare = prepare_pointwise<Function, RealFloatTypes, 1>};
}

constexpr graph::OpRow kBessel[] = {
    bessel<BesselI0>("BesselI0", bessel_i0_gradient), bessel<BesselI0e>("BesselI0e", bessel_i0e_gradient),
    bessel<BesselI1>("BesselI1", bessel_i1_gradient), bessel<BesselI1e>("BesselI1e", bessel_i1e_gradient),
    bessel<BesselJ0>("BesselJ0", bessel_j0_gradient), bessel<BesselJ1>("BesselJ1", bessel_j1_gradient),
    bessel<BesselK0>("BesselK0", bessel_k0_gradient), bessel<BesselK0e>("BesselK0e", bessel_k0e_gradient),
    bessel<BesselK1>("BesselK1", bessel_k1_gradient), bessel<BesselK1e>("BesselK1e", bessel_k1e_gradient),
    bessel<BesselY0>("BesselY0", bessel_y0_gradient), bessel<BesselY1>("BesselY1", bessel_y1_gradient),
};

}  // namespace

void register_bessel_function_ops(OpTable& table) {
  for (const graph::OpRow& row : kBessel) table.add(row);
}

}  // namespace flowray::ops
