// tests/oracle/programs/constants.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>

#include <limits>
#include <numeric>
#include <vector>

namespace flowray {
namespace {

Array counted(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0.f);
  return Array(values);
}

GOLDEN_PROGRAM(constant_scalars) {
  tf::constant(1);
  tf::constant(2.5);
  tf::constant(true);
  tf::constant("hello");
  tf::constant(3, {.name = "three"});
}

GOLDEN_PROGRAM(constant_lists) {
  tf::constant({1, 2, 3});
  tf::constant({{1.0, 2.0}, {3.0, 4.0}});
  tf::constant({true, false});
  tf::constant({"a", "quote \" and \\"});
  tf::constant(tf::Literal::list({}), tf::float32);
}

GOLDEN_PROGRAM(constant_dtypes) {
  for (DType dtype :
       {tf::float64, tf::float32, tf::float16, tf::bfloat16, tf::int8, tf::uint8, tf::int16, tf::int64}) {
    tf::constant({1, 2}, dtype);
  }
  tf::constant({1, 2}, tf::float32, {.name = "named"});
  tf::constant(std::vector<double>{1.5, 2.5});
  tf::constant(std::vector<int64_t>{0, 1, 2});
}

GOLDEN_PROGRAM(constant_shape) {
  tf::constant(7, {.shape = tf::TensorShape{2, 3}});
  tf::constant({1, 2, 3, 4}, {.shape = tf::TensorShape{2, 2}});
  tf::constant({1, 2, 3}, {.shape = tf::TensorShape{2, 2}});
  tf::constant(0.5, {.dtype = tf::float64, .shape = tf::TensorShape{}});
  tf::constant(0.0, {.shape = tf::TensorShape{20}});
  tf::constant(counted(20));
}

GOLDEN_PROGRAM(constant_float_printing) {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  tf::constant({0.1, 100000.0, 1e-7, 16777216.0, -0.0, infinity, -infinity, nan, 1.0 / 3}, tf::float32);
  tf::constant({0.1, 100000.0, 1e-7, 123456789.0, 1e300, 1.0 / 3}, tf::float64);
}

GOLDEN_PROGRAM(placeholder_shapes) {
  tf::placeholder(tf::float32);
  tf::placeholder(tf::float32, {});
  tf::placeholder(tf::float32, {tf::None, 784});
  tf::placeholder(tf::int64, {2, tf::None, 3}, {.name = "ids"});
  tf::placeholder(tf::boolean, {});
  tf::placeholder(tf::string, {3});
}

GOLDEN_PROGRAM(placeholder_with_default) {
  tf::placeholder_with_default({1.0, 2.0}, {tf::None});
  tf::placeholder_with_default(3, {}, {.name = "count"});
}

GOLDEN_PROGRAM(names_made_unique) {
  for (int i = 0; i < 3; ++i) tf::constant(0, {.name = "a"});
  for (const char* name : {"b_1", "b", "b", "b_1", "A", "a/b", "a/b", "c/d", "c"})
    tf::constant(0, {.name = name});
}

GOLDEN_PROGRAM(names_with_final_slash) {
  for (const char* name : {"a/", "b/c/", ".start", "x-y.z_1"}) tf::constant(0, {.name = name});
}

}  // namespace
}  // namespace flowray
