#pragma once
/// What a TensorProto means: to an Array and back.

#include "wire/tensor_proto.h"

#include <flowray/array.h>

namespace flowray::wire {

/// Throws InvalidArgumentError for what no shape can be (a dimension below -1, more than 254, too
/// many elements).
Shape to_shape(const TensorShapeProto& proto);
TensorShapeProto to_shape_proto(const Shape& shape);

/// The tensor's elements, copied. tensor_content wins over the typed lists and must have the exact length; a
/// list that is shorter than the shape goes on with its last value, an empty one stands for zeros, what is
/// too much is dropped; numbers are cut to the width of the dtype. Throws InvalidArgumentError "Cannot parse
/// tensor from proto: ..." for what fits no tensor, UnimplementedError for resources, variants and dtypes
/// without arrays.
Array to_array(const TensorProto& proto);
/// The same; but large contents that lie as their elements must are not copied: the Array shares `owner`,
/// which keeps them.
Array to_array(const TensorProto& proto, const std::shared_ptr<const void>& owner);

/// How elements are laid down in a message.
enum class TensorForm {
  /// All bytes in tensor_content, borrowed from the Array (which must outlive the message); strings in
  /// string_val, borrowed.
  kBorrowed,
  /// As TensorFlow's Python writes constants: single elements, bool, uint16, complex and strings in typed
  /// lists, the rest in
  /// tensor_content. From 64 equal elements on, that one element.
  kConstant,
};
TensorProto to_tensor_proto(const Array& array, TensorForm form);

}  // namespace flowray::wire
