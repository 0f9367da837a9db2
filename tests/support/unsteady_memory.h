#pragma once
/// Memory that reads otherwise each time, as what lies in the object store does for a reader when another
/// process writes there: each instruction that touches it finds other values than the one before.

#include <flowray/array.h>

#include <cstdint>

namespace flowray::testing {

/// Whether this processor and this build can do it: x86-64, and no valgrind or ThreadSanitizer between.
bool has_unsteady_memory();

/// An array of `value`'s dtype (a number's) and shape whose elements are `value`'s, or edges of what they may
/// be, each time another choice of them; the same choices for the same seed and the same reads. It is read by
/// one thread at a time. System calls that read it fail with EFAULT.
Array unsteady(const Array& value, uint64_t seed);

}  // namespace flowray::testing
