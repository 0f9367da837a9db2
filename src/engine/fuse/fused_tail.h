#pragma once
/// A kernel that takes an input from the elementwise loop that computes it, piece by piece.

#include "engine/fuse/fused_loop.h"

namespace flowray::engine {

/// The kernel that reads what the loop computes.
struct FusedTail {
  std::unique_ptr<graph::Kernel> kernel;  // source().input >= 0
  const graph::Node* node = nullptr;
  uint32_t num_inputs = 0;
  uint32_t num_outputs = 0;
  /// Number of the loop's output that it reads; kFromBuffer where it is the only reader.
  int output = kFromBuffer;
  uint32_t element_bytes = 0;

  static constexpr int kFromBuffer = -1;
};

inline constexpr size_t kMostTailInputs = 4;
inline constexpr size_t kMostTailOutputs = 2;

/// The inputs of the whole are the loop's, then the tail's without the one that it takes from the loop; the
/// outputs are the loop's, then the tail's.
std::unique_ptr<graph::Kernel> make_fused_tail(FusedTail tail, std::unique_ptr<PieceLoop> loop,
                                               uint32_t num_loop_inputs, uint32_t num_loop_outputs);

}  // namespace flowray::engine
