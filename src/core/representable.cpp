#include "core/representable.h"

#include "core/dtype_dispatch.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace flowray {
namespace {

using Integers = TypeList<int32_t, int64_t, uint8_t, int8_t, int16_t, uint16_t, uint32_t, uint64_t>;
using Reals = TypeList<float, double, float16, bfloat16>;
using Complexes = TypeList<std::complex<float>, std::complex<double>>;

/// Whether a float, cut to a whole number, is an Integer. False for NaN.
template <class Integer>
bool is_integer_of(double value) {
  using Limits = std::numeric_limits<Integer>;
  const double end = std::ldexp(1.0, Limits::digits);  // of int64 and uint64 the largest one is not a double
  const double whole = std::trunc(value);
  return whole >= static_cast<double>(Limits::min()) && whole < end;
}

template <class Element>
double as_double(Element value) {
  if constexpr (std::is_arithmetic_v<Element>) {
    return static_cast<double>(value);
  } else {
    return static_cast<float>(value);  // of 16 bits
  }
}

template <class T, class Fits>
std::optional<int64_t> first_unfit(const Array& array, const Fits& fits) {
  const T* elements = array.data<T>();
  for (int64_t i = 0; i < array.size(); ++i) {
    if (!fits(elements[i])) return i;
  }
  return std::nullopt;
}

std::optional<int64_t> first_beyond_integer(const Array& array, DType dtype) {
  std::optional<int64_t> first;
  (void)dispatch<Integers>(dtype, [&]<class To>() {
    (void)dispatch<Integers>(array.dtype(), [&]<class From>() {
      first = first_unfit<From>(array, [](From value) { return std::in_range<To>(value); });
    });
    (void)dispatch<Reals>(array.dtype(), [&]<class From>() {
      first = first_unfit<From>(array, [](From value) { return is_integer_of<To>(as_double(value)); });
    });
    (void)dispatch<Complexes>(array.dtype(), [&]<class From>() {
      first = first_unfit<From>(
          array, [](From value) { return value.imag() == 0 && is_integer_of<To>(value.real()); });
    });
  });
  return first;
}

}  // namespace

std::optional<int64_t> first_not_representable(const Array& array, DType dtype) {
  if (is_integer(dtype)) return first_beyond_integer(array, dtype);
  if (!is_floating(dtype)) return std::nullopt;
  std::optional<int64_t> first;
  (void)dispatch<Complexes>(array.dtype(), [&]<class From>() {
    first = first_unfit<From>(array, [](From value) { return value.imag() == 0; });
  });
  return first;
}

std::string python_number(const Array& array, int64_t index) {
  std::string text;
  (void)dispatch<Integers>(array.dtype(),
                           [&]<class T>() { text = fmt::format("{}", array.data<T>()[index]); });
  (void)dispatch<TypeList<bool>>(array.dtype(),
                                 [&]<class T>() { text = array.data<T>()[index] ? "True" : "False"; });
  (void)dispatch<Reals>(array.dtype(), [&]<class T>() {
    text = fmt::format("{}", as_double(array.data<T>()[index]));
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
  });
  (void)dispatch<Complexes>(array.dtype(), [&]<class T>() {
    const T value = array.data<T>()[index];
    text = fmt::format("({:g}{:+g}j)", value.real(), value.imag());
  });
  return text;
}

std::string_view python_kind(DType dtype) {
  if (dtype == DType::kString) return "str";
  if (dtype == DType::kBool) return "bool";
  if (is_complex(dtype)) return "complex";
  return is_floating(dtype) ? "float" : "int";
}

std::string range_text(DType dtype) {
  std::string text;
  (void)dispatch<Integers>(dtype, [&]<class T>() {
    text = fmt::format("{} to {}", std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  });
  return text;
}

}  // namespace flowray
