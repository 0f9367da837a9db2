// The forward convolution. In NHWC the values under a row of the filter are neighbours in memory, and so are
// the rows of the product's left matrix (they overlap): a row of output pixels is a TileProduct, and nothing
// is copied but the images that have to be padded.

#include "ops/loops/conv_loops.h"

#include <algorithm>

#include "ops/loops/conv_plain.h"
#include "ops/loops/conv_plan.h"
#include "ops/loops/pack.h"

namespace flowray::ops {
namespace {

/// A filter with each output channel twice, as PairForward wants it.
void pack_pairs(const Conv2DPlan& plan, const float* filter, float* packed) {
  const int64_t channels = plan.shape.out_channels;
  const int64_t width = 2 * plan.loops->pair_channels;
  for (int64_t tap = 0; tap < plan.taps(); ++tap, packed += width) {
    std::fill_n(packed, width, 0.0f);
    for (int64_t o = 0; o < channels; ++o) packed[2 * o] = packed[2 * o + 1] = filter[tap * channels + o];
  }
}

/// Whether the filter can be read where it is. Rows of a panel that lie far apart would fall on few places of
/// the cache; for a small filter that matters less than packing it.
bool is_filter_in_place(const Conv2DPlan& plan) {
  const int64_t channels = plan.shape.out_channels;
  const bool is_one_panel = channels <= plan.loops->panel_columns;
  return !plan.uses_pairs && plan.filter_columns == channels &&
         (is_one_panel || plan.taps() * channels <= kSmallFilter);
}

int64_t packed_filter_elements(const Conv2DPlan& plan) {
  if (is_filter_in_place(plan)) return 0;
  return round_up(plan.taps() * (plan.uses_pairs ? 2 * plan.loops->pair_channels : plan.filter_columns), 16);
}

/// Packs the filter into panels [taps][padded], one behind the other.
void pack_panels(const Conv2DPlan& plan, const float* filter, float* packed, Parallel& parallel) {
  const int64_t channels = plan.shape.out_channels;
  plan.for_panels(channels, [&](int64_t first, int64_t count, int64_t padded) {
    float* panel = packed + first * plan.taps();
    auto pack_taps = [&](int64_t tap, int64_t end, int /*worker*/) {
      pack_rows(filter + tap * channels + first, channels, end - tap, count, panel + tap * padded, padded,
                padded);
    };
    parallel.for_range(plan.taps(), 50'000 / padded, pack_taps);
  });
}

const float* pack_filter(const Conv2DPlan& plan, const float* filter, float* packed, Parallel& parallel) {
  if (is_filter_in_place(plan)) return filter;
  if (plan.uses_pairs)
    pack_pairs(plan, filter, packed);
  else
    pack_panels(plan, filter, packed, parallel);
  return packed;
}

struct ForwardRows {
  const Conv2DPlan& plan;
  const Conv2DEpilogue& epilogue;
  const float* filter;
  bool is_packed;
  const float* bias;

  /// Output rows [row, end) of one image.
  void run(const float* image, int64_t row, int64_t end, float* out) const {
    if (plan.uses_pairs) {
      for (; row < end; ++row) run_pairs(corner_of(image, row), out + row * plan.out_row());
      return;
    }
    // A panel of a large filter should serve all rows before the next one takes its place in the cache.
    plan.for_panels(plan.shape.out_channels, [&](int64_t first, int64_t count, int64_t padded) {
      TileProduct p;
      p.a_row = plan.shape.stride_width * plan.shape.in_channels;
      p.b = is_packed ? filter + first * plan.taps() : filter + first;
      p.b_step = is_packed ? padded : plan.shape.out_channels;
      p.c_row = plan.shape.out_channels;
      p.rows = plan.shape.out_width;
      p.columns = count;
      p.runs = plan.filter_runs.data();
      p.run_count = static_cast<int64_t>(plan.filter_runs.size());
      p.run_length = plan.run_length;
      p.bias = epilogue.bias ? bias + first : nullptr;
      p.relu = epilogue.relu;
      for (int64_t y = row; y < end; ++y) {
        p.a = corner_of(image, y);
        p.c = out + y * plan.out_row() + first;
        plan.loops->multiply(p);
      }
    });
  }

 private:
  const float* corner_of(const float* image, int64_t row) const {
    return image + row * plan.shape.stride_height * plan.image_row;
  }

  void run_pairs(const float* corner, float* out) const {
    plan.loops->pair_forward({.image = corner,
                              .filter = filter,
                              .runs = plan.filter_runs.data(),
                              .filter_height = plan.shape.filter_height,
                              .filter_width = plan.shape.filter_width,
                              .out_width = plan.shape.out_width,
                              .out_channels = plan.shape.out_channels,
                              .bias = epilogue.bias ? bias : nullptr,
                              .relu = epilogue.relu,
                              .out = out});
  }
};

// Elements that are reported as finished at a time: few enough to be in the cache still.
constexpr int64_t kFinishedElements = 8 * 1024;

/// Output rows [row, end) of image number `image` of `out`, all at once without a callback.
void run_image_rows(const ForwardRows& rows, const float* pixels, int64_t row, int64_t end, float* out,
                    int64_t image, const FinishedElements* finished) {
  const Conv2DPlan& plan = rows.plan;
  const int64_t first = image * plan.out_elements();
  if (finished == nullptr) return rows.run(pixels, row, end, out + first);
  const int64_t at_once = std::max<int64_t>(1, kFinishedElements / plan.out_row());
  for (; row < end; row += at_once) {
    const int64_t next = std::min(end, row + at_once);
    rows.run(pixels, row, next, out + first);
    (*finished)(first + row * plan.out_row(), first + next * plan.out_row());
  }
}

}  // namespace

template <typename T>
Conv2D<T>::Conv2D(const Conv2DShape& shape, const Conv2DEpilogue& epilogue, CpuLevel level)
    : plan_(std::make_shared<const Conv2DPlan>(shape, level)), epilogue_(epilogue) {}

template <typename T>
size_t Conv2D<T>::workspace_bytes(int /*workers*/) const {
  return 0;
}

template <typename T>
void Conv2D<T>::run(const T* in, const T* filter, const T* bias, T* out, void* /*workspace*/,
                    Parallel& parallel, const FinishedElements* finished) const {
  convolve_plainly(plan_->shape, epilogue_, in, filter, bias, out, parallel, finished);
}

template <typename T>
int64_t Conv2D<T>::piece_elements() const {
  return plan_->out_row();
}

template <typename T>
bool Conv2D<T>::is_shared(int workers) const {
  return plan_->shape.batch * plan_->shape.out_height >= workers;
}

template <>
size_t Conv2D<float>::workspace_bytes(int workers) const {
  if (plan_->is_plain) return 0;
  return static_cast<size_t>(packed_filter_elements(*plan_) + workers * plan_->padded_elements()) *
         sizeof(float);
}

template <>
bool Conv2D<float>::is_shared(int workers) const {
  const Conv2DPlan& plan = *plan_;
  if (plan.is_plain) return plan.shape.batch * plan.shape.out_height >= workers;
  return plan.shape.batch * plan.shape.out_height >=
         workers * Conv2DPlan::rows_per_worker(plan.out_row() * plan.taps());
}

template <>
void Conv2D<float>::run(const float* in, const float* filter, const float* bias, float* out, void* workspace,
                        Parallel& parallel, const FinishedElements* finished) const {
  const Conv2DPlan& plan = *plan_;
  if (plan.shape.batch * plan.out_elements() == 0) return;
  if (plan.is_plain) {
    return convolve_plainly(plan.shape, epilogue_, in, filter, bias, out, parallel, finished);
  }
  auto* const packed = static_cast<float*>(workspace);
  float* const padded_images = packed + packed_filter_elements(plan);
  const ForwardRows rows{plan, epilogue_, pack_filter(plan, filter, packed, parallel),
                         !is_filter_in_place(plan), bias};
  const int64_t height = plan.shape.out_height;
  auto run_rows = [&](int64_t row, int64_t end, int worker) {
    float* padded = padded_images + worker * plan.padded_elements();
    plan.clear_padded(padded);
    while (row < end) {
      const int64_t image = row / height;
      const int64_t next = std::min(end, (image + 1) * height);
      run_image_rows(rows, plan.pad(in + image * plan.in_elements(), padded), row - image * height,
                     next - image * height, out, image, finished);
      row = next;
    }
  };
  parallel.for_range(plan.shape.batch * height, Conv2DPlan::rows_per_worker(plan.out_row() * plan.taps()),
                     run_rows);
}

template class Conv2D<float>;
template class Conv2D<double>;
template class Conv2D<int32_t>;
template class Conv2D<int64_t>;

}  // namespace flowray::ops
