#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flowray::files {

/// What was compressed as "ZLIB" or "GZIP"; "" is not compressed. What is cut off ends where it is cut, as in
/// TensorFlow. Throws errors::DataLossError for what is damaged, errors::ResourceExhaustedError where it
/// becomes more than `most_bytes` (0: any), as a few bytes may that were made to fill the memory.
std::string decompressed(std::string bytes, std::string_view compression, uint64_t most_bytes);

}  // namespace flowray::files
