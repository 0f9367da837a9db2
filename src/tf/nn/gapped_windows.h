#pragma once
/// Convolutions and pools with gaps between the rows and columns of their windows, as TensorFlow 1 makes
/// them: the image is dealt out to several small ones, which an ordinary operation takes, and put
/// together again.

#include <flowray/tf/tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace flowray::tf {

/// What is done with the small images, by a padding.
using WindowOperation = std::function<Tensor(const Tensor& images, const std::string& padding)>;

struct SpaceToBatchOptions {
  /// Gaps of each spatial dimension, 1 for none.
  std::vector<int64_t> rates;
  /// SAME or VALID.
  std::string padding;
  /// Sizes of the window, at least one for each rate.
  std::vector<int64_t> window;
  /// Whether the window's sizes are made a constant "filter_shape" where they are needed.
  bool names_window = true;
  /// Whether operations without gaps have their rates as a constant, too.
  bool names_no_rates = false;
};

/// images [N,spatial..,C] of as many spatial dimensions as rates. In the current scopes; `operation` is
/// called once, for images dealt out with VALID, or with its own padding where there are no gaps.
Tensor with_space_to_batch(const Tensor& images, const SpaceToBatchOptions& options,
                           const WindowOperation& operation);

}  // namespace flowray::tf
