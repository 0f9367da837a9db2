// The table of InnerLoops, compiled once for each CpuLevel by inner_loops.cpp.

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "ops/loops/inner_loops.h"
#include "ops/loops/portable_level.h"

// The vectors come first, and what the others are made of.
#include "ops/loops/vectors_code.h"

#include "ops/loops/product_code.h"

#include "ops/loops/pixel_pairs_code.h"
#include "ops/loops/pool_code.h"

namespace flowray::ops::FLOWRAY_LEVEL {
namespace {

constexpr InnerLoops all_inner_loops() {
  InnerLoops loops = {
      .width = Vector::kWidth,
      .panel_columns = Vector::kWidth * Vector::kPanelVectors,
      .tile_rows = Vector::kTileRows[Vector::kPanelVectors - 1],
      .pair_channels = 0,
      .multiply = multiply<Vector>,
      .dot_rows = dot_rows<Vector>,
      .pair_forward = nullptr,
      .pair_backward_filter = nullptr,
      .fold_row = fold_row<Vector, HalfVector>,
      .average_pool = average_pool<Vector, HalfVector>,
      .average_pool_gradient = average_pool_gradient<Vector, HalfVector>,
      .max_pool = max_pool<Vector, HalfVector>,
      .max_pool_gradient = max_pool_gradient<Vector, HalfVector>,
  };
#if FLOWRAY_VECTOR_BYTES == 64
  loops.pair_channels = Vector::kWidth / 2;
  loops.pair_forward = pair_forward<Vector>;
  loops.pair_backward_filter = pair_backward_filter<Vector>;
#endif
  return loops;
}

}  // namespace

constinit const InnerLoops kInnerLoops = all_inner_loops();

}  // namespace flowray::ops::FLOWRAY_LEVEL
