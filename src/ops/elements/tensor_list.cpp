#include "ops/elements/tensor_list.h"

#include "ops/elements/optional_value.h"
#include "ops/loops/cpu_level.h"
#include "ops/loops/math_loops.h"

#include <fmt/format.h>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;

Array add_arrays(const Array& a, const Array& b) {
  if (a.dtype() != b.dtype()) {
    throw InvalidArgumentError(fmt::format("Trying to add tensors of different dtypes: {} and {}",
                                           dtype_kernel_name(a.dtype()), dtype_kernel_name(b.dtype())));
  }
  if (a.dtype() == DType::kVariant) return add_variants(a, b);
  if (!(a.shape() == b.shape())) {
    throw InvalidArgumentError(fmt::format("Trying to add tensors of different shapes: {} and {}",
                                           a.shape().to_string(), b.shape().to_string()));
  }
  const BinaryLoop add = math_loops(cpu_level()).find(BinaryFunction::kAdd, a.dtype()).both;
  if (add == nullptr) {
    throw errors::UnimplementedError(
        fmt::format("A list cannot sum values of dtype {}", dtype_name(a.dtype())));
  }
  Array sum = Array::uninitialized(a.dtype(), a.shape());
  add(a.raw_data(), b.raw_data(), sum.mutable_raw_data(), a.size());
  return sum;
}

Array zeros_like_array(const Array& value) {
  if (value.dtype() == DType::kVariant) return zeros_like_variant(value);
  return {value.dtype(), value.shape()};
}

Array add_optionals(const OptionalValue& a, const OptionalValue& b) {
  if (a.components.has_value() != b.components.has_value()) {
    throw InvalidArgumentError("Cannot add optionals because one has a value and the other doesn't.");
  }
  auto sum = std::make_shared<OptionalValue>();
  if (a.components.has_value()) {
    if (a.components->size() != b.components->size()) {
      throw InvalidArgumentError(
          fmt::format("Cannot add optionals because they have different numbers of components ({} vs. {}).",
                      a.components->size(), b.components->size()));
    }
    std::vector<Array>& components = sum->components.emplace();
    for (size_t i = 0; i < a.components->size(); ++i) {
      components.push_back(add_arrays((*a.components)[i], (*b.components)[i]));
    }
  }
  return graph::variant_array(std::move(sum));
}

}  // namespace

std::string TensorList::description() const {
  return fmt::format("Variant<type: tensorflow::TensorList value: list of {} elements of {}>",
                     elements.size(), dtype_kernel_name(dtype));
}

std::string OptionalValue::description() const {
  return fmt::format("Variant<type: tensorflow::data::Optional value: OptionalVariant<{}>>",
                     components.has_value() ? fmt::format("{} components", components->size()) : "None");
}

const TensorList& list_of(const Array& handle) {
  if (handle.dtype() == DType::kVariant && handle.rank() != 0) {
    throw errors::UnimplementedError("Arrays of several lists are not done here");
  }
  if (const auto* list = graph::variant_as<TensorList>(handle)) return *list;
  throw InvalidArgumentError(
      fmt::format("Input handle is not a list. Saw: '{}'", graph::variant_description(handle)));
}

Array handle_of(TensorList list) {
  return graph::variant_array(std::make_shared<TensorList>(std::move(list)));
}

TensorList add_lists(const TensorList& a, const TensorList& b) {
  if (a.dtype != b.dtype) {
    throw InvalidArgumentError(
        fmt::format("Trying to add two lists of tensors of different dtypes. One is {} and the other is {}",
                    dtype_kernel_name(a.dtype), dtype_kernel_name(b.dtype)));
  }
  if (a.elements.size() != b.elements.size()) {
    throw InvalidArgumentError(fmt::format(
        "Trying to add two lists of tensors with different lengths. One is {} and the other is {}",
        a.elements.size(), b.elements.size()));
  }
  if (!a.element_shape.is_compatible_with(b.element_shape)) {
    throw InvalidArgumentError(fmt::format(
        "Trying to add two lists of tensors with incompatible element shapes. One is {} and the other is {}",
        a.element_shape.to_string(), b.element_shape.to_string()));
  }
  TensorList sum = a;
  sum.element_shape = a.element_shape.merge_with(b.element_shape);
  for (int64_t i = b.elements.next_set(0); i < b.elements.size(); i = b.elements.next_set(i + 1)) {
    const Array& one = a.elements[i];
    const Array& other = b.elements[i];
    sum.elements.set(i, one.has_value() ? add_arrays(one, other) : other);
  }
  return sum;
}

TensorList zeros_like_list(const TensorList& list) {
  TensorList zeros = list;
  const ArraySequence& elements = list.elements;
  for (int64_t i = elements.next_set(0); i < elements.size(); i = elements.next_set(i + 1)) {
    zeros.elements.set(i, zeros_like_array(elements[i]));
  }
  return zeros;
}

Array add_variants(const Array& a, const Array& b) {
  const auto* one = graph::variant_as<OptionalValue>(a);
  const auto* other = graph::variant_as<OptionalValue>(b);
  if (one != nullptr && other != nullptr) return add_optionals(*one, *other);
  return handle_of(add_lists(list_of(a), list_of(b)));
}

Array zeros_like_variant(const Array& value) {
  // A value of a branch that was not taken: its zeros are not read either.
  if (value.rank() == 0 && value.raw_data() == nullptr) return value;
  if (const auto* optional = graph::variant_as<OptionalValue>(value)) {
    auto zeros = std::make_shared<OptionalValue>();
    if (optional->components.has_value()) {
      std::vector<Array>& components = zeros->components.emplace();
      for (const Array& component : *optional->components) components.push_back(zeros_like_array(component));
    }
    return graph::variant_array(std::move(zeros));
  }
  return handle_of(zeros_like_list(list_of(value)));
}

}  // namespace flowray::ops
