#pragma once

#include <cstdint>
#include <string>

namespace flowray {

/// A number of bytes for people: "512B", "1.50KiB", "3.00MiB", "7.45GiB".
std::string bytes_text(uint64_t bytes);

}  // namespace flowray
