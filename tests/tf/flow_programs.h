#pragma once
/// What the golden programs with branches and loops have in common, as in their Python.

#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include <string>
#include <vector>

namespace flowray {

using Values = std::vector<tf::BranchValue>;
using Next = std::vector<tf::Input>;

inline tf::Tensor floats(const tf::TensorShape& shape, const std::string& name) {
  return tf::placeholder(tf::float32, shape, {.name = name});
}
inline tf::Tensor truth(const std::string& name) { return tf::placeholder(tf::boolean, {}, {.name = name}); }

}  // namespace flowray
