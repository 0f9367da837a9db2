#pragma once
/// tf.nn.fused_batch_norm: normalisation, scale and offset of images by one op.

#include <flowray/tf/input.h>
#include <string>

#pragma GCC visibility push(default)

namespace flowray::tf {

namespace nn {

struct FusedBatchNormOptions {
  /// What training has found so far; needed unless this is training.
  OptionalInput mean = {};
  OptionalInput variance = {};
  double epsilon = 0.001;
  /// NHWC or NCHW.
  std::string data_format = "NHWC";
  bool is_training = true;
  std::string name = {};
  /// How much of this batch goes into the moving averages.
  double exponential_avg_factor = 1;
};
struct FusedBatchNorm {
  Tensor y;
  Tensor mean;
  Tensor variance;
};
/// x with mean 0 and variance 1 for each channel, times scale plus offset, and the mean and variance of the
/// batch. Throws ValueError where mean or variance is needed and left out.
FusedBatchNorm fused_batch_norm(const Input& x, const Input& scale, const Input& offset,
                                const FusedBatchNormOptions& options = {});

}  // namespace nn

}  // namespace flowray::tf

#pragma GCC visibility pop
