#pragma once
/// Fourier transforms of real numbers: tf.signal.rfft and its siblings.

#include <flowray/tf/input.h>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

namespace signal {

struct RealTransformOptions {
  /// The sizes of the transformed dimensions; left out: those of the tensor. Longer ones are filled with
  /// zeros, shorter ones cut off.
  OptionalInput fft_length = {};
  std::string name = {};
};
/// The transform over the last dimension, or the last two, of which the last is cut to fft_length / 2 + 1:
/// the rest are conjugates. float32 or float64; throws ValueError for other dtypes.
Tensor rfft(const Input& input_tensor, const RealTransformOptions& options = {});
Tensor rfft2d(const Input& input_tensor, const RealTransformOptions& options = {});
/// The inverse: complex64 or complex128 to real numbers.
Tensor irfft(const Input& input_tensor, const RealTransformOptions& options = {});
Tensor irfft2d(const Input& input_tensor, const RealTransformOptions& options = {});

}  // namespace signal

}  // namespace flowray::tf

#pragma GCC visibility pop
