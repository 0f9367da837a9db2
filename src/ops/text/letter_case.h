#pragma once
/// Upper and lower case of any script, as Unicode has it (no language's own rules).

#include <string>
#include <string_view>

namespace flowray::ops {

/// `text` is UTF-8; each malformed piece of it becomes U+FFFD. What follows a NUL is left out, as
/// TensorFlow's conversion does.
std::string utf8_to_upper(std::string_view text);
std::string utf8_to_lower(std::string_view text);

}  // namespace flowray::ops
