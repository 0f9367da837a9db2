#pragma once
/// Which elements a conversion to another dtype would turn into something else,
/// where convert_elements wraps around.

#include <flowray/array.h>

#include <cstdint>
#include <optional>
#include <string>

namespace flowray {

/// The number of the first element that `dtype` cannot stand for: an integer or a float beyond its range, NaN
/// or an infinity as an integer, an imaginary part as a real number. Precision and fractions do not matter
/// (2.5 as an integer is 2, 1e300 as a float32 infinity), nor is bool, which asks for != 0.
std::optional<int64_t> first_not_representable(const Array& array, DType dtype);

/// Element `index` of a numeric array as Python writes it: 3000000000, 1e+20, (1+2j).
std::string python_number(const Array& array, int64_t index);
/// What Python calls such elements: int, float, complex, bool or str.
std::string_view python_kind(DType dtype);
/// "-128 to 127", the numbers of an integer dtype.
std::string range_text(DType dtype);

}  // namespace flowray
