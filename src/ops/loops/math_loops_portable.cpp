// The loops of elementwise math with the instructions that every processor has.

#define FLOWRAY_VECTOR_BYTES 16
#include "ops/loops/math_loops_code.h"

namespace flowray::ops {

constinit const MathLoops kPortableMathLoops = all_math_loops();

}  // namespace flowray::ops
