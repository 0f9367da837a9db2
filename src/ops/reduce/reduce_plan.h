#pragma once
/// How a reduction over any axes becomes a few passes over contiguous memory.

#include <flowray/shape.h>

#include <cstdint>
#include <vector>

namespace flowray::ops {

/// One pass: [outer, reduced, inner] elements become [outer, chunks, inner], each row of `reduced` elements
/// being cut into `chunks` pieces of about equal length. The cut depends on the shape alone, so that sums
/// come out the same on any number of threads.
struct ReducePass {
  int64_t outer = 1;
  int64_t reduced = 1;
  int64_t inner = 1;
  int64_t chunks = 1;

  int64_t out_elements() const { return outer * chunks * inner; }
};

/// No pass at all where nothing is reduced but dimensions of size 1.
struct ReducePlan {
  std::vector<ReducePass> passes;
  int64_t in_elements = 0;
  int64_t out_elements = 0;
};

/// `reduced[i]` tells whether dimension i of `shape`, fully defined, is reduced.
ReducePlan plan_reduction(const Shape& shape, const std::vector<bool>& reduced);

}  // namespace flowray::ops
