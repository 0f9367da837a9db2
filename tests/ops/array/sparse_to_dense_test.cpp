// Values are compared with TensorFlow's in GoldenOps (arrangements); here errors, in its words.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(SparseToDense, SaysWhatDoesNotFit) {
  const auto dense_error = [](const std::string& text, const std::vector<int32_t>& indices) {
    expect_run_error(text, "SparseToDense", {Array(indices), int_vector({5}), Array(7), Array(-1)});
  };
  dense_error("indices[1] = [9] is out of bounds: need 0 <= index < [5]\n", {1, 9});
  dense_error("indices[1] = [1] is out of order. Many sparse ops require sorted indices.\n", {3, 1});
  dense_error("indices[1] = [1] is repeated\n", {1, 1});
}

TEST(SparseToDense, PutsTheLastOfManyValuesIntoAScalar) {
  const graph::Attrs unchecked = {{"validate_indices", false}};
  EXPECT_EQ(run_op("SparseToDense",
                   {Array(DType::kInt32, {3, 0}), Array(DType::kInt32, {0}), int_vector({1, 2, 3}), Array(9)},
                   unchecked),
            Array(3));
  EXPECT_EQ(
      run_op("SparseToDense",
             {Array(DType::kInt32, {int64_t{1} << 40, 0}), Array(DType::kInt32, {0}), Array(3), Array(9)},
             unchecked),
      Array(3));
}

TEST(SparseToDense, RefusesMoreElementsThanCanBeCounted) {
  const Array shape(std::vector<int64_t>{int64_t{1} << 40, int64_t{1} << 40});
  expect_run_error(
      "Shape [1099511627776,1099511627776] would have more than 2**63 - 1 elements", "SparseToDense",
      {Array(std::vector<int64_t>{1 << 30, 1 << 30}).reshape({1, 2}), shape, Array(3), Array(9)});
}

}  // namespace
}  // namespace flowray::testing
