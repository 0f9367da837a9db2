// Elementwise functions of one tensor, and the ops that their gradients are made of.

#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/math/register.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

#include <fmt/format.h>

#include <numbers>

namespace flowray::ops {

using graph::Endpoint;
using graph::GradientContext;
using graph::OpRow;
using graph::OpTable;
using graph::ShapeContext;

namespace {

using Gradient = std::vector<Endpoint>;

// ---- gradients; nodes and names are those of TensorFlow's Python

Gradient no_gradient(GradientContext&) { return {{}}; }

Gradient abs_gradient(GradientContext& g) {
  return {g.op("Mul", {g.grad(), g.op("Sign", {g.input(0)})}, {}, "mul")};
}

Gradient neg_gradient(GradientContext& g) { return {g.op("Neg", {g.grad()})}; }

Gradient sign_gradient(GradientContext& g) { return {python_zeros_like(g, g.input(0))}; }

Gradient square_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint x = python_conjugate(g, g.input(0));
  const Endpoint twice = g.op("Mul", {x, python_number(g, 2, x.dtype())});
  return {g.op("Mul", {g.grad(), twice})};
}

/// f'(x) by an op of the output y and the gradient.
Gradient of_output(GradientContext& g, std::string_view op) { return {g.op(op, {g.output(0), g.grad()})}; }
Gradient sqrt_gradient(GradientContext& g) { return of_output(g, "SqrtGrad"); }
Gradient rsqrt_gradient(GradientContext& g) { return of_output(g, "RsqrtGrad"); }
Gradient reciprocal_gradient(GradientContext& g) { return of_output(g, "ReciprocalGrad"); }

/// The same, for ops that do not conjugate the output themselves.
Gradient of_conjugated_output(GradientContext& g, std::string_view op) {
  const WaitFor wait(g.graph(), g.grad());
  return {g.op(op, {python_conjugate(g, g.output(0)), g.grad()})};
}
Gradient tanh_gradient(GradientContext& g) { return of_conjugated_output(g, "TanhGrad"); }
Gradient sigmoid_gradient(GradientContext& g) { return of_conjugated_output(g, "SigmoidGrad"); }

Gradient exp_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  return {g.op("Mul", {g.grad(), python_conjugate(g, g.output(0))}, {}, "mul")};
}

/// grad * op(x)
Gradient times_function_of_input(GradientContext& g, std::string_view op) {
  const WaitFor wait(g.graph(), g.grad());
  return {g.op("Mul", {g.grad(), g.op(op, {python_conjugate(g, g.input(0))})}, {}, "mul")};
}
Gradient expm1_gradient(GradientContext& g) { return times_function_of_input(g, "Exp"); }
Gradient log_gradient(GradientContext& g) { return times_function_of_input(g, "Reciprocal"); }
Gradient sin_gradient(GradientContext& g) { return times_function_of_input(g, "Cos"); }
Gradient sinh_gradient(GradientContext& g) { return times_function_of_input(g, "Cosh"); }
Gradient cosh_gradient(GradientContext& g) { return times_function_of_input(g, "Sinh"); }

Gradient log1p_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint sum = python_with_left(g, "AddV2", 1, python_conjugate(g, g.input(0)), "add");
  return {g.op("Mul", {g.grad(), g.op("Reciprocal", {sum})}, {}, "mul")};
}

Gradient cos_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint x = python_conjugate(g, g.input(0));
  const Endpoint negative = g.op("Neg", {g.grad()});
  return {g.op("Mul", {negative, g.op("Sin", {x})}, {}, "mul")};
}

Gradient tan_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint secant = g.op("Reciprocal", {g.op("Cos", {python_conjugate(g, g.input(0))})});
  return {g.op("Mul", {g.op("Square", {secant}), g.grad()}, {}, "mul")};
}

/// 1 / sqrt(1 - x^2)
Endpoint arc_slope(GradientContext& g) {
  const Endpoint square = g.op("Square", {python_conjugate(g, g.input(0))});
  const Endpoint one = python_number(g, 1, g.grad().dtype());
  return g.op("Reciprocal", {g.op("Sqrt", {g.op("Sub", {one, square})})});
}

Gradient asin_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  return {g.op("Mul", {g.grad(), arc_slope(g)}, {}, "mul")};
}

Gradient acos_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint slope = arc_slope(g);
  return {g.op("Mul", {g.op("Neg", {g.grad()}), slope}, {}, "mul")};
}

Gradient atan_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint square = g.op("Square", {python_conjugate(g, g.input(0))});
  const Endpoint one = python_number(g, 1, g.grad().dtype());
  const Endpoint slope = g.op("Reciprocal", {g.op("AddV2", {one, square}, {}, "Add")});
  return {g.op("Mul", {g.grad(), slope}, {}, "mul")};
}

/// factor * exp(-x^2) * grad
Gradient erf_like_gradient(GradientContext& g, double factor) {
  const Endpoint scale = python_number(g, factor, g.grad().dtype());
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint scaled = g.op("Mul", {g.grad(), scale}, {}, "mul");
  const Endpoint bell = g.op("Exp", {g.op("Neg", {g.op("Square", {g.input(0)})})});
  return {g.op("Mul", {scaled, bell}, {}, "mul")};
}
Gradient erf_gradient(GradientContext& g) { return erf_like_gradient(g, 2 * std::numbers::inv_sqrtpi); }
Gradient erfc_gradient(GradientContext& g) { return erf_like_gradient(g, -2 * std::numbers::inv_sqrtpi); }

// ---- gradients of the ops F_grad(y, dy)

/// slope * -2 * dy * y, and `op`(y, grad): dy * (1 - y^2) and -dy * y^2 have the same derivative with respect
/// to y.
Gradient minus_two_gradient(GradientContext& g, std::string_view op, Endpoint y, Endpoint dy,
                            Endpoint slope) {
  const Endpoint scaled = python_with_right(g, "Mul", slope, -2, "mul");
  const Endpoint for_y = g.op("Mul", {g.op("Mul", {scaled, dy}, {}, "mul"), y}, {}, "mul");
  return {for_y, g.op(op, {y, g.grad()})};
}
Gradient tanh_grad_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint y = python_conjugate(g, g.input(0));
  return minus_two_gradient(g, "TanhGrad", y, python_conjugate(g, g.input(1)), g.grad());
}
Gradient reciprocal_grad_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint y = python_conjugate(g, g.input(0));
  return minus_two_gradient(g, "ReciprocalGrad", y, g.input(1), python_conjugate(g, g.grad()));
}

Gradient sigmoid_grad_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint y = python_conjugate(g, g.input(0));
  const Endpoint dy = python_conjugate(g, g.input(1));
  const Endpoint product = g.op("Mul", {g.grad(), dy}, {}, "mul");
  const Endpoint twice = python_with_left(g, "Mul", 2, product, "mul");
  const Endpoint for_y = g.op("Sub", {product, g.op("Mul", {twice, y}, {}, "mul")}, {}, "sub");
  return {for_y, g.op("SigmoidGrad", {y, g.grad()})};
}

Gradient sqrt_grad_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint quotient = g.op("RealDiv", {g.grad(), g.input(0)}, {}, "truediv");
  const Endpoint negative = g.op("Neg", {python_conjugate(g, quotient)});
  const Endpoint for_y = g.op("Mul", {negative, g.output(0)}, {}, "mul");
  return {for_y, python_with_left(g, "Mul", 0.5, quotient, "mul")};
}

Gradient rsqrt_grad_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint y = python_conjugate(g, g.input(0));
  const Endpoint scaled = python_with_left(g, "Mul", -1.5, python_conjugate(g, g.grad()), "mul");
  const Endpoint product = g.op("Mul", {scaled, g.input(1)}, {}, "mul");
  const Endpoint for_y = g.op("Mul", {product, g.op("Square", {y})}, {}, "mul");
  return {for_y, g.op("RsqrtGrad", {y, g.grad()})};
}

/// TensorFlow's ops of (y, dy) do not broadcast; while the graph is built only y's shape counts.
void grad_op_shape(ShapeContext& context) {
  const Shape& y = context.input(0);
  const Shape& dy = context.input(1);
  if (context.running() && y.num_elements() != dy.num_elements()) {
    ShapeContext::fail(
        fmt::format("The two arguments to a cwise op must have same number of elements, got {} and {}",
                    y.num_elements(), dy.num_elements()));
  }
  context.set_output(0, y);
}

/// Kernels of (y, dy) take them as two rows of one length, whatever their shapes.
template <BinaryFunction kFunction>
std::unique_ptr<graph::Kernel> prepare_grad_op(graph::PrepareContext& context) {
  const DType dtype = context.input_dtype(0);
  const BinaryLoop loop = math_loops(cpu_level()).find(kFunction, dtype).both;
  if (loop == nullptr) context.no_kernel_for(dtype);
  const int64_t count = context.input_shape(0).num_elements();
  const int64_t element_bytes = static_cast<int64_t>(dtype_size(dtype));
  auto elementwise = elementwise_walks(context, elements_per_worker(kFunction));
  if (elementwise) elementwise->binary = loop;
  return graph::make_kernel(
      [=](const graph::KernelCall& call) {
        for_elements(call.parallel(), count, elements_per_worker(kFunction), [&](int64_t begin, int64_t end) {
          const int64_t skip = begin * element_bytes;
          loop(call.in<char>(0) + skip, call.in<char>(1) + skip, call.out<char>(0) + skip, end - begin);
        });
      },
      {.in_place = {{0, 0}, {1, 0}}, .elementwise = elementwise});
}

// ---- the ops

/// A function of one tensor.
constexpr graph::OpRow unary_op(std::string_view name, std::string_view attrs, graph::PrepareFunction prepare,
                                graph::GradientFunction gradient = nullptr,
                                std::string_view outputs = "y:T") {
  return {.name = name,
          .inputs = "x:T",
          .outputs = outputs,
          .attrs = attrs,
          .elementwise = true,
          .shape = graph::unchanged_shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr graph::OpRow kUnaryOps[] = {
    unary_op("Abs", "T:type{[bfloat16,float16,float32,float64,int8,int16,int32,int64]}",
             prepare_unary<UnaryFunction::kAbs>, abs_gradient),
    unary_op("Neg", "T:type{signed_numbers}", prepare_unary<UnaryFunction::kNeg>, neg_gradient),
    unary_op("Sign", "T:type{signed_numbers}", prepare_unary<UnaryFunction::kSign>, sign_gradient),
    unary_op("Square",
             "T:type{[bfloat16,float16,float32,float64,int8,int16,int32,int64,uint8,uint16,uint32,uint64,"
             "complex64,"
             "complex128]}",
             prepare_unary<UnaryFunction::kSquare>, square_gradient),
    unary_op("Sqrt", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kSqrt>, sqrt_gradient),
    unary_op("Rsqrt", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kRsqrt>,
             rsqrt_gradient),
    unary_op("Exp", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kExp>, exp_gradient),
    unary_op("Expm1", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kExpm1>,
             expm1_gradient),
    unary_op("Log", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kLog>, log_gradient),
    unary_op("Log1p", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kLog1p>,
             log1p_gradient),
    unary_op("Sin", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kSin>, sin_gradient),
    unary_op("Cos", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kCos>, cos_gradient),
    unary_op("Tan", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kTan>, tan_gradient),
    unary_op("Asin", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kAsin>, asin_gradient),
    unary_op("Acos", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kAcos>, acos_gradient),
    unary_op("Atan", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kAtan>, atan_gradient),
    unary_op("Sinh", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kSinh>, sinh_gradient),
    unary_op("Cosh", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kCosh>, cosh_gradient),
    unary_op("Tanh", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kTanh>, tanh_gradient),
    unary_op("Sigmoid", "T:type{math_floats_and_complex}", prepare_unary<UnaryFunction::kSigmoid>,
             sigmoid_gradient),
    unary_op("Erf", "T:type{math_floats}", prepare_unary<UnaryFunction::kErf>, erf_gradient),
    unary_op("Erfc", "T:type{math_floats}", prepare_unary<UnaryFunction::kErfc>, erfc_gradient),
    unary_op("Reciprocal", "T:type{signed_numbers}", prepare_unary<UnaryFunction::kReciprocal>,
             reciprocal_gradient),
    unary_op("Inv", "T:type{signed_numbers}", prepare_unary<UnaryFunction::kReciprocal>, reciprocal_gradient),
    unary_op("Floor", "T:type{math_floats}", prepare_unary<UnaryFunction::kFloor>, no_gradient),
    unary_op("Ceil", "T:type{math_floats}", prepare_unary<UnaryFunction::kCeil>, no_gradient),
    unary_op("Rint", "T:type{math_floats}", prepare_unary<UnaryFunction::kRint>, no_gradient),
    unary_op("Round", "T:type{signed_numbers}", prepare_unary<UnaryFunction::kRound>, no_gradient),
    // TensorFlow registers no gradient for these three: asking for one is an error there, too.
    unary_op("IsNan", "T:type{math_floats}", prepare_unary<UnaryFunction::kIsNan>, nullptr, "y:bool"),
    unary_op("IsInf", "T:type{math_floats}", prepare_unary<UnaryFunction::kIsInf>, nullptr, "y:bool"),
    unary_op("IsFinite", "T:type{math_floats}", prepare_unary<UnaryFunction::kIsFinite>, nullptr, "y:bool"),
};

/// What the gradient of a function is made with, from the function's output and the gradient that arrives.
constexpr graph::OpRow grad_op(std::string_view name, std::string_view attrs, graph::PrepareFunction prepare,
                               graph::GradientFunction gradient = nullptr) {
  return {.name = name,
          .inputs = "y:T, dy:T",
          .outputs = "z:T",
          .attrs = attrs,
          .elementwise = true,
          .shape = grad_op_shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr graph::OpRow kGradOps[] = {
    grad_op("SigmoidGrad", "T:type{math_floats_and_complex}", prepare_grad_op<BinaryFunction::kSigmoidGrad>,
            sigmoid_grad_gradient),
    grad_op("TanhGrad", "T:type{math_floats_and_complex}", prepare_grad_op<BinaryFunction::kTanhGrad>,
            tanh_grad_gradient),
    grad_op("SqrtGrad", "T:type{math_floats_and_complex}", prepare_grad_op<BinaryFunction::kSqrtGrad>,
            sqrt_grad_gradient),
    grad_op("RsqrtGrad", "T:type{math_floats_and_complex}", prepare_grad_op<BinaryFunction::kRsqrtGrad>,
            rsqrt_grad_gradient),
    grad_op("ReciprocalGrad", "T:type{math_floats_and_complex}",
            prepare_grad_op<BinaryFunction::kReciprocalGrad>, reciprocal_grad_gradient),
    grad_op("InvGrad", "T:type{math_floats_and_complex}", prepare_grad_op<BinaryFunction::kReciprocalGrad>,
            reciprocal_grad_gradient),
};

constexpr graph::OpRow kMathUnaryOps[] = {
    {.name = "LogicalNot",
     .inputs = "x:bool",
     .outputs = "y:bool",
     .elementwise = true,
     .shape = graph::unchanged_shape,
     .not_differentiable = true,
     .prepare = prepare_unary<UnaryFunction::kLogicalNot>},
};

}  // namespace

void register_math_unary_ops(OpTable& table) {
  for (const graph::OpRow& row : kUnaryOps) table.add(row);
  for (const graph::OpRow& row : kGradOps) table.add(row);
  for (const graph::OpRow& row : kMathUnaryOps) table.add(row);
}

}  // namespace flowray::ops
