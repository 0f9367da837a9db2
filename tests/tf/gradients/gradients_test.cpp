// tests/oracle/programs/gradients.py in C++, as far as it needs no functions of neural networks
// or optimizers.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include <utility>
#include <vector>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}

using Function = tf::Tensor (*)(const tf::Input&, const tf::NameOption&);

GOLDEN_PROGRAM(gradients_of_broadcasting_mul) {
  auto x = floats({2, 3}), y = floats({3}, "y");
  tf::gradients(x * y, {x, y});
}

GOLDEN_PROGRAM(gradients_of_integers) {
  auto x = floats({2});
  auto n = tf::placeholder(tf::int32, {2}, {.name = "n"});
  EXPECT_FALSE(tf::gradients(n * 2, {n})[0].has_value());
  EXPECT_TRUE(tf::gradients(n, {n})[0].has_value());
  EXPECT_FALSE(tf::gradients(tf::cast(x, tf::int32), {x})[0].has_value());
  tf::gradients({tf::argmax(x, 0), tf::square(x)}, {x});
  EXPECT_FALSE(tf::gradients(x < 1.0, {x})[0].has_value());
}

GOLDEN_PROGRAM(gradients_of_mul_by_number) {
  auto x = floats({2, 3});
  tf::gradients(2.0 * x * 3.0, {x});
}

GOLDEN_PROGRAM(gradients_of_add_and_sub) {
  auto x = floats({2, 3}), y = floats({2, 3}, "y");
  auto sum = x + y;
  auto difference = x - 1.0;
  tf::gradients(sum - difference, {x, y});
}

GOLDEN_PROGRAM(gradients_with_unknown_shapes) {
  auto x = floats(tf::TensorShape::unknown_rank()), y = floats({tf::None, 3}, "y");
  tf::gradients((x - y) + y, {x, y});
}

GOLDEN_PROGRAM(gradients_with_unknown_batch) {
  auto x = floats({tf::None, 3}), y = floats({3}, "y");
  tf::gradients(x * y + y, {x, y});
}

GOLDEN_PROGRAM(gradients_of_division) {
  auto x = floats({2, 3}), y = floats({2, 1}, "y");
  tf::gradients(x / y, {x, y});
}

GOLDEN_PROGRAM(gradients_of_pow) {
  auto x = floats({3}), y = floats({3}, "y");
  tf::gradients(tf::pow(x, y, {.name = "pow"}), {x, y});
  tf::gradients(tf::pow(x, 2, {.name = "pow"}), {x});
}

GOLDEN_PROGRAM(gradients_of_maximum_minimum) {
  auto x = floats({3}), y = floats({3}, "y");
  auto top = tf::maximum(x, y);
  auto low = tf::minimum(x, 0.0);
  tf::gradients(top + low, {x, y});
}

GOLDEN_PROGRAM(gradients_of_unary_functions) {
  for (Function function :
       {tf::negative, tf::abs, tf::square, tf::sqrt, tf::rsqrt, tf::exp, tf::log, tf::tanh, tf::sigmoid}) {
    auto x = floats({3});
    tf::gradients(function(x, {}), {x});
  }
}

GOLDEN_PROGRAM(gradients_of_more_unary_functions) {
  for (Function function :
       {tf::log1p, tf::expm1, tf::sin, tf::cos, tf::reciprocal, tf::sign, tf::floor, tf::erf}) {
    auto x = floats({3});
    tf::gradients(function(x, {}), {x});
  }
}

GOLDEN_PROGRAM(gradients_of_squared_difference) {
  auto x = floats({2, 3}), y = floats({3}, "y");
  tf::gradients(tf::squared_difference(x, y), {x, y});
}

GOLDEN_PROGRAM(gradients_of_matmul) {
  for (bool a_turned : {false, true}) {
    for (bool b_turned : {false, true}) {
      auto a = a_turned ? floats({3, 2}, "a") : floats({2, 3}, "a");
      auto b = b_turned ? floats({4, 3}, "b") : floats({3, 4}, "b");
      tf::gradients(tf::matmul(a, b, {.transpose_a = a_turned, .transpose_b = b_turned}), {a, b});
    }
  }
}

GOLDEN_PROGRAM(gradients_of_batched_matmul) {
  auto a = floats({5, 2, 3}, "a"), b = floats({5, 3, 4}, "b");
  tf::gradients(tf::matmul(a, b), {a, b});
}

GOLDEN_PROGRAM(gradients_of_reduce_sum) {
  auto x = floats({2, 3, 4});
  tf::gradients(tf::reduce_sum(x), {x});
  tf::gradients(tf::reduce_sum(x, 1), {x});
  tf::gradients(tf::reduce_sum(x, {0, 2}, {.keepdims = true}), {x});
}

GOLDEN_PROGRAM(gradients_of_reduce_sum_unknown_batch) {
  auto x = floats({tf::None, 3});
  tf::gradients(tf::reduce_sum(x), {x});
  tf::gradients(tf::reduce_sum(x, 1), {x});
  tf::gradients(tf::reduce_sum(x, {.reduction_indices = {0}}), {x});
}

GOLDEN_PROGRAM(gradients_of_reduce_mean) {
  auto x = floats({2, 3}), y = floats({tf::None, 3}, "y");
  tf::gradients(tf::reduce_mean(x), {x});
  tf::gradients(tf::reduce_mean(x, 0), {x});
  tf::gradients(tf::reduce_mean(y), {y});
  tf::gradients(tf::reduce_mean(y, 1), {y});
}

GOLDEN_PROGRAM(gradients_of_reduce_max_min) {
  auto x = floats({2, 3}), y = floats({tf::None, 3}, "y");
  tf::gradients(tf::reduce_max(x, 1), {x});
  tf::gradients(tf::reduce_min(y), {y});
}

GOLDEN_PROGRAM(gradients_of_reduce_prod) {
  auto x = floats({2, 3});
  tf::gradients(tf::reduce_prod(x, 1), {x});
}

GOLDEN_PROGRAM(gradients_of_reshape_and_transpose) {
  auto x = floats({2, 6}), y = floats({tf::None, 4}, "y");
  tf::gradients(tf::reshape(x, {3, 4}), {x});
  tf::gradients(tf::reshape(y, {-1, 2, 2}), {y});
  tf::gradients(tf::transpose(x), {x});
  tf::gradients(tf::transpose(tf::reshape(x, {2, 2, 3}), {2, 0, 1}), {x});
}

GOLDEN_PROGRAM(gradients_of_concat_and_stack) {
  auto x = floats({2, 3}), y = floats({2, 4}, "y");
  tf::gradients(tf::concat({x, y}, 1), {x, y});
  tf::gradients(tf::stack({x, x}), {x});
  tf::gradients(tf::concat({floats({tf::None, 3}, "u"), x}, 0), {x});
  tf::gradients(tf::concat({x, x, y}, -1), {x, y});
}

GOLDEN_PROGRAM(gradients_of_split_and_unstack) {
  auto x = floats({4, 6});
  tf::gradients(tf::split(x, 2)[0], {x});
  tf::gradients(tf::unstack(x)[1], {x});
  tf::gradients(tf::split(x, {1, 5}, {.axis = 1}), {x});
}

GOLDEN_PROGRAM(gradients_of_slices) {
  auto x = floats({4, 5});
  tf::gradients(tf::slice(x, {1, 0}, {2, 3}), {x});
  tf::gradients(x[{tf::Slice{1, 3}, tf::Slice{.step = 2}}], {x});
  tf::gradients(x[0], {x});
  tf::gradients(floats({tf::None, 5}, "y")[{tf::ellipsis, tf::newaxis, 0}], {x});
}

GOLDEN_PROGRAM(gradients_of_strided_slice_unknown_batch) {
  auto y = floats({tf::None, 5}, "y");
  tf::gradients(y[{tf::Slice{.start = 1}, 0}], {y});
}

GOLDEN_PROGRAM(gradients_of_gather_along_columns) {
  auto x = floats({4, 5});
  tf::gradients(tf::gather(x, {1, 3}, {.axis = 1}), {x});
}

GOLDEN_PROGRAM(gradients_of_cast_tile_expand_squeeze) {
  auto x = floats({2, 1});
  tf::gradients(tf::cast(x, tf::float64), {x});
  tf::gradients(tf::tile(x, {1, 3}), {x});
  tf::gradients(tf::expand_dims(x, 0), {x});
  tf::gradients(tf::squeeze(x), {x});
  tf::gradients(tf::broadcast_to(x, {2, 3}), {x});
}

GOLDEN_PROGRAM(gradients_of_where) {
  auto x = floats({3}), y = floats({3}, "y");
  tf::gradients(tf::where(x > 0.0, x, y), {x, y});
}

GOLDEN_PROGRAM(gradients_fan_out) {
  auto x = floats({2});
  auto y = tf::identity(x, {.name = "shared"});
  auto first = tf::exp(y);
  auto second = tf::tanh(y);
  auto sum = first + second;
  auto third = y * 2.0;
  tf::gradients(sum + third, {x});
}

GOLDEN_PROGRAM(gradients_of_several_ys) {
  auto x = floats({2});
  auto first = tf::exp(x);
  auto second = tf::tanh(x);
  tf::gradients(std::vector<tf::Tensor>{first, second}, {x});
  auto third = x * 2.0;
  auto fourth = 3.0 * x;
  tf::gradients(std::vector<tf::Tensor>{third, fourth}, {x}, {.name = "mine"});
}

GOLDEN_PROGRAM(gradients_with_grad_ys) {
  auto x = floats({2});
  tf::gradients(tf::exp(x), {x}, {.grad_ys = {{1.0, 2.0}}});
  auto first = tf::exp(x);
  auto second = x * 2.0;
  tf::gradients(std::vector<tf::Tensor>{first, second}, {x}, {.grad_ys = {tf::Tensor(), floats({2}, "dy")}});
}

GOLDEN_PROGRAM(gradients_unconnected) {
  auto x = floats({2}), y = floats({2}, "y");
  auto grads = tf::gradients(tf::exp(x), {x, y});
  EXPECT_TRUE(grads[0].has_value());
  EXPECT_FALSE(grads[1].has_value());
  EXPECT_FALSE(tf::gradients(tf::exp(x), {y})[0].has_value());
  EXPECT_TRUE(tf::gradients(tf::exp(x), {y}, {.unconnected_gradients = "zero"})[0].has_value());
  tf::gradients(x, {x});
  EXPECT_FALSE(tf::gradients(tf::cast(tf::cast(x, tf::int32), tf::float32), {x})[0].has_value());
}

GOLDEN_PROGRAM(gradients_with_stop_gradients) {
  auto x = floats({2});
  auto y = tf::exp(x);
  tf::gradients(y * x, {x, y}, {.stop_gradients = {y}});
  tf::gradients(tf::stop_gradient(y) * x, {x});
}

GOLDEN_PROGRAM(gradients_colocated) {
  auto x = floats({2});
  tf::gradients(tf::exp(x) * 2.0, {x}, {.colocate_gradients_with_ops = true});
}

GOLDEN_PROGRAM(gradients_of_variables) {
  tf::Variable w({1.0, 2.0}, {.name = "w"});
  tf::gradients(tf::reduce_sum(w * w), {w});
  tf::gradients(w * 3.0, {w.value(), w});
}

GOLDEN_PROGRAM(gradients_in_a_name_scope) {
  auto x = floats({2});
  auto scope = tf::name_scope("s");
  auto y = tf::exp(x);
  tf::gradients(y, {x});
  tf::gradients(y, {x});
}

GOLDEN_PROGRAM(gradients_of_gradients) {
  auto x = floats({2});
  auto first = tf::gradients(tf::square(tf::tanh(x)), {x});
  tf::gradients(first[0], {x});
}

}  // namespace
}  // namespace flowray
