#pragma once
/// Reductions of rows with the elementwise kernels that feed them and follow them, as one loop over rows: a
/// softmax or a normalisation written with simple operations reads its input once.

#include "engine/fuse/fused_loop.h"

namespace flowray::engine {

/// A matrix of [rows, width] elements. Parts make such matrices ("wide" values) elementwise, columns of
/// [rows] ("narrow") elementwise, and columns of matrices (Kernel::row_reduction()). Wide ones may read
/// columns, as Walk::kColumn says, of what other parts make too.
struct RowGrid {
  int64_t rows = 0;
  int64_t width = 0;
};

/// Limit of what all wide parts of one loop may need for a row, in elements; find_fusion_groups keeps it.
inline constexpr int64_t kMostFusedRowElements = 10 * graph::Kernel::kMostReducedRow;

/// Input k of the whole is read as `inputs[k]` says by the first part that reads it (kEach for kRow).
std::unique_ptr<PieceLoop> make_fused_rows(std::vector<FusedPart> parts,
                                           const std::vector<graph::ElementwiseLoop::Input>& inputs,
                                           RowGrid grid);

}  // namespace flowray::engine
