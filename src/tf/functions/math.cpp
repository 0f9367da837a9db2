#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace flowray::tf {
namespace {

using graph::Endpoint;

Tensor unary(std::string_view op, const Input& x, const NameOption& options) {
  return apply_op({.op = op, .name = options.name, .args = {x}});
}

Tensor binary(std::string_view op, const Input& x, const Input& y, const NameOption& options) {
  return apply_op({.op = op, .name = options.name, .args = {x, y}});
}

/// Arguments that are not tensors yet become constants in the scope around the call, not in the call's own.
Tensor as_tensor(const Input& x, std::string_view name) {
  graph::Graph& graph = graph_of({{"x", x}});
  const UserLine line(graph, x.where());
  return to_tensor(graph, x, name);
}

void check_same_dtype(Endpoint x, Endpoint y) {
  const DType x_dtype = base_dtype(x.dtype());
  const DType y_dtype = base_dtype(y.dtype());
  if (x_dtype == y_dtype) return;
  throw TypeError(fmt::format(
      "`x` and `y` must have the same dtype, got tf.{} != tf.{}.\nConvert one of them: tf::cast(x, dtype).",
      dtype_name(x_dtype), dtype_name(y_dtype)));
}

/// What an integer dtype becomes for a true division; itself for floats. Throws TypeError for others.
DType true_division_dtype(DType dtype) {
  if (is_floating(dtype) || is_complex(dtype)) return dtype;
  if (is_integer(dtype)) return dtype_size(dtype) <= 2 ? DType::kFloat32 : DType::kFloat64;
  throw TypeError(fmt::format("Invalid dtype tf.{} in __truediv__. Expected numbers.", dtype_name(dtype)));
}

Tensor true_division(Composite& scope, std::string_view op, Endpoint x, Endpoint y) {
  check_same_dtype(x, y);
  const DType own = base_dtype(x.dtype());
  const DType dtype = true_division_dtype(own);
  if (dtype != own) {
    x = scope.op("Cast", {x}, {{"DstT", dtype}});
    y = scope.op("Cast", {y}, {{"DstT", dtype}});
  }
  return scope.result(op, {x, y});
}

}  // namespace

Tensor negative(const Input& x, const NameOption& options) { return unary("Neg", x, options); }
Tensor abs(const Input& x, const NameOption& options) {
  DType dtype = DType::kInvalid;
  if (x.tensor() != nullptr && x.tensor()->has_value()) dtype = base_dtype(x.tensor()->dtype());
  if (x.array() != nullptr) dtype = x.array()->dtype();
  if (!is_complex(dtype)) return unary("Abs", x, options);
  const ErrorLine errors(x.where());
  return apply_op({.op = "ComplexAbs",
                   .name = options.name.empty() ? "Abs" : options.name,
                   .args = {x},
                   .attrs = {{"Tout", dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64}}});
}
Tensor square(const Input& x, const NameOption& options) { return unary("Square", x, options); }
Tensor sqrt(const Input& x, const NameOption& options) { return unary("Sqrt", x, options); }
Tensor rsqrt(const Input& x, const NameOption& options) { return unary("Rsqrt", x, options); }
Tensor exp(const Input& x, const NameOption& options) { return unary("Exp", x, options); }
Tensor expm1(const Input& x, const NameOption& options) { return unary("Expm1", x, options); }
Tensor log(const Input& x, const NameOption& options) { return unary("Log", x, options); }
Tensor log1p(const Input& x, const NameOption& options) { return unary("Log1p", x, options); }
Tensor sin(const Input& x, const NameOption& options) { return unary("Sin", x, options); }
Tensor cos(const Input& x, const NameOption& options) { return unary("Cos", x, options); }
Tensor tanh(const Input& x, const NameOption& options) { return unary("Tanh", x, options); }
Tensor sigmoid(const Input& x, const NameOption& options) { return unary("Sigmoid", x, options); }
Tensor erf(const Input& x, const NameOption& options) { return unary("Erf", x, options); }
Tensor sign(const Input& x, const NameOption& options) {
  const ErrorLine errors(x.where());
  check_set(x, "x");
  return unary("Sign", Input(as_tensor(x, "Const"), x.where()), options);
}
Tensor floor(const Input& x, const NameOption& options) { return unary("Floor", x, options); }
Tensor ceil(const Input& x, const NameOption& options) { return unary("Ceil", x, options); }
Tensor round(const Input& x, const NameOption& options) {
  const Tensor tensor = as_tensor(x, "x");
  return is_integer(base_dtype(tensor.dtype())) ? tensor : unary("Round", Input(tensor, x.where()), options);
}
Tensor reciprocal(const Input& x, const NameOption& options) { return unary("Reciprocal", x, options); }
Tensor is_nan(const Input& x, const NameOption& options) { return unary("IsNan", x, options); }
Tensor is_inf(const Input& x, const NameOption& options) { return unary("IsInf", x, options); }
Tensor is_finite(const Input& x, const NameOption& options) { return unary("IsFinite", x, options); }
Tensor logical_not(const Input& x, const NameOption& options) { return unary("LogicalNot", x, options); }

Tensor add(const Input& x, const Input& y, const NameOption& options) {
  Composite scope({{"x", x}, {"y", y}}, options.name, "Add", x.where());
  const Endpoint left = scope.convert(x, "x");
  const Endpoint right = scope.convert_like(y, left, "y");
  return scope.result(base_dtype(left.dtype()) == DType::kString ? "Add" : "AddV2", {left, right});
}

Tensor subtract(const Input& x, const Input& y, const NameOption& options) {
  return binary("Sub", x, y, options);
}
Tensor multiply(const Input& x, const Input& y, const NameOption& options) {
  return binary("Mul", x, y, options);
}

Tensor divide(const Input& x, const Input& y, const NameOption& options) {
  if (!options.name.empty()) return truediv(x, y, options);
  if (x.tensor() != nullptr) return x / y;
  graph::Graph& graph = graph_of({{"x", x}, {"y", y}});
  const UserLine line(graph, x.where());
  const DType dtype = y.tensor() == nullptr ? DType::kInvalid : base_dtype(y.tensor()->dtype());
  return to_tensor(graph, x, "Const", dtype) / y;
}

Tensor truediv(const Input& x, const Input& y, const NameOption& options) {
  Composite scope({{"x", x}, {"y", y}}, options.name, "truediv", x.where());
  const Endpoint left = scope.convert(x, "x");
  return true_division(scope, "RealDiv", left, scope.convert_like(y, left, "y"));
}

Tensor div(const Input& x, const Input& y, const NameOption& options) {
  Composite scope({{"x", x}, {"y", y}}, options.name, "div", x.where());
  const Endpoint left = scope.convert(x, "x");
  const Endpoint right = scope.convert(y, "y", base_dtype(left.dtype()));
  check_same_dtype(left, right);
  return scope.result(is_integer(base_dtype(left.dtype())) ? "FloorDiv" : "RealDiv", {left, right});
}

Tensor div_no_nan(const Input& x, const Input& y, const NameOption& options) {
  Composite scope({{"x", x}, {"y", y}}, options.name, "div_no_nan", x.where());
  Endpoint left;
  Endpoint right;
  if (x.tensor() == nullptr && y.tensor() != nullptr) {
    right = scope.convert(y, "y");
    left = scope.convert(x, "x", base_dtype(right.dtype()));
  } else {
    left = scope.convert(x, "x");
    right = scope.convert_like(y, left, "y");
  }
  return true_division(scope, "DivNoNan", left, right);
}

Tensor floordiv(const Input& x, const Input& y, const NameOption& options) {
  return binary("FloorDiv", x, y, {.name = options.name.empty() ? "floordiv" : options.name});
}
Tensor floor_div(const Input& x, const Input& y, const NameOption& options) {
  return binary("FloorDiv", x, y, options);
}
Tensor realdiv(const Input& x, const Input& y, const NameOption& options) {
  return binary("RealDiv", x, y, options);
}
Tensor truncatediv(const Input& x, const Input& y, const NameOption& options) {
  return binary("TruncateDiv", x, y, options);
}
Tensor mod(const Input& x, const Input& y, const NameOption& options) {
  return binary("FloorMod", x, y, options);
}
Tensor floormod(const Input& x, const Input& y, const NameOption& options) {
  return binary("FloorMod", x, y, options);
}
Tensor truncatemod(const Input& x, const Input& y, const NameOption& options) {
  return binary("TruncateMod", x, y, options);
}
Tensor maximum(const Input& x, const Input& y, const NameOption& options) {
  return binary("Maximum", x, y, options);
}
Tensor minimum(const Input& x, const Input& y, const NameOption& options) {
  return binary("Minimum", x, y, options);
}
Tensor pow(const Input& x, const Input& y, const NameOption& options) { return binary("Pow", x, y, options); }
Tensor squared_difference(const Input& x, const Input& y, const NameOption& options) {
  return binary("SquaredDifference", x, y, options);
}

Tensor equal(const Input& x, const Input& y, const NameOption& options) {
  return binary("Equal", x, y, options);
}
Tensor not_equal(const Input& x, const Input& y, const NameOption& options) {
  return binary("NotEqual", x, y, options);
}
Tensor less(const Input& x, const Input& y, const NameOption& options) {
  return binary("Less", x, y, options);
}
Tensor less_equal(const Input& x, const Input& y, const NameOption& options) {
  return binary("LessEqual", x, y, options);
}
Tensor greater(const Input& x, const Input& y, const NameOption& options) {
  return binary("Greater", x, y, options);
}
Tensor greater_equal(const Input& x, const Input& y, const NameOption& options) {
  return binary("GreaterEqual", x, y, options);
}
Tensor logical_and(const Input& x, const Input& y, const NameOption& options) {
  return binary("LogicalAnd", x, y, options);
}
Tensor logical_or(const Input& x, const Input& y, const NameOption& options) {
  return binary("LogicalOr", x, y, options);
}
Tensor logical_xor(const Input& x, const Input& y, const NameOption& options) {
  const UserLine line(graph_of({{"x", x}, {"y", y}}), x.where());
  const Tensor either = logical_or(x, y);
  const Tensor not_both = logical_not(logical_and(x, y));
  return binary("LogicalAnd", either, not_both, {.name = options.name.empty() ? "LogicalXor" : options.name});
}

Tensor add_n(const List<Input>& inputs, const NameOption& options) {
  const ErrorLine errors(place_in_program(inputs));
  if (inputs.empty()) {
    throw ValueError(
        "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape.");
  }
  graph::Graph& graph = graph_of({{"inputs", inputs}});
  const UserLine line(graph, place_in_program(inputs));
  std::vector<Input> tensors;
  for (const Input& input : inputs) tensors.emplace_back(as_tensor(input, "Const"));
  if (tensors.size() > 1) return apply_op({.op = "AddN", .name = options.name, .args = {tensors}});
  return options.name.empty() ? *tensors.front().tensor() : identity(tensors.front(), {.name = options.name});
}

Tensor clip_by_value(const Input& t, const Input& clip_value_min, const Input& clip_value_max,
                     const NameOption& options) {
  Composite scope({{"t", t}, {"clip_value_min", clip_value_min}, {"clip_value_max", clip_value_max}},
                  options.name, "clip_by_value", t.where());
  const Tensor values = scope.convert(t, "t");
  const auto check = [&](const Tensor& clipped) {
    if (values.shape().is_compatible_with(clipped.shape())) return;
    throw ValueError(
        fmt::format("Shapes {} and {} are incompatible\nThe limits of clip_by_value must broadcast to the "
                    "tensor's shape.",
                    values.shape().to_tuple_string(), clipped.shape().to_tuple_string()));
  };
  const Tensor below = minimum(values, clip_value_max);
  check(below);
  const Tensor clipped = maximum(below, clip_value_min, {.name = scope.result_name()});
  check(clipped);
  return clipped;
}

DType as_dtype(std::string_view type_value) {
  const DType dtype = dtype_from_name(type_value);
  if (dtype == DType::kInvalid) {
    throw TypeError(
        fmt::format("Cannot convert the argument `type_value`: '{}' to a TensorFlow DType.", type_value));
  }
  return dtype;
}

Tensor cast(const Input& x, DType dtype, const NameOption& options) {
  const ErrorLine errors(x.where());
  if (dtype == DType::kInvalid)
    throw TypeError("Cannot convert the argument `type_value`: None to a TensorFlow DType.");
  const DType wanted = base_dtype(dtype);
  if (x.tensor() != nullptr && x.tensor()->has_value() && !x.reference().has_value() &&
      x.tensor()->dtype() == wanted)
    return *x.tensor();
  Composite scope({{"x", x}}, options.name, "Cast", x.where());
  const Endpoint value = scope.convert(x, "x");
  return value.dtype() == wanted ? tensor_of(value) : scope.result("Cast", {value}, {{"DstT", wanted}});
}

Tensor to_float(const Input& x, const NameOption& options) {
  return cast(x, DType::kFloat32, {.name = options.name.empty() ? "ToFloat" : options.name});
}
Tensor to_double(const Input& x, const NameOption& options) {
  return cast(x, DType::kFloat64, {.name = options.name.empty() ? "ToDouble" : options.name});
}
Tensor to_int32(const Input& x, const NameOption& options) {
  return cast(x, DType::kInt32, {.name = options.name.empty() ? "ToInt32" : options.name});
}
Tensor to_int64(const Input& x, const NameOption& options) {
  return cast(x, DType::kInt64, {.name = options.name.empty() ? "ToInt64" : options.name});
}

Tensor range(const Input& limit, const RangeOptions& options) {
  return range(Input(0, limit.where()), limit, Input(1, limit.where()), options);
}

Tensor range(const Input& start, const Input& limit, const Input& delta, const RangeOptions& options) {
  constexpr std::array kOrder = {DType::kInt32,    DType::kInt64,   DType::kFloat16,
                                 DType::kBfloat16, DType::kFloat32, DType::kFloat64};
  Composite scope({{"start", start}, {"limit", limit}, {"delta", delta}}, options.name, "Range",
                  start.where());
  std::vector<Endpoint> args = {scope.convert(start, "start", options.dtype),
                                scope.convert(limit, "limit", options.dtype),
                                scope.convert(delta, "delta", options.dtype)};
  DType dtype = options.dtype;
  if (dtype == DType::kInvalid) {
    auto widest = kOrder.begin();
    for (const Endpoint& arg : args) {
      const auto place = std::find(kOrder.begin(), kOrder.end(), base_dtype(arg.dtype()));
      if (place == kOrder.end()) {
        throw TypeError(fmt::format("tf::range counts in int32, int64 or floats, not in {}: {}",
                                    dtype_name(arg.dtype()), arg.name()));
      }
      widest = std::max(widest, place);
    }
    dtype = *widest;
  }
  for (Endpoint& arg : args) {
    if (base_dtype(arg.dtype()) != dtype) arg = scope.op("Cast", {arg}, {{"DstT", dtype}});
  }
  return scope.result("Range", std::move(args));
}

Tensor matmul(const Input& a, const Input& b, const MatMulOptions& options) {
  const ErrorLine errors(a.where());
  const auto check = [](bool transpose, bool adjoint, char operand) {
    if (!transpose || !adjoint) return;
    throw ValueError(fmt::format(
        "Only one of `transpose_{0}` and `adjoint_{0}` can be True. Received `transpose_{0}`=True, "
        "`adjoint_{0}`=True.",
        operand));
  };
  Composite scope({{"a", a}, {"b", b}}, options.name, "MatMul", a.where());
  check(options.transpose_a, options.adjoint_a, 'a');
  check(options.transpose_b, options.adjoint_b, 'b');
  const Endpoint left = scope.convert(a, "a");
  const Endpoint right = scope.convert_like(b, left, "b");
  const bool turn_a = options.transpose_a || options.adjoint_a;
  const bool turn_b = options.transpose_b || options.adjoint_b;
  const auto may_have_batches = [](Endpoint x) { return !x.shape().has_rank() || x.shape().rank() > 2; };
  if (may_have_batches(left) || may_have_batches(right)) {
    return scope.result("BatchMatMulV2", {left, right}, {{"adj_x", turn_a}, {"adj_y", turn_b}});
  }
  return scope.result("MatMul", {left, right}, {{"transpose_a", turn_a}, {"transpose_b", turn_b}});
}

}  // namespace flowray::tf
