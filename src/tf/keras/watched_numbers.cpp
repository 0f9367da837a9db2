#include "tf/keras/watched_numbers.h"

#include "core/said_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace flowray::tf::keras::callbacks {

const double* value_of(const Logs& logs, std::string_view name) {
  const auto found = std::ranges::find(logs, name, &Logs::value_type::first);
  return found == logs.end() ? nullptr : &found->second;
}

std::vector<std::string> names_of(const Logs& logs) {
  std::vector<std::string> names;
  for (const auto& [name, value] : logs) names.push_back(name);
  return names;
}

void say(const std::string& line) {
  fmt::print("{}\n", line);
  std::fflush(stdout);
}

void warn(const std::string& line) { say_unless_just_said(line, std::chrono::seconds(10)); }

bool greater_is_better(std::string_view what, std::string_view mode, bool automatically) {
  if (mode == "max") return true;
  if (mode == "min") return false;
  if (mode != "auto")
    fmt::print(stderr, "flowray: {} mode {} is unknown, fallback to auto mode.\n", what, mode);
  return automatically;
}

std::string python_text(double number) {
  std::string text = fmt::format("{}", number);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

}  // namespace flowray::tf::keras::callbacks
