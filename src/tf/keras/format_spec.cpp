#include "tf/keras/format_spec.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <cctype>

namespace flowray::tf::keras {
namespace {

constexpr int kMostCharacters = 1 << 16;  // of one place; a file's name has fewer

bool is_alignment(char c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

size_t size_of_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return size < text.size() ? size : text.size();
}

/// Reads it from the left to the right, as its grammar has it.
class SpecReader {
 public:
  SpecReader(std::string_view text, std::string_view of_type)
      : whole_(text), rest_(text), of_type_(of_type) {}

  FormatSpec read() {
    read_alignment();
    if (at('+') || at('-') || at(' ')) spec_.sign = taken();
    spec_.no_negative_zero = take('z');
    spec_.alternate = take('#');
    if (take('0')) {
      if (!has_fill_) spec_.fill = "0";
      spec_.zeros = spec_.align == 0;
    }
    spec_.width = static_cast<size_t>(number().value_or(0));
    read_grouping();
    if (take('.')) {
      spec_.precision = number();
      if (!spec_.precision.has_value()) throw ValueError("Format specifier missing precision");
    }
    if (rest_.size() > 1) {
      throw ValueError(
          fmt::format("Invalid format specifier '{}' for object of type '{}'", whole_, of_type_));
    }
    if (!rest_.empty()) spec_.type = taken();
    return spec_;
  }

 private:
  bool at(char c) const { return !rest_.empty() && rest_[0] == c; }
  char taken() {
    const char c = rest_[0];
    rest_.remove_prefix(1);
    return c;
  }
  bool take(char c) {
    if (!at(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void read_alignment() {
    if (rest_.empty()) return;
    const size_t fill = size_of_character(rest_);
    if (fill < rest_.size() && is_alignment(rest_[fill])) {
      spec_.fill = rest_.substr(0, fill);
      has_fill_ = true;
      rest_.remove_prefix(fill);
    }
    if (!rest_.empty() && is_alignment(rest_[0])) spec_.align = taken();
  }

  void read_grouping() {
    while (at(',') || at('_')) {
      const char separator = taken();
      if (spec_.grouping == separator)
        throw ValueError(fmt::format("Cannot specify '{0}' with '{0}'.", separator));
      if (spec_.grouping != 0) throw ValueError("Cannot specify both ',' and '_'.");
      spec_.grouping = separator;
    }
  }

  std::optional<int> number() {
    if (rest_.empty() || std::isdigit(static_cast<unsigned char>(rest_[0])) == 0) return {};
    int value = 0;
    while (!rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_[0])) != 0) {
      value = value * 10 + (taken() - '0');
      if (value > kMostCharacters) {
        throw ValueError(
            fmt::format("Too many decimal digits in format string\n\"{}\" asks for more than {} "
                        "characters.",
                        whole_, kMostCharacters));
      }
    }
    return value;
  }

  std::string_view whole_;
  std::string_view rest_;
  std::string_view of_type_;
  FormatSpec spec_;
  bool has_fill_ = false;
};

}  // namespace

FormatSpec parsed_spec(std::string_view text, std::string_view of_type) {
  return SpecReader(text, of_type).read();
}

}  // namespace flowray::tf::keras
