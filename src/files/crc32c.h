#pragma once
/// CRC-32C (Castagnoli; RFC 3720, appendix B.4), the checksum of TensorFlow's record files, tables
/// and bundles.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace flowray::files {

/// The checksum of `bytes`; `before` is the checksum of what stands before them.
uint32_t crc32c(std::string_view bytes, uint32_t before = 0);
/// The same by tables, on any processor.
uint32_t crc32c_portable(std::string_view bytes, uint32_t before = 0);

/// The checksum as it is written into files: a checksum of data that contains checksums would be weak.
constexpr uint32_t masked(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xa282ead8u; }

}  // namespace flowray::files
