#include "wire/text_format.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace flowray::wire {
namespace {

/// Python's repr: the shortest digits, in fixed form where the exponent is in [-4, 16).
std::string repr(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::array<char, 64> buffer;
  const auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  const int exponent = std::stoi(std::string(text.substr(text.find('e') + 1)));
  if (exponent < -4 || exponent >= 16) return std::string(text);
  std::string digits;
  for (const char c : text.substr(0, text.find('e'))) {
    if (c >= '0' && c <= '9') digits += c;
  }
  const std::string sign = text.front() == '-' ? "-" : "";
  if (exponent < 0) return sign + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const auto whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return sign + digits + std::string(whole - digits.size(), '0') + ".0";
  return sign + digits.substr(0, whole) + "." + digits.substr(whole);
}

}  // namespace

void TextFormatWriter::scalar(std::string_view name, std::string_view value) {
  text_.append(2 * depth_, ' ').append(name).append(": ").append(value).append("\n");
}
void TextFormatWriter::open(std::string_view name) {
  text_.append(2 * depth_, ' ').append(name).append(" {\n");
  ++depth_;
}
void TextFormatWriter::close() {
  --depth_;
  text_.append(2 * depth_, ' ').append("}\n");
}

std::string text_format_number(float value) {
  if (!std::isfinite(value)) return repr(value);
  std::array<char, 64> buffer;
  double rounded = 0;
  for (int precision = 6; precision <= 9; ++precision) {  // 9 digits are enough for every float
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                   std::chars_format::general, precision);
    std::from_chars(buffer.data(), end.ptr, rounded);
    if (static_cast<float>(rounded) == value) break;
  }
  return repr(rounded);
}
std::string text_format_number(double value) { return repr(value); }

std::string text_format_string(std::string_view text, bool is_utf8) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    switch (c) {
      case '\n':
        out += "\\n";
        continue;
      case '\r':
        out += "\\r";
        continue;
      case '\t':
        out += "\\t";
        continue;
      case '"':
        out += "\\\"";
        continue;
      case '\'':
        out += "\\'";
        continue;
      case '\\':
        out += "\\\\";
        continue;
      default:
        break;
    }
    if ((byte >= 0x20 && byte < 0x7f) || (byte >= 0x80 && is_utf8)) {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", byte);
    }
  }
  return out + "\"";
}

std::string enum_name(DType dtype) {
  if (dtype == DType::kInvalid) return "DT_INVALID";
  const std::string kernel_name = dtype_kernel_name(dtype);
  if (kernel_name.starts_with('<')) return std::to_string(static_cast<int32_t>(dtype));
  std::string name = "DT_";
  for (const char c : kernel_name) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

}  // namespace flowray::wire
