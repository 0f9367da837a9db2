#include "core/environment.h"

#include <flowray/errors.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace flowray {

int64_t integer_from_environment(const char* name, int64_t least, int64_t greatest, int64_t otherwise) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  const char* const end = text + std::strlen(text);
  int64_t value = 0;
  const auto [stop, failure] = std::from_chars(text, end, value);
  if (failure != std::errc{} || stop != end || value < least || value > greatest) {
    throw errors::InvalidArgumentError(std::string("The environment variable ") + name + " is '" + text +
                                       "': expected a whole number from " + std::to_string(least) + " to " +
                                       std::to_string(greatest) + ", or nothing for " +
                                       std::to_string(otherwise));
  }
  return value;
}

bool switch_from_environment(const char* name, bool otherwise) {
  static constexpr std::array<std::string_view, 4> kOn{"1", "true", "on", "yes"};
  static constexpr std::array<std::string_view, 4> kOff{"0", "false", "off", "no"};
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return otherwise;
  std::string word = text;
  std::ranges::transform(word, word.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  if (std::ranges::find(kOn, word) != kOn.end()) return true;
  if (std::ranges::find(kOff, word) != kOff.end()) return false;
  throw errors::InvalidArgumentError(
      std::string("The environment variable ") + name + " is '" + text +
      "': expected 1, true, on or yes, or 0, false, off or no, or nothing for " + (otherwise ? "on" : "off"));
}

}  // namespace flowray
