#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"

#include <fmt/format.h>

#include <numbers>
#include <string_view>

namespace flowray::tf {
namespace {

DType part_of(DType dtype) { return dtype == DType::kComplex128 ? DType::kFloat64 : DType::kFloat32; }

Tensor part(Composite& scope, std::string_view op, graph::Endpoint values) {
  return scope.result(op, {values}, {{"Tout", part_of(base_dtype(values.dtype()))}});
}

}  // namespace

Tensor real(const Input& input, const NameOption& options) {
  Composite scope({{"input", input}}, options.name, "Real", input.where());
  const graph::Endpoint values = scope.convert(input, "input");
  return is_complex(base_dtype(values.dtype())) ? part(scope, "Real", values) : tensor_of(values);
}

Tensor imag(const Input& input, const NameOption& options) {
  Composite scope({{"input", input}}, options.name, "Imag", input.where());
  const graph::Endpoint values = scope.convert(input, "input");
  return is_complex(base_dtype(values.dtype())) ? part(scope, "Imag", values) : zeros_like(tensor_of(values));
}

Tensor conj(const Input& x, const NameOption& options) {
  const auto is_real = [](DType dtype) {
    return is_floating(base_dtype(dtype)) || is_integer(base_dtype(dtype));
  };
  if (x.tensor() != nullptr && x.tensor()->has_value() && is_real(x.tensor()->dtype())) return *x.tensor();
  Composite scope({{"x", x}}, options.name, "Conj", x.where());
  const graph::Endpoint values = scope.convert(x, "x");
  const DType dtype = base_dtype(values.dtype());
  if (is_complex(dtype) || dtype == DType::kVariant) return scope.result("Conj", {values});
  if (is_real(dtype)) return tensor_of(values);
  throw TypeError(fmt::format("Expected numeric or variant tensor, got dtype tf.{}", dtype_name(dtype)));
}

Tensor angle(const Input& input, const NameOption& options) {
  Composite scope({{"input", input}}, options.name, "Angle", input.where());
  const Tensor values = scope.convert(input, "input");
  if (is_complex(base_dtype(values.dtype()))) return part(scope, "Angle", endpoint_of(values));
  const Tensor is_negative = values < 0;
  const Tensor ones = ones_like(values);
  const Tensor half_turns = std::numbers::pi * ones;
  return where(is_negative, half_turns, zeros_like(values));
}

}  // namespace flowray::tf
