#pragma once

#include <cstdint>
#include <string_view>

namespace flowray {

/// MurmurHash64A (Austin Appleby, in the public domain) with the seed that TensorFlow gives it.
uint64_t murmur_hash(std::string_view text);

/// One hash made of two, by the last steps of the same (TensorFlow's FingerprintCat64).
uint64_t joined_hash(uint64_t a, uint64_t b);

}  // namespace flowray
