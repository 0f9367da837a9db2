#include "tf/keras/layer_checks.h"

#include "tf/build/user_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace flowray::tf::keras::layers {

int64_t positive(int64_t value, const char* what, Input::Where where) {
  if (value > 0) return value;
  const ErrorLine line(where);
  throw ValueError(fmt::format(
      "Received an invalid value for `{}`, expected a positive integer. Received: {}={}", what, what, value));
}

int64_t filters_of(int64_t filters, Input::Where where) {
  if (filters > 0) return filters;
  const ErrorLine line(where);
  throw ValueError(fmt::format(
      "Invalid value for argument `filters`. Expected a strictly positive value. Received filters={}.",
      filters));
}

std::vector<int64_t> pair_of(const std::vector<int64_t>& values, const char* what, Input::Where where) {
  if (values.empty() || values.size() > 2) {
    const ErrorLine line(where);
    throw ValueError(fmt::format("The `{}` argument must be a tuple of 2 integers. Received: {} integers",
                                 what, values.size()));
  }
  for (const int64_t value : values) positive(value, what, where);
  return {values.front(), values.back()};
}

std::vector<int64_t> triple_of(const std::vector<int64_t>& values, const char* what, Input::Where where) {
  if (values.size() != 1 && values.size() != 3) {
    const ErrorLine line(where);
    throw ValueError(fmt::format("The `{}` argument must be a tuple of 3 integers. Received: {} integers",
                                 what, values.size()));
  }
  for (const int64_t value : values) positive(value, what, where);
  return values.size() == 3 ? values : std::vector<int64_t>(3, values[0]);
}

std::string padding_of(const std::string& padding, Input::Where where) {
  std::string upper = padding;
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper == "VALID" || upper == "SAME") return upper;
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("The `padding` argument must be one of \"valid\" and \"same\". Received: {}", padding));
}

int64_t last_dimension(const TensorShape& shape, const std::string& layer) {
  const int64_t last = shape.has_rank() && shape.rank() > 0 ? shape.dim(shape.rank() - 1) : -1;
  if (last >= 0) return last;
  const ErrorLine line{Input::Where()};  // that of the call around, as in what follows
  throw ValueError(fmt::format(
      "The last dimension of the inputs to a {} layer should be defined. Found None. Full input shape "
      "received: {}",
      layer, shape.to_tuple_string()));
}

std::vector<int64_t> axes_of(const std::vector<int64_t>& axes, const TensorShape& shape) {
  const ErrorLine line{Input::Where()};
  if (!shape.has_rank() || shape.rank() == 0) {
    throw ValueError(
        fmt::format("Input has undefined rank. Received: input_shape={}", shape.to_tuple_string()));
  }
  std::vector<int64_t> found = axes;
  for (int64_t& axis : found)
    if (axis < 0) axis += shape.rank();
  const auto is_there = [&](int64_t axis) { return axis >= 0 && axis < shape.rank(); };
  if (!std::ranges::all_of(found, is_there)) {
    throw ValueError(
        fmt::format("Invalid value for `axis` argument. Expected 0 <= axis < inputs.rank (with "
                    "inputs.rank={}). Received: axis=({}{})",
                    shape.rank(), fmt::join(found, ", "), found.size() == 1 ? "," : ""));
  }
  std::vector<int64_t> sorted = found;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    throw ValueError(fmt::format("Duplicate axis: ({})", fmt::join(found, ", ")));
  return found;
}

void check_rank(const TensorShape& shape, int64_t rank, const std::string& name) {
  if (!shape.has_rank() || shape.rank() == rank) return;
  const ErrorLine line{Input::Where()};
  throw ValueError(fmt::format(
      "Input 0 of layer \"{}\" is incompatible with the layer: expected ndim={}, found ndim={}. Full shape "
      "received: {}",
      name, rank, shape.rank(), shape.to_tuple_string()));
}

}  // namespace flowray::tf::keras::layers
