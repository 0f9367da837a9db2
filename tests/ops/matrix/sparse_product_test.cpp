// Values of SparseTensorDenseMatMul are compared with TensorFlow's in GoldenOps; what it refuses here makes
// TensorFlow 2.21 crash.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(SparseTensorDenseMatMul, RefusesMatricesThatCannotBe) {
  const Array no_indices(DType::kInt64, {0, 2});
  const auto expect_refused = [&](const char* text, int64_t rows) {
    expect_run_error(text, "SparseTensorDenseMatMul",
                     {no_indices, zeros({0}), Array(std::vector<int64_t>{rows, 2}), zeros({2, 2})});
  };
  expect_refused("Dimension -1 must be >= 0", -1);
  expect_refused("Shape [4611686018427387904,2] would have more than 2**63 - 1 elements", int64_t{1} << 62);
}

// By hand: rows 1 2 3 and 4 5 6, and columns 1 0 2 and 0 1 1.
const Array kLeft = Array({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
const Array kRight = Array({{1.f, 0.f}, {0.f, 1.f}, {2.f, 1.f}});
const Array kTimes = Array({{7.f, 5.f}, {16.f, 11.f}});

Array transposed(const Array& matrix) {
  Array other(matrix.dtype(), Shape{matrix.dim(1), matrix.dim(0)});
  for (int64_t i = 0; i < matrix.size(); ++i)
    other.mutable_data<float>()[i % matrix.dim(1) * matrix.dim(0) + i / matrix.dim(1)] =
        matrix.data<float>()[i];
  return other;
}

TEST(SparseMatMul, IsTheProduct) {
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const Array a = ta ? transposed(kLeft) : kLeft;
      const Array b = tb ? transposed(kRight) : kRight;
      const graph::Attrs attrs = {{"transpose_a", ta}, {"transpose_b", tb}, {"a_is_sparse", ta}};
      EXPECT_EQ(run_op("SparseMatMul", {a, b}, attrs), kTimes);
      EXPECT_EQ(run_op("SparseMatMul", {a, b.astype(DType::kBfloat16)}, attrs), kTimes);
      EXPECT_EQ(built_shape("SparseMatMul", {a, b}, attrs), "[2,2]");
    }
  }
  EXPECT_EQ(run_op("SparseMatMul", {zeros({2, 0}), zeros({0, 2})}), zeros({2, 2}));
}

TEST(SparseMatMul, RefusesWhatIsNoProduct) {
  expect_run_error("a is not a matrix", "SparseMatMul", {zeros({2}), kRight});
  expect_run_error("b is not a matrix", "SparseMatMul", {kLeft, zeros({1, 2, 3})});
  expect_run_error("Matrix size incompatible: a: [2,3], b: [2,3]", "SparseMatMul", {kLeft, kLeft});
  expect_build_error("Dimensions must be equal, but are 3 and 2", "SparseMatMul", {kLeft, kLeft});
}

}  // namespace
}  // namespace flowray::testing
