// Complex, Real, Imag, Conj, Angle and ComplexAbs: complex numbers and what they are made of.

#include "graph/gradient_context.h"
#include "graph/kernel/kernel.h"
#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/pointwise.h"
#include "ops/math/register.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <complex>

namespace flowray::ops {
namespace {

using graph::Endpoint;
using graph::GradientContext;
using Gradient = std::vector<Endpoint>;

struct Complex {
  template <class T>
  static std::complex<T> apply(T real, T imaginary) {
    return {real, imaginary};
  }
};
struct Real {
  template <class T>
  static T apply(std::complex<T> x) {
    return x.real();
  }
};
struct Imag {
  template <class T>
  static T apply(std::complex<T> x) {
    return x.imag();
  }
};
struct Conj {
  template <class T>
  static std::complex<T> apply(std::complex<T> x) {
    return std::conj(x);
  }
};
struct Angle {
  template <class T>
  static T apply(std::complex<T> x) {
    return std::arg(x);
  }
};
struct ComplexAbs {
  template <class T>
  static T apply(std::complex<T> x) {
    return std::abs(x);
  }
};

/// The complex type of the op's real one, or the other way round, must be that of attribute Tout.
template <class F, class Types, size_t kArity>
std::unique_ptr<graph::Kernel> prepare_converted(graph::PrepareContext& context) {
  const bool is_double =
      context.input_dtype(0) == DType::kFloat64 || context.input_dtype(0) == DType::kComplex128;
  const bool makes_double =
      context.output_dtype(0) == DType::kFloat64 || context.output_dtype(0) == DType::kComplex128;
  if (is_double != makes_double) {
    throw errors::InvalidArgumentError(
        fmt::format("Signature mismatch, have: {0}->{1} expected: {0}->{2}",
                    dtype_kernel_name(context.input_dtype(0)), dtype_kernel_name(context.output_dtype(0)),
                    dtype_kernel_name(is_double ? DType::kFloat64 : DType::kFloat32)));
  }
  return prepare_pointwise<F, Types, kArity>(context);
}

// ---- gradients; nodes and names are those of TensorFlow's Python

DType complex_of(Endpoint real) {
  return base_dtype(real.dtype()) == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}
DType real_of(Endpoint complex) {
  return base_dtype(complex.dtype()) == DType::kComplex128 ? DType::kFloat64 : DType::kFloat32;
}

Endpoint python_complex(GradientContext& g, Endpoint real, Endpoint imaginary) {
  return g.op("Complex", {real, imaginary}, {{"Tout", complex_of(real)}});
}
Endpoint part(GradientContext& g, std::string_view op, Endpoint x) {
  return g.op(op, {x}, {{"Tout", real_of(x)}});
}

Gradient complex_gradient(GradientContext& g) {
  const Endpoint real = part(g, "Real", g.grad());
  return python_reduce_gradients(g, g.input(0), g.input(1), real, part(g, "Imag", g.grad()));
}
Gradient real_gradient(GradientContext& g) {
  return {python_complex(g, g.grad(), python_number(g, 0, g.grad().dtype(), "Const"))};
}
Gradient imag_gradient(GradientContext& g) {
  const Endpoint zero = python_number(g, 0, g.grad().dtype(), "Const");
  return {python_complex(g, zero, g.grad())};
}
Gradient conj_gradient(GradientContext& g) { return {g.op("Conj", {g.grad()})}; }

Gradient angle_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint real = part(g, "Real", g.input(0));
  const Endpoint imaginary = part(g, "Imag", g.input(0));
  const Endpoint z = g.op("Reciprocal", {python_complex(g, imaginary, real)});
  const Endpoint grad = python_complex(g, g.grad(), python_number(g, 0, g.grad().dtype(), "Const"));
  return {g.op("Mul", {g.op("Neg", {grad}), z}, {}, "mul")};
}

Gradient complex_abs_gradient(GradientContext& g) {
  const Endpoint grad = python_complex(g, g.grad(), python_zeros_like(g, g.grad()));
  const Endpoint product = g.op("Mul", {grad, g.input(0)}, {}, "mul");
  const Endpoint size = python_complex(g, g.output(0), python_zeros_like(g, g.output(0)));
  return {g.op("DivNoNan", {product, size}, {}, "div_no_nan")};
}

constexpr graph::OpRow part_row(std::string_view name, graph::PrepareFunction prepare,
                                graph::GradientFunction gradient = nullptr) {
  return {.name = name,
          .inputs = "input:T",
          .outputs = "output:Tout",
          .attrs = "T:type=complex64{complex}; Tout:type=float32{wide_floats}",
          .shape = graph::unchanged_shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr graph::OpRow kParts[] = {
    part_row("Real", prepare_converted<Real, ComplexTypes, 1>, real_gradient),
    part_row("Imag", prepare_converted<Imag, ComplexTypes, 1>, imag_gradient),
    part_row("Angle", prepare_converted<Angle, ComplexTypes, 1>, angle_gradient),
};

constexpr graph::OpRow kComplexNumberOps[] = {
    {.name = "Complex",
     .inputs = "real:T, imag:T",
     .outputs = "out:Tout",
     .attrs = "T:type=float32{wide_floats}; Tout:type=complex64{complex}",
     .shape = graph::broadcast_shape,
     .gradient = complex_gradient,
     .prepare = prepare_converted<Complex, FloatTypes, 2>},
    {.name = "ComplexAbs",
     .inputs = "x:T",
     .outputs = "y:Tout",
     .attrs = "T:type=complex64{complex}; Tout:type=float32{wide_floats}",
     .shape = graph::unchanged_shape,
     .gradient = complex_abs_gradient,
     .prepare = prepare_converted<ComplexAbs, ComplexTypes, 1>},
    {.name = "Conj",
     .inputs = "input:T",
     .outputs = "output:T",
     .attrs = "T:type=complex64{[complex64,complex128,variant]}",
     .shape = graph::unchanged_shape,
     .gradient = conj_gradient,
     .prepare = prepare_pointwise<Conj, ComplexTypes, 1>},
};

}  // namespace

void register_complex_number_ops(graph::OpTable& table) {
  for (const graph::OpRow& row : kParts) table.add(row);
  for (const graph::OpRow& row : kComplexNumberOps) table.add(row);
}

}  // namespace flowray::ops
