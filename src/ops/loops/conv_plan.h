#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ops/loops/conv_loops.h"
#include "ops/loops/cpu_level.h"
#include "ops/loops/inner_loops.h"
#include "ops/loops/pack.h"

namespace flowray::ops {

/// A filter of more elements does not stay in the second level cache.
inline constexpr int64_t kSmallFilter = 64 * 1024;

/// What is worked out once for a convolution's shape. Offsets and sizes are in elements.
struct Conv2DPlan {
  Conv2DPlan(const Conv2DShape& given, CpuLevel level);

  Conv2DShape shape;  ///< As given, but a pointwise convolution has its image in one row.
  const InnerLoops* loops;
  bool is_plain;           ///< The tables or the padded image would be too large: the plain loops take none.
  bool uses_pairs;         ///< Few output channels of a one-channel image: PairForward.
  bool is_padded;          ///< Images are copied into a larger, zeroed one; else they are read in place.
  int64_t image_row;       ///< From one row to the next of an image as it is read.
  int64_t image_height;    ///< The rows of a padded image.
  int64_t filter_columns;  ///< out_channels rounded up to whole vectors.

  /// The taps of the filter in stretches of `run_length` that are neighbours in the image: whole filter
  /// rows, or single pixels where the filter is dilated. `a` is relative to the window's corner, `b_row`
  /// counts taps.
  std::vector<TileRun> filter_runs;
  int64_t run_length;

  int64_t in_elements() const { return shape.in_height * shape.in_width * shape.in_channels; }
  int64_t out_elements() const { return shape.out_height * shape.out_width * shape.out_channels; }
  int64_t out_row() const { return shape.out_width * shape.out_channels; }
  int64_t taps() const { return shape.filter_height * shape.filter_width * shape.in_channels; }

  /// How many rows (of out_height, or in_height) make it worth to wake a worker, if one has so
  /// many multiply-adds.
  static int64_t rows_per_worker(int64_t multiply_adds_per_row);

  /// Calls body(first, count, padded) for each panel of `columns` columns: `padded` is `count` in
  /// whole vectors.
  template <typename Body>
  void for_panels(int64_t columns, Body body) const {
    for (int64_t first = 0; first < columns; first += loops->panel_columns) {
      const int64_t count = std::min<int64_t>(loops->panel_columns, columns - first);
      body(first, count, round_up(count, loops->width));
    }
  }

  /// The size of a padded image, with what vectors may read beyond its end; 0 if there is none.
  int64_t padded_elements() const;
  /// Makes `padded` zero.
  void clear_padded(float* padded) const;
  /// `image` as it is read: itself, or its copy in `padded`, whose border is zero already.
  const float* pad(const float* image, float* padded) const;
};

struct Conv2DBackwardInputPlan : Conv2DPlan {
  Conv2DBackwardInputPlan(const Conv2DShape& given, CpuLevel level);

  int64_t column_elements;  ///< filter_width * in_channels rounded up to whole vectors.
  bool is_direct;           ///< The columns of a row are the row itself: nothing is to be folded.
  int64_t rows_at_once;     ///< So many input rows are multiplied before they are folded.
  /// The filter rows that reach input row y: row_runs[first_run[y]] up to row_runs[first_run[y + 1]].
  std::vector<TileRun> row_runs;
  std::vector<int64_t> first_run;
  /// The columns that add up to each pixel of an input row.
  std::vector<FoldPixel> fold_pixels;
  int64_t fold_step;
};

struct Conv2DBackwardFilterPlan : Conv2DPlan {
  Conv2DBackwardFilterPlan(const Conv2DShape& given, CpuLevel level);

  std::vector<TileRun> pixel_runs;  ///< The rows of output pixels.
  int64_t runs_at_once;             ///< So many of them are multiplied before the next panel's turn.

  /// The sums for the whole filter that each part of the batch makes.
  int64_t sum_elements() const;
  /// In how many parts the batch is best cut for so many workers.
  int64_t parts(int workers) const;
};

}  // namespace flowray::ops
