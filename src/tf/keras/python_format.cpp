#include "tf/keras/python_format.h"

#include <flowray/errors.h>

#include "tf/keras/format_spec.h"
#include "tf/keras/watched_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <type_traits>

namespace flowray::tf::keras {
namespace {

/// A number as text: what stands before its digits, these, and what stands behind them.
struct NumberText {
  std::string sign;
  std::string prefix;  // "0x"
  std::string digits;  // before the point
  std::string rest;
};

size_t count_of_characters(std::string_view text) {
  return static_cast<size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string in_groups(const std::string& digits, char separator, size_t group) {
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % group == 0) text += separator;
    text += digits[i];
  }
  return text;
}

std::string aligned(const std::string& before, const std::string& text, const FormatSpec& spec,
                    char default_align) {
  const size_t size = count_of_characters(before) + count_of_characters(text);
  const size_t missing = spec.width > size ? spec.width - size : 0;
  const char align = spec.zeros && default_align == '>' ? '=' : spec.align != 0 ? spec.align : default_align;
  const size_t left = align == '<' ? 0 : align == '^' ? missing / 2 : missing;
  std::string padded = align == '=' ? before : "";
  for (size_t i = 0; i < left; ++i) padded += spec.fill;
  padded += align == '=' ? text : before + text;
  for (size_t i = left; i < missing; ++i) padded += spec.fill;
  return padded;
}

std::string laid_out(NumberText number, const FormatSpec& spec, size_t group) {
  const std::string before = number.sign + number.prefix;
  const bool has_digits =
      !number.digits.empty() && std::isalnum(static_cast<unsigned char>(number.digits[0]));
  if (spec.grouping == 0 || !has_digits) return aligned(before, number.digits + number.rest, spec, '>');
  std::string text = in_groups(number.digits, spec.grouping, group);
  const bool fills_with_zeros = spec.zeros || (spec.align == '=' && spec.fill == "0");
  while (fills_with_zeros && before.size() + text.size() + number.rest.size() < spec.width) {
    number.digits.insert(0, 1, '0');  // zeros stand in groups, too
    text = in_groups(number.digits, spec.grouping, group);
  }
  return aligned(before, text + number.rest, spec, '>');
}

std::string sign_of(bool is_negative, const FormatSpec& spec) {
  if (is_negative) return "-";
  return spec.sign == '-' ? "" : std::string(1, spec.sign);
}

[[noreturn]] void throw_unknown_code(char code, const char* of_type) {
  throw ValueError(fmt::format("Unknown format code '{}' for object of type '{}'", code, of_type));
}

// ---- floats

/// Without zeros at the end behind a point.
std::string without_zeros(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

/// So many digits, of a small or great number one before the point and an exponent. A float without a type
/// has at least one digit behind the point.
std::string general(double size, const FormatSpec& spec) {
  const bool is_plain = spec.type == 0;
  const int digits = std::max(spec.precision.value_or(6), 1);
  const std::string scientific = fmt::format("{:.{}e}", size, digits - 1);
  const size_t e = scientific.find('e');
  const int exponent = std::stoi(scientific.substr(e + 1));
  const bool has_exponent = exponent < -4 || exponent >= digits - (is_plain ? 1 : 0);
  std::string text =
      has_exponent ? scientific.substr(0, e) : fmt::format("{:.{}f}", size, digits - 1 - exponent);
  if (!spec.alternate) text = without_zeros(std::move(text));
  const bool has_point = text.find('.') != std::string::npos;
  if (spec.alternate && !has_point) text += '.';
  if (has_exponent) return text + scientific.substr(e);
  return is_plain && !spec.alternate && !has_point ? text + ".0" : text;
}

std::string text_of_size(double size, const FormatSpec& spec) {
  const int precision = spec.precision.value_or(6);
  const char type = static_cast<char>(std::tolower(static_cast<unsigned char>(spec.type)));
  if (type == 0 && !spec.precision.has_value()) return callbacks::python_text(size);
  if (type == 'f')
    return fmt::format("{:.{}f}", size, precision) + (spec.alternate && precision == 0 ? "." : "");
  if (type == '%') return fmt::format("{:.{}f}%", size * 100, precision);
  if (type == 'e') {
    std::string text = fmt::format("{:.{}e}", size, precision);
    if (spec.alternate && precision == 0) text.insert(text.find('e'), ".");
    return text;
  }
  return general(size, spec);
}

std::string formatted(double value, const FormatSpec& spec) {
  if (spec.type != 0 && std::string_view("eEfFgGn%").find(spec.type) == std::string_view::npos)
    throw_unknown_code(spec.type, "float");
  if (spec.type == 'n' && spec.grouping != 0)
    throw ValueError(fmt::format("Cannot specify '{}' with 'n'.", spec.grouping));
  std::string text;
  if (std::isfinite(value)) {
    text = text_of_size(std::abs(value), spec);
  } else {
    text = std::string(std::isnan(value) ? "nan" : "inf") + (spec.type == '%' ? "%" : "");
  }
  bool is_negative = std::signbit(value) && !std::isnan(value);
  if (spec.no_negative_zero && text.find_first_of("123456789n") == std::string::npos) is_negative = false;
  if (std::isupper(static_cast<unsigned char>(spec.type)) != 0)
    std::ranges::transform(text, text.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const size_t digits = std::isfinite(value) ? text.find_first_not_of("0123456789") : 0;
  return laid_out({.sign = sign_of(is_negative, spec),
                   .prefix = "",
                   .digits = text.substr(0, digits),
                   .rest = digits == std::string::npos ? "" : text.substr(digits)},
                  spec, 3);
}

// ---- ints and texts

std::string digits_in(uint64_t size, char type) {
  switch (type) {
    case 'b':
      return fmt::format("{:b}", size);
    case 'o':
      return fmt::format("{:o}", size);
    case 'x':
      return fmt::format("{:x}", size);
    case 'X':
      return fmt::format("{:X}", size);
    default:
      return fmt::format("{}", size);
  }
}

std::string formatted(int64_t value, const FormatSpec& spec) {
  if (spec.type != 0 && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos)
    return formatted(static_cast<double>(value), spec);
  if (spec.type != 0 && std::string_view("bdonxX").find(spec.type) == std::string_view::npos)
    throw_unknown_code(spec.type, "int");
  if (spec.precision.has_value()) throw ValueError("Precision not allowed in integer format specifier");
  if (spec.no_negative_zero)
    throw ValueError("Negative zero coercion (z) not allowed in integer format specifier");
  const bool is_decimal = spec.type == 0 || spec.type == 'd' || spec.type == 'n';
  if ((spec.grouping == ',' && !is_decimal) || (spec.grouping != 0 && spec.type == 'n'))
    throw ValueError(fmt::format("Cannot specify '{}' with '{}'.", spec.grouping, spec.type));
  const uint64_t size = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return laid_out({.sign = sign_of(value < 0, spec),
                   .prefix = spec.alternate && !is_decimal ? std::string("0") + spec.type : "",
                   .digits = digits_in(size, spec.type),
                   .rest = ""},
                  spec, is_decimal ? 3 : 4);
}

std::string formatted(const std::string& value, const FormatSpec& spec) {
  if (spec.type != 0 && spec.type != 's') throw_unknown_code(spec.type, "str");
  if (spec.sign != '-') throw ValueError("Sign not allowed in string format specifier");
  if (spec.alternate) throw ValueError("Alternate form (#) not allowed in string format specifier");
  if (spec.align == '=') throw ValueError("'=' alignment not allowed in string format specifier");
  if (spec.grouping != 0) throw ValueError(fmt::format("Cannot specify '{}' with 's'.", spec.grouping));
  const size_t most = static_cast<size_t>(spec.precision.value_or(static_cast<int>(value.size())));
  return aligned("", value.substr(0, most), spec, '<');
}

/// Goes through a format; places may stand inside of a place's spec, once.
class FormatWriter {
 public:
  FormatWriter(std::string_view format, const NamedNumbers& numbers, int depth)
      : rest_(format), numbers_(numbers), depth_(depth) {}

  std::string written() {
    std::string text;
    while (!rest_.empty()) {
      const size_t brace = rest_.find_first_of("{}");
      text += rest_.substr(0, brace);
      if (brace == std::string_view::npos) break;
      rest_.remove_prefix(brace);
      const char c = rest_[0];
      rest_.remove_prefix(1);
      if (!rest_.empty() && rest_[0] == c) {
        text += c;
        rest_.remove_prefix(1);
      } else if (c == '}' || rest_.empty()) {
        throw ValueError(fmt::format("Single '{}' encountered in format string", c));
      } else {
        text += place();
      }
    }
    return text;
  }

 private:
  std::string place() {
    const std::string name(until("{!:}", "expected '}' before end of string"));
    if (rest_[0] == '{') throw ValueError("unexpected '{' in field name");
    char conversion = 0;
    if (rest_[0] == '!') {
      if (rest_.size() < 3) throw ValueError("unmatched '{' in format spec");
      conversion = rest_[1];
      rest_.remove_prefix(2);
      if (rest_[0] != ':' && rest_[0] != '}') throw ValueError("expected ':' after conversion specifier");
    }
    const bool has_spec = rest_[0] == ':';
    rest_.remove_prefix(1);
    const std::string spec = has_spec ? spec_text() : "";
    const auto& value = value_of_name(name);
    if (conversion == 0) {
      return std::visit(
          [&](auto number) {
            const char* const type = std::is_same_v<decltype(number), double> ? "float" : "int";
            return formatted(number, parsed_spec(spec, type));
          },
          value);
    }
    if (std::string_view("rsa").find(conversion) == std::string_view::npos)
      throw ValueError(fmt::format("Unknown conversion specifier {}", conversion));
    const std::string text = std::visit([](auto number) { return formatted(number, FormatSpec()); }, value);
    return formatted(text, parsed_spec(spec, "str"));
  }

  /// Up to the first of these, which stands at the beginning of what is left.
  std::string_view until(const char* ends, const char* error) {
    const size_t end = rest_.find_first_of(ends);
    if (end == std::string_view::npos) throw ValueError(error);
    const std::string_view text = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return text;
  }

  std::string spec_text() {
    size_t open = 1;
    for (size_t i = 0; i < rest_.size(); ++i) {
      if (rest_[i] == '{') ++open;
      if (rest_[i] != '}' || --open > 0) continue;
      const std::string_view text = rest_.substr(0, i);
      rest_.remove_prefix(i + 1);
      if (text.find('{') == std::string_view::npos) return std::string(text);
      if (depth_ > 0) throw ValueError("Max string recursion exceeded");
      return FormatWriter(text, numbers_, depth_ + 1).written();
    }
    throw ValueError("unmatched '{' in format spec");
  }

  const NamedNumbers::value_type::second_type& value_of_name(const std::string& name) const {
    if (name.empty() || std::ranges::all_of(name, [](unsigned char c) { return std::isdigit(c) != 0; })) {
      throw IndexError(fmt::format("Replacement index {} out of range for positional args tuple",
                                   name.empty() ? "0" : name));
    }
    const auto found = std::ranges::find(numbers_, name, &NamedNumbers::value_type::first);
    if (found == numbers_.end()) throw KeyError(name);
    return found->second;
  }

  std::string_view rest_;
  const NamedNumbers& numbers_;
  int depth_;
};

}  // namespace

std::string python_format(std::string_view format, const NamedNumbers& numbers) {
  return FormatWriter(format, numbers, 0).written();
}

}  // namespace flowray::tf::keras
