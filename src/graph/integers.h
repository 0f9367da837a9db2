#pragma once
/// Integer arrays as 64-bit values: axes, dimensions and permutations come as int32 or int64.

#include <flowray/array.h>

#include <cstdint>
#include <vector>

namespace flowray::graph {

/// The elements in a row. Throws TypeError for another dtype than an integer.
std::vector<int64_t> to_integers(const Array& array);

}  // namespace flowray::graph
