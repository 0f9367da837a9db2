#pragma once
/// Variants in messages (tensorflow/core/framework/tensor.proto): what TensorProto has in its field
/// `variant_val`, and the part of TensorProto that a tensor of variants needs.

#include "wire/message.h"
#include "wire/tensor_proto.h"

namespace flowray::wire {

/// One variant: which kind of value it is, and the tensors that it is made of.
struct VariantTensorDataProto {
  Text type_name;
  Bytes metadata;
  std::vector<TensorProto> tensors;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.VariantTensorDataProto";
  static constexpr auto fields() {
    using M = VariantTensorDataProto;
    return std::tuple(field(1, "type_name", &M::type_name), field(2, "metadata", &M::metadata),
                      field(3, "tensors", &M::tensors));
  }
};

/// A TensorProto of variants.
struct VariantTensorProto {
  DType dtype = DType::kInvalid;
  std::optional<TensorShapeProto> tensor_shape;
  std::vector<VariantTensorDataProto> variant_val;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.TensorProto";
  static constexpr auto fields() {
    using M = VariantTensorProto;
    return std::tuple(field(1, "dtype", &M::dtype), field(2, "tensor_shape", &M::tensor_shape),
                      field(15, "variant_val", &M::variant_val));
  }
};

}  // namespace flowray::wire
