#include "ops/nn_testing.h"

namespace flowray::testing {
namespace {

graph::Attrs transposes(bool a, bool b) { return {{"transpose_a", a}, {"transpose_b", b}}; }
graph::Attrs adjoints(bool x, bool y) { return {{"adj_x", x}, {"adj_y", y}}; }

TEST(MatMul, MultipliesRowsByColumns) {
  const Array a = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  const Array b = floats({1, 0, 2, 1, -1, 3}, {3, 2});
  const Array product = floats({2, 11, 8, 23}, {2, 2});
  EXPECT_EQ(run_op("MatMul", {a, b}), product);
  for (DType dtype : {DType::kFloat64, DType::kInt32, DType::kInt64}) {
    EXPECT_EQ(run_op("MatMul", {a.astype(dtype), b.astype(dtype)}), product.astype(dtype));
  }
}

TEST(MatMul, TransposesEitherSide) {
  const Array a = floats({1, 2, 3, 4, 5, 6}, {2, 3});
  const Array a_transposed = floats({1, 4, 2, 5, 3, 6}, {3, 2});
  const Array b = floats({1, 0, 2, 1, -1, 3}, {3, 2});
  const Array b_transposed = floats({1, 2, -1, 0, 1, 3}, {2, 3});
  const Array product = floats({2, 11, 8, 23}, {2, 2});
  EXPECT_EQ(run_op("MatMul", {a_transposed, b}, transposes(true, false)), product);
  EXPECT_EQ(run_op("MatMul", {a, b_transposed}, transposes(false, true)), product);
  EXPECT_EQ(run_op("MatMul", {a_transposed, b_transposed}, transposes(true, true)), product);
}

TEST(MatMul, OfNothingIsZero) {
  EXPECT_EQ(run_op("MatMul", {Array(DType::kFloat32, {2, 0}), Array(DType::kFloat32, {0, 3})}),
            Array(DType::kFloat32, {2, 3}));
  EXPECT_EQ(run_op("MatMul", {Array(DType::kFloat32, {0, 2}), Array(DType::kFloat32, {2, 3})}).shape(),
            Shape({0, 3}));
}

TEST(MatMul, RefusesShapesInTensorFlowsWords) {
  const auto ones = [](const Shape& shape) { return Array::full(DType::kFloat32, shape, 1); };
  EXPECT_EQ(build_error("MatMul", {ones({2, 3}), ones({2, 3})}), "Dimensions must be equal, but are 3 and 2");
  EXPECT_EQ(build_error("MatMul", {ones({2, 3, 1}), ones({2, 3})}), "Shape must be rank 2 but is rank 3");
  EXPECT_EQ(run_error("MatMul", {ones({2, 3}), ones({2, 3})}),
            "Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]");
  EXPECT_EQ(run_error("MatMul", {ones({2, 3, 1}), ones({2, 3})}),
            "In[0] and In[1] has different ndims: [2,3,1] vs. [2,3]");
  EXPECT_EQ(run_error("MatMul", {ones({2}), ones({2})}), "In[0] and In[1] ndims must be == 2: 1");
}

TEST(MatMul, HasTheGradientOfEveryTransposition) {
  for (bool a : {false, true}) {
    for (bool b : {false, true}) {
      const Array left = scattered(DType::kFloat64, a ? Shape{4, 2} : Shape{2, 4});
      const Array right = scattered(DType::kFloat64, b ? Shape{3, 4} : Shape{4, 3}, 2);
      check_gradient("MatMul", {left, right}, {.attrs = transposes(a, b)});
    }
  }
}

TEST(BatchMatMul, MultipliesMatrixByMatrix) {
  const Array x = floats({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  const Array y = floats({1, 0, 0, 1, 0, 1, 1, 0}, {2, 2, 2});
  EXPECT_EQ(run_op("BatchMatMulV2", {x, y}), floats({1, 2, 3, 4, 6, 5, 8, 7}, {2, 2, 2}));
}

TEST(BatchMatMul, BroadcastsTheBatches) {
  const Array x = floats({1, 2, 3}, {3, 1, 1, 1});
  const Array y = floats({10, 100}, {2, 1, 1});
  EXPECT_EQ(run_op("BatchMatMulV2", {x, y}), floats({10, 100, 20, 200, 30, 300}, {3, 2, 1, 1}));
  EXPECT_EQ(run_op("BatchMatMulV2", {y, x}), floats({10, 100, 20, 200, 30, 300}, {3, 2, 1, 1}));
  EXPECT_EQ(run_op("BatchMatMulV2", {x, floats({5}, {1, 1})}), floats({5, 10, 15}, {3, 1, 1, 1}));
}

TEST(BatchMatMul, TransposesEitherSide) {
  const Array x = floats({1, 2, 3, 4, 5, 6}, {1, 3, 2});
  const Array y = floats({1, 2, 3}, {1, 1, 3});
  EXPECT_EQ(run_op("BatchMatMulV2", {x, y}, adjoints(true, true)), floats({22, 28}, {1, 2, 1}));
}

TEST(BatchMatMul, OfNoBatchesIsEmpty) {
  EXPECT_EQ(
      run_op("BatchMatMulV2", {Array(DType::kFloat32, {0, 2, 3}), Array(DType::kFloat32, {3, 4})}).shape(),
      Shape({0, 2, 4}));
}

TEST(BatchMatMul, RefusesShapesInTensorFlowsWords) {
  const auto ones = [](const Shape& shape) { return Array::full(DType::kFloat32, shape, 1); };
  EXPECT_EQ(build_error("BatchMatMulV2", {ones({2, 2, 3}), ones({3, 3, 2})}),
            "Dimensions must be equal, but are 2 and 3");
  EXPECT_EQ(build_error("BatchMatMulV2", {ones({2}), ones({2, 2, 3})}),
            "Shape must be at least rank 2 but is rank 1");
  EXPECT_EQ(run_error("BatchMatMulV2", {ones({2, 2, 3}), ones({3, 3, 2})}),
            "In[0] and In[1] must have compatible batch dimensions: [2,2,3] vs. [3,3,2]");
  EXPECT_EQ(run_error("BatchMatMulV2", {ones({2, 2, 3}), ones({2, 2, 3})}),
            "Matrix size-incompatible: In[0]: [2,2,3], In[1]: [2,2,3]");
  EXPECT_EQ(run_error("BatchMatMulV2", {ones({2}), ones({2, 2, 3})}), "In[0] ndims must be >= 2: 1");
}

TEST(BatchMatMul, HasAGradientThatSumsOverBroadcastBatches) {
  const Array x = scattered(DType::kFloat64, {2, 3, 2, 4});
  check_gradient("BatchMatMulV2", {x, scattered(DType::kFloat64, {2, 3, 4, 3}, 2)});
  check_gradient("BatchMatMulV2", {x, scattered(DType::kFloat64, {3, 4, 3}, 2)});
  check_gradient("BatchMatMulV2", {x, scattered(DType::kFloat64, {2, 1, 3, 4}, 2)},
                 {.attrs = adjoints(false, true)});
  check_gradient("BatchMatMulV2", {x, scattered(DType::kFloat64, {2, 3}, 2)},
                 {.attrs = adjoints(true, false)});
}

TEST(BatchMatMul, OfManyMatricesWithoutElementsIsDoneAtOnce) {
  const Array none(DType::kFloat32, {int64_t{1} << 40, 0, 0});
  for (const DType dtype : {DType::kFloat32, DType::kFloat16}) {
    EXPECT_EQ(run_op("BatchMatMulV2", {none.astype(dtype), none.astype(dtype)}).shape(), none.shape());
  }
}

}  // namespace
}  // namespace flowray::testing
