#include "tf/build/unset.h"

#include <flowray/tf/several.h>

#include <fmt/format.h>

#include <optional>

namespace flowray::tf {
namespace {

/// What a program may have overlooked.
std::string_view advice(std::string_view handle) {
  if (handle == "tf::Variable")
    return "a variable is made by tf::Variable v(initial_value) or tf::get_variable";
  if (handle == "tf::Operation" || handle == "tf::SparseTensor" || handle.starts_with("tf::data::"))
    return "one that was made by default stands for none";
  if (handle == "tf::Tensor") return "tf::gradients gives one where nothing flows";
  return "tf::gradients gives such a tensor where nothing flows, and a variable is made by tf::Variable "
         "v(initial_value) or tf::get_variable";
}

constexpr std::string_view kTensorOrVariable = "tf::Tensor or tf::Variable";

std::optional<std::string> place_of_unset(std::span<const Input> list);

/// "" for one that is unset itself, "[1][0]" for a list with one in it; none where all is set.
std::optional<std::string> place_of_unset(const Input& input) {
  if (input.list() != nullptr) return place_of_unset(*input.list());
  if (input.reference().has_value()) return std::nullopt;  // a variable
  if (input.tensor() != nullptr && !input.tensor()->has_value()) return std::string();
  return std::nullopt;
}

std::optional<std::string> place_of_unset(std::span<const Input> list) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (const auto place = place_of_unset(list[i])) return element_name("", i) + *place;
  }
  return std::nullopt;
}

}  // namespace

void throw_unset_argument(std::string_view handle, std::string_view argument, Input::Where where) {
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("None values not supported.\nThe argument '{}' is an unset {}: {}. has_value() tells.",
                  argument, handle, advice(handle)));
}

void throw_unset_method(std::string_view handle, std::string_view method, Input::Where where) {
  const ErrorLine line(where);
  throw ValueError(
      fmt::format("None values not supported.\n{} was called on an unset {}: {}. has_value() tells.", method,
                  handle, advice(handle)));
}

void throw_unset_result(std::string_view handle, std::string_view function, std::string_view place) {
  const ErrorLine line{Input::Where()};  // that of the call around the function, which has returned
  throw ValueError(
      fmt::format("None values not supported.\nWhat '{}' returned{} is an unset {}: {}. has_value() tells.",
                  function, place, handle, advice(handle)));
}

void internal::throw_not_callable(std::string_view argument, Input::Where where) {
  const ErrorLine line(where);
  throw TypeError(fmt::format(
      "'{}' must be callable.\nIt is a std::function without a function in it, or a null pointer.",
      argument));
}

void throw_unset_dependency(std::string_view list, size_t i) {
  throw_unset_argument("tf::Tensor, tf::Operation or tf::Variable", element_name(list, i));
}

graph::Node& node_of_either(const Tensor& tensor, std::string_view argument) {
  if (!tensor.has_value()) throw_unset_argument(kTensorOrVariable, argument);
  return *tensor.node();
}

bool is_left_out(const Input& input) {
  return input.literal() != nullptr && input.literal()->to_array().shape() == Shape{0};
}

std::string element_name(std::string_view list, size_t i) { return fmt::format("{}[{}]", list, i); }

void check_set(const Input& input, std::string_view argument) {
  if (const std::optional<std::string> place = place_of_unset(input))
    throw_unset_argument(kTensorOrVariable, std::string(argument) + *place, input.where());
}

void check_all_set(std::span<const Input> inputs, std::string_view argument) {
  if (const std::optional<std::string> place = place_of_unset(inputs)) {
    throw_unset_argument(kTensorOrVariable, std::string(argument) + *place, place_in_program(inputs));
  }
}

void check_returned(const Input& result, std::string_view function, size_t i) {
  if (const std::optional<std::string> place = place_of_unset(result))
    throw_unset_result(kTensorOrVariable, function, " at " + element_name("", i) + *place);
}

}  // namespace flowray::tf
