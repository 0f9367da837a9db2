#pragma once

#include "graph/resource/variant_value.h"
#include "ops/elements/array_sequence.h"

namespace flowray::ops {

/// A list of arrays of one dtype, and of one shape as far as it is known: TensorFlow's TensorList. An element
/// without value stands for zeros.
class TensorList final : public graph::VariantValue {
 public:
  DType dtype = DType::kInvalid;
  Shape element_shape = Shape::unknown_rank();
  int64_t max_size = -1;  // < 0: any

  const ArraySequence& elements() const { return elements_; }
  /// These throw errors::ResourceExhaustedError where lists would keep each other too deeply.
  void set(int64_t i, Array value) {
    hold(value);
    elements_.set(i, std::move(value));
  }
  void push_back(Array value) {
    hold(value);
    elements_.push_back(std::move(value));
  }
  void pop_back() { elements_.pop_back(); }
  void resize(int64_t size) { elements_.resize(size); }

  std::string description() const override;

 private:
  ArraySequence elements_;
};

/// The list in an array. Throws errors::InvalidArgumentError "Input handle is not a list. Saw: '...'".
const TensorList& list_of(const Array& handle);
Array handle_of(TensorList list);

/// The sum of what is in variants, and zeros like it; lists of one length, optionals and arrays of numbers in
/// them. Throws errors::InvalidArgumentError.
Array add_variants(const Array& a, const Array& b);
Array zeros_like_variant(const Array& value);

}  // namespace flowray::ops
