#pragma once
/// Which passes a session's steps go through. All are on unless a test or a measurement turns one off:
/// results do not depend on them.

#include <cstdint>

namespace flowray::engine {

struct PassOptions {
  bool raise = true;  ///< If and While in place of Switch, Merge, Enter, Exit; else node by node
  bool fold = true;   ///< constant folding: evaluate what is the same in every run
  bool drop = true;   ///< dead code elimination
  bool share = true;  ///< common subexpression elimination
  bool fuse = true;   ///< operator fusion: run elementwise chains as one loop
  bool order = true;  ///< schedule instructions for less memory
  /// A new order is taken only if it saves at least this many bytes, and 1/256 of the peak; 0: any saving.
  int64_t least_order_gain_bytes = 256;
  /// Look for mistakes of the passes between them; costs time whenever a step is made.
#ifdef NDEBUG
  bool verify = false;
#else
  bool verify = true;
#endif
};

}  // namespace flowray::engine
