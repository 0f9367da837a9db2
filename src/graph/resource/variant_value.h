#pragma once
/// Values of dtype variant: lists, optionals. An Array of dtype variant keeps one alive and its data is the
/// address of it; no address stands for nothing at all. A shared value is immutable.

#include <flowray/array.h>

#include <memory>

namespace flowray::graph {

/// Each kind is a class derived from this one. What it keeps of other values it holds (hold()).
class VariantValue {
 public:
  /// How many values may keep each other in a row: what goes through them calls itself for each.
  static constexpr int kMostDepth = 1000;

  VariantValue() = default;
  VariantValue(const VariantValue&) = default;
  VariantValue(VariantValue&&) = default;
  VariantValue& operator=(const VariantValue&) = default;
  VariantValue& operator=(VariantValue&&) = default;
  virtual ~VariantValue() = default;
  /// As TensorFlow's errors show it: "Variant<type: ... value: ...>".
  virtual std::string description() const = 0;

  /// How many values keep each other in a row, this one included: 1 where it keeps no other.
  int depth() const { return depth_; }
  /// To be called with each array before it is kept. Throws errors::ResourceExhaustedError where the row
  /// would become too long.
  void hold(const Array& part);

 private:
  int depth_ = 1;
};

/// A scalar of dtype variant; or, of another shape, all elements of such an array as one value.
Array variant_array(std::shared_ptr<const VariantValue> value, const Shape& shape = Shape());
/// The same of no value: what a list of lists has where none was put.
Array empty_variant();

/// The `V` in such an Array; null where it is of another kind, or nothing.
template <class V>
const V* variant_as(const Array& array) {
  if (array.dtype() != DType::kVariant || array.raw_data() == nullptr) return nullptr;
  return dynamic_cast<const V*>(static_cast<const VariantValue*>(array.raw_data()));
}

/// The value's description for an error.
std::string variant_description(const Array& array);

}  // namespace flowray::graph
