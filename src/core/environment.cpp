#include "core/environment.h"

#include <flowray/errors.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

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

}  // namespace flowray
