#pragma once
/// What several kinds of distributions need.

#include <flowray/tf/distributions.h>

#include "tf/build/composite.h"

#include <string_view>

namespace flowray::tf::distributions {

/// A parameter as a tensor, of the dtype of `like` where that is given. Throws TypeError where it is no
/// float.
Tensor parameter(Composite& call, const Input& value, std::string_view name, const Tensor* like = nullptr);
/// The shape of `count` samples of a number each: [count] + the tensor's.
Tensor counted(const Tensor& count, const Tensor& tensor);
/// NaN of the tensor's dtype.
Tensor not_a_number(const Tensor& like);
/// The tensor with a dimension of size 1 at its end.
Tensor with_last_dimension(const Tensor& tensor);

}  // namespace flowray::tf::distributions
