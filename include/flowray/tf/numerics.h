#pragma once
/// Guards against numbers that are none, and against division by zero.

#include <flowray/tf/input.h>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// x, which a step refuses with InvalidArgumentError and `message` where NaN or infinity is in it.
Tensor verify_tensor_all_finite(const Input& x, const std::string& message, const NameOption& options = {});

namespace math {

/// 1 / x, and 0 where x is 0.
Tensor reciprocal_no_nan(const Input& x, const NameOption& options = {});

}  // namespace math

}  // namespace flowray::tf

#pragma GCC visibility pop
