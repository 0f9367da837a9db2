#pragma once
/// What stands behind the colon of a place in a format of Python's: "*^+012,.3f".

#include <optional>
#include <string>
#include <string_view>

namespace flowray::tf::keras {

struct FormatSpec {
  std::string fill = " ";  // one character of UTF-8
  char align = 0;          // one of <>=^; 0: that of the value's type
  char sign = '-';
  bool no_negative_zero = false;
  bool alternate = false;
  bool zeros = false;  // fills with zeros behind the sign
  size_t width = 0;
  char grouping = 0;  // ',' or '_'
  std::optional<int> precision;
  char type = 0;
};

/// `of_type`: what Python calls the value's. Throws ValueError for an invalid specification.
FormatSpec parsed_spec(std::string_view text, std::string_view of_type);

}  // namespace flowray::tf::keras
