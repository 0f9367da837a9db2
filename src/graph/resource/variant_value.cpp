#include "graph/resource/variant_value.h"

#include "graph/resource/kept_value.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>

namespace flowray::graph {

void VariantValue::hold(const Array& part) {
  if (part.dtype() != DType::kVariant || part.raw_data() == nullptr) return;
  const int depth = 1 + static_cast<const VariantValue*>(part.raw_data())->depth_;
  if (depth > kMostDepth) {
    throw errors::ResourceExhaustedError(
        fmt::format("Variants hold each other more than {} deep, {} being the last\nA list, an optional or a "
                    "dataset of many others can be made of all of them at once.",
                    kMostDepth, variant_description(part)));
  }
  depth_ = std::max(depth_, depth);
}

Array variant_array(std::shared_ptr<const VariantValue> value, const Shape& shape) {
  return keeping_array(std::move(value), DType::kVariant, shape);
}

Array empty_variant() { return Array::wrap(nullptr, nullptr, DType::kVariant, Shape()); }

std::string variant_description(const Array& array) {
  if (array.raw_data() == nullptr) return "<nothing>";
  return static_cast<const VariantValue*>(array.raw_data())->description();
}

}  // namespace flowray::graph
