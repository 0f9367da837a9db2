#pragma once

#include "graph/resource/variant_value.h"
#include "ops/elements/array_sequence.h"

namespace flowray::ops {

/// A list of arrays of one dtype, and of one shape as far as it is known: TensorFlow's TensorList. An element
/// without value stands for zeros.
struct TensorList final : graph::VariantValue {
  DType dtype = DType::kInvalid;
  Shape element_shape = Shape::unknown_rank();
  int64_t max_size = -1;  // < 0: any
  ArraySequence elements;

  std::string description() const override;
};

/// The list in an array. Throws errors::InvalidArgumentError "Input handle is not a list. Saw: '...'".
const TensorList& list_of(const Array& handle);
Array handle_of(TensorList list);

/// Element by element; all of one length. Throws errors::InvalidArgumentError.
TensorList add_lists(const TensorList& a, const TensorList& b);
TensorList zeros_like_list(const TensorList& list);

/// The sum of what is in variants, and zeros like it; lists, optionals and arrays of numbers in them.
Array add_variants(const Array& a, const Array& b);
Array zeros_like_variant(const Array& value);

}  // namespace flowray::ops
