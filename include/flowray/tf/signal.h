#pragma once
/// tf.signal: windows, and Fourier transforms of real numbers. Nodes and names are those of TensorFlow's
/// window_ops and fft_ops.

#include <flowray/tf/input.h>

#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf::signal {

// ---- windows

struct WindowOptions {
  /// For Fourier transforms; else symmetric, for filters.
  Input periodic = true;
  /// float16, float32 or float64.
  DType dtype = DType::kFloat32;
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// 0.5 - 0.5 * cos(2 pi i / n): a vector of `window_length`, an integer scalar. Throws ValueError for a
/// vector, or another dtype.
Tensor hann_window(const Input& window_length, const WindowOptions& options = {});
/// 0.54 - 0.46 * cos(2 pi i / n): a vector as of hann_window.
Tensor hamming_window(const Input& window_length, const WindowOptions& options = {});

// ---- Fourier transforms

struct RealTransformOptions {
  /// The sizes of the transformed dimensions; left out: those of the tensor. Longer ones are filled with
  /// zeros, shorter ones cut off.
  OptionalInput fft_length = {};
  /// The name of its node, or of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The transform over the last dimension, which is cut to fft_length / 2 + 1:
/// the rest are conjugates. float32 or float64; throws ValueError for other dtypes.
Tensor rfft(const Input& input_tensor, const RealTransformOptions& options = {});
/// rfft over the last two dimensions.
Tensor rfft2d(const Input& input_tensor, const RealTransformOptions& options = {});
/// The inverse of rfft: complex64 or complex128 to real numbers.
Tensor irfft(const Input& input_tensor, const RealTransformOptions& options = {});
/// The inverse of rfft2d.
Tensor irfft2d(const Input& input_tensor, const RealTransformOptions& options = {});

}  // namespace flowray::tf::signal

#pragma GCC visibility pop
