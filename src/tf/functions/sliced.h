#pragma once
/// x[...] with a number of indices known only at run time.

#include <flowray/tf/slicing.h>

#include <span>

namespace flowray::tf {

/// What x[{indices...}] gives.
Tensor sliced(const Tensor& x, std::span<const Index> indices);

}  // namespace flowray::tf
