#include "ops/loops/conv_plan.h"

#include <algorithm>
#include <numeric>

#include "ops/loops/pack.h"

namespace flowray::ops {
namespace {

// A worker is not worth waking for less than about 4 us of one core's work.
constexpr int64_t kMultiplyAddsPerWorker = 400'000;

/// A 1x1 filter over every pixel does not see rows: one long row makes fuller tiles.
Conv2DShape with_pointwise_in_one_row(Conv2DShape s) {
  const bool is_pointwise = s.filter_height == 1 && s.filter_width == 1 && s.stride_height == 1 &&
                            s.stride_width == 1 && s.pad_top == 0 && s.pad_left == 0 &&
                            s.out_height == s.in_height && s.out_width == s.in_width;
  if (!is_pointwise) return s;
  s.in_width *= s.in_height;
  s.out_width = s.in_width;
  s.in_height = s.out_height = 1;
  return s;
}

/// How many rows are worked on at once if each needs `row_elements` of scratch: as many as stay in the first
/// level cache, but more where the filter does not stay in the second, so that it is read less often.
int64_t rows_for_cache(int64_t row_elements, int64_t filter_elements) {
  const int64_t scratch_elements = filter_elements > kSmallFilter ? 128 * 1024 : 4 * 1024;
  return std::max<int64_t>(2, scratch_elements / std::max<int64_t>(1, row_elements));
}

int64_t window_extent(int64_t out, int64_t stride, int64_t filter, int64_t dilation) {
  return std::max<int64_t>(0, (out - 1) * stride + (filter - 1) * dilation + 1);
}

bool can_use_pairs(const Conv2DShape& s, const InnerLoops& loops) {
  return s.in_channels == 1 && s.out_channels > 0 && s.out_channels <= loops.pair_channels &&
         s.stride_width == 1 && s.dilation_width == 1 &&
         (s.filter_width == 3 || s.filter_width == 5 || s.filter_width == 7);
}

/// The most rows, columns and taps for which tables with an entry each are made: they may take many times
/// the memory of the arrays.
constexpr int64_t kMostEntries = int64_t{1} << 22;

/// Whether a padded image of that many elements is out of all proportion: filters may be dilated, images
/// padded and strides long without an array being large.
bool is_too_large(int64_t rows, int64_t columns, int64_t channels, int64_t in_elements) {
  constexpr double kMostPadded = 1 << 24;
  const double elements =
      static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(channels);
  return elements > kMostPadded + 8 * static_cast<double>(in_elements);
}

}  // namespace

Conv2DPlan::Conv2DPlan(const Conv2DShape& given, CpuLevel level)
    : shape(with_pointwise_in_one_row(given)), loops(&inner_loops(level)) {
  const Conv2DShape& s = shape;
  is_plain = false;
  uses_pairs = can_use_pairs(s, *loops);
  image_height = window_extent(s.out_height, s.stride_height, s.filter_height, s.dilation_height);
  // The last pair of an odd row looks one pixel too far: it must see a zero there.
  const int64_t width =
      window_extent(s.out_width, s.stride_width, s.filter_width, s.dilation_width) + (uses_pairs ? 1 : 0);
  is_padded =
      uses_pairs || s.pad_top > 0 || s.pad_left > 0 || image_height > s.in_height || width > s.in_width;
  filter_columns = round_up(s.out_channels, loops->width);
  is_plain = (is_padded && is_too_large(image_height, width, s.in_channels, in_elements())) ||
             s.filter_height > kMostEntries || s.filter_width > kMostEntries ||
             s.filter_height * s.filter_width > kMostEntries;
  if (is_plain) return;
  image_row = (is_padded ? width : s.in_width) * s.in_channels;

  const bool has_row_runs = s.dilation_width == 1;
  run_length = has_row_runs ? s.filter_width * s.in_channels : s.in_channels;
  const int64_t runs_per_row = has_row_runs ? 1 : s.filter_width;
  for (int64_t i = 0; i < s.filter_height; ++i) {
    for (int64_t j = 0; j < runs_per_row; ++j) {
      const auto index = static_cast<int64_t>(filter_runs.size());
      filter_runs.push_back(
          {i * s.dilation_height * image_row + j * s.dilation_width * s.in_channels, index * run_length});
    }
  }
}

int64_t Conv2DPlan::rows_per_worker(int64_t multiply_adds_per_row) {
  return kMultiplyAddsPerWorker / std::max<int64_t>(1, multiply_adds_per_row) + 1;
}

int64_t Conv2DPlan::padded_elements() const {
  return is_padded ? round_up(image_height * image_row + 2 * loops->width, 16) : 0;
}

void Conv2DPlan::clear_padded(float* padded) const { std::fill_n(padded, padded_elements(), 0.0f); }

const float* Conv2DPlan::pad(const float* image, float* padded) const {
  if (!is_padded) return image;
  const int64_t channels = shape.in_channels;
  const int64_t rows = std::min(shape.in_height, image_height - shape.pad_top);
  const int64_t row = std::min(shape.in_width * channels, image_row - shape.pad_left * channels);
  if (row <= 0) return padded;
  float* to = padded + shape.pad_top * image_row + shape.pad_left * channels;
  for (int64_t y = 0; y < rows; ++y, to += image_row)
    std::copy_n(image + y * shape.in_width * channels, row, to);
  return padded;
}

Conv2DBackwardInputPlan::Conv2DBackwardInputPlan(const Conv2DShape& given, CpuLevel level)
    : Conv2DPlan(given, level) {
  const Conv2DShape& s = shape;
  column_elements = round_up(s.filter_width * s.in_channels, loops->width);
  is_direct = s.filter_width == 1 && s.stride_width == 1 && s.pad_left == 0 && s.out_width == s.in_width;
  is_plain = is_plain || s.in_height > kMostEntries || s.in_height * s.filter_height > kMostEntries ||
             (!is_direct && s.in_width > kMostEntries);
  if (is_plain) return;
  rows_at_once =
      std::min(s.in_height, rows_for_cache(s.out_width * column_elements, taps() * s.out_channels));

  for (int64_t y = 0; y < s.in_height; ++y) {
    first_run.push_back(static_cast<int64_t>(row_runs.size()));
    for (int64_t i = 0; i < s.filter_height; ++i) {
      const int64_t strided = y + s.pad_top - i * s.dilation_height;
      if (strided < 0 || strided % s.stride_height != 0 || strided / s.stride_height >= s.out_height)
        continue;
      row_runs.push_back({strided / s.stride_height * out_row(), i * s.out_channels});
    }
  }
  first_run.push_back(static_cast<int64_t>(row_runs.size()));
  if (is_direct) return;

  // Going on by `taps` filter columns and back by `outs` output pixels stays at the same input pixel.
  const int64_t common = std::gcd(s.stride_width, s.dilation_width);
  const int64_t taps = s.stride_width / common;
  const int64_t outs = s.dilation_width / common;
  fold_step = taps * s.in_channels - outs * column_elements;
  for (int64_t x = 0; x < s.in_width; ++x) {
    FoldPixel pixel{0, 0};
    for (int64_t j = 0; j < s.filter_width; ++j) {
      const int64_t strided = x + s.pad_left - j * s.dilation_width;
      if (strided < 0 || strided % s.stride_width != 0 || strided / s.stride_width >= s.out_width) continue;
      if (pixel.count++ == 0) pixel.offset = strided / s.stride_width * column_elements + j * s.in_channels;
    }
    fold_pixels.push_back(pixel);
  }
}

Conv2DBackwardFilterPlan::Conv2DBackwardFilterPlan(const Conv2DShape& given, CpuLevel level)
    : Conv2DPlan(given, level) {
  is_plain = is_plain || shape.out_height > kMostEntries;
  if (is_plain) return;
  // As many pixels' gradients as stay in the caches, as a panel, while the taps are applied.
  runs_at_once = std::max<int64_t>(1, 256 / std::max<int64_t>(1, shape.out_width));
  for (int64_t y = 0; y < shape.out_height; ++y) {
    pixel_runs.push_back({y * shape.stride_height * image_row, y * shape.out_width});
  }
}

int64_t Conv2DBackwardFilterPlan::sum_elements() const {
  return round_up(taps() * (uses_pairs ? 2 * loops->pair_channels : filter_columns), 16);
}

int64_t Conv2DBackwardFilterPlan::parts(int workers) const {
  const int64_t images = rows_per_worker(taps() * out_elements());
  return std::min<int64_t>(workers, parts_of(shape.batch, images));
}

}  // namespace flowray::ops
