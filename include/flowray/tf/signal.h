#pragma once
/// tf.signal: windows. Nodes and names are those of TensorFlow's window_ops.

#include <flowray/tf/input.h>

#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf::signal {

struct WindowOptions {
  /// For Fourier transforms; else symmetric, for filters.
  Input periodic = true;
  /// float16, float32 or float64.
  DType dtype = DType::kFloat32;
  std::string name = {};
};
/// 0.5 - 0.5 * cos(2 pi i / n): a vector of `window_length`, an integer scalar. Throws ValueError for a
/// vector, or another dtype.
Tensor hann_window(const Input& window_length, const WindowOptions& options = {});
/// 0.54 - 0.46 * cos(2 pi i / n).
Tensor hamming_window(const Input& window_length, const WindowOptions& options = {});

}  // namespace flowray::tf::signal

#pragma GCC visibility pop
