#include <flowray/ray/runtime_env.h>

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "core/guarded.h"
#include "ray/transport/call_spec.h"

namespace flowray::ray {
namespace internal {
namespace {

/// Reads JSON's grammar, from the first letter to the last one.
class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  Json read_all() {
    Json json = read(0);
    skip_spaces();
    if (at_ < text_.size()) fail("the end");
    return json;
  }

 private:
  static constexpr int kDeepest = 200;

  [[noreturn]] void fail(std::string_view expected) const {
    throw RayRuntimeEnvException(
        fmt::format("It is no JSON: {} was expected at byte {} of {}.", expected, at_, text_.size()));
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

  Json read(int depth) {
    if (depth > kDeepest) fail("a value that is not as deep");
    switch (next()) {
      case '{':
        return read_map(depth);
      case '[':
        return read_list(depth);
      case '"':
        return json_of_text(read_text());
      default:
        break;
    }
    if (take_word("null")) return {};
    for (const std::string_view word : {"true", "false"})
      if (take_word(word)) return {Json::Kind::kBool, std::string(word), {}, {}};
    return read_number();
  }

  Json read_map(int depth) {
    Json json{Json::Kind::kMap, {}, {}, {}};
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
  Json read_list(int depth) {
    Json json{Json::Kind::kList, {}, {}, {}};
    take('[');
    if (take(']')) return json;
    do {
      json.items.push_back(read(depth + 1));
    } while (take(','));
    if (!take(']')) fail("',' or ']'");
    return json;
  }
  Json read_number() {
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
    return {Json::Kind::kNumber, std::string(text_.substr(first, at_ - first)), {}, {}};
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

std::string quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char letter : text) {
    switch (letter) {
      case '"':
      case '\\':
        quoted += '\\';
        quoted += letter;
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(letter) < ' ')
          quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(letter));
        else
          quoted += letter;
    }
  }
  return quoted + '"';
}

}  // namespace

Json parse_json(std::string_view text) { return JsonReader(text).read_all(); }

std::string json_text(const Json& json) {
  const bool is_map = json.kind == Json::Kind::kMap;
  switch (json.kind) {
    case Json::Kind::kNull:
      return "null";
    case Json::Kind::kBool:
    case Json::Kind::kNumber:
      return json.text;
    case Json::Kind::kText:
      return quoted(json.text);
    default:
      break;
  }
  std::string text(1, is_map ? '{' : '[');
  for (size_t i = 0; i < json.items.size(); ++i) {
    if (i > 0) text += ',';
    if (is_map) text += quoted(json.names[i]) + ':';
    text += json_text(json.items[i]);
  }
  return text + (is_map ? '}' : ']');
}

Json json_of_text(std::string_view text) { return {Json::Kind::kText, std::string(text), {}, {}}; }

Json json_of_number(double number) {
  if (!std::isfinite(number)) return {};  // JSON has none
  return {Json::Kind::kNumber, fmt::format("{}", number), {}, {}};
}

void throw_other_json(const Json& json, std::string_view expected) {
  throw RayRuntimeEnvException(
      fmt::format("it is {}, and {} was expected.", json_text(json).substr(0, 100), expected));
}

std::string environment_text(const RuntimeEnv& env) {
  static auto* const told = new Guarded<std::set<std::string>>();
  const Json fields = parse_json(env.Serialize());
  std::string text;
  for (size_t i = 0; i < fields.items.size(); ++i) {
    const std::string& name = fields.names[i];
    if (name != "env_vars") {
      if (told->lock()->insert(name).second) {
        fmt::print(stderr,
                   "flowray: RuntimeEnv: '{}' is not followed: workers run this program as it is. Only "
                   "'env_vars' is.\n",
                   name);
      }
      continue;
    }
    for (const auto& [variable, value] : env.Get<std::map<std::string, std::string>>(name)) {
      if (variable.empty() || variable.find('=') != std::string::npos ||
          (variable + value).find('\0') != std::string::npos) {
        throw RayRuntimeEnvException("env_vars: '" + variable + "' cannot be a variable's name.");
      }
      text.append(variable).append("=").append(value).append(1, '\0');
    }
  }
  if (text.size() > kMostEnvironmentBytes) {
    throw RayRuntimeEnvException(
        fmt::format("env_vars have {} bytes; at most {} are possible.", text.size(), kMostEnvironmentBytes));
  }
  return text;
}

}  // namespace internal

const internal::Json& RuntimeEnv::field(const std::string& name) const {
  const auto found = fields_.find(name);
  if (found == fields_.end()) throw RayRuntimeEnvException("The field " + name + " not found.");
  return found->second;
}

void RuntimeEnv::SetJsonStr(const std::string& name, const std::string& json_str) {
  try {
    fields_[name] = internal::parse_json(json_str);
  } catch (const RayRuntimeEnvException& error) {
    throw RayRuntimeEnvException("Failed to set the field " + name + " by json string: " + error.message());
  }
}

std::string RuntimeEnv::GetJsonStr(const std::string& name) const { return internal::json_text(field(name)); }

bool RuntimeEnv::Contains(const std::string& name) const { return fields_.contains(name); }

bool RuntimeEnv::Remove(const std::string& name) { return fields_.erase(name) > 0; }

bool RuntimeEnv::Empty() const { return fields_.empty(); }

std::string RuntimeEnv::Serialize() const { return internal::json_text(internal::to_json(fields_)); }

std::string RuntimeEnv::SerializeToRuntimeEnvInfo() const {
  return internal::json_text(
      internal::to_json(std::map<std::string, std::string>{{"serialized_runtime_env", Serialize()}}));
}

RuntimeEnv RuntimeEnv::Deserialize(const std::string& serialized_runtime_env) {
  const internal::Json json = internal::parse_json(serialized_runtime_env);
  if (json.kind != internal::Json::Kind::kMap) internal::throw_other_json(json, "a map of fields");
  RuntimeEnv env;
  for (size_t i = 0; i < json.items.size(); ++i) env.fields_[json.names[i]] = json.items[i];
  return env;
}

}  // namespace flowray::ray
