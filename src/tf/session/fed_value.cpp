#include "tf/session/fed_value.h"

#include "core/representable.h"
#include "tf/build/user_line.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <optional>
#include <string>

namespace flowray::tf {
namespace {

/// A number by itself for a bool is 0 or 1; of a list each element is asked for != 0. TensorFlow's rule.
bool is_number_for_bool(const Array& value, DType dtype) {
  if (dtype != DType::kBool || value.rank() > 0 || !is_integer(value.dtype())) return false;
  return value.astype(DType::kBool).astype(value.dtype()) != value;
}

/// The place of element `index`: " at [0, 2]", empty for a scalar.
std::string place_of(const Shape& shape, int64_t index) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    const int64_t dim = shape.dim(axis);
    text = fmt::format("{}{}{}", index % dim, text.empty() ? "" : ", ", text);
    index /= dim;
  }
  return text.empty() ? text : fmt::format(" at [{}]", text);
}

[[noreturn]] void throw_not_of_dtype(const graph::Endpoint& endpoint, const Array& value, int64_t index,
                                     DType dtype, Input::Where where) {
  const ErrorLine line(where);
  const std::string numbers = is_integer(dtype)       ? fmt::format(" holds {}", range_text(dtype))
                              : dtype == DType::kBool ? std::string(" is fed 0 or 1, or a bool")
                                                      : std::string(" has no imaginary part");
  throw TypeError(fmt::format(
      "Type of feed value {0} with type <class '{1}'> is not compatible with Tensor type <class "
      "'numpy.{2}'>. Try explicitly setting the type of the feed tensor to a larger type (e.g. int64).\n"
      "The value{3} was fed to {4}, whose dtype {2}{5}.",
      python_number(value, index), python_kind(value.dtype()), dtype_name(dtype),
      place_of(value.shape(), index), endpoint.name(), numbers));
}

}  // namespace

const Array* checked_feed(const graph::Endpoint& endpoint, const Array& value, std::vector<Array>& converted,
                          size_t num_feeds, Input::Where where) {
  const DType dtype = base_dtype(endpoint.dtype());
  if (!value.has_value()) {
    const ErrorLine line(where);
    throw TypeError(
        fmt::format("The value fed to {} has none: was it fetched from an Operation?", endpoint.name()));
  }
  if (!endpoint.shape().is_compatible_with(value.shape())) {
    const ErrorLine line(where);
    throw ValueError(fmt::format("Cannot feed value of shape {} for Tensor {}, which has shape {}",
                                 value.shape().to_tuple_string(), endpoint.name(),
                                 endpoint.shape().to_tuple_string()));
  }
  if (value.dtype() == dtype) return &value;
  if ((value.dtype() == DType::kString) != (dtype == DType::kString)) {
    const ErrorLine line(where);
    throw ValueError(fmt::format("could not convert a value of {} to {}, the dtype of {}",
                                 dtype_name(value.dtype()), dtype_name(dtype), endpoint.name()));
  }
  if (is_number_for_bool(value, dtype)) throw_not_of_dtype(endpoint, value, 0, dtype, where);
  if (const std::optional<int64_t> index = first_not_representable(value, dtype)) {
    throw_not_of_dtype(endpoint, value, *index, dtype, where);
  }
  converted.reserve(num_feeds);  // at once: pointers to those before stay valid
  return &converted.emplace_back(value.astype(dtype));
}

}  // namespace flowray::tf
