#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/function_ref.h"
#include "core/parallel.h"
#include "ops/loops/cpu_level.h"

namespace flowray::ops {

/// A two-dimensional convolution of images [batch, in_height, in_width, in_channels] with a filter
/// [filter_height, filter_width, in_channels, out_channels] to [batch, out_height, out_width, out_channels],
/// all dense and row-major (TensorFlow's NHWC and HWIO). As in TensorFlow the filter is not mirrored:
///
///     out[n, y, x, o] = sum over i, j, c of filter[i, j, c, o] *
///                       in[n, y * stride_height + i * dilation_height - pad_top,
///                             x * stride_width + j * dilation_width - pad_left, c]
///
/// where `in` is zero outside of the image. How far it is padded at the bottom and the right follows from
/// out_height and out_width, which the caller computes (SAME, VALID or explicit). Any extent may be 0;
/// strides and dilations are at least 1, pads at least 0.
struct Conv2DShape {
  int64_t batch = 0;
  int64_t in_height = 0;
  int64_t in_width = 0;
  int64_t in_channels = 0;
  int64_t filter_height = 0;
  int64_t filter_width = 0;
  int64_t out_channels = 0;
  int64_t out_height = 0;
  int64_t out_width = 0;
  int64_t stride_height = 1;
  int64_t stride_width = 1;
  int64_t dilation_height = 1;
  int64_t dilation_width = 1;
  int64_t pad_top = 0;
  int64_t pad_left = 0;
};

/// What happens to the convolution's result on its way out, in this order.
struct Conv2DEpilogue {
  bool bias = false;  ///< bias[out_channels] is added to every pixel.
  bool relu = false;  ///< Negative values become 0; NaN stays.
};

/// Told of elements [begin, end) of a result when they are finished, on the thread that made them: they may
/// be changed then.
using FinishedElements = FunctionRef<void(int64_t begin, int64_t end)>;

struct Conv2DPlan;
struct Conv2DBackwardInputPlan;
struct Conv2DBackwardFilterPlan;

/// The forward convolution, prepared for one shape: float, double, int32_t or int64_t (integers wrap around).
///
/// float is fast; the others are plain loops. Objects are immutable: any number of threads may run one at
/// the same time, each with a workspace of its own. Nothing is allocated by run(). All three classes have
/// this contract.
template <typename T>
class Conv2D {
 public:
  /// `level` is for tests; it must not be above highest_cpu_level().
  explicit Conv2D(const Conv2DShape& shape, const Conv2DEpilogue& epilogue = {},
                  CpuLevel level = cpu_level());

  /// Bytes of workspace that run() needs with a Parallel of `workers` workers.
  size_t workspace_bytes(int workers) const;

  /// `bias` is read only where the epilogue asks for it, and may be null otherwise. `workspace` is 64-byte
  /// aligned and holds workspace_bytes(parallel.workers()) bytes of any content. The result overlaps nothing
  /// else. `finished` may be null.
  void run(const T* in, const T* filter, const T* bias, T* out, void* workspace, Parallel& parallel,
           const FinishedElements* finished = nullptr) const;

  /// What run() tells of begins and ends at multiples of so many elements.
  int64_t piece_elements() const;
  /// Whether that many workers all have something to do.
  bool is_shared(int workers) const;

 private:
  std::shared_ptr<const Conv2DPlan> plan_;  // Immutable, so copies share it.
  Conv2DEpilogue epilogue_;
};

/// The gradient with respect to the images: in_gradient is overwritten.
template <typename T>
class Conv2DBackwardInput {
 public:
  explicit Conv2DBackwardInput(const Conv2DShape& shape, CpuLevel level = cpu_level());

  size_t workspace_bytes(int workers) const;

  void run(const T* filter, const T* out_gradient, T* in_gradient, void* workspace, Parallel& parallel,
           const FinishedElements* finished = nullptr) const;

  int64_t piece_elements() const;
  bool is_shared(int workers) const;

 private:
  std::shared_ptr<const Conv2DBackwardInputPlan> plan_;
};

/// The gradient with respect to the filter: filter_gradient is overwritten.
template <typename T>
class Conv2DBackwardFilter {
 public:
  explicit Conv2DBackwardFilter(const Conv2DShape& shape, CpuLevel level = cpu_level());

  size_t workspace_bytes(int workers) const;

  void run(const T* in, const T* out_gradient, T* filter_gradient, void* workspace, Parallel& parallel) const;

 private:
  std::shared_ptr<const Conv2DBackwardFilterPlan> plan_;
};

template <>
size_t Conv2D<float>::workspace_bytes(int workers) const;
template <>
void Conv2D<float>::run(const float* in, const float* filter, const float* bias, float* out, void* workspace,
                        Parallel& parallel, const FinishedElements* finished) const;
template <>
bool Conv2D<float>::is_shared(int workers) const;
template <>
size_t Conv2DBackwardInput<float>::workspace_bytes(int workers) const;
template <>
void Conv2DBackwardInput<float>::run(const float* filter, const float* out_gradient, float* in_gradient,
                                     void* workspace, Parallel& parallel,
                                     const FinishedElements* finished) const;
template <>
bool Conv2DBackwardInput<float>::is_shared(int workers) const;
template <>
size_t Conv2DBackwardFilter<float>::workspace_bytes(int workers) const;
template <>
void Conv2DBackwardFilter<float>::run(const float* in, const float* out_gradient, float* filter_gradient,
                                      void* workspace, Parallel& parallel) const;

extern template class Conv2D<float>;
extern template class Conv2D<double>;
extern template class Conv2D<int32_t>;
extern template class Conv2D<int64_t>;
extern template class Conv2DBackwardInput<float>;
extern template class Conv2DBackwardInput<double>;
extern template class Conv2DBackwardInput<int32_t>;
extern template class Conv2DBackwardInput<int64_t>;
extern template class Conv2DBackwardFilter<float>;
extern template class Conv2DBackwardFilter<double>;
extern template class Conv2DBackwardFilter<int32_t>;
extern template class Conv2DBackwardFilter<int64_t>;

}  // namespace flowray::ops
