#pragma once
/// Weights and batches by which trainings here and in TensorFlow can be compared; tests/golden/README.md has
/// the formula.

#include <flowray/array.h>

#include <cstdint>
#include <string>
#include <vector>

namespace flowray::testing {

struct NamedWeights {
  std::string name;
  Array value;  ///< float32
};

/// LeNet-5's weights in the order of the network. `first_seed` is that of the first.
std::vector<NamedWeights> lenet5_weights(int64_t first_seed = 0);

}  // namespace flowray::testing
