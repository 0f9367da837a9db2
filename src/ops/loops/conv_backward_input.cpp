// The gradient with respect to the images. The gradient of a row of output pixels times the filter's
// transpose gives for each pixel the columns (filter_width * in_channels values) that it adds to an input
// row; overlapping columns are then folded together. Vectors are full even where the image has few channels.

#include <algorithm>

#include "ops/loops/conv_loops.h"
#include "ops/loops/conv_plain.h"
#include "ops/loops/conv_plan.h"
#include "ops/loops/pack.h"

namespace flowray::ops {
namespace {

using Plan = Conv2DBackwardInputPlan;

/// The transposed filter: [filter_height * out_channels][column_elements], in panels of columns.
int64_t packed_filter_elements(const Plan& plan) {
  return round_up(plan.shape.filter_height * plan.shape.out_channels * plan.column_elements, 16);
}

/// The columns of `rows_at_once` input rows, with what vectors may read beyond the end.
int64_t columns_elements(const Plan& plan) {
  if (plan.is_direct) return 0;
  return round_up(plan.rows_at_once * plan.shape.out_width * plan.column_elements + plan.loops->width, 16);
}

void pack_filter(const Plan& plan, const float* filter, float* packed, Parallel& parallel) {
  const int64_t columns = plan.shape.filter_width * plan.shape.in_channels;
  const int64_t channels = plan.shape.out_channels;
  plan.for_panels(columns, [&](int64_t first, int64_t count, int64_t padded) {
    float* panel = packed + first * plan.shape.filter_height * channels;
    auto pack_filter_rows = [&](int64_t i, int64_t end, int /*worker*/) {
      for (; i < end; ++i) {
        pack_transposed(filter + (i * columns + first) * channels, channels, count, channels,
                        panel + i * channels * padded, padded, padded);
      }
    };
    parallel.for_range(plan.shape.filter_height, 20'000 / (padded * channels + 1) + 1, pack_filter_rows);
  });
}

void fold_row(const Plan& plan, const float* columns, float* in_gradient_row) {
  plan.loops->fold_row({.columns = columns,
                        .pixels = plan.fold_pixels.data(),
                        .pixel_count = plan.shape.in_width,
                        .step = plan.fold_step,
                        .channels = plan.shape.in_channels,
                        .out = in_gradient_row});
}

/// Rows [row, end) of one image's gradient, at most rows_at_once of them. All are multiplied before the first
/// is folded: loads right behind the stores of the same columns at other offsets would wait for them.
void run_rows(const Plan& plan, const float* filter, const float* out_gradient, int64_t row, int64_t end,
              float* in_gradient, float* columns) {
  const Conv2DShape& s = plan.shape;
  const int64_t in_row = s.in_width * s.in_channels;
  const int64_t columns_row = s.out_width * plan.column_elements;
  float* const to = plan.is_direct ? in_gradient + row * in_row : columns;
  const int64_t to_row = plan.is_direct ? in_row : columns_row;
  // A panel of a large filter should serve all rows before the next one takes its place in the cache.
  plan.for_panels(s.filter_width * s.in_channels, [&](int64_t first, int64_t count, int64_t padded) {
    TileProduct p;
    p.a = out_gradient;
    p.a_row = s.out_channels;
    p.b = filter + first * s.filter_height * s.out_channels;
    p.b_step = padded;
    p.c_row = plan.is_direct ? s.in_channels : plan.column_elements;
    p.rows = s.out_width;
    p.columns = plan.is_direct ? count : padded;
    p.run_length = s.out_channels;
    for (int64_t y = row; y < end; ++y) {
      const int64_t first_run = plan.first_run[static_cast<size_t>(y)];
      p.runs = plan.row_runs.data() + first_run;
      p.run_count = plan.first_run[static_cast<size_t>(y) + 1] - first_run;
      p.c = to + (y - row) * to_row + first;
      plan.loops->multiply(p);
    }
  });
  if (plan.is_direct) return;
  for (int64_t y = row; y < end; ++y)
    fold_row(plan, columns + (y - row) * columns_row, in_gradient + y * in_row);
}

int64_t multiply_adds_per_row(const Plan& plan) {
  return plan.shape.filter_height * plan.shape.out_channels * plan.shape.out_width * plan.column_elements;
}

}  // namespace

template <typename T>
Conv2DBackwardInput<T>::Conv2DBackwardInput(const Conv2DShape& shape, CpuLevel level)
    : plan_(std::make_shared<const Plan>(shape, level)) {}

template <typename T>
size_t Conv2DBackwardInput<T>::workspace_bytes(int /*workers*/) const {
  return 0;
}

template <typename T>
void Conv2DBackwardInput<T>::run(const T* filter, const T* out_gradient, T* in_gradient, void* /*workspace*/,
                                 Parallel& parallel, const FinishedElements* finished) const {
  convolve_input_gradient_plainly(plan_->shape, filter, out_gradient, in_gradient, parallel, finished);
}

template <typename T>
int64_t Conv2DBackwardInput<T>::piece_elements() const {
  return plan_->shape.in_width * plan_->shape.in_channels;
}

template <typename T>
bool Conv2DBackwardInput<T>::is_shared(int workers) const {
  return plan_->shape.batch >= workers;
}

template <>
size_t Conv2DBackwardInput<float>::workspace_bytes(int workers) const {
  if (plan_->is_plain) return 0;
  const int64_t elements = packed_filter_elements(*plan_) + workers * columns_elements(*plan_);
  return static_cast<size_t>(elements) * sizeof(float);
}

template <>
bool Conv2DBackwardInput<float>::is_shared(int workers) const {
  if (plan_->is_plain) return plan_->shape.batch >= workers;
  return plan_->shape.batch * plan_->shape.in_height >=
         workers * Conv2DPlan::rows_per_worker(multiply_adds_per_row(*plan_));
}

template <>
void Conv2DBackwardInput<float>::run(const float* filter, const float* out_gradient, float* in_gradient,
                                     void* workspace, Parallel& parallel,
                                     const FinishedElements* finished) const {
  const Plan& plan = *plan_;
  if (plan.shape.batch * plan.in_elements() == 0) return;
  if (plan.is_plain) {
    return convolve_input_gradient_plainly(plan.shape, filter, out_gradient, in_gradient, parallel, finished);
  }
  auto* const packed = static_cast<float*>(workspace);
  pack_filter(plan, filter, packed, parallel);
  float* const all_columns = packed + packed_filter_elements(plan);
  const int64_t height = plan.shape.in_height;
  const int64_t in_row = plan.shape.in_width * plan.shape.in_channels;
  auto run_pieces = [&](int64_t row, int64_t end, int worker) {
    while (row < end) {
      const int64_t image = row / height;
      const int64_t y = row % height;
      const int64_t rows = std::min({end - row, height - y, plan.rows_at_once});
      run_rows(plan, packed, out_gradient + image * plan.out_elements(), y, y + rows,
               in_gradient + image * plan.in_elements(), all_columns + worker * columns_elements(plan));
      row += rows;
      if (finished != nullptr) (*finished)((row - rows) * in_row, row * in_row);
    }
  };
  parallel.for_range(plan.shape.batch * height, Conv2DPlan::rows_per_worker(multiply_adds_per_row(plan)),
                     run_pieces);
}

template class Conv2DBackwardInput<float>;
template class Conv2DBackwardInput<double>;
template class Conv2DBackwardInput<int32_t>;
template class Conv2DBackwardInput<int64_t>;

}  // namespace flowray::ops
