#pragma once
/// What TensorFlow's optimizers ask of their scalar inputs, and what they say where they do not get it.

#include <string>
#include <string_view>

namespace flowray::ops {

/// Which values are taken.
enum class ScalarRange { kAny, kPositive, kPositiveOrZero, kNotNegative, kNotPositive };

/// What the scalar input `input` of an op such as "ResourceSparseApplyFtrl" has to be.
struct ScalarDemand {
  ScalarRange range = ScalarRange::kAny;
  std::string complaint;  ///< What is said of anything else; its shape follows.
};
ScalarDemand scalar_demand(std::string_view op, std::string_view input);

}  // namespace flowray::ops
