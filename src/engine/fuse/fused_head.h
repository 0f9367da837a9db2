#pragma once
/// A kernel with the elementwise loop that works on each piece of its output as soon as the piece
/// is finished.

#include "engine/fuse/fused_loop.h"

namespace flowray::engine {

/// The kernel whose output the loop works on.
struct FusedHead {
  std::unique_ptr<graph::Kernel> kernel;  // pieces().elements > 0
  const graph::Node* node = nullptr;
  uint32_t num_inputs = 0;
  /// Numbers of the outputs of the whole that show its outputs; kInside for the one that only the loop reads.
  std::vector<int> outputs;
  size_t told_bytes = 0;  // of the output that it tells of

  static constexpr int kInside = -1;
};

inline constexpr size_t kMostHeadInputs = 8;
inline constexpr size_t kMostHeadOutputs = 4;

/// `loop` has the told output as its last input, number `num_loop_inputs` - 1. The inputs of the whole are
/// the loop's others, then the head's; the outputs of the loop are the first `num_loop_outputs` of the whole.
std::unique_ptr<graph::Kernel> make_fused_head(FusedHead head, std::unique_ptr<PieceLoop> loop,
                                               uint32_t num_loop_inputs, uint32_t num_loop_outputs,
                                               uint32_t num_outputs);

}  // namespace flowray::engine
