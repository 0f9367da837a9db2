#include "tf/build/unset.h"

#include <fmt/format.h>

namespace flowray::tf {
namespace {

/// What a program may have overlooked.
std::string_view advice(std::string_view handle) {
  if (handle == "tf::Variable")
    return "a variable is made by tf::Variable v(initial_value) or tf::get_variable";
  if (handle == "tf::Operation") return "one that was made by default stands for none";
  return "tf::gradients gives one where nothing flows";
}

}  // namespace

void throw_unset_argument(std::string_view handle, std::string_view argument) {
  throw ValueError(
      fmt::format("None values not supported.\nThe argument '{}' is an unset {}: {}. has_value() tells.",
                  argument, handle, advice(handle)));
}

void throw_unset_method(std::string_view handle, std::string_view method) {
  throw ValueError(
      fmt::format("None values not supported.\n{} was called on an unset {}: {}. has_value() tells.", method,
                  handle, advice(handle)));
}

void throw_unset_dependency(std::string_view list, size_t i) {
  throw_unset_argument("tf::Tensor, tf::Operation or tf::Variable", element_name(list, i));
}

std::string element_name(std::string_view list, size_t i) { return fmt::format("{}[{}]", list, i); }

}  // namespace flowray::tf
