// tests/oracle/programs/array.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

namespace flowray {
namespace {

tf::Tensor matrix(int64_t columns = 3) {
  return tf::placeholder(tf::float32, {tf::None, columns}, {.name = "x"});
}

GOLDEN_PROGRAM(reshapes) {
  auto x = matrix(4);
  tf::reshape(x, {-1});
  tf::reshape(x, {-1, 2, 2}, {.name = "named"});
  tf::reshape(x, {6, 2});
  tf::reshape(x, tf::shape(x));
  tf::reshape(tf::zeros({2, 6}), {3, -1});
  tf::reshape(x, tf::constant({-1, 1}));
  tf::reshape(tf::constant({1}), {});
}

GOLDEN_PROGRAM(reshape_from_stacked_shape) {
  auto x = matrix(4);
  auto rows = tf::shape(x)[0];
  tf::reshape(x, {rows, 2, 2});
  tf::reshape(x, tf::stack({rows * 2, 2}));
}

GOLDEN_PROGRAM(transposes) {
  tf::transpose(tf::placeholder(tf::float32, {2, 3}));
  tf::transpose(tf::placeholder(tf::float32, {2, tf::None, 4}), {2, 0, 1});
  tf::transpose(tf::placeholder(tf::float32, {tf::None, 4}), {.perm = {1, 0}, .name = "turned"});
  tf::transpose(tf::placeholder(tf::float32));
  tf::matrix_transpose(tf::placeholder(tf::float32, {2, 3, 4}));
}

GOLDEN_PROGRAM(concats) {
  auto x = matrix();
  tf::concat({x, x}, 0);
  tf::concat({x, x, x}, 1, {.name = "wide"});
  tf::concat({x, tf::zeros({2, 3})}, 0);
  tf::concat({{1, 2}, {3}}, 0);
  tf::concat({x}, 0);
  tf::concat({x, x}, -1);
}

GOLDEN_PROGRAM(stacks) {
  auto x = tf::placeholder(tf::float32, {2, 3});
  tf::stack({x, x});
  tf::stack({x, x}, {.axis = 1});
  tf::stack({x, x}, {.axis = -1, .name = "last"});
  tf::stack({1, 2, 3});
  tf::stack({tf::constant(1.0), 2.0});
  EXPECT_EQ(tf::unstack(x).size(), 2u);
  EXPECT_EQ(tf::unstack(x, {.axis = 1}).size(), 3u);
  tf::unstack(tf::placeholder(tf::float32, {tf::None, 2}), {.num = 2, .name = "parts"});
}

GOLDEN_PROGRAM(splits) {
  auto x = tf::placeholder(tf::float32, {6, 4});
  EXPECT_EQ(tf::split(x, 3).size(), 3u);
  tf::split(x, 2, {.axis = 1});
  tf::split(x, {1, 2, 3});
  tf::split(x, {1, -1}, {.axis = 1, .name = "pieces"});
}

GOLDEN_PROGRAM(slices) {
  auto x = tf::placeholder(tf::float32, {4, 5});
  tf::slice(x, {0, 1}, {2, 3});
  tf::slice(x, {1, 0}, {-1, 2}, {.name = "named"});
  tf::slice(matrix(), {0, 1}, {2, -1});
}

GOLDEN_PROGRAM(slice_by_index) {
  auto x = tf::placeholder(tf::float32, {4, 5, 6}, {.name = "x"});
  x[1];
  x[-1];
  x[{1, 2}];
  x[{1, 2, 3}];
  x[{tf::Slice{}, 1}];
}

GOLDEN_PROGRAM(slice_by_range) {
  auto x = tf::placeholder(tf::float32, {4, 5, 6}, {.name = "x"});
  x[tf::Slice{1, 3}];
  x[tf::Slice{.stop = 2}];
  x[tf::Slice{.start = 2}];
  x[tf::Slice{}];
  x[tf::Slice{.step = 2}];
  x[tf::Slice{.step = -1}];
  x[{tf::Slice{1, 3}, tf::Slice{.step = 2}, tf::Slice{.start = -2}}];
  x[tf::Slice{3, 0, -1}];
}

GOLDEN_PROGRAM(slice_with_new_axis_and_ellipsis) {
  auto x = tf::placeholder(tf::float32, {4, 5, 6}, {.name = "x"});
  x[{tf::ellipsis, tf::newaxis}];
  x[tf::newaxis];
  x[{tf::ellipsis, 0}];
  x[{0, tf::ellipsis}];
  x[{tf::Slice{}, tf::newaxis, tf::Slice{1, 2}}];
  x[{1, tf::ellipsis, tf::newaxis, 2}];
}

GOLDEN_PROGRAM(slice_by_tensor) {
  auto x = tf::placeholder(tf::float32, {4, 5}, {.name = "x"});
  auto i = tf::placeholder(tf::int32, {}, {.name = "i"});
  x[i];
  x[tf::Slice{.start = i}];
  x[tf::Slice{.stop = i + 1}];
  x[tf::constant(1)];
  x[{1, i}];
}

GOLDEN_PROGRAM(slice_of_unknown_shape) {
  matrix()[0];
  matrix()[{tf::Slice{}, 0}];
  matrix()[tf::Slice{1, 3}];
  tf::placeholder(tf::float32)[0];
  tf::shape(matrix())[0];
  tf::shape(matrix())[-1];
}

GOLDEN_PROGRAM(gathers) {
  auto x = tf::placeholder(tf::float32, {4, 5}, {.name = "x"});
  auto i = tf::placeholder(tf::int32, {tf::None}, {.name = "i"});
  tf::gather(x, i);
  tf::gather(x, {0, 2});
  tf::gather(x, 1);
  tf::gather(x, i, {.axis = 1});
  tf::gather(x, {{0, 1}, {2, 3}}, {.name = "pairs"});
}

GOLDEN_PROGRAM(one_hots) {
  auto labels = tf::placeholder(tf::int32, {tf::None}, {.name = "labels"});
  tf::one_hot(labels, 10);
  tf::one_hot({0, 2}, 3, {.on_value = 5.0, .off_value = -1.0});
  tf::one_hot({0, 2}, 3, {.axis = 0, .dtype = tf::int32});
  tf::one_hot(labels, 4, {.on_value = true, .off_value = false, .dtype = tf::boolean, .name = "bits"});
}

GOLDEN_PROGRAM(expand_and_squeeze) {
  auto x = tf::placeholder(tf::float32, {2, 1, 3, 1}, {.name = "x"});
  tf::expand_dims(x, 0);
  tf::expand_dims(x, -1);
  tf::expand_dims(x, 1, {.name = "wider"});
  tf::squeeze(x);
  tf::squeeze(x, {1});
  tf::squeeze(x, {.axis = -1});
  tf::squeeze(tf::placeholder(tf::float32, {tf::None, 1}));
  tf::squeeze(tf::placeholder(tf::float32, {tf::None, 1}), 1, {.name = "column"});
}

GOLDEN_PROGRAM(tiles_and_fills) {
  auto x = tf::placeholder(tf::float32, {2, tf::None}, {.name = "x"});
  tf::tile(x, {1, 2});
  tf::tile({1, 2}, {3}, {.name = "again"});
  tf::fill({2, 3}, 9);
  tf::fill({2}, 0.5, {.name = "halves"});
  tf::fill(tf::shape(x), 1.0);
  tf::broadcast_to(tf::constant({1.0, 2.0}), {3, 2});
}

GOLDEN_PROGRAM(zeros_and_ones) {
  tf::zeros({2, 3});
  tf::ones({2});
  tf::zeros({}, tf::int32);
  tf::ones({2, 2}, tf::float64, {.name = "units"});
  tf::zeros({2}, tf::boolean);
  tf::zeros({100, 100});
  tf::ones({1001});
  tf::zeros(tf::constant({2, 3}));
  tf::zeros(3);
}

GOLDEN_PROGRAM(zeros_of_dynamic_shape) {
  auto x = matrix();
  tf::zeros(tf::shape(x));
  tf::ones({tf::shape(x)[0], 2});
}

GOLDEN_PROGRAM(zeros_and_ones_like) {
  auto x = matrix();
  auto y = tf::placeholder(tf::int32, {2, 3});
  tf::zeros_like(x);
  tf::ones_like(x);
  tf::zeros_like(y);
  tf::ones_like(y);
  tf::zeros_like(y, {.dtype = tf::float32, .name = "blank"});
  tf::ones_like(x, tf::int64);
  tf::ones_like({1.0, 2.0});
  tf::zeros_like(y, {.optimize = false});
}

GOLDEN_PROGRAM(shapes_sizes_ranks) {
  auto x = matrix();
  auto y = tf::placeholder(tf::float32, {2, 3});
  auto z = tf::placeholder(tf::float32);
  for (const auto& tensor : {x, y, z}) {
    tf::shape(tensor);
    tf::size(tensor);
    tf::rank(tensor);
  }
  tf::shape(y, {.name = "wide", .out_type = tf::int64});
  tf::size(x, {.out_type = tf::int64});
  tf::shape_n({x, y});
  tf::shape({1, 2, 3});
}

GOLDEN_PROGRAM(identities) {
  auto x = tf::placeholder(tf::float32, {tf::None, 2}, {.name = "x"});
  tf::identity(x);
  tf::identity(x, {.name = "same"});
  tf::identity(1.0);
  tf::stop_gradient(x);
  tf::stop_gradient(x, {.name = "stopped"});
  tf::convert_to_tensor({1.0, 2.0});
  EXPECT_TRUE(tf::convert_to_tensor(x).is(x));
  tf::identity_n({x, 2.0});
  tf::placeholder_with_default(x, {tf::None, 2});
}

GOLDEN_PROGRAM(gather_from_variable) {
  tf::Variable v(tf::zeros({4, 2}), {.name = "v"});
  tf::gather(v, {0, 2});
  tf::nn::embedding_lookup(v, {1, 3});
}

GOLDEN_PROGRAM_WITHOUT(ranges, "linspace") {
  tf::range(5);
  tf::range(1, 5);
  tf::range(1, 10, 3, {.name = "threes"});
  tf::range(0.0, 1.0, 0.25);
  tf::range(tf::placeholder(tf::int32, {}));
  tf::range(tf::constant(3, tf::int64));
}

GOLDEN_PROGRAM(ranges_of_folded_floats) {
  auto five = tf::cast(tf::constant(5), tf::float32);
  tf::range(0.0, five, 1.0);
  tf::range(five, 0.0, -1.5);
  auto two = tf::constant(2.0);
  tf::range(0.0, two * 3.0, 0.7);
  tf::range(0.0, tf::identity(tf::constant(0.3)), 0.1);
  auto wide = tf::cast(tf::constant(0.3), tf::float64);
  tf::range(0.0, wide, tf::constant(0.1, tf::float64));
  auto x = tf::zeros({7, 3});
  tf::range(0.0, tf::cast(tf::shape(x)[0], tf::float32), 1.0);
  tf::range(0.0, tf::cast(tf::size(x), tf::float32), 2.0);
  tf::range(0.0, tf::cast(tf::rank(x), tf::float32), 0.5);
  tf::range(0, tf::cast(tf::constant(5.7), tf::int32));
}

GOLDEN_PROGRAM(defaults_that_may_be_fed) {
  tf::range(0.0, tf::placeholder_with_default(4.0, {}), 1.0);
  auto count = tf::placeholder_with_default(4, {});
  tf::range(count);
  tf::range(2 * count);
  auto shape = tf::placeholder_with_default({2, 3}, {2});
  tf::zeros(shape);
  auto six = tf::zeros({6});
  tf::reshape(six, shape);
  auto by_count = tf::stack({2, count});
  tf::reshape(six, by_count);
  auto two_by_three = tf::zeros({2, 3});
  tf::reduce_sum(two_by_three, {.axis = tf::placeholder_with_default(0, {})});
}

GOLDEN_PROGRAM_WITHOUT(pads_and_reverses, "MirrorPad") {
  auto x = tf::placeholder(tf::float32, {2, tf::None}, {.name = "x"});
  tf::pad(x, {{1, 1}, {0, 2}});
  tf::pad(x, {{1, 1}, {0, 2}}, {.constant_values = 1});
  tf::reverse(x, {0});
  tf::invert_permutation({2, 0, 1});
}

}  // namespace
}  // namespace flowray
