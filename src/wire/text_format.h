#pragma once
/// The pieces of protobuf's text form, in the layout of Python's text_format.

#include <flowray/dtype.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace flowray::wire {

/// Collects lines such as `name: "x"` and `attr {`, indented by two blanks a level.
class TextFormatWriter {
 public:
  void scalar(std::string_view name, std::string_view value);
  void open(std::string_view name);
  void close();
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  size_t depth_ = 0;
};

/// Numbers as Python prints them: 1.0, 1e-05, inf; a float with as many digits, from 6, as give it back.
std::string text_format_number(float value);
std::string text_format_number(double value);
/// Quoted; bytes beyond ASCII stand as they are where `is_utf8`, else in octal.
std::string text_format_string(std::string_view text, bool is_utf8);
/// "DT_FLOAT", "DT_INT32_REF"; the number for a type that has no name here.
std::string enum_name(DType dtype);

}  // namespace flowray::wire
