// tests/oracle/programs/statistics.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}
tf::Tensor of(DType dtype, const tf::TensorShape& shape, const std::string& name) {
  return tf::placeholder(dtype, shape, {.name = name});
}

GOLDEN_PROGRAM(nonzero_counts) {
  auto x = floats({2, tf::None, 4});
  tf::count_nonzero(x);
  tf::count_nonzero(x, {.axis = 1});
  tf::count_nonzero(x, {.axis = {0, -1}, .keepdims = true, .dtype = tf::int32, .name = "named"});
  tf::count_nonzero(of(DType::kString, {tf::None}, "words"));
  tf::count_nonzero(of(DType::kBool, {3}, "flags"));
  tf::count_nonzero(x, {.reduction_indices = 0});
}

GOLDEN_PROGRAM(spreads) {
  auto x = floats({2, tf::None, 4});
  tf::math::reduce_variance(x);
  tf::math::reduce_std(x);
  tf::math::reduce_variance(x, {.axis = 1, .keepdims = true});
  tf::math::reduce_std(x, {.axis = {0, 2}, .name = "named"});
}

GOLDEN_PROGRAM(histograms) {
  auto x = floats({tf::None});
  tf::histogram_fixed_width(x, {0.0, 5.0});
  tf::histogram_fixed_width(x, {0.0, 5.0}, {.nbins = 5, .dtype = tf::int64, .name = "named"});
  tf::histogram_fixed_width_bins(x, {0.0, 5.0}, {.nbins = 5});
  tf::histogram_fixed_width_bins(floats({2, 3}, "table"), {0.0, 5.0}, {.name = "bins"});
}

GOLDEN_PROGRAM(segment_means) {
  auto x = floats({tf::None, 3});
  auto ids = of(DType::kInt32, {tf::None}, "ids");
  tf::unsorted_segment_mean(x, ids, 4);
  tf::unsorted_segment_sqrt_n(x, ids, 4, {.name = "named"});
  tf::unsorted_segment_mean(x, {0, 1, 0}, of(DType::kInt32, {}, "number"));
}

GOLDEN_PROGRAM(accumulated_sums) {
  auto x = floats({2, 3});
  tf::accumulate_n({x, x});
  tf::accumulate_n({x, {{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}}, {.name = "named"});
  tf::accumulate_n({x});
  tf::accumulate_n({x}, {.name = "alone"});
  tf::accumulate_n({x, floats({tf::None, 3}, "open")}, {.shape = {2, 3}});
}

GOLDEN_PROGRAM(special_functions) {
  auto x = floats({2, 3});
  tf::lbeta(x);
  tf::lbeta({1.0, 2.0}, {.name = "named"});
  tf::log_sigmoid(x);
  tf::log_sigmoid(x, {.name = "log_sigmoid"});
  tf::scalar_mul(2.0, x);
  tf::scalar_mul(floats({}, "factor"), x, {.name = "scaled"});
  tf::lbeta(floats(tf::TensorShape::unknown_rank(), "of_any_rank"));
}

GOLDEN_PROGRAM(saturated_casts) {
  auto x = floats({2});
  tf::saturate_cast(x, DType::kUint8);
  tf::saturate_cast(x, tf::float64, {.name = "named"});
  tf::saturate_cast(of(DType::kInt32, {2}, "numbers"), DType::kInt8);
  tf::saturate_cast(of(DType::kUint8, {2}, "bytes"), DType::kInt8);
  tf::saturate_cast(x, DType::kFloat16);
  tf::saturate_cast(x, tf::int32);
  tf::saturate_cast(of(DType::kFloat16, {2}, "halves"), DType::kInt16);
}

GOLDEN_PROGRAM(second_derivatives) {
  auto x = floats({3});
  tf::hessians({tf::reduce_sum(x * x * x)}, {x});
  auto w = floats({2, 2}, "w");
  tf::hessians({tf::reduce_sum(w * w)}, {w});
}

}  // namespace
}  // namespace flowray
