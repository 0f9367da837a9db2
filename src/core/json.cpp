#include "core/json.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <charconv>
#include <cstdint>

namespace flowray {
namespace {

/// Reads JSON's grammar, from the first letter to the last one.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  JsonValue read_all() {
    JsonValue json = read(0);
    skip_spaces();
    if (at_ < text_.size()) fail("the end");
    return json;
  }

 private:
  static constexpr int kDeepest = 200;

  [[noreturn]] void fail(std::string_view expected) const {
    throw ValueError(
        fmt::format("It is not JSON: {} was expected at byte {} of {}.", expected, at_, text_.size()));
  }
  void skip_spaces() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  char next() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char letter) {
    if (next() != letter || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  JsonValue read(int depth) {
    if (depth > kDeepest) fail("a value that is not as deep");
    switch (next()) {
      case '{':
        return read_map(depth);
      case '[':
        return read_list(depth);
      case '"':
        return {JsonValue::Kind::kText, read_text(), {}, {}};
      default:
        break;
    }
    if (take_word("null")) return {};
    for (const std::string_view word : {"true", "false"})
      if (take_word(word)) return {JsonValue::Kind::kBool, std::string(word), {}, {}};
    return read_number();
  }

  JsonValue read_map(int depth) {
    JsonValue json{JsonValue::Kind::kMap, {}, {}, {}};
    take('{');
    if (take('}')) return json;
    do {
      if (next() != '"') fail("a name in quotes");
      json.names.push_back(read_text());
      if (!take(':')) fail("':'");
      json.items.push_back(read(depth + 1));
    } while (take(','));
    if (!take('}')) fail("',' or '}'");
    return json;
  }
  JsonValue read_list(int depth) {
    JsonValue json{JsonValue::Kind::kList, {}, {}, {}};
    take('[');
    if (take(']')) return json;
    do {
      json.items.push_back(read(depth + 1));
    } while (take(','));
    if (!take(']')) fail("',' or ']'");
    return json;
  }
  JsonValue read_number() {
    const size_t first = at_;
    const auto take_digits = [&] {
      const size_t before = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      if (at_ == before) fail("a value");
    };
    if (text_.substr(at_).starts_with('-')) ++at_;
    take_digits();
    if (text_.substr(at_).starts_with('.')) {
      ++at_;
      take_digits();
    }
    if (text_.substr(at_).starts_with('e') || text_.substr(at_).starts_with('E')) {
      ++at_;
      if (text_.substr(at_).starts_with('-') || text_.substr(at_).starts_with('+')) ++at_;
      take_digits();
    }
    return {JsonValue::Kind::kNumber, std::string(text_.substr(first, at_ - first)), {}, {}};
  }

  std::string read_text() {
    std::string text;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < ' ') fail("no control character in a text");
      if (text_[at_] == '\\') {
        ++at_;
        read_escape(text);
      } else {
        text += text_[at_];
      }
    }
    if (at_ >= text_.size()) fail("'\"'");
    ++at_;
    return text;
  }
  void read_escape(std::string& text) {
    constexpr std::string_view kLetters = "\"\\/bfnrt";
    constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
    const char letter = at_ < text_.size() ? text_[at_] : '\0';
    if (letter == 'u') return read_code(text);
    const size_t which = kLetters.find(letter);
    if (letter == '\0' || which == std::string_view::npos) fail("an escape");
    text += kMeant[which];
  }
  uint32_t read_unit() {
    uint32_t unit = 0;
    const std::string_view digits = text_.substr(at_ + 1, 4);
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
    if (digits.size() != 4 || read.ptr != digits.data() + 4) fail("four hexadecimal digits");
    at_ += 4;
    return unit;
  }
  /// UTF-8 of a code, which may be written as two.
  void read_code(std::string& text) {
    uint32_t code = read_unit();
    if (code >= 0xD800 && code < 0xDC00) {
      if (!text_.substr(at_ + 1).starts_with("\\u")) fail("the second half of a code");
      at_ += 2;
      code = 0x10000 + ((code - 0xD800) << 10) + ((read_unit() - 0xDC00) & 0x3FF);
    }
    const auto add = [&](uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (code < 0x80) {
      add(code);
    } else if (code < 0x800) {
      add(0xC0 | (code >> 6));
      add(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
      add(0xE0 | (code >> 12));
      add(0x80 | ((code >> 6) & 0x3F));
      add(0x80 | (code & 0x3F));
    } else {
      add(0xF0 | (code >> 18));
      add(0x80 | ((code >> 12) & 0x3F));
      add(0x80 | ((code >> 6) & 0x3F));
      add(0x80 | (code & 0x3F));
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const JsonValue* JsonValue::find(std::string_view name) const {
  for (size_t i = names.size(); i-- > 0;)
    if (names[i] == name) return &items[i];
  return nullptr;
}

JsonValue read_json(std::string_view text) { return JsonReader(text).read_all(); }

}  // namespace flowray
