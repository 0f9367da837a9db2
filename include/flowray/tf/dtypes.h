#pragma once
/// tf.float32 and its siblings.

#include <flowray/array.h>

#pragma GCC visibility push(default)

namespace flowray::tf {

using ::flowray::Array;
using ::flowray::DType;
/// tf.TensorShape: also shapes of which not everything is known.
using TensorShape = ::flowray::Shape;

/// The dtypes by TensorFlow's names: tf.float32 and its siblings.
inline constexpr DType float16 = DType::kFloat16;
inline constexpr DType half = DType::kFloat16;
inline constexpr DType bfloat16 = DType::kBfloat16;
inline constexpr DType float32 = DType::kFloat32;
inline constexpr DType float64 = DType::kFloat64;
inline constexpr DType int8 = DType::kInt8;
inline constexpr DType int16 = DType::kInt16;
inline constexpr DType int32 = DType::kInt32;
inline constexpr DType int64 = DType::kInt64;
inline constexpr DType uint8 = DType::kUint8;
inline constexpr DType uint16 = DType::kUint16;
inline constexpr DType uint32 = DType::kUint32;
inline constexpr DType uint64 = DType::kUint64;
inline constexpr DType boolean = DType::kBool;  // tf.bool; the word is taken in C++
inline constexpr DType string = DType::kString;
inline constexpr DType complex64 = DType::kComplex64;
inline constexpr DType complex128 = DType::kComplex128;

/// Python's None: an unknown dimension in a shape, tf::placeholder(tf::float32, {tf::None, 784}); what is
/// left out in a slice or as an axis, x[tf::Slice{1, tf::None}], tf::reduce_sum(x, tf::None); a new dimension
/// between brackets, x[tf::None]. It is not a number: tf::constant(tf::None) does not compile.
struct NoneType {
  constexpr operator int64_t() const { return Shape::kUnknownDim; }  // NOLINT: implicit, in shapes
};
inline constexpr NoneType None{};

}  // namespace flowray::tf

#pragma GCC visibility pop
