#include <flowray/tf/array.h>
#include <flowray/tf/math.h>

#include "tf/build/composite.h"
#include "tf/functions/dtype_limits.h"

#include <algorithm>
#include <cstring>

namespace flowray::tf {
namespace {

/// The number of `dtype` next to `limit` that is not farther from 0.
Array within(long double limit, DType dtype) {
  if (is_integer(dtype)) {
    return limit < 0 ? Array(static_cast<int64_t>(limit)).astype(dtype)
                     : Array(static_cast<uint64_t>(limit)).astype(dtype);
  }
  const Array rounded = Array(static_cast<double>(limit)).astype(dtype);
  const long double there = rounded.astype(DType::kFloat64).item<double>();
  const int sign = limit < 0 ? -1 : 1;
  if (there * sign <= limit * sign) return rounded;
  // The bits of a floating number, read as an integer, less one are those of the next number towards 0.
  uint64_t bits = 0;
  std::memcpy(&bits, rounded.raw_data(), dtype_size(dtype));
  --bits;
  Array result(dtype, {});
  std::memcpy(result.mutable_raw_data(), &bits, dtype_size(dtype));
  return result;
}

}  // namespace

Tensor saturate_cast(const Input& value, DType dtype, const NameOption& options) {
  Composite scope({{"value", value}}, options.name, "saturate_cast", value.where());
  const Tensor given = scope.convert(value, "value");
  const DType wanted = base_dtype(dtype);
  const DType own = base_dtype(given.dtype());
  const Limits from = limits_of(own);
  const Limits to = limits_of(wanted);
  const Tensor lowest = constant(within(std::max(from.lowest, to.lowest), own));
  const Tensor highest = constant(within(std::min(from.highest, to.highest), own));
  const Tensor kept = apply_op({.op = "ClipByValue", .name = "clamp", .args = {given, lowest, highest}});
  return cast(kept, wanted, {.name = scope.result_name()});
}

}  // namespace flowray::tf
