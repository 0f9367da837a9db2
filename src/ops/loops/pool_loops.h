#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/function_ref.h"
#include "core/parallel.h"
#include "ops/loops/cpu_level.h"

namespace flowray::ops {

/// Pooling of images [batch, in_height, in_width, channels] to [batch, out_height, out_width, channels],
/// dense and row-major. Window (y, x) covers the rows from y * stride_height - pad_top on and the columns
/// from x * stride_width - pad_left on, clipped to the image; each must cover at least one pixel. out_height
/// and out_width (SAME, VALID or explicit) are the caller's to compute. Windows and strides are at least 1,
/// pads at least 0.
struct Pool2DShape {
  int64_t batch = 0;
  int64_t in_height = 0;
  int64_t in_width = 0;
  int64_t channels = 0;
  int64_t window_height = 1;
  int64_t window_width = 1;
  int64_t stride_height = 1;
  int64_t stride_width = 1;
  int64_t out_height = 0;
  int64_t out_width = 0;
  int64_t pad_top = 0;
  int64_t pad_left = 0;
};

/// Told of elements [begin, end) of a result when they are finished, on the thread that made them: they may
/// be changed then.
using FinishedElements = FunctionRef<void(int64_t begin, int64_t end)>;

struct Pool2DPlan;

/// The mean over each window's pixels inside the image (TensorFlow's AvgPool), prepared for one shape: float,
/// double, int32_t or int64_t (integers divide towards zero). float is fast; the others are plain loops.
///
/// Objects are immutable and need no workspace: any number of threads may run one at the same time. Nothing
/// is allocated by run(). All four classes have this contract; results overlap nothing else.
template <typename T>
class AveragePool2D {
 public:
  /// `level` is for tests; it must not be above highest_cpu_level().
  explicit AveragePool2D(const Pool2DShape& shape, CpuLevel level = cpu_level());

  void run(const T* in, T* out, Parallel& parallel, const FinishedElements* finished = nullptr) const;

 private:
  std::shared_ptr<const Pool2DPlan> plan_;  // Immutable, so copies share it.
};

/// The gradient of AveragePool2D with respect to its images, which it does not need (TensorFlow's
/// AvgPoolGrad). in_gradient is overwritten.
template <typename T>
class AveragePool2DGradient {
 public:
  explicit AveragePool2DGradient(const Pool2DShape& shape, CpuLevel level = cpu_level());

  void run(const T* out_gradient, T* in_gradient, Parallel& parallel,
           const FinishedElements* finished = nullptr) const;

 private:
  std::shared_ptr<const Pool2DPlan> plan_;
};

/// The greatest value of each window (TensorFlow's MaxPool). Which result a NaN gives is not specified.
template <typename T>
class MaxPool2D {
 public:
  explicit MaxPool2D(const Pool2DShape& shape, CpuLevel level = cpu_level());

  void run(const T* in, T* out, Parallel& parallel, const FinishedElements* finished = nullptr) const;

 private:
  std::shared_ptr<const Pool2DPlan> plan_;
};

/// The gradient of MaxPool2D with respect to its images: each window's goes to its first maximum in
/// row-major order (TensorFlow's MaxPoolGrad). `in` and `out` are what the pooling was given and made;
/// in_gradient is overwritten.
template <typename T>
class MaxPool2DGradient {
 public:
  explicit MaxPool2DGradient(const Pool2DShape& shape, CpuLevel level = cpu_level());

  void run(const T* in, const T* out, const T* out_gradient, T* in_gradient, Parallel& parallel,
           const FinishedElements* finished = nullptr) const;

 private:
  std::shared_ptr<const Pool2DPlan> plan_;
};

extern template class AveragePool2D<float>;
extern template class AveragePool2D<double>;
extern template class AveragePool2D<int32_t>;
extern template class AveragePool2D<int64_t>;
extern template class AveragePool2DGradient<float>;
extern template class AveragePool2DGradient<double>;
extern template class AveragePool2DGradient<int32_t>;
extern template class AveragePool2DGradient<int64_t>;
extern template class MaxPool2D<float>;
extern template class MaxPool2D<double>;
extern template class MaxPool2D<int32_t>;
extern template class MaxPool2D<int64_t>;
extern template class MaxPool2DGradient<float>;
extern template class MaxPool2DGradient<double>;
extern template class MaxPool2DGradient<int32_t>;
extern template class MaxPool2DGradient<int64_t>;
extern template class MaxPool2DGradient<uint64_t>;

}  // namespace flowray::ops
