#pragma once

#include <cstdint>

#include "ops/loops/cpu_level.h"

namespace flowray::ops {

/// One stretch of the sum in a TileProduct: where it starts.
struct TileRun {
  int64_t a;      ///< In elements of a.
  int64_t b_row;  ///< In rows of b.
};

/// C = sum over runs of A_run * B_run, the product that matrix multiplication and convolution are made of.
///
/// Element (i, k) of A_run is a[run.a + i * a_row + k * a_step], and a_row or a_step must be 1. Rows may
/// overlap, so the pixels under a filter row are an A without being copied. Row k of B_run starts at
/// b[(run.b_row + k) * b_step]. With no runs the sum is zero.
///
/// B's rows are read in whole vectors: `columns` rounded up to InnerLoops::width floats must be readable,
/// what stands in the excess has no effect.
struct TileProduct {
  const float* a = nullptr;
  int64_t a_row = 1;
  int64_t a_step = 1;
  const float* b = nullptr;
  int64_t b_step = 0;
  float* c = nullptr;
  int64_t c_row = 0;
  int64_t rows = 0;
  int64_t columns = 0;
  const TileRun* runs = nullptr;
  int64_t run_count = 0;
  int64_t run_length = 0;
  const float* bias = nullptr;  ///< `columns` values to add to every row of C, or null.
  bool relu = false;            ///< Negative results become 0 (after the bias).
  bool add_to_c = false;        ///< Adds to what C holds.
};

/// out[i] = sum over k < length of matrix[i * length + k] * vector[k].
struct DotRows {
  const float* matrix;
  const float* vector;
  int64_t rows;
  int64_t length;
  bool add_to_out;  ///< Adds to what `out` holds.
  float* out;
};

/// A convolution of one row of one-channel pixels, two neighbouring pixels at a time, for few
/// output channels.
///
/// `out_channels` <= InnerLoops::pair_channels. `image` has its padding around it, and one more readable
/// float than the last window needs.
struct PairForward {
  const float* image;   ///< Upper left corner of the first window.
  const float* filter;  ///< [taps][2 * pair_channels], each channel twice, channels in excess zero.
  const TileRun* runs;  ///< One for each filter row.
  int64_t filter_height;
  int64_t filter_width;
  int64_t out_width;
  int64_t out_channels;
  const float* bias;  ///< Or null.
  bool relu;
  float* out;  ///< [out_width][out_channels]
};

/// The filter's gradient for a one-channel image, two pixels at a time. Limits as for PairForward, and
/// filter_width is 3, 5 or 7.
struct PairBackwardFilter {
  const float* image;     ///< With its padding around it.
  int64_t row_step;       ///< Floats between the image rows of neighbouring output rows.
  int64_t filter_row;     ///< Floats between the image rows of neighbouring filter rows.
  const float* gradient;  ///< [out_height][out_width][out_channels]
  int64_t out_height;
  int64_t out_width;
  int64_t out_channels;
  int64_t filter_height;
  int64_t filter_width;
  float* sums;  ///< [filter_height][filter_width][2 * pair_channels], added to.
};

/// Where one input pixel's gradient comes from in a FoldRow: `count` places, the first at `offset`.
struct FoldPixel {
  int64_t offset;
  int64_t count;
};

/// out[pixel][c] = sum over j < pixels[pixel].count of columns[pixels[pixel].offset + j * step + c].
struct FoldRow {
  const float* columns;
  const FoldPixel* pixels;
  int64_t pixel_count;
  int64_t step;
  int64_t channels;
  float* out;
};

/// One row of pooling windows, forward or backward. Windows are clipped to the image by the caller: they have
/// `height` rows, and window x covers the columns [left[x], right[x]) of them.
template <typename T>
struct PoolRow {
  const T* in = nullptr;  ///< [height][in_row], the rows that the windows cover.
  int64_t in_row = 0;     ///< Elements between the rows of in and of in_gradient.
  T* out = nullptr;       ///< [out_width][channels].
  const int64_t* left = nullptr;
  const int64_t* right = nullptr;
  int64_t height = 0;
  bool is_2x2 = false;  ///< Every window has two rows and two columns, and the next one begins beside it.
  int64_t out_width = 0;
  int64_t channels = 0;
  // Backward only. The maximum's gradient reads `in`, and finds in `out` what the forward pass made.
  const T* out_gradient = nullptr;  ///< [out_width][channels]
  T* in_gradient = nullptr;         ///< [height][in_row]
  bool add = false;  ///< Adds to in_gradient, as windows that overlap must; else overwrites it.
};

/// The innermost loops, compiled once for each CpuLevel. All are thread-safe and allocate nothing.
struct InnerLoops {
  int width;          ///< Floats in a vector; rows of B are read in multiples of it.
  int panel_columns;  ///< A TileProduct works on so many columns at a time (a multiple of width).
  int tile_rows;      ///< ... and on about so many rows.
  int pair_channels;  ///< Most output channels that the pair_... functions take; 0 where there are none.
  void (*multiply)(const TileProduct&);
  void (*dot_rows)(const DotRows&);
  void (*pair_forward)(const PairForward&);
  void (*pair_backward_filter)(const PairBackwardFilter&);
  void (*fold_row)(const FoldRow&);
  void (*average_pool)(const PoolRow<float>&);
  void (*average_pool_gradient)(const PoolRow<float>&);
  void (*max_pool)(const PoolRow<float>&);
  void (*max_pool_gradient)(const PoolRow<float>&);
};

/// The loops for `level`, which must not be above highest_cpu_level().
const InnerLoops& inner_loops(CpuLevel level);

}  // namespace flowray::ops
