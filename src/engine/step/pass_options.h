#pragma once
/// Which passes a session's steps go through. All are on unless a test or a measurement turns one off:
/// results do not depend on them.

#include <cstdint>

namespace flowray::engine {

struct PassOptions {
  bool raise = true;  ///< make If and While of what is one; else such graphs run node by node
  bool fold = true;   ///< constant folding: evaluate what is the same in every run
  bool drop = true;   ///< dead code elimination
  bool share = true;  ///< common subexpression elimination
  bool fuse = true;   ///< operator fusion: run elementwise chains as one loop
  bool order = true;  ///< schedule instructions for less memory
  /// So many bytes it has to save; one part in 256 as well, unless this is 0.
  int64_t least_order_gain_bytes = 256;
  /// Look for mistakes of the passes between them; costs time whenever a step is made.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
};

}  // namespace flowray::engine
