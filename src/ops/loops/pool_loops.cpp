#include "ops/loops/pool_loops.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "ops/loops/inner_loops.h"
#include "ops/loops/pool_plain.h"

namespace flowray::ops {

struct Pool2DPlan {
  Pool2DPlan(const Pool2DShape& given, CpuLevel level);

  Pool2DShape shape;
  const InnerLoops* loops;
  /// Windows clipped to the image: rows [top[y], bottom[y]), columns [left[x], right[x]).
  std::vector<int64_t> top, bottom, left, right;
  bool is_tiling;  ///< Every pixel lies in just one window.
  bool has_pairs;  ///< Every window has two columns, and the next one begins beside it.

  int64_t in_row() const { return shape.in_width * shape.channels; }
  int64_t out_row() const { return shape.out_width * shape.channels; }
  int64_t in_elements() const { return shape.in_height * in_row(); }
  int64_t out_elements() const { return shape.out_height * out_row(); }
};

namespace {

// A worker is not worth waking for less than about 4 us of one core's work.
constexpr int64_t kElementsPerWorker = 20'000;

/// Fills in the windows along one side of the image; whether each of its `in` places lies in just one
/// of them.
bool clip_windows(int64_t in, int64_t out, int64_t window, int64_t stride, int64_t pad,
                  std::vector<int64_t>& begins, std::vector<int64_t>& ends) {
  int64_t covered = 0;
  bool is_tiling = true;
  for (int64_t i = 0; i < out; ++i) {
    const int64_t begin = std::max<int64_t>(0, i * stride - pad);
    is_tiling = is_tiling && begin == covered;
    covered = std::min(in, i * stride - pad + window);
    begins.push_back(begin);
    ends.push_back(covered);
  }
  return is_tiling && covered == in;
}

}  // namespace

Pool2DPlan::Pool2DPlan(const Pool2DShape& given, CpuLevel level) : shape(given), loops(&inner_loops(level)) {
  const Pool2DShape& s = shape;
  const bool tiles_rows =
      clip_windows(s.in_height, s.out_height, s.window_height, s.stride_height, s.pad_top, top, bottom);
  const bool tiles_columns =
      clip_windows(s.in_width, s.out_width, s.window_width, s.stride_width, s.pad_left, left, right);
  is_tiling = tiles_rows && tiles_columns;
  has_pairs = true;
  for (size_t x = 0; x < left.size(); ++x) {
    has_pairs = has_pairs && right[x] - left[x] == 2 && (x == 0 || left[x] == right[x - 1]);
  }
}

namespace {

/// The arrays that a pooling works on; those that it has no use for are null.
template <typename T>
struct PoolArrays {
  const T* in = nullptr;
  T* out = nullptr;
  const T* out_gradient = nullptr;
  T* in_gradient = nullptr;
};

template <typename T>
using RowFunction = void (*)(const PoolRow<T>&);

template <typename T>
T* offset(T* array, int64_t elements) {
  return array == nullptr ? nullptr : array + elements;
}

/// Output row `row` of all images' rows.
template <typename T>
PoolRow<T> pool_row_at(const Pool2DPlan& plan, const PoolArrays<T>& arrays, int64_t row) {
  const int64_t image = row / plan.shape.out_height;
  const auto y = static_cast<size_t>(row % plan.shape.out_height);
  const int64_t in_offset = image * plan.in_elements() + plan.top[y] * plan.in_row();
  PoolRow<T> p;
  p.in = offset(arrays.in, in_offset);
  p.in_row = plan.in_row();
  p.out = offset(arrays.out, row * plan.out_row());
  p.left = plan.left.data();
  p.right = plan.right.data();
  p.height = plan.bottom[y] - plan.top[y];
  p.is_2x2 = p.height == 2 && plan.has_pairs;
  p.out_width = plan.shape.out_width;
  p.channels = plan.shape.channels;
  p.out_gradient = offset(arrays.out_gradient, row * plan.out_row());
  p.in_gradient = offset(arrays.in_gradient, in_offset);
  return p;
}

/// About so many elements are told of at once.
constexpr int64_t kFinishedElements = 2 * 1024;

/// The elements that output rows [row, end) make: of the result, or of the images' gradient where windows
/// tile it.
template <typename T>
void tell_rows(const Pool2DPlan& plan, const PoolArrays<T>& arrays, int64_t row, int64_t end,
               const FinishedElements& finished) {
  if (arrays.in_gradient == nullptr) return finished(row * plan.out_row(), end * plan.out_row());
  const int64_t height = plan.shape.out_height;
  const auto place = [&](int64_t at, const std::vector<int64_t>& side) {
    return at / height * plan.in_elements() + side[static_cast<size_t>(at % height)] * plan.in_row();
  };
  finished(place(row, plan.top), place(end - 1, plan.bottom));
}

/// Output rows are independent of each other, forward, and backward where the windows tile the image.
template <typename T>
void pool_rows(const Pool2DPlan& plan, const PoolArrays<T>& arrays, RowFunction<T> pool, Parallel& parallel,
               const FinishedElements* finished) {
  const int64_t row_elements =
      plan.in_row() * std::min(plan.shape.window_height, plan.shape.in_height);  // under a row of windows
  const int64_t at_once = kFinishedElements / (row_elements + 1) + 1;
  auto run_rows = [&](int64_t row, int64_t end, int /*worker*/) {
    while (row < end) {
      const int64_t first = row;
      for (const int64_t next = std::min(end, row + at_once); row < next; ++row)
        pool(pool_row_at(plan, arrays, row));
      if (finished != nullptr) tell_rows(plan, arrays, first, row, *finished);
    }
  };
  parallel.for_range(plan.shape.batch * plan.shape.out_height, kElementsPerWorker / (row_elements + 1) + 1,
                     run_rows);
}

/// Backward, where pixels may lie in many windows or in none: images are independent of each other.
template <typename T>
void add_pool_images(const Pool2DPlan& plan, const PoolArrays<T>& arrays, RowFunction<T> pool,
                     Parallel& parallel, const FinishedElements* finished) {
  auto run_images = [&](int64_t image, int64_t end, int /*worker*/) {
    for (; image < end; ++image) {
      std::fill_n(arrays.in_gradient + image * plan.in_elements(), plan.in_elements(), T{0});
      for (int64_t y = 0; y < plan.shape.out_height; ++y) {
        PoolRow<T> row = pool_row_at(plan, arrays, image * plan.shape.out_height + y);
        row.add = true;
        pool(row);
      }
      if (finished != nullptr) (*finished)(image* plan.in_elements(), (image + 1) * plan.in_elements());
    }
  };
  parallel.for_range(plan.shape.batch, kElementsPerWorker / (plan.in_elements() + 1) + 1, run_images);
}

template <typename T>
void pool_gradient(const Pool2DPlan& plan, const PoolArrays<T>& arrays, RowFunction<T> pool,
                   Parallel& parallel, const FinishedElements* finished) {
  if (plan.is_tiling)
    pool_rows(plan, arrays, pool, parallel, finished);
  else
    add_pool_images(plan, arrays, pool, parallel, finished);
}

/// The fast loop for float, the plain one for other types.
template <typename T>
RowFunction<T> choose(RowFunction<float> fast, RowFunction<T> plain) {
  if constexpr (std::is_same_v<T, float>)
    return fast;
  else
    return static_cast<void>(fast), plain;
}

}  // namespace

template <typename T>
AveragePool2D<T>::AveragePool2D(const Pool2DShape& shape, CpuLevel level)
    : plan_(std::make_shared<const Pool2DPlan>(shape, level)) {}

template <typename T>
void AveragePool2D<T>::run(const T* in, T* out, Parallel& parallel, const FinishedElements* finished) const {
  pool_rows<T>(*plan_, {.in = in, .out = out}, choose<T>(plan_->loops->average_pool, average_pool_plainly<T>),
               parallel, finished);
}

template <typename T>
AveragePool2DGradient<T>::AveragePool2DGradient(const Pool2DShape& shape, CpuLevel level)
    : plan_(std::make_shared<const Pool2DPlan>(shape, level)) {}

template <typename T>
void AveragePool2DGradient<T>::run(const T* out_gradient, T* in_gradient, Parallel& parallel,
                                   const FinishedElements* finished) const {
  pool_gradient<T>(*plan_, {.out_gradient = out_gradient, .in_gradient = in_gradient},
                   choose<T>(plan_->loops->average_pool_gradient, average_pool_gradient_plainly<T>), parallel,
                   finished);
}

template <typename T>
MaxPool2D<T>::MaxPool2D(const Pool2DShape& shape, CpuLevel level)
    : plan_(std::make_shared<const Pool2DPlan>(shape, level)) {}

template <typename T>
void MaxPool2D<T>::run(const T* in, T* out, Parallel& parallel, const FinishedElements* finished) const {
  pool_rows<T>(*plan_, {.in = in, .out = out}, choose<T>(plan_->loops->max_pool, max_pool_plainly<T>),
               parallel, finished);
}

template <typename T>
MaxPool2DGradient<T>::MaxPool2DGradient(const Pool2DShape& shape, CpuLevel level)
    : plan_(std::make_shared<const Pool2DPlan>(shape, level)) {}

template <typename T>
void MaxPool2DGradient<T>::run(const T* in, const T* out, const T* out_gradient, T* in_gradient,
                               Parallel& parallel, const FinishedElements* finished) const {
  // The loops only read `out` here.
  pool_gradient<T>(
      *plan_,
      {.in = in, .out = const_cast<T*>(out), .out_gradient = out_gradient, .in_gradient = in_gradient},
      choose<T>(plan_->loops->max_pool_gradient, max_pool_gradient_plainly<T>), parallel, finished);
}

template class AveragePool2D<float>;
template class AveragePool2D<double>;
template class AveragePool2D<int32_t>;
template class AveragePool2D<int64_t>;
template class AveragePool2DGradient<float>;
template class AveragePool2DGradient<double>;
template class AveragePool2DGradient<int32_t>;
template class AveragePool2DGradient<int64_t>;
template class MaxPool2D<float>;
template class MaxPool2D<double>;
template class MaxPool2D<int32_t>;
template class MaxPool2D<int64_t>;
template class MaxPool2DGradient<float>;
template class MaxPool2DGradient<double>;
template class MaxPool2DGradient<int32_t>;
template class MaxPool2DGradient<int64_t>;
template class MaxPool2DGradient<uint64_t>;

}  // namespace flowray::ops
