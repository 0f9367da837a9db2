#pragma once
/// Kernels for dtypes that an op has no loop for, made from its kernel for a wider one.

#include "graph/kernel/kernel.h"

namespace flowray::graph {

/// The op's kernel for the dtypes of `context`. Where it has none for float16, bfloat16 or an integer of at
/// most 32 bits, its kernel for float32, int32 or int64, with inputs that are converted before and outputs
/// after: as TensorFlow's, which compute elements of 16 bits as float, and since integers wrap around alike.
/// Not for what changes variables. Throws what the op's `prepare` throws.
std::unique_ptr<Kernel> prepare_kernel(PrepareContext& context);

}  // namespace flowray::graph
