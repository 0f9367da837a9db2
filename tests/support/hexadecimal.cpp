#include "support/hexadecimal.h"

#include <stdexcept>

namespace flowray::testing {

std::string to_hexadecimal(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char letter : bytes) {
    const auto byte = static_cast<unsigned char>(letter);
    text += kDigits[byte / 16];
    text += kDigits[byte % 16];
  }
  return text;
}

std::string from_hexadecimal(std::string_view digits) {
  if (digits.size() % 2 != 0) throw std::invalid_argument("an odd number of digits");
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    size_t used = 0;
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), &used, 16));
    if (used != 2) throw std::invalid_argument("no digits: " + std::string(digits.substr(i, 2)));
  }
  return bytes;
}

}  // namespace flowray::testing
