// tests/oracle/programs/masks.py and sorting.py in C++.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/linalg.h>
#include <flowray/tf/math.h>
#include <flowray/tf/random.h>

namespace flowray {
namespace {

tf::Tensor floats(const tf::TensorShape& shape, const std::string& name) {
  return tf::placeholder(tf::float32, shape, {.name = name});
}
tf::Tensor ints(const tf::TensorShape& shape, const std::string& name) {
  return tf::placeholder(tf::int32, shape, {.name = name});
}

GOLDEN_PROGRAM(boolean_masks) {
  auto x = floats({2, 3, 4}, "x");
  auto open_rows = floats({tf::None, 3}, "open_rows");
  auto rows = tf::placeholder(tf::boolean, {2}, {.name = "rows"});
  auto some = tf::placeholder(tf::boolean, {tf::None}, {.name = "some"});
  tf::boolean_mask(x, rows);
  tf::boolean_mask(x, {{true, false, true}, {false, false, true}});
  tf::boolean_mask(x, {true, false, true}, {.axis = 1});
  tf::boolean_mask(open_rows, some, {.name = "named"});
  tf::boolean_mask({1, 2, 3}, {true, false, true});
}

GOLDEN_PROGRAM(sequence_masks) {
  auto lengths = ints({tf::None}, "lengths");
  tf::sequence_mask(lengths);
  tf::sequence_mask(lengths, 5);
  auto wide = tf::placeholder(tf::int64, {2, 3}, {.name = "wide"});
  tf::sequence_mask(wide, 5, {.dtype = tf::float32, .name = "named"});
  auto most = ints({}, "most");
  tf::sequence_mask({1, 3, 2}, most);
  tf::sequence_mask(lengths, {.dtype = tf::float32});
}

GOLDEN_PROGRAM(grids) {
  auto x = floats({3}, "x");
  auto y = floats({tf::None}, "y");
  tf::meshgrid({x, y});
  tf::meshgrid({x, y, {1.0, 2.0}}, {.indexing = "ij"});
  tf::meshgrid({tf::Input({1, 2}), tf::Input({3, 4})}, {.name = "named"});
  tf::meshgrid({x, 2.0});
}

GOLDEN_PROGRAM(repeats) {
  auto x = floats({2, 3}, "x");
  auto open_x = floats({tf::None, 3}, "open_x");
  tf::repeat(x, 2);
  tf::repeat(x, 2, {.axis = 0});
  tf::repeat(x, {1, 2}, {.axis = 0});
  auto counts = ints({tf::None}, "counts");
  tf::repeat(open_x, counts, {.axis = 0, .name = "named"});
  tf::repeat(x, {1, 2, 3}, {.axis = -1});
  tf::repeat({1, 2}, {2, 3});
  tf::repeat(open_x, 3, {.axis = 0});
}

GOLDEN_PROGRAM(batches_of_rows) {
  auto params = floats({2, 3, 4}, "params");
  auto indices = ints({2, 2}, "indices");
  tf::batch_gather(params, indices);
  tf::batch_gather(params, {{0}, {1}}, {.name = "named"});
}

GOLDEN_PROGRAM(identity_matrices) {
  tf::eye(2);
  tf::eye(2, 3, {.dtype = tf::int32});
  tf::eye(3, 2, {.name = "named"});
  tf::eye(2, {.batch_shape = {4, 1}});
  auto rows = ints({}, "rows");
  tf::eye(rows);
  auto n = ints({}, "n");
  auto batch = ints({tf::None}, "batch");
  tf::eye(n, 2, {.batch_shape = batch});
}

GOLDEN_PROGRAM(random_crops) {
  auto x = floats({5, 4, 3}, "x");
  auto open_x = floats({tf::None, tf::None, 3}, "open_x");
  tf::random_crop(x, {2, 2, 3}, {.seed = 1});
  tf::random_crop(open_x, {2, 2, 3}, {.seed = 2, .name = "named"});
  tf::random_crop(Array::full(DType::kFloat32, {3, 3}, 1.0), {2, 2}, {.seed = 3});
}

GOLDEN_PROGRAM(sorted_values) {
  auto x = floats({2, 3}, "x");
  auto open_x = floats({tf::None, tf::None, 4}, "open_x");
  auto numbers = ints({5}, "numbers");
  tf::sort(x);
  tf::sort(x, {.direction = "DESCENDING", .name = "named"});
  tf::sort(open_x, {.axis = 1});
  tf::sort(numbers);
  tf::sort(open_x, {.axis = -2, .direction = "DESCENDING"});
  auto bytes = tf::placeholder(DType::kUint8, {5}, {.name = "bytes"});
  tf::sort(bytes);
  auto of_any_rank = floats(tf::TensorShape::unknown_rank(), "of_any_rank");
  tf::sort(of_any_rank);
  tf::sort({3.0, 1.0, 2.0});
}

GOLDEN_PROGRAM(sorted_order) {
  auto x = floats({2, 3}, "x");
  auto numbers = tf::placeholder(tf::int64, {5}, {.name = "numbers"});
  tf::argsort(x);
  tf::argsort(x, {.direction = "DESCENDING", .name = "named"});
  tf::argsort(x, {.axis = 0});
  tf::argsort(numbers);
  auto words = tf::placeholder(DType::kUint16, {5}, {.name = "words"});
  tf::argsort(words);
  auto of_any_rank = floats(tf::TensorShape::unknown_rank(), "of_any_rank");
  tf::argsort(of_any_rank);
}

GOLDEN_PROGRAM(increasing_values) {
  auto x = floats({4}, "x");
  tf::is_non_decreasing(x);
  tf::is_strictly_increasing(x);
  auto of_any_rank = ints(tf::TensorShape::unknown_rank(), "of_any_rank");
  tf::is_strictly_increasing(of_any_rank, {.name = "named"});
  tf::is_non_decreasing({1, 2, 2});
}

}  // namespace
}  // namespace flowray
