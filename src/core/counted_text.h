#pragma once
/// Numbers of things in messages.

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace flowray {

/// "1 tensor", "2 tensors".
inline std::string counted_text(size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace flowray
