#pragma once
/// TensorFlow's rule for the two seeds of a random op (tf.get_seed).

#include "graph/graph.h"

#include <optional>

namespace flowray::tf {

/// A seed as an op can hold it: modulo 2^31 - 1, not negative.
constexpr int64_t truncated_seed(int64_t seed) {
  constexpr int64_t kModulus = (int64_t{1} << 31) - 1;
  return (seed % kModulus + kModulus) % kModulus;
}

/// The attributes `seed` and `seed2`. Both 0: another sequence in each session.
struct Seeds {
  int64_t seed = 0;
  int64_t seed2 = 0;
};

/// Only the op's seed given: (87654321, op's). Only the graph's: (graph's, a counter). Both: both. (0, 0),
/// which would mean neither, becomes (0, 2^31 - 1).
Seeds seeds_of(graph::Graph& graph, std::optional<int64_t> op_seed);

}  // namespace flowray::tf
