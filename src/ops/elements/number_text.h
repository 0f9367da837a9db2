#pragma once
/// Numbers written in decimal, as files have them.

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

namespace flowray::ops {

/// The number that `text` is, spaces around it aside; none where it is something else or, for integers, out
/// of range. Reals too large to be told apart from infinity are infinite, and those too small are 0.
template <class T>
std::optional<T> number_from_text(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n\v\f\r");
  if (begin == std::string_view::npos) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(" \t\n\v\f\r") + 1 - begin);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (stop != text.data() + text.size()) return std::nullopt;
  if (error == std::errc()) return value;
  if constexpr (std::is_floating_point_v<T>) {
    if (error == std::errc::result_out_of_range) {
      const bool is_small =
          text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
      const T size = is_small ? T(0) : std::numeric_limits<T>::infinity();
      return text.starts_with('-') ? -size : size;
    }
  }
  return std::nullopt;
}

}  // namespace flowray::ops
