#include "ops/reduce/reduce_plan.h"

#include "core/checked_size.h"

#include <algorithm>

namespace flowray::ops {
namespace {

struct Dim {
  int64_t size;
  bool reduced;
};

std::vector<Dim> merged_dims(const Shape& shape, const std::vector<bool>& reduced) {
  std::vector<Dim> dims;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dim(i) == 1) continue;
    if (!dims.empty() && dims.back().reduced == reduced[static_cast<size_t>(i)]) {
      dims.back().size = checked(dims.back().size) * shape.dim(i);
    } else {
      dims.push_back({shape.dim(i), reduced[static_cast<size_t>(i)]});
    }
  }
  return dims;
}

// Below so many elements a pass is not worth sharing; a piece of a cut row has at least half of it.
constexpr int64_t kSharedElements = 65536;
constexpr int64_t kMaxChunks = 64;

/// Cuts the rows of a large pass with few of them, so that several threads have something to do.
int64_t chunks_for(int64_t outer, int64_t reduced, int64_t inner) {
  const int64_t elements = outer * reduced * inner;
  if (elements < kSharedElements || outer >= kMaxChunks) return 1;
  const int64_t wanted = std::min(kMaxChunks / outer, elements / (kSharedElements / 2 * outer));
  return std::clamp<int64_t>(wanted, 1, reduced);
}

}  // namespace

ReducePlan plan_reduction(const Shape& shape, const std::vector<bool>& reduced) {
  ReducePlan plan;
  plan.in_elements = shape.num_elements();
  Shape kept;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!reduced[static_cast<size_t>(i)]) kept.push_back(shape.dim(i));
  }
  plan.out_elements = kept.num_elements();
  if (plan.in_elements == 0) return plan;
  std::vector<Dim> dims = merged_dims(shape, reduced);

  // The last reduced dimension goes first: what follows it, at most one kept dimension, is contiguous.
  for (auto last = dims.size(); last-- > 0;) {
    if (!dims[last].reduced) continue;
    ReducePass pass;
    pass.reduced = dims[last].size;
    for (size_t i = 0; i < last; ++i) pass.outer *= dims[i].size;
    for (size_t i = last + 1; i < dims.size(); ++i) pass.inner *= dims[i].size;
    pass.chunks = chunks_for(pass.outer, pass.reduced, pass.inner);
    plan.passes.push_back(pass);
    if (pass.chunks > 1) plan.passes.push_back({pass.outer, pass.chunks, pass.inner, 1});
    dims[last].size = 1;
  }
  return plan;
}

}  // namespace flowray::ops
