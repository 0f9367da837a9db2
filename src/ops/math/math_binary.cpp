// Arithmetic on two tensors that broadcast.

#include "graph/op_schema.h"
#include "graph/shape_context.h"
#include "ops/elements/elementwise_kernels.h"
#include "ops/elements/pointwise.h"
#include "ops/math/register.h"
#include "ops/python_nodes/python_math_nodes.h"
#include "ops/python_nodes/python_nodes.h"

namespace flowray::ops {

using graph::Endpoint;
using graph::GradientContext;
using graph::OpTable;

namespace {

using Gradient = std::vector<Endpoint>;

// ---- gradients; nodes and names are those of TensorFlow's Python

bool shapes_are_equal(const GradientContext& g) {
  return python_same_static_shapes(g.input(0), g.input(1), g.grad());
}

Gradient reduced(GradientContext& g, Endpoint gx, Endpoint gy) {
  return python_reduce_gradients(g, g.input(0), g.input(1), gx, gy);
}

Gradient no_gradients(GradientContext&) { return {{}, {}}; }

Gradient add_gradient(GradientContext& g) {
  if (shapes_are_equal(g)) return {g.grad(), g.grad()};
  return reduced(g, g.grad(), g.grad());
}

Gradient sub_gradient(GradientContext& g) {
  const Endpoint negative = g.op("Neg", {g.grad()});
  if (shapes_are_equal(g)) return {g.grad(), negative};
  return reduced(g, g.grad(), negative);
}

Gradient mul_gradient(GradientContext& g) {
  const DType dtype = base_dtype(g.grad().dtype());
  const bool simple = shapes_are_equal(g) && (dtype == DType::kInt32 || dtype == DType::kFloat32);
  const Endpoint gx = g.op("Mul", {g.grad(), python_conjugate(g, g.input(1))});
  if (simple) return {gx, g.op("Mul", {g.grad(), g.input(0)})};
  return reduced(g, gx, g.op("Mul", {python_conjugate(g, g.input(0)), g.grad()}));
}

/// grad / y and grad * ((-x / y) / y), the division being `op` named `name`, before they are summed.
struct Quotient {
  Quotient(GradientContext& g, std::string_view op, std::string_view name)
      : x(python_conjugate(g, g.input(0))), y(python_conjugate(g, g.input(1))) {
    const auto divide = [&](Endpoint a, Endpoint b) { return g.op(op, {a, b}, {}, name); };
    gx = divide(g.grad(), y);
    const Endpoint slope = divide(divide(g.op("Neg", {x}), y), y);
    gy = g.op("Mul", {g.grad(), slope}, {}, "mul");
  }
  Endpoint x;
  Endpoint y;
  Endpoint gx;
  Endpoint gy;
};
Gradient div_gradient(GradientContext& g) {
  const Quotient of(g, "RealDiv", "truediv");
  return reduced(g, of.gx, of.gy);
}
Gradient real_div_gradient(GradientContext& g) {
  const Quotient of(g, "RealDiv", "RealDiv");
  return reduced(g, of.gx, of.gy);
}
Gradient div_no_nan_gradient(GradientContext& g) {
  const Quotient of(g, "DivNoNan", "div_no_nan");
  return python_reduce_gradients(g, of.x, of.y, of.gx, of.gy);
}

Gradient floor_mod_gradient(GradientContext& g) {
  const Endpoint quotient = g.op("FloorDiv", {g.input(0), g.input(1)});
  return reduced(g, g.grad(), g.op("Mul", {g.grad(), g.op("Neg", {quotient})}, {}, "mul"));
}

/// grad * log(x) * x^y where x > 0 (complex: x is not 0), else 0; `x` is conjugated.
Endpoint power_gradient_of_exponent(GradientContext& g, Endpoint x) {
  const char* const has_log = is_complex(base_dtype(x.dtype())) ? "NotEqual" : "Greater";
  const Endpoint mask = python_with_right(g, has_log, x, 0, has_log);
  const Endpoint safe = g.op("Select", {mask, x, python_ones_like(g, g.input(0))});
  const Endpoint log = g.op("Log", {safe});
  const Endpoint log_or_zero = g.op("Select", {mask, log, python_zeros_like(g, g.input(0))});
  const Endpoint product = g.op("Mul", {g.grad(), python_conjugate(g, g.output(0))}, {}, "mul");
  return g.op("Mul", {product, log_or_zero}, {}, "mul");
}

Gradient pow_gradient(GradientContext& g) {
  const Endpoint x = python_conjugate(g, g.input(0));
  const Endpoint y = python_conjugate(g, g.input(1));
  const Endpoint scaled = g.op("Mul", {g.grad(), y}, {}, "mul");
  const Endpoint power = g.op("Pow", {x, python_with_right(g, "Sub", y, 1, "sub")});
  const Endpoint gx = g.op("Mul", {scaled, power}, {}, "mul");
  return reduced(g, gx, power_gradient_of_exponent(g, x));
}

/// The gradient goes to x where `op` says that x was chosen, else to y.
Gradient choice_gradient(GradientContext& g, std::string_view op) {
  const Endpoint zeros = python_zeros_like(g, g.grad());
  const Endpoint x_chosen = g.op(op, {g.input(0), g.input(1)});
  const Endpoint gx = g.op("SelectV2", {x_chosen, g.grad(), zeros});
  return reduced(g, gx, g.op("SelectV2", {x_chosen, zeros, g.grad()}));
}
Gradient maximum_gradient(GradientContext& g) { return choice_gradient(g, "GreaterEqual"); }
Gradient minimum_gradient(GradientContext& g) { return choice_gradient(g, "LessEqual"); }

Gradient squared_difference_gradient(GradientContext& g) {
  Endpoint gx;
  {
    const WaitFor wait(g.graph(), g.grad());
    const Endpoint twice = g.op("Mul", {python_number(g, 2, g.grad().dtype(), "scalar"), g.grad()});
    gx = g.op("Mul", {twice, g.op("Sub", {g.input(0), g.input(1)}, {}, "sub")}, {}, "mul");
  }
  const Endpoint gy = g.op("Neg", {gx});
  if (shapes_are_equal(g)) return {gx, gy};
  return reduced(g, gx, gy);
}

Gradient atan2_gradient(GradientContext& g) {
  const WaitFor wait(g.graph(), g.grad());
  const Endpoint y = g.input(0);
  const Endpoint x = g.input(1);
  const Endpoint squares = g.op("AddV2", {g.op("Square", {y}), g.op("Square", {x})}, {}, "add");
  const Endpoint slope = g.op("RealDiv", {g.grad(), squares}, {}, "truediv");
  const Endpoint gy = g.op("Mul", {x, slope}, {}, "mul");
  return reduced(g, gy, g.op("Mul", {g.op("Neg", {y}), slope}, {}, "mul"));
}

// ---- the ops

/// TensorFlow divides integers by FloorDiv, Div and TruncateDiv only.
std::unique_ptr<graph::Kernel> prepare_real_div(graph::PrepareContext& context) {
  if (is_integer(context.input_dtype(0))) context.no_kernel_for(context.input_dtype(0));
  return binary_kernel(context, BinaryFunction::kDiv);
}

struct JoinedText {
  static std::string apply(const std::string& x, const std::string& y) { return x + y; }
};

std::unique_ptr<graph::Kernel> prepare_add(graph::PrepareContext& context) {
  if (context.input_dtype(0) == DType::kString)
    return prepare_pointwise<JoinedText, TypeList<std::string>, 2>(context);
  return binary_kernel(context, BinaryFunction::kAdd);
}

constexpr graph::OpRow binary_op_row(std::string_view name, std::string_view attrs,
                                     graph::PrepareFunction prepare,
                                     graph::GradientFunction gradient = nullptr) {
  return {.name = name,
          .inputs = "x:T, y:T",
          .outputs = "z:T",
          .attrs = attrs,
          .elementwise = true,
          .shape = graph::broadcast_shape,
          .gradient = gradient,
          .prepare = prepare};
}

constexpr graph::OpRow kBinaryOps[] = {
    binary_op_row(
        "Add",
        "T:type{[bfloat16,float16,float32,float64,uint8,int8,int16,int32,int64,complex64,complex128,string]}",
        prepare_add, add_gradient),
    binary_op_row("AddV2",
                  "T:type{[bfloat16,float16,float32,float64,uint8,uint16,uint32,uint64,int8,int16,int32,"
                  "int64,complex64,complex128]}",
                  prepare_binary<BinaryFunction::kAdd>, add_gradient),
    binary_op_row("Sub",
                  "T:type{[bfloat16,float16,float32,float64,uint8,int8,uint16,int16,int32,int64,complex64,"
                  "complex128,uint32,uint64]}",
                  prepare_binary<BinaryFunction::kSub>, sub_gradient),
    binary_op_row("Mul", "T:type{math_numbers}", prepare_binary<BinaryFunction::kMul>, mul_gradient),
    binary_op_row("Div", "T:type{math_numbers}", prepare_binary<BinaryFunction::kDiv>, div_gradient),
    binary_op_row("RealDiv", "T:type{math_numbers}", prepare_real_div, real_div_gradient),
    binary_op_row("FloorDiv", "T:type{math_numbers}", prepare_binary<BinaryFunction::kFloorDiv>,
                  no_gradients),
    binary_op_row("TruncateDiv", "T:type{math_numbers}", prepare_binary<BinaryFunction::kTruncateDiv>,
                  no_gradients),
    binary_op_row(
        "FloorMod",
        "T:type{[int8,int16,int32,int64,uint8,uint16,uint32,uint64,bfloat16,float16,float32,float64]}",
        prepare_binary<BinaryFunction::kFloorMod>, floor_mod_gradient),
    binary_op_row("Mod", "T:type{[int32,int64,float16,float16,bfloat16,float32,float64]}",
                  prepare_binary<BinaryFunction::kMod>, nullptr),
    binary_op_row("TruncateMod", "T:type{[int32,int64,bfloat16,float16,float32,float64]}",
                  prepare_binary<BinaryFunction::kTruncateMod>, nullptr),
    binary_op_row("DivNoNan", "T:type{[float16,float32,bfloat16,float64,complex64,complex128]}",
                  prepare_binary<BinaryFunction::kDivNoNan>, div_no_nan_gradient),
    binary_op_row(
        "Maximum",
        "T:type{[bfloat16,float16,float32,float64,int8,uint8,int16,uint16,int32,uint32,int64,uint64]}",
        prepare_binary<BinaryFunction::kMaximum>, maximum_gradient),
    binary_op_row(
        "Minimum",
        "T:type{[bfloat16,float16,float32,float64,int8,uint8,int16,uint16,int32,uint32,int64,uint64]}",
        prepare_binary<BinaryFunction::kMinimum>, minimum_gradient),
    binary_op_row("Pow",
                  "T:type{[bfloat16,float32,float16,float64,int8,int16,int32,int64,complex64,complex128]}",
                  prepare_binary<BinaryFunction::kPow>, pow_gradient),
    binary_op_row("SquaredDifference", "T:type{wide_numbers}",
                  prepare_binary<BinaryFunction::kSquaredDifference>, squared_difference_gradient),
};

constexpr graph::OpRow kMathBinaryOps[] = {
    {.name = "Atan2",
     .inputs = "y:T, x:T",
     .outputs = "z:T",
     .attrs = "T:type{math_floats}",
     .elementwise = true,
     .shape = graph::broadcast_shape,
     .gradient = atan2_gradient,
     .prepare = prepare_binary<BinaryFunction::kAtan2>},
};

}  // namespace

void register_math_binary_ops(OpTable& table) {
  for (const graph::OpRow& row : kBinaryOps) table.add(row);
  for (const graph::OpRow& row : kMathBinaryOps) table.add(row);
}

}  // namespace flowray::ops
