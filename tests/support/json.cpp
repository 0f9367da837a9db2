#include "support/json.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace flowray::testing {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Json read_all() {
    Json value = read();
    skip_space();
    if (at_ != text_.size()) fail("text after the end");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("JSON, at byte " + std::to_string(at_) + ": " + what);
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  char peek() {
    skip_space();
    if (at_ == text_.size()) fail("unexpected end");
    return text_[at_];
  }

  void expect(char wanted) {
    if (peek() != wanted) fail(std::string("expected '") + wanted + "'");
    ++at_;
  }

  bool accept(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Json read() {
    const char next = peek();
    if (next == '{') return read_object();
    if (next == '[') return read_list();
    if (next == '"') return read_string();
    Json value;
    if (accept("true") || accept("false")) {
      value.kind = Json::Kind::kBool;
      value.boolean = text_[at_ - 2] == 'u';
      return value;
    }
    if (accept("null")) return value;
    return read_number();
  }

  Json read_number() {
    Json value;
    value.kind = Json::Kind::kNumber;
    const size_t end = text_.find_first_not_of("+-.0123456789eE", at_);
    value.text = text_.substr(at_, end - at_);
    if (value.text.empty()) fail("no value");
    at_ += value.text.size();
    return value;
  }

  Json read_string() {
    Json value;
    value.kind = Json::Kind::kString;
    expect('"');
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const size_t plain = std::min(text_.find_first_of("\\\"", at_), text_.size());
      value.text.append(text_, at_, plain - at_);
      at_ = plain;
      if (at_ == text_.size() || text_[at_] == '"') break;
      ++at_;
      if (at_ == text_.size()) fail("unknown escape");
      switch (text_[at_]) {
        case '"':
        case '\\':
          value.text += text_[at_];
          break;
        case 'n':
          value.text += '\n';
          break;
        case 't':
          value.text += '\t';
          break;
        default:
          fail("unknown escape");
      }
    }
    expect('"');
    return value;
  }

  Json read_list() {
    Json value;
    value.kind = Json::Kind::kList;
    expect('[');
    while (peek() != ']') {
      value.items.push_back(read());
      if (peek() != ']') expect(',');
    }
    expect(']');
    return value;
  }

  Json read_object() {
    Json value;
    value.kind = Json::Kind::kObject;
    expect('{');
    while (peek() != '}') {
      std::string key = read_string().text;
      expect(':');
      value.members[std::move(key)] = read();
      if (peek() != '}') expect(',');
    }
    expect('}');
    return value;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

const Json& Json::at(const std::string& key) const {
  const auto found = members.find(key);
  if (found == members.end()) throw std::runtime_error("JSON: no member " + key);
  return found->second;
}

double Json::number() const { return std::strtod(text.c_str(), nullptr); }
int64_t Json::integer() const { return std::strtoll(text.c_str(), nullptr, 10); }

Json parse_json(std::string_view text) { return Reader(text).read_all(); }

Json read_golden(const std::string& name) {
  const std::string path = FLOWRAY_SOURCE_DIR "/tests/golden/" + name + ".json";
  std::string text(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(text.data(), static_cast<std::streamsize>(text.size()));
  return parse_json(text);
}

}  // namespace flowray::testing
