#pragma once
/// TensorFlow's TensorProto and TensorShapeProto
/// (tensorflow/core/framework/tensor.proto, tensor_shape.proto).

#include "wire/message.h"

#include <flowray/dtype.h>

namespace flowray::wire {

struct TensorShapeProto {
  struct Dim {
    int64_t size = 0;  // -1: unknown
    Text name;
    std::string unknown;
    static constexpr auto fields() {
      return std::tuple(field(1, "size", &Dim::size), field(2, "name", &Dim::name));
    }
  };
  std::vector<Dim> dim;
  bool unknown_rank = false;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.TensorShapeProto";
  static constexpr auto fields() {
    return std::tuple(field(2, "dim", &TensorShapeProto::dim),
                      field(3, "unknown_rank", &TensorShapeProto::unknown_rank));
  }
};

/// A tensor: all bytes in `tensor_content`, or elements in the list of its dtype. wire/tensor_value.h tells
/// what they mean. Resources and variants are not looked into: fields 14 and 15 are in `unknown`.
struct TensorProto {
  DType dtype = DType::kInvalid;
  std::optional<TensorShapeProto> tensor_shape;
  int32_t version_number = 0;
  Bytes tensor_content;
  std::vector<float> float_val;
  std::vector<double> double_val;
  std::vector<int32_t> int_val;  // int32, int16, int8, uint16, uint8 and the quantised ones
  std::vector<Bytes> string_val;
  std::vector<float> scomplex_val;  // real, imaginary, real, ...
  std::vector<int64_t> int64_val;
  std::vector<bool> bool_val;
  std::vector<double> dcomplex_val;
  std::vector<int32_t> half_val;  // the bits of float16 and bfloat16
  std::vector<uint32_t> uint32_val;
  std::vector<uint64_t> uint64_val;

  std::string unknown;
  static constexpr std::string_view kType = "tensorflow.TensorProto";
  static constexpr auto fields() {
    using M = TensorProto;
    return std::tuple(field(1, "dtype", &M::dtype), field(2, "tensor_shape", &M::tensor_shape),
                      field(3, "version_number", &M::version_number),
                      field(4, "tensor_content", &M::tensor_content), field(5, "float_val", &M::float_val),
                      field(6, "double_val", &M::double_val), field(7, "int_val", &M::int_val),
                      field(8, "string_val", &M::string_val), field(9, "scomplex_val", &M::scomplex_val),
                      field(10, "int64_val", &M::int64_val), field(11, "bool_val", &M::bool_val),
                      field(12, "dcomplex_val", &M::dcomplex_val), field(13, "half_val", &M::half_val),
                      field(16, "uint32_val", &M::uint32_val), field(17, "uint64_val", &M::uint64_val));
  }
};

}  // namespace flowray::wire
