// The gradient with respect to the filter: for each row of the filter, the image values under it (transposed)
// times the gradients of all output pixels. The batch is cut into parts with sums of their own, added up in
// the end.

#include <algorithm>
#include <span>

#include "ops/loops/conv_loops.h"
#include "ops/loops/conv_plain.h"
#include "ops/loops/conv_plan.h"
#include "ops/loops/pack.h"

namespace flowray::ops {
namespace {

using Plan = Conv2DBackwardFilterPlan;

/// How far the vector at a pixel's last channels reaches into what follows: the next pixel or image, which
/// has no effect, but for the last pixels of the batch it would be beyond the array.
int64_t elements_read_beyond(const Plan& plan) { return plan.filter_columns - plan.shape.out_channels; }

/// Room for a copy of an image's gradients with a margin behind them.
int64_t gradient_copy_elements(const Plan& plan) {
  if (plan.uses_pairs || elements_read_beyond(plan) == 0) return 0;
  return round_up(plan.out_elements() + elements_read_beyond(plan), 16);
}

int64_t scratch_elements(const Plan& plan) { return plan.padded_elements() + gradient_copy_elements(plan); }

/// Adds the products of some rows of output pixels with all taps to `sums`.
void add_rows(const Plan& plan, const float* image, const float* out_gradient,
              std::span<const TileRun> pixel_runs, float* sums) {
  TileProduct p;
  p.a_row = 1;
  p.a_step = plan.shape.stride_width * plan.shape.in_channels;
  p.b_step = plan.shape.out_channels;
  p.c_row = plan.filter_columns;
  p.rows = plan.run_length;
  p.runs = pixel_runs.data();
  p.run_count = static_cast<int64_t>(pixel_runs.size());
  p.run_length = plan.shape.out_width;
  p.add_to_c = true;
  plan.for_panels(plan.filter_columns, [&](int64_t first, int64_t count, int64_t /*padded*/) {
    p.b = out_gradient + first;
    p.columns = count;
    for (const TileRun& filter_run : plan.filter_runs) {
      p.a = image + filter_run.a;
      p.c = sums + filter_run.b_row * plan.filter_columns + first;
      plan.loops->multiply(p);
    }
  });
}

void add_image(const Plan& plan, const float* image, const float* out_gradient, float* sums) {
  const std::span<const TileRun> runs = plan.pixel_runs;
  const auto at_once = static_cast<size_t>(plan.runs_at_once);
  for (size_t first = 0; first < runs.size(); first += at_once) {
    add_rows(plan, image, out_gradient, runs.subspan(first, std::min(at_once, runs.size() - first)), sums);
  }
}

void add_image_in_pairs(const Plan& plan, const float* image, const float* out_gradient, float* sums) {
  plan.loops->pair_backward_filter({.image = image,
                                    .row_step = plan.shape.stride_height * plan.image_row,
                                    .filter_row = plan.shape.dilation_height * plan.image_row,
                                    .gradient = out_gradient,
                                    .out_height = plan.shape.out_height,
                                    .out_width = plan.shape.out_width,
                                    .out_channels = plan.shape.out_channels,
                                    .filter_height = plan.shape.filter_height,
                                    .filter_width = plan.shape.filter_width,
                                    .sums = sums});
}

/// Adds images [image, end) to `sums`, which are zeroed first.
void add_images(const Plan& plan, const float* in, const float* out_gradient, int64_t image, int64_t end,
                float* sums, float* scratch) {
  float* const copy = scratch + plan.padded_elements();
  plan.clear_padded(scratch);
  std::fill_n(sums, plan.sum_elements(), 0.0f);
  for (; image < end; ++image) {
    const float* padded = plan.pad(in + image * plan.in_elements(), scratch);
    const float* gradient = out_gradient + image * plan.out_elements();
    if (plan.uses_pairs) {
      add_image_in_pairs(plan, padded, gradient, sums);
      continue;
    }
    if ((plan.shape.batch - 1 - image) * plan.out_elements() < elements_read_beyond(plan)) {
      std::copy_n(gradient, plan.out_elements(), copy);
      std::fill_n(copy + plan.out_elements(), elements_read_beyond(plan), 0.0f);
      gradient = copy;
    }
    add_image(plan, padded, gradient, sums);
  }
}

/// Brings the sums of all parts together for the taps [tap, end).
void add_parts(const Plan& plan, const float* sums, int64_t parts, int64_t tap, int64_t end,
               float* filter_gradient) {
  const int64_t channels = plan.shape.out_channels;
  const int64_t row = plan.uses_pairs ? 2 * plan.loops->pair_channels : plan.filter_columns;
  for (; tap < end; ++tap) {
    float* to = filter_gradient + tap * channels;
    std::fill_n(to, channels, 0.0f);
    for (int64_t part = 0; part < parts; ++part) {
      const float* from = sums + part * plan.sum_elements() + tap * row;
      if (plan.uses_pairs) {
        for (int64_t o = 0; o < channels; ++o) to[o] += from[2 * o] + from[2 * o + 1];
      } else {
        for (int64_t o = 0; o < channels; ++o) to[o] += from[o];
      }
    }
  }
}

}  // namespace

template <typename T>
Conv2DBackwardFilter<T>::Conv2DBackwardFilter(const Conv2DShape& shape, CpuLevel level)
    : plan_(std::make_shared<const Plan>(shape, level)) {}

template <typename T>
size_t Conv2DBackwardFilter<T>::workspace_bytes(int /*workers*/) const {
  return 0;
}

template <typename T>
void Conv2DBackwardFilter<T>::run(const T* in, const T* out_gradient, T* filter_gradient, void* /*workspace*/,
                                  Parallel& parallel) const {
  convolve_filter_gradient_plainly(plan_->shape, in, out_gradient, filter_gradient, parallel);
}

template <>
size_t Conv2DBackwardFilter<float>::workspace_bytes(int workers) const {
  if (plan_->is_plain) return 0;
  return static_cast<size_t>(plan_->parts(workers) * plan_->sum_elements() +
                             workers * scratch_elements(*plan_)) *
         sizeof(float);
}

template <>
void Conv2DBackwardFilter<float>::run(const float* in, const float* out_gradient, float* filter_gradient,
                                      void* workspace, Parallel& parallel) const {
  const Plan& plan = *plan_;
  if (plan.is_plain) {
    return convolve_filter_gradient_plainly(plan.shape, in, out_gradient, filter_gradient, parallel);
  }
  const int64_t parts = plan.parts(parallel.workers());
  auto* const sums = static_cast<float*>(workspace);
  float* const scratch = sums + parts * plan.sum_elements();
  auto run_parts = [&](int64_t part, int64_t end, int worker) {
    for (; part < end; ++part) {
      add_images(plan, in, out_gradient, plan.shape.batch * part / parts,
                 plan.shape.batch * (part + 1) / parts, sums + part * plan.sum_elements(),
                 scratch + worker * scratch_elements(plan));
    }
  };
  parallel.for_range(parts, 1, run_parts);
  auto run_taps = [&](int64_t tap, int64_t end, int /*worker*/) {
    add_parts(plan, sums, parts, tap, end, filter_gradient);
  };
  parallel.for_range(plan.taps(), 50'000 / (plan.shape.out_channels * (parts + 1) + 1) + 1, run_taps);
}

template class Conv2DBackwardFilter<float>;
template class Conv2DBackwardFilter<double>;
template class Conv2DBackwardFilter<int32_t>;
template class Conv2DBackwardFilter<int64_t>;

}  // namespace flowray::ops
