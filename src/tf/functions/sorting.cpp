#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"

#include <fmt/format.h>

#include <numeric>

namespace flowray::tf {
namespace {

/// The largest number of a dtype without negative ones; 0 for others.
uint64_t largest_unsigned(DType dtype) {
  switch (dtype) {
    case DType::kUint8:
      return UINT8_MAX;
    case DType::kUint16:
      return UINT16_MAX;
    case DType::kUint32:
      return UINT32_MAX;
    case DType::kUint64:
      return UINT64_MAX;
    default:
      return 0;
  }
}

/// The values so that what is less becomes more; the same function again gives them back. -x alone would not
/// do for the smallest of integers, of which there is no negative.
Tensor turned_around(const Tensor& values) {
  const DType dtype = base_dtype(values.dtype());
  if (const uint64_t largest = largest_unsigned(dtype); largest != 0) {
    return Array(largest).astype(dtype) - values;
  }
  const Tensor negated = negative(values);
  return is_integer(dtype) ? negated - 1 : negated;
}

enum class Wanted { kValues, kPlaces };

/// All values of `axis` in descending order, or where they stand.
Tensor descending(const Tensor& values, int64_t axis, Wanted wanted) {
  const Tensor sizes = shape(values);
  const Tensor count = sizes[static_cast<int>(axis)];
  rank(values);  // TensorFlow's function asks for it in any case
  const auto top = [&](const Tensor& rows) {
    const Operation op(apply_op_node({.op = "TopKV2", .args = {rows, count}}));
    return op.output(wanted == Wanted::kValues ? 0 : 1);
  };
  const int known_rank = values.shape().rank();
  if (axis == -1 || axis + 1 == known_rank) return top(values);
  if (!values.shape().has_rank()) {
    throw errors::UnimplementedError(
        fmt::format("Sorting along another axis than the last needs the rank of {}.\nGive it a shape "
                    "(tf::Tensor::set_shape), or sort along -1.",
                    values.name()));
  }
  std::vector<int64_t> order(static_cast<size_t>(known_rank));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order.back(), order.at(static_cast<size_t>(axis < 0 ? axis + known_rank : axis)));
  const Tensor exchange = constant(Array(order), {.name = "transposition"});  // its own inverse
  return transpose(top(transpose(values, exchange)), exchange);
}

Tensor sorted(const Input& input, const SortOptions& options, const char* default_name, Wanted wanted) {
  Composite scope({{"values", input}}, options.name, default_name, input.where());
  const bool ascending = options.direction == "ASCENDING";
  if (!ascending && options.direction != "DESCENDING") {
    throw ValueError(
        fmt::format("Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={}",
                    options.direction));
  }
  constant(static_cast<int>(options.axis), {.name = "axis"});
  const Tensor values = scope.convert(input, "values");
  const Tensor result = descending(ascending ? turned_around(values) : values, options.axis, wanted);
  return ascending && wanted == Wanted::kValues ? turned_around(result) : result;
}

/// Whether `holds` is true of each element and the one before it.
Tensor all_steps(const Input& x, const NameOption& options, const char* default_name,
                 Tensor (*holds)(const Input&, const Input&, const NameOption&)) {
  Composite scope({{"x", x}}, options.name, default_name, x.where());
  const Tensor row = reshape(x, {-1});
  const Tensor is_short = less(size(row), 2);
  const Tensor length = shape(row) - 1;
  const auto of_two_and_more = [&] {
    const auto part = [&](const Array& begin, const Tensor& end) {
      const Tensor strides = ones_like(begin);
      return apply_op({.op = "StridedSlice", .name = "StridedSlice", .args = {row, begin, end, strides}});
    };
    const Array from_second(std::vector<int32_t>{1});
    const Tensor end = from_second + length;
    const Tensor later = part(from_second, end);
    const Tensor earlier = part(Array(std::vector<int32_t>{0}), length);
    return holds(later, earlier, {});
  };
  const auto of_less = [] { return constant(Array(DType::kBool, {0})); };
  return reduce_all(cond(is_short, of_less, of_two_and_more));
}

}  // namespace

Tensor sort(const Input& values, const SortOptions& options) {
  return sorted(values, options, "sort", Wanted::kValues);
}
Tensor argsort(const Input& values, const SortOptions& options) {
  return sorted(values, options, "argsort", Wanted::kPlaces);
}

Tensor is_non_decreasing(const Input& x, const NameOption& options) {
  return all_steps(x, options, "is_non_decreasing", &greater_equal);
}
Tensor is_strictly_increasing(const Input& x, const NameOption& options) {
  return all_steps(x, options, "is_strictly_increasing", &greater);
}

}  // namespace flowray::tf
