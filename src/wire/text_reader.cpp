#include "wire/text_reader.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace flowray::wire {
namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-' || c == '+';
}
bool is_octal(char c) { return c >= '0' && c <= '7'; }

}  // namespace

void TextFormatReader::fail(std::string_view reason) const {
  const std::string_view before = text_.substr(0, at_);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t line_begin = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  throw errors::InvalidArgumentError(fmt::format("{}:{} : {}", line, at_ - line_begin + 1, reason));
}

void TextFormatReader::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else {
      return;
    }
  }
}

bool TextFormatReader::take(char punctuation) {
  if (!next_is(punctuation)) return false;
  ++at_;
  skip_blanks();
  return true;
}

void TextFormatReader::expect(char punctuation) {
  if (!take(punctuation)) fail(fmt::format("Expected \"{}\".", punctuation));
}

std::string_view TextFormatReader::word() {
  const size_t begin = at_;
  while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
  const std::string_view result = text_.substr(begin, at_ - begin);
  if (result.empty()) fail("Expected a name or a number.");
  skip_blanks();
  return result;
}

std::string_view TextFormatReader::name() { return word(); }

bool TextFormatReader::boolean() {
  const std::string_view text = word();
  if (text == "true" || text == "True" || text == "t" || text == "1") return true;
  if (text == "false" || text == "False" || text == "f" || text == "0") return false;
  fail(fmt::format("Expected true or false, not \"{}\".", text));
}

template <class T>
T TextFormatReader::integer() {
  const std::string_view text = word();
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  int base = 10;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    base = 16;
    digits.remove_prefix(2);
  } else if (digits.size() > 1 && digits.starts_with('0')) {
    base = 8;
  }
  const std::string number = (negative ? "-" : "") + std::string(digits);
  T value{};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value, base);
  if (error != std::errc() || end != number.data() + number.size()) {
    fail(fmt::format("\"{}\" is not an integer of {} bits.", text, 8 * sizeof(T)));
  }
  return value;
}
template int32_t TextFormatReader::integer<int32_t>();
template int64_t TextFormatReader::integer<int64_t>();
template uint32_t TextFormatReader::integer<uint32_t>();
template uint64_t TextFormatReader::integer<uint64_t>();

double TextFormatReader::real() {
  std::string text(word());
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative) digits.remove_prefix(1);
  if (digits != "inf" && digits.ends_with('f')) digits.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool all_read = end == digits.data() + digits.size();
  // Numbers beyond a double's range are infinite or zero; from_chars leaves that to strtod.
  if (error == std::errc::result_out_of_range && all_read)
    value = std::strtod(std::string(digits).c_str(), nullptr);
  else if (error != std::errc() || !all_read)
    fail(fmt::format("\"{}\" is not a number.", text));
  return negative ? -value : value;
}

std::string TextFormatReader::string() {
  std::string out;
  if (!next_is('"') && !next_is('\'')) fail("Expected a string.");
  while (next_is('"') || next_is('\'')) quoted_string(out);
  return out;
}

void TextFormatReader::quoted_string(std::string& out) {
  const char quote = text_[at_++];
  while (true) {
    if (at_ == text_.size() || text_[at_] == '\n') fail("String missing ending quote.");
    const char c = text_[at_++];
    if (c == quote) break;
    if (c == '\\')
      escape(out);
    else
      out += c;
  }
  skip_blanks();
}

void TextFormatReader::escape(std::string& out) {
  if (at_ == text_.size()) fail("String missing ending quote.");
  const char c = text_[at_++];
  if (is_octal(c)) {
    int value = c - '0';
    for (int i = 0; i < 2 && at_ < text_.size() && is_octal(text_[at_]); ++i)
      value = value * 8 + (text_[at_++] - '0');
    out += static_cast<char>(value);
    return;
  }
  if (c == 'x' || c == 'X') {
    const size_t most = std::min<size_t>(2, text_.size() - at_);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + at_ + most, value, 16);
    if (error != std::errc()) fail("Expected hexadecimal digits after \\x.");
    at_ = static_cast<size_t>(end - text_.data());
    out += static_cast<char>(value);
    return;
  }
  constexpr std::string_view kLetters = "abfnrtv\\'\"?";
  constexpr std::string_view kMeaning = "\a\b\f\n\r\t\v\\'\"?";
  const size_t place = kLetters.find(c);
  if (place == std::string_view::npos) fail(fmt::format("Unknown escape \\{}.", c));
  out += kMeaning[place];
}

DType TextFormatReader::dtype() {
  if (at_ < text_.size() && (text_[at_] == '-' || (text_[at_] >= '0' && text_[at_] <= '9'))) {
    return static_cast<DType>(integer<int32_t>());
  }
  const std::string_view text = word();
  if (text == "DT_INVALID") return DType::kInvalid;
  std::string lower(text.substr(std::min<size_t>(3, text.size())));
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const DType dtype = text.starts_with("DT_") ? dtype_from_name(lower) : DType::kInvalid;
  if (dtype == DType::kInvalid)
    fail(fmt::format("Enum type \"tensorflow.DataType\" has no value named {}.", text));
  return dtype;
}

}  // namespace flowray::wire
