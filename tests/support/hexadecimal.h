#pragma once
/// Bytes as golden files write them.

#include <string>
#include <string_view>

namespace flowray::testing {

/// "0aff": two small digits a byte.
std::string to_hexadecimal(std::string_view bytes);
/// Throws std::invalid_argument for other texts.
std::string from_hexadecimal(std::string_view digits);

}  // namespace flowray::testing
