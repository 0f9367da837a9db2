// The copies of a loop: see compiled_loop.h.

#include "ops/loops/portable_level.h"

namespace flowray::ops::FLOWRAY_LEVEL {

template <class Loop, class Signature = decltype(Loop::run)>
struct LoopCopy;

template <class Loop, class... Arguments>
struct LoopCopy<Loop, void(Arguments...)> {
  static void run(Arguments... arguments) { Loop::run(arguments...); }
};

}  // namespace flowray::ops::FLOWRAY_LEVEL
