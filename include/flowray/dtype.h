#pragma once
/// Element types. The numbers are TensorFlow's DataType (tensorflow/core/framework/types.proto), so they can
/// be read from and written to its messages as they are.

#include <flowray/float16.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

#pragma GCC visibility push(default)

namespace flowray {

enum class DType : int32_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kFloat16 = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  // A reference to a variable of the type: base + 100 (float32_ref = 101, ...).
};

/// Whether `dtype` is a reference type, as the output of VariableV2 has it.
constexpr bool is_ref(DType dtype) { return static_cast<int32_t>(dtype) > 100; }
/// float32_ref -> float32; others unchanged.
constexpr DType base_dtype(DType dtype) {
  return is_ref(dtype) ? static_cast<DType>(static_cast<int32_t>(dtype) - 100) : dtype;
}
/// float32 -> float32_ref; references unchanged.
constexpr DType ref_dtype(DType dtype) {
  return is_ref(dtype) ? dtype : static_cast<DType>(static_cast<int32_t>(dtype) + 100);
}

/// "float32", "bool", "float32_ref", ...; "<invalid dtype 99>" for an invalid number.
std::string dtype_name(DType dtype);
/// TensorFlow's C++ spelling, used in its run-time messages: "float", "double", "int32", "half".
std::string dtype_kernel_name(DType dtype);
/// The inverse of dtype_name; kInvalid if there is no such type.
DType dtype_from_name(std::string_view name);
/// Bytes of one element (a std::string for kString); 0 for types without array elements.
size_t dtype_size(DType dtype);

/// Whether it is float16, bfloat16, float32 or float64; false for references.
constexpr bool is_floating(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kFloat16 ||
         dtype == DType::kBfloat16;
}
/// Whether it is complex64 or complex128; false for references.
constexpr bool is_complex(DType dtype) { return dtype == DType::kComplex64 || dtype == DType::kComplex128; }
/// Whether it is a signed or unsigned integer of 8 to 64 bits; false for bool,
/// quantized types and references.
constexpr bool is_integer(DType dtype) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kInt16:
    case DType::kInt32:
    case DType::kInt64:
    case DType::kUint8:
    case DType::kUint16:
    case DType::kUint32:
    case DType::kUint64:
      return true;
    default:
      return false;
  }
}
/// Whether elements may be copied byte by byte; false for strings.
constexpr bool is_trivial(DType dtype) { return dtype != DType::kString; }

/// Writes dtype_name(dtype).
std::ostream& operator<<(std::ostream& out, DType dtype);

namespace internal {
template <class T>
constexpr DType dtype_of_type() {
  if constexpr (std::is_same_v<T, bool>) {
    return DType::kBool;
  } else if constexpr (std::is_integral_v<T>) {
    constexpr bool kSigned = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 1) return kSigned ? DType::kInt8 : DType::kUint8;
    if constexpr (sizeof(T) == 2) return kSigned ? DType::kInt16 : DType::kUint16;
    if constexpr (sizeof(T) == 4) return kSigned ? DType::kInt32 : DType::kUint32;
    if constexpr (sizeof(T) == 8) return kSigned ? DType::kInt64 : DType::kUint64;
  } else if constexpr (std::is_same_v<T, float>) {
    return DType::kFloat32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DType::kFloat64;
  } else if constexpr (std::is_same_v<T, float16>) {
    return DType::kFloat16;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return DType::kBfloat16;
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    return DType::kComplex64;
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    return DType::kComplex128;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return DType::kString;
  } else {
    return DType::kInvalid;
  }
}
}  // namespace internal

/// The DType of a C++ type; every integral type maps by its width and sign.
template <class T>
inline constexpr DType kDTypeOf = internal::dtype_of_type<std::remove_cv_t<T>>();

/// C++ types that may be elements of an Array.
template <class T>
concept Element = (kDTypeOf<T> != DType::kInvalid);

}  // namespace flowray

#pragma GCC visibility pop
