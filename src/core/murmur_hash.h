#pragma once

#include <cstdint>
#include <string_view>

namespace flowray {

/// MurmurHash64A (Austin Appleby, in the public domain) with the seed that TensorFlow gives it.
uint64_t murmur_hash(std::string_view text);

}  // namespace flowray
