#pragma once
/// Several elementwise kernels as one: run piece by piece, so that what they hand to one another stays in the
/// first cache.

#include "graph/graph.h"
#include "graph/kernel/kernel.h"

#include <memory>
#include <vector>

namespace flowray::engine {

/// One of the kernels. The values that it reads are numbered: first the inputs of the whole, then the outputs
/// of the parts.
struct FusedPart {
  std::unique_ptr<graph::Kernel> kernel;  // elementwise() is not null
  const graph::Node* node = nullptr;
  std::vector<uint32_t> inputs;
  /// Number of the output that shows it, or one of these.
  int output = kInside;

  static constexpr int kInside = -1;      // only parts read it
  static constexpr int kIntoBuffer = -2;  // the caller of run_piece takes it: at most one
};

/// Limits of one loop; find_fusion_groups keeps them.
inline constexpr size_t kMostFusedParts = 48;
inline constexpr size_t kMostFusedInputs = 48;
inline constexpr uint32_t kMostFusedElementBytes = 8;

/// The kernels as one, which others can run in pieces.
class PieceLoop : public graph::Kernel {
 public:
  /// Elements [begin, end). What is marked kIntoBuffer goes to `buffer`, element `begin` first. On
  /// any thread.
  virtual void run_piece(const graph::KernelCall& call, int64_t begin, int64_t end, void* buffer) const = 0;
};

/// All parts have one count, and one period where they have any. Input k of the whole is read as `inputs[k]`
/// says. Pieces begin and end at multiples of `granularity`. What a part throws carries the part's node.
std::unique_ptr<PieceLoop> make_fused_loop(std::vector<FusedPart> parts,
                                           const std::vector<graph::ElementwiseLoop::Input>& inputs,
                                           int64_t granularity);

}  // namespace flowray::engine
