#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flowray::files {

/// What zlib made of compressed bytes, and how far it came.
struct Inflated {
  enum class End {
    kWhole,     ///< at the end of the last member
    kCutOff,    ///< within a member: bytes are missing
    kDamaged,   ///< `error` and `reason` say what zlib found
    kTooLarge,  ///< more than `most_bytes` came out
  };
  std::string bytes;
  End end = End::kWhole;
  /// Compressed bytes behind the last whole member; all where there is none.
  size_t num_behind = 0;
  int error = 0;
  std::string reason;
};
/// Inflates all members of `compressed`. `is_gzip`: else zlib's format, which has one member, and what is
/// behind it is not looked at, as in TensorFlow. `most_bytes` 0: any number.
Inflated inflated(std::string_view compressed, bool is_gzip, uint64_t most_bytes);

/// Undoes the compression "ZLIB" or "GZIP"; "" leaves them as they are. Bytes that are cut off give what is
/// there, as in TensorFlow. Throws errors::DataLossError for what is damaged, errors::ResourceExhaustedError
/// where it becomes more than `most_bytes` (0: any), as a few bytes may that were made to fill the memory.
std::string decompressed(std::string bytes, std::string_view compression, uint64_t most_bytes);

}  // namespace flowray::files
