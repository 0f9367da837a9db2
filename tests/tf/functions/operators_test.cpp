// tests/oracle/programs/operators.py in C++. What C++ has no operator for (x // y, x ** y, x @ y, abs) is
// called by its function, with the operator's name where that is another one.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include <utility>

namespace flowray {
namespace {

std::pair<tf::Tensor, tf::Tensor> two_vectors(DType dtype = tf::float32) {
  auto x = tf::placeholder(dtype, {3}, {.name = "x"});
  auto y = tf::placeholder(dtype, {3}, {.name = "y"});
  return {x, y};
}

GOLDEN_PROGRAM(operators_between_tensors) {
  auto [x, y] = two_vectors();
  x + y;
  x - y;
  x* y;
  x / y;
  tf::floordiv(x, y);
  x % y;
  tf::pow(x, y, {.name = "pow"});
  -x;
  tf::abs(x);
  static_cast<void>(x < y);
  static_cast<void>(x <= y);
  static_cast<void>(x > y);
  static_cast<void>(x >= y);
}

GOLDEN_PROGRAM(operators_number_on_the_right) {
  auto [x, y] = two_vectors();
  x + 1;
  x - 1;
  x * 2;
  x / 2;
  tf::floordiv(x, 2);
  x % 2;
  tf::pow(x, 2, {.name = "pow"});
  static_cast<void>(x < 1);
  static_cast<void>(x <= 1);
  static_cast<void>(x > 1);
  static_cast<void>(x >= 1);
  x + 1.5;
  x * 0.1;
}

GOLDEN_PROGRAM(operators_number_on_the_left) {
  auto [x, y] = two_vectors();
  1 + x;
  1 - x;
  2 * x;
  2 / x;
  tf::floordiv(2.0, x);
  2 % x;
  tf::pow(2.0, x, {.name = "pow"});
  static_cast<void>(1 < x);
  static_cast<void>(1 <= x);
  static_cast<void>(1 > x);
  static_cast<void>(1 >= x);
}

GOLDEN_PROGRAM(operators_int32) {
  auto [x, y] = two_vectors(tf::int32);
  x + y;
  x - y;
  x* y;
  x / y;
  tf::floordiv(x, y);
  x % y;
  tf::pow(x, y, {.name = "pow"});
  -x;
  x + 1;
  2 * x;
  x / 2;
  tf::floordiv(7, x);
  x % 2;
  tf::pow(x, 2, {.name = "pow"});
}

GOLDEN_PROGRAM(operators_int64) {
  auto [x, y] = two_vectors(tf::int64);
  x + 1;
  x* y;
  x / y;
  tf::floordiv(x, 2);
  5 % x;
}

GOLDEN_PROGRAM(operators_float64) {
  auto [x, y] = two_vectors(tf::float64);
  x + y;
  2 * x;
  x / y;
  tf::floordiv(x, y);
  1 - x;
  tf::pow(x, 2, {.name = "pow"});
}

GOLDEN_PROGRAM(operators_with_lists) {
  auto [x, y] = two_vectors();
  x + Literal{1.0, 2.0, 3.0};
  Literal{1.0, 2.0, 3.0} * x;
  x - Literal{{1.0}, {2.0}};
}

GOLDEN_PROGRAM(operators_on_bools) {
  auto [x, y] = two_vectors(tf::boolean);
  x & y;
  x | y;
  x ^ y;
  ~x;
  tf::logical_and(x, y);
  tf::logical_or(x, y);
  tf::logical_not(x);
  tf::logical_xor(x, y);
  tf::logical_and(x, true, {.name = "named"});
}

GOLDEN_PROGRAM(operators_in_a_name_scope) {
  auto [x, y] = two_vectors();
  auto scope = tf::name_scope("s");
  x + y;
  x / y + 1.0;
  x* y;
}

GOLDEN_PROGRAM(broadcasting_shapes) {
  auto a = tf::placeholder(tf::float32, {2, 1, 3});
  auto b = tf::placeholder(tf::float32, {4, 1});
  auto c = tf::placeholder(tf::float32, {tf::None, 3});
  auto d = tf::placeholder(tf::float32, {tf::None, 1});
  auto e = tf::placeholder(tf::float32);
  a + b;
  a + c;
  b + c;
  c + d;
  a + e;
  e + e;
  c + 1.0;
  auto f = tf::placeholder(tf::float32, {1});
  f + c;
  f + d;
}

GOLDEN_PROGRAM(binary_functions) {
  auto [x, y] = two_vectors();
  tf::add(x, y);
  tf::subtract(x, y);
  tf::multiply(x, y);
  tf::divide(x, y);
  tf::div(x, y);
  tf::truediv(x, y);
  tf::floordiv(x, y);
  tf::realdiv(x, y);
  tf::mod(x, y);
  tf::floormod(x, y);
  tf::maximum(x, y);
  tf::minimum(x, y);
  tf::pow(x, y);
  tf::squared_difference(x, y);
  tf::div_no_nan(x, y);
}

GOLDEN_PROGRAM(binary_functions_named) {
  auto [x, y] = two_vectors();
  tf::add(x, y, {.name = "plus"});
  tf::subtract(x, 1.0, {.name = "minus"});
  tf::multiply(2.0, x, {.name = "times"});
  tf::divide(x, y, {.name = "over"});
  tf::truediv(x, 2.0, {.name = "over_two"});
  tf::pow(x, 2.0, {.name = "squared"});
  tf::maximum(x, 0.0, {.name = "top"});
  tf::minimum(x, 0.0, {.name = "low"});
}

GOLDEN_PROGRAM(binary_functions_with_numbers) {
  auto [x, y] = two_vectors();
  tf::add(x, 1);
  tf::subtract(1.0, x);
  tf::multiply(x, 2);
  tf::divide(x, 2);
  tf::maximum(x, 0);
  tf::minimum(0.0, x);
  tf::pow(x, 3);
  tf::divide(6, 3);
  tf::add(1, 2);
}

GOLDEN_PROGRAM(division_functions_int32) {
  auto [x, y] = two_vectors(tf::int32);
  tf::div(x, y);
  tf::divide(x, y);
  tf::truediv(x, y);
  tf::floordiv(x, y);
  tf::floor_div(x, y);
  tf::truncatediv(x, y);
  tf::mod(x, y);
  tf::truncatemod(x, y);
}

GOLDEN_PROGRAM(unary_functions) {
  auto [x, y] = two_vectors();
  using Function = tf::Tensor (*)(const tf::Input&, const tf::NameOption&);
  const std::pair<Function, const char*> functions[] = {{tf::negative, "named_neg"},
                                                        {tf::abs, "named_abs"},
                                                        {tf::square, "named_square"},
                                                        {tf::sqrt, "named_sqrt"},
                                                        {tf::rsqrt, "named_rsqrt"},
                                                        {tf::exp, "named_exp"},
                                                        {tf::log, "named_log"},
                                                        {tf::log1p, "named_log1p"},
                                                        {tf::expm1, "named_expm1"},
                                                        {tf::tanh, "named_tanh"},
                                                        {tf::sigmoid, "named_sigmoid"},
                                                        {tf::sin, nullptr},
                                                        {tf::cos, nullptr},
                                                        {tf::floor, nullptr},
                                                        {tf::ceil, nullptr},
                                                        {tf::round, nullptr},
                                                        {tf::sign, nullptr},
                                                        {tf::reciprocal, nullptr},
                                                        {tf::erf, nullptr},
                                                        {tf::is_nan, nullptr}};
  for (const auto& [function, name] : functions) function(x, {});
  for (const auto& [function, name] : functions) {
    if (name != nullptr) function(x, {.name = name});
  }
}

GOLDEN_PROGRAM(unary_functions_of_numbers) {
  tf::square(3.0);
  tf::exp({1.0, 2.0});
  tf::negative(1);
  tf::abs(-2.0);
  tf::sqrt({4.0});
}

GOLDEN_PROGRAM(comparisons) {
  auto [x, y] = two_vectors();
  tf::equal(x, y);
  tf::not_equal(x, y);
  tf::less(x, y);
  tf::less_equal(x, y);
  tf::greater(x, y);
  tf::greater_equal(x, y);
  tf::equal(x, 1.0, {.name = "same"});
  tf::less(x, 0);
  auto column = tf::placeholder(tf::float32, {tf::None, 1});
  tf::equal(column, tf::placeholder(tf::float32, {tf::None}));
}

GOLDEN_PROGRAM(where_and_select) {
  auto condition = tf::placeholder(tf::boolean, {3}, {.name = "condition"});
  auto [x, y] = two_vectors();
  tf::where(condition, x, y);
  tf::where(condition, x, y, {.name = "chosen"});
  tf::where(condition);
  auto positive = x > 0.0;
  tf::where(positive, x, tf::zeros_like(x));
  tf::where(tf::placeholder(tf::boolean, {}), x, y);
  tf::where_v2(condition, x, 0.0);
}

GOLDEN_PROGRAM(casts) {
  auto [x, y] = two_vectors();
  tf::cast(x, tf::int32);
  EXPECT_TRUE(tf::cast(x, tf::float32).is(x));
  tf::cast(x, tf::as_dtype("float64"), {.name = "wide"});
  tf::cast(x > 0.0, tf::float32);
  tf::cast(3, tf::float32);
  tf::to_float(tf::placeholder(tf::int32, {2}));
  tf::to_float(x);
  tf::to_int32(x);
  tf::to_int64(x);
  tf::to_double(x);
}

GOLDEN_PROGRAM(clip_and_add_n) {
  auto [x, y] = two_vectors();
  tf::clip_by_value(x, -1.0, 1.0);
  tf::add_n({x, y});
  EXPECT_TRUE(tf::add_n({x}).is(x));
  tf::add_n({x, y, x}, {.name = "three"});
}

TEST(LogicalOperators, AreElementWise) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto a = tf::constant({1.0, 2.0, 3.0});
  const auto b = tf::constant({1.0, 2.0, 0.0});
  const tf::Variable flag(true);
  const tf::Tensor both = tf::equal(a, b) && (a > 1.0);
  const tf::Tensor either = tf::equal(a, b) || (a > 2.0);
  const tf::Tensor no = !(a > 2.0);
  const tf::Tensor by_bools = (true && flag) || false;
  EXPECT_EQ(both.op().type(), "LogicalAnd");
  EXPECT_EQ(either.op().type(), "LogicalOr");
  EXPECT_EQ(no.op().type(), "LogicalNot");
  EXPECT_EQ(no.op().name(), "LogicalNot");
  tf::Session session;
  session.run(flag.initializer());
  EXPECT_EQ(session.run(both), Array({false, true, false}));
  EXPECT_EQ(session.run(either), Array({true, true, true}));
  EXPECT_EQ(session.run(no), Array({true, true, false}));
  EXPECT_EQ(session.run(by_bools), Array(true));
  EXPECT_THROW((void)(a && b), tf::TypeError);
  EXPECT_THROW((void)!a, tf::TypeError);
}

}  // namespace
}  // namespace flowray
