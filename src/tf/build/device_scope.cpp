#include "tf/build/device_scope.h"

#include <flowray/errors.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <vector>

namespace flowray::tf {
namespace {

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (size_t end = 0; end != std::string_view::npos;) {
    end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return parts;
}

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

int number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  throw ValueError(fmt::format("invalid literal for int() with base 10: '{}'", text));
}

}  // namespace

graph::DeviceName device_in_scope(std::string_view text) {
  graph::DeviceName name;
  const auto set_type = [&](std::string_view type, std::string_view index) {
    if (name.type.has_value()) {
      throw ValueError(
          fmt::format("Multiple device types are not allowed while parsing the device spec: {}.", text));
    }
    name.type = upper(type);
    if (index != "*") name.index = number_in(index);
  };
  for (const std::string_view part : split(text, '/')) {
    const std::vector<std::string_view> words = split(part, ':');
    const std::string_view key = words[0];
    const bool is_type = upper(key) == "CPU" || upper(key) == "GPU";
    if (words.size() == 2 && key == "job") {
      name.job = words[1];
    } else if (words.size() == 2 && key == "replica") {
      name.replica = number_in(words[1]);
    } else if (words.size() == 2 && key == "task") {
      name.task = number_in(words[1]);
    } else if (words.size() <= 2 && is_type) {
      set_type(key, words.size() == 2 ? words[1] : "*");
    } else if (words.size() == 3 && key == "device") {
      set_type(words[1], words[2]);
    } else if (!key.empty()) {
      throw ValueError(
          fmt::format("Unknown attribute '{}' is encountered while parsing the device spec: '{}'.\nA device "
                      "is written as "
                      "\"/job:ps/task:0/device:CPU:0\", of which any part may be left out.",
                      key, text));
    }
  }
  return name;
}

}  // namespace flowray::tf
