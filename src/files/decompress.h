#pragma once

#include <string>
#include <string_view>

namespace flowray::files {

/// What was compressed as "ZLIB" or "GZIP"; "" is not compressed. What is cut off ends where it is cut, as in
/// TensorFlow. Throws errors::DataLossError for what is damaged.
std::string decompressed(std::string bytes, std::string_view compression);

}  // namespace flowray::files
