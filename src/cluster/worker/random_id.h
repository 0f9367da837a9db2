#pragma once

#include <cstdint>

namespace flowray::cluster {

/// Never 0; no two are the same, in this process or another one, but by a chance of one in 2^56. Thread-safe.
int64_t random_id();

}  // namespace flowray::cluster
