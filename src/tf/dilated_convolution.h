#pragma once
/// Convolution with gaps between the rows and columns of its kernel, as TensorFlow 1's layers make it: the
/// image is dealt out to several small ones, which an ordinary convolution takes, and put together again.

#include <flowray/tf/tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace flowray::tf {

/// images [N,H,W,C], kernel [KH,KW,C,OUT] of known sizes; `rates` of rows and columns, one of them greater
/// than 1; `padding` is SAME or VALID. In the current scopes.
Tensor dilated_convolution(const Tensor& images, const Tensor& kernel, const std::vector<int64_t>& rates,
                           const std::string& padding);

}  // namespace flowray::tf
