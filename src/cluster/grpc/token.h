#pragma once

#include <algorithm>
#include <string_view>

namespace flowray::cluster {

/// How a token travels with each request.
inline constexpr const char* kTokenKey = "authorization";
inline constexpr std::string_view kTokenScheme = "Bearer ";

/// Whether a request that came with `shown` under kTokenKey has the token. It takes as long for any text of
/// the same length, against timing attacks.
inline bool shows_token(std::string_view shown, std::string_view token) {
  if (!shown.starts_with(kTokenScheme)) return false;
  shown.remove_prefix(kTokenScheme.size());
  unsigned differences = shown.size() == token.size() ? 0 : 1;
  for (size_t i = 0; i < shown.size(); ++i) {
    // volatile: the compiler may not stop at the first difference either
    const volatile auto ours = static_cast<unsigned char>(token[i % std::max<size_t>(token.size(), 1)]);
    const volatile auto theirs = static_cast<unsigned char>(shown[i]);
    differences |= static_cast<unsigned>(ours ^ theirs);
  }
  return differences == 0 && !token.empty();
}

}  // namespace flowray::cluster
