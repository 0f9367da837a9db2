// tests/oracle/programs/debugging.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/debugging.h>
#include <flowray/tf/errors.h>

namespace flowray {
namespace {

tf::Tensor of(DType dtype, const tf::TensorShape& shape, const std::string& name) {
  return tf::placeholder(dtype, shape, {.name = name});
}
tf::Tensor floats(const std::string& name) { return of(tf::float32, {2, tf::None}, name); }

GOLDEN_PROGRAM(comparisons_of_elements) {
  auto x = floats("x");
  auto y = floats("y");
  tf::assert_equal(x, y);
  tf::assert_none_equal(x, y, {.message = "Bad:"});
  tf::assert_less(x, y, {.data = std::vector<tf::Input>{"less:", x}, .name = "named"});
  tf::assert_less_equal(x, 3.0, {.summarize = 5});
  auto n = of(tf::int32, {tf::None}, "n");
  tf::assert_greater(n, 0);
  tf::assert_greater_equal(n, {1, 2});
  tf::assert_equal(n, n);
  auto known = tf::constant({1, 2});
  tf::assert_equal(known, {1, 2}, {.name = "known"});
}

GOLDEN_PROGRAM(signs_of_elements) {
  auto x = floats("x");
  auto n = of(tf::int32, {tf::None}, "n");
  tf::assert_positive(x);
  tf::assert_negative(n);
  tf::assert_non_negative(n, {.message = "Bad", .name = "named"});
  tf::assert_non_positive(x, {.data = std::vector<tf::Input>{x}, .summarize = 2});
  tf::assert_positive(tf::constant({1, 2}));
}

GOLDEN_PROGRAM(nearness_of_elements) {
  auto x = floats("x");
  auto y = floats("y");
  tf::assert_near(x, y);
  tf::assert_near(x, y, {.rtol = 0.1, .atol = 0.01, .message = "Far", .name = "named"});
  tf::assert_near(of(tf::float64, {2}, "wide"), {1.0, 2.0});
}

GOLDEN_PROGRAM(checks_of_ranks) {
  auto x = floats("x");
  auto of_any_rank = of(tf::float32, tf::TensorShape::unknown_rank(), "of_any_rank");
  auto n = of(tf::int32, {}, "n");
  tf::assert_rank(x, 2);
  tf::assert_rank(of_any_rank, 2, {.message = "Bad"});
  tf::assert_rank(x, n, {.name = "named"});
  tf::assert_rank_at_least(x, 1);
  tf::assert_rank_at_least(of_any_rank, 1);
  tf::assert_rank_in(x, {1, 2});
  tf::assert_rank_in(of_any_rank, {1, 2}, {.name = "one_of"});
}

GOLDEN_PROGRAM(checks_of_dtypes) {
  auto x = floats("x");
  auto n = of(tf::int32, {}, "n");
  tf::assert_integer(n);
  tf::assert_integer({1, 2}, {.name = "named"});
  tf::assert_type(x, tf::float32);
  tf::assert_scalar(n);
  tf::assert_scalar(3, {.name = "scalar"});
  EXPECT_EQ(tf::assert_same_float_dtype({x}), tf::float32);
  EXPECT_THROW(tf::assert_same_float_dtype({x, n}), tf::ValueError);
}

}  // namespace
}  // namespace flowray
