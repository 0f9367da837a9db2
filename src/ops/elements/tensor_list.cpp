#include "ops/elements/tensor_list.h"

#include "ops/elements/optional_value.h"
#include "ops/loops/cpu_level.h"
#include "ops/loops/math_loops.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace flowray::ops {
namespace {

using errors::InvalidArgumentError;

/// Sums and zeros of what is in each other. One value may be in many places, and what holds it in many, so
/// that there are 2^60 ways through 60 lists: each is gone through once, and so is its result in many places.
class VariantWalk {
 public:
  Array sum(const Array& a, const Array& b) {
    if (a.dtype() != b.dtype()) {
      throw InvalidArgumentError(fmt::format("Trying to add tensors of different dtypes: {} and {}",
                                             dtype_kernel_name(a.dtype()), dtype_kernel_name(b.dtype())));
    }
    return a.dtype() == DType::kVariant ? sum_of_variants(a, b) : sum_of_numbers(a, b);
  }

  Array sum_of_variants(const Array& a, const Array& b) {
    const std::pair places(a.raw_data(), b.raw_data());
    if (const auto found = sums_.find(places); found != sums_.end()) return found->second;
    const auto* one = graph::variant_as<OptionalValue>(a);
    const auto* other = graph::variant_as<OptionalValue>(b);
    return sums_[places] = one != nullptr && other != nullptr
                               ? sum_of_optionals(*one, *other)
                               : handle_of(sum_of_lists(list_of(a), list_of(b)));
  }

  TensorList sum_of_lists(const TensorList& a, const TensorList& b);

  Array zeros_like(const Array& value) {
    if (value.dtype() == DType::kVariant) return zeros_like_variant(value);
    return {value.dtype(), value.shape()};
  }

  Array zeros_like_variant(const Array& value) {
    // A value of a branch that was not taken: its zeros are not read either.
    if (value.rank() == 0 && value.raw_data() == nullptr) return value;
    const void* const place = value.raw_data();
    if (const auto found = zeros_.find(place); found != zeros_.end()) return found->second;
    const auto* optional = graph::variant_as<OptionalValue>(value);
    return zeros_[place] = optional != nullptr ? zeros_like_optional(*optional)
                                               : handle_of(zeros_like_list(list_of(value)));
  }

  TensorList zeros_like_list(const TensorList& list) {
    TensorList zeros = list;
    const ArraySequence& elements = list.elements();
    for (int64_t i = elements.next_set(0); i < elements.size(); i = elements.next_set(i + 1)) {
      zeros.set(i, zeros_like(elements[i]));
    }
    return zeros;
  }

 private:
  static Array sum_of_numbers(const Array& a, const Array& b);
  Array sum_of_optionals(const OptionalValue& a, const OptionalValue& b);

  Array zeros_like_optional(const OptionalValue& optional) {
    if (!optional.components().has_value()) return graph::variant_array(std::make_shared<OptionalValue>());
    std::vector<Array> zeros;
    for (const Array& component : *optional.components()) zeros.push_back(zeros_like(component));
    return graph::variant_array(std::make_shared<OptionalValue>(std::move(zeros)));
  }

  std::map<std::pair<const void*, const void*>, Array> sums_;  // by the addresses of the values
  std::map<const void*, Array> zeros_;
};

Array VariantWalk::sum_of_numbers(const Array& a, const Array& b) {
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

Array VariantWalk::sum_of_optionals(const OptionalValue& a, const OptionalValue& b) {
  if (a.components().has_value() != b.components().has_value()) {
    throw InvalidArgumentError("Cannot add optionals because one has a value and the other doesn't.");
  }
  if (!a.components().has_value()) return graph::variant_array(std::make_shared<OptionalValue>());
  const std::vector<Array>& ones = *a.components();
  const std::vector<Array>& others = *b.components();
  if (ones.size() != others.size()) {
    throw InvalidArgumentError(
        fmt::format("Cannot add optionals because they have different numbers of components ({} vs. {}).",
                    ones.size(), others.size()));
  }
  std::vector<Array> sums;
  for (size_t i = 0; i < ones.size(); ++i) sums.push_back(sum(ones[i], others[i]));
  return graph::variant_array(std::make_shared<OptionalValue>(std::move(sums)));
}

TensorList VariantWalk::sum_of_lists(const TensorList& a, const TensorList& b) {
  if (a.dtype != b.dtype) {
    throw InvalidArgumentError(
        fmt::format("Trying to add two lists of tensors of different dtypes. One is {} and the other is {}",
                    dtype_kernel_name(a.dtype), dtype_kernel_name(b.dtype)));
  }
  if (a.elements().size() != b.elements().size()) {
    throw InvalidArgumentError(fmt::format(
        "Trying to add two lists of tensors with different lengths. One is {} and the other is {}",
        a.elements().size(), b.elements().size()));
  }
  if (!a.element_shape.is_compatible_with(b.element_shape)) {
    throw InvalidArgumentError(fmt::format(
        "Trying to add two lists of tensors with incompatible element shapes. One is {} and the other is {}",
        a.element_shape.to_string(), b.element_shape.to_string()));
  }
  TensorList result = a;
  result.element_shape = a.element_shape.merge_with(b.element_shape);
  for (int64_t i = b.elements().next_set(0); i < b.elements().size(); i = b.elements().next_set(i + 1)) {
    const Array& one = a.elements()[i];
    const Array& other = b.elements()[i];
    result.set(i, one.has_value() ? sum(one, other) : other);
  }
  return result;
}

}  // namespace

std::string TensorList::description() const {
  return fmt::format("Variant<type: tensorflow::TensorList value: list of {} elements of {}>",
                     elements_.size(), dtype_kernel_name(dtype));
}

std::string OptionalValue::description() const {
  return fmt::format("Variant<type: tensorflow::data::Optional value: OptionalVariant<{}>>",
                     components_.has_value() ? fmt::format("{} components", components_->size()) : "None");
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

Array add_variants(const Array& a, const Array& b) { return VariantWalk().sum_of_variants(a, b); }
Array zeros_like_variant(const Array& value) { return VariantWalk().zeros_like_variant(value); }

}  // namespace flowray::ops
