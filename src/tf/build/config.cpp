#include <flowray/errors.h>
#include <flowray/tf/config.h>

#include "core/json.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace flowray::tf {
namespace {

const char* name_of(Config::Kind kind) {
  switch (kind) {
    case Config::Kind::kNull:
      return "null";
    case Config::Kind::kBool:
      return "a truth value";
    case Config::Kind::kInteger:
      return "an integer";
    case Config::Kind::kNumber:
      return "a number";
    case Config::Kind::kText:
      return "a text";
    case Config::Kind::kList:
      return "a list";
    case Config::Kind::kItems:
      return "items by names";
  }
  return "";
}

[[noreturn]] void throw_other_kind(const char* wanted, const Config& given) {
  throw TypeError(fmt::format("A config was asked for {}, but is {}: {}", wanted, name_of(given.kind()),
                              given.to_json().substr(0, 200)));
}

constexpr size_t kMostItems = 10000;  // they are looked through

Config config_of(const JsonValue& json);

Config number_of(const std::string& text) {
  const char* const end = text.data() + text.size();
  int64_t integer = 0;
  const auto whole = std::from_chars(text.data(), end, integer);
  if (whole.ec == std::errc() && whole.ptr == end) return integer;
  double number = 0;
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) throw ValueError("The number " + text + " is out of range.");
  return number;
}

Config config_of(const JsonValue& json) {
  switch (json.kind) {
    case JsonValue::Kind::kNull:
      return {};
    case JsonValue::Kind::kBool:
      return json.text == "true";
    case JsonValue::Kind::kNumber:
      return number_of(json.text);
    case JsonValue::Kind::kText:
      return json.text;
    case JsonValue::Kind::kList: {
      std::vector<Config> values;
      for (const JsonValue& item : json.items) values.push_back(config_of(item));
      return values;
    }
    case JsonValue::Kind::kMap: {
      if (json.items.size() > kMostItems)
        throw ValueError(fmt::format("A config has at most {} items by names.", kMostItems));
      Config items = Config::items();
      for (size_t i = 0; i < json.items.size(); ++i) items.set(json.names[i], config_of(json.items[i]));
      return items;
    }
  }
  return {};
}

void write_text(const std::string& value, std::string& text) {
  text += '"';
  for (const char letter : value) {
    if (letter == '"' || letter == '\\') {
      text += '\\';
      text += letter;
    } else if (static_cast<unsigned char>(letter) < ' ') {
      text += fmt::format("\\u{:04x}", static_cast<int>(letter));
    } else {
      text += letter;
    }
  }
  text += '"';
}

/// As Python's repr: with a point or an exponent.
std::string number_text(double value) {
  if (!std::isfinite(value)) {
    throw ValueError(fmt::format(
        "Out of range float values are not JSON compliant: {}\nA config has finite numbers.", value));
  }
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

}  // namespace

Config Config::items(std::initializer_list<std::pair<std::string, Config>> items) {
  Config made;
  made.kind_ = Kind::kItems;
  for (const auto& [name, value] : items) made.set(name, value);
  return made;
}

Config Config::from_json(std::string_view text) { return config_of(read_json(text)); }

bool Config::truth() const {
  if (kind_ != Kind::kBool) throw_other_kind("a truth value", *this);
  return integer_ != 0;
}

int64_t Config::integer() const {
  if (kind_ == Kind::kInteger) return integer_;
  const bool is_whole = kind_ == Kind::kNumber && std::trunc(number_) == number_ && std::abs(number_) < 9e18;
  if (!is_whole) throw_other_kind("an integer", *this);
  return static_cast<int64_t>(number_);
}

double Config::number() const {
  if (kind_ == Kind::kInteger) return static_cast<double>(integer_);
  if (kind_ != Kind::kNumber) throw_other_kind("a number", *this);
  return number_;
}

const std::string& Config::text() const {
  if (kind_ != Kind::kText) throw_other_kind("a text", *this);
  return text_;
}

const std::vector<Config>& Config::values() const {
  if (kind_ != Kind::kList && kind_ != Kind::kItems) throw_other_kind("a list", *this);
  return values_;
}

std::vector<int64_t> Config::integers() const {
  std::vector<int64_t> all;
  for (const Config& value : values()) all.push_back(value.integer());
  return all;
}

const Config* Config::find(std::string_view name) const {
  for (size_t i = 0; i < names_.size(); ++i)
    if (names_[i] == name) return &values_[i];
  return nullptr;
}

const Config& Config::at(std::string_view name) const {
  if (const Config* const found = find(name)) return *found;
  throw KeyError(fmt::format("'{}' is not in the config {}", name, to_json().substr(0, 200)));
}

Config& Config::set(std::string_view name, Config value) {
  if (is_null()) kind_ = Kind::kItems;
  if (!has_items()) throw_other_kind("items by names", *this);
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] != name) continue;
    values_[i] = std::move(value);
    return *this;
  }
  names_.emplace_back(name);
  values_.push_back(std::move(value));
  return *this;
}

Config& Config::add(Config value) {
  if (is_null()) kind_ = Kind::kList;
  if (!is_list()) throw_other_kind("a list", *this);
  values_.push_back(std::move(value));
  return *this;
}

std::string Config::to_json() const {
  std::string text;
  write(text);
  return text;
}

void Config::write(std::string& text) const {
  switch (kind_) {
    case Kind::kNull:
      text += "null";
      return;
    case Kind::kBool:
      text += integer_ != 0 ? "true" : "false";
      return;
    case Kind::kInteger:
      text += std::to_string(integer_);
      return;
    case Kind::kNumber:
      text += number_text(number_);
      return;
    case Kind::kText:
      return write_text(text_, text);
    case Kind::kList:
    case Kind::kItems:
      break;
  }
  text += has_items() ? '{' : '[';
  for (size_t i = 0; i < values_.size(); ++i) {
    if (i > 0) text += ", ";
    if (has_items()) {
      write_text(names_[i], text);
      text += ": ";
    }
    values_[i].write(text);
  }
  text += has_items() ? '}' : ']';
}

bool Config::operator==(const Config& other) const = default;

}  // namespace flowray::tf
