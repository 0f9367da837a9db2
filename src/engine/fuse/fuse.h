#pragma once
/// Elementwise chains become one loop.

#include "engine/program/program.h"

namespace flowray::engine {

/// Joins kernels that can be run piece by piece (Kernel::elementwise) with those that read their results,
/// so that these stay in the first cache and need no memory; kernels of single elements are joined whether
/// they read one another or not. What such a chain begins with may be a kernel that tells of its output in
/// pieces (Kernel::pieces), or else it may end in one that takes an input in pieces (Kernel::source). Works
/// on a program whose instructions are made and whose buffers are not planned yet; the blocking part stays
/// as it is.
void fuse(Program& program);

}  // namespace flowray::engine
