// tests/oracle/programs/reductions.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}

GOLDEN_PROGRAM(reduce_everything) {
  auto x = floats({2, 3});
  auto b = tf::placeholder(tf::boolean, {2, 3}, {.name = "b"});
  tf::reduce_sum(x);
  tf::reduce_mean(x);
  tf::reduce_max(x);
  tf::reduce_min(x);
  tf::reduce_prod(x);
  tf::reduce_all(b);
  tf::reduce_any(b);
}

GOLDEN_PROGRAM(reduce_axes) {
  auto x = floats({2, tf::None, 4});
  tf::reduce_sum(x, 1);
  tf::reduce_sum(x, {0, 2});
  tf::reduce_sum(x, -1);
  tf::reduce_sum(x, {.axis = {-1, 0}});
  tf::reduce_sum(x, {.axis = tf::Literal::list({})});
  tf::reduce_mean(x, {.axis = 0, .name = "named"});
  tf::reduce_max(x, {.axis = tf::constant({1})});
}

GOLDEN_PROGRAM(reduce_keeping_dimensions) {
  auto x = floats({2, tf::None, 4});
  tf::reduce_sum(x, {.keepdims = true});
  tf::reduce_mean(x, 1, {.keepdims = true});
  tf::reduce_max(x, {0, -1}, {.keepdims = true});
  tf::reduce_min(x, 1, {.keep_dims = true});
  tf::reduce_all(x > 0.0, 1, {.keepdims = true});
}

GOLDEN_PROGRAM(reduce_old_argument_names) {
  auto x = floats({tf::None, 10});
  tf::reduce_sum(x, {.reduction_indices = {1}});
  tf::reduce_mean(x, {.reduction_indices = 0});
  tf::reduce_prod(x, {.reduction_indices = {0, 1}});
  tf::reduce_any(x > 0.0, {.reduction_indices = 1});
}

GOLDEN_PROGRAM(reduce_unknown_rank) {
  auto x = floats(tf::TensorShape::unknown_rank());
  tf::reduce_sum(x);
  tf::reduce_mean(x, 0);
  tf::reduce_max(x, {.keepdims = true});
}

GOLDEN_PROGRAM(reduce_other_types) {
  tf::reduce_sum({1, 2, 3});
  tf::reduce_mean(tf::placeholder(tf::float64, {4}));
  tf::reduce_max(tf::placeholder(tf::int64, {4}), 0);
  tf::reduce_sum(3.0);
  tf::reduce_logsumexp(tf::placeholder(tf::float32, {2, 3}), 1);
}

GOLDEN_PROGRAM(matmuls) {
  auto a = floats({2, 3}, "a");
  auto b = floats({3, 4}, "b");
  tf::matmul(a, b);
  tf::matmul(a, a, {.transpose_b = true});
  tf::matmul(a, a, {.transpose_a = true});
  tf::matmul(b, a, {.transpose_a = true, .transpose_b = true, .name = "turned"});
  tf::matmul(tf::placeholder(tf::float32, {tf::None, 3}), b);
  tf::matmul({{1.0, 2.0}}, {{3.0}, {4.0}});
  tf::matmul(tf::placeholder(tf::float32), b);
}

GOLDEN_PROGRAM(matmul_batched) {
  auto a = floats({5, 2, 3}, "a");
  auto b = floats({5, 3, 4}, "b");
  tf::matmul(a, b);
  tf::matmul(a, a, {.adjoint_b = true});
  tf::matmul(a, b[0]);
  tf::matmul(a, b, {.name = "matmul"});  // a @ b
}

GOLDEN_PROGRAM(tensordots) {
  auto a = floats({2, 3}, "a");
  tf::tensordot(a, tf::placeholder(tf::float32, {3, 4}), 1);
  tf::tensordot(a, a, std::vector<int64_t>{0}, std::vector<int64_t>{0});
}

GOLDEN_PROGRAM(argmaxes) {
  auto x = floats({tf::None, 10});
  tf::argmax(x, 1);
  tf::argmax(x, {.axis = 0, .name = "best"});
  tf::argmax(x);
  tf::argmax(x, -1, {.output_type = tf::int32});
  tf::argmin(x, 1);
  tf::argmax(x, {.dimension = 1});
}

GOLDEN_PROGRAM_WITHOUT(accuracy, "in_top_k", "ArgMax_2") {
  auto y = floats({tf::None, 10}, "y");
  auto labels = floats({tf::None, 10}, "labels");
  auto best = tf::argmax(y, 1);
  auto correct = tf::equal(best, tf::argmax(labels, 1));
  tf::reduce_mean(tf::cast(correct, tf::float32));
}

}  // namespace
}  // namespace flowray
