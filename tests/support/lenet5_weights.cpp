#include "support/lenet5_weights.h"

#include <cmath>

namespace flowray::testing {
namespace {

Array formula_weights(const Shape& shape, double fan_in, double fan_out, int64_t seed) {
  Array weights = Array::uninitialized(DType::kFloat32, shape);
  float* out = weights.mutable_data<float>();
  for (int64_t i = 0; i < weights.size(); ++i) {
    const double unit = static_cast<double>((i * 7919 + seed * 104729) % 10007) / 10007.0 * 2 - 1;
    out[i] = static_cast<float>(unit * std::sqrt(6.0 / (fan_in + fan_out)));
  }
  return weights;
}

}  // namespace

std::vector<NamedWeights> lenet5_weights(int64_t first_seed) {
  const int64_t seed = first_seed;
  return {{"w_conv1", formula_weights({5, 5, 1, 6}, 25, 150, seed)},
          {"w_conv2", formula_weights({5, 5, 6, 16}, 150, 400, seed + 1)},
          {"w_fc1", formula_weights({400, 120}, 400, 120, seed + 2)},
          {"b1", formula_weights({120}, 120, 120, seed + 3)},
          {"w_fc2", formula_weights({120, 10}, 120, 10, seed + 4)},
          {"b2", formula_weights({10}, 10, 10, seed + 5)}};
}

}  // namespace flowray::testing
