// Values are compared with TensorFlow's in GoldenOps (decompositions); here shapes and errors, in its words.

#include <cmath>
#include <complex>
#include <limits>

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array matrix(const std::vector<float>& values, const Shape& shape) { return Array::from(values, shape); }

TEST(Matrices, KnowTheirShapes) {
  constexpr int64_t kAny = Shape::kUnknownDim;
  EXPECT_EQ(built_shapes("Qr", {floats({kAny, 3, 2})}), (std::vector<std::string>{"[?,3,2]", "[?,2,2]"}));
  EXPECT_EQ(built_shapes("Svd", {floats({3, 2})}), (std::vector<std::string>{"[2]", "[3,2]", "[2,2]"}));
  EXPECT_EQ(built_shapes("SelfAdjointEigV2", {floats({2, kAny, 3})}),
            (std::vector<std::string>{"[2,3]", "[2,3,3]"}));
  EXPECT_EQ(built_shape("MatrixDeterminant", {floats({5, 3, 3})}), "[5]");
  EXPECT_EQ(built_shape("MatrixSolve", {floats({3, 3}), floats({3, kAny})}), "[3,?]");
  expect_build_error("Dimensions must be equal, but are 2 and 3", "Cholesky", {floats({3, 2})});
}

TEST(Matrices, SayWhatHasNoSolution) {
  const Array ones = matrix({1, 1, 1, 1}, {2, 2});
  expect_run_error("Input is not invertible.\n", "MatrixInverse", {ones});
  expect_run_error("Input matrix is not invertible.\n", "MatrixSolve", {ones, matrix({1, 1}, {2, 1})});
  expect_run_error("Input matrix must be square.\n", "MatrixInverse", {zeros({3, 2})});
  expect_run_error("Input tensor 0 must have rank >= 2, got 1\n", "Qr", {zeros({2})});
  expect_run_error("Input matrix and rhs are incompatible.\n", "MatrixSolve", {ones, zeros({3, 1})});
  EXPECT_TRUE(std::isnan(run_op("Cholesky", {matrix({-1}, {1, 1})}).item<float>()));
}

/// Square roots of these come to no series for a logarithm: the search for one went on for ever.
TEST(Matrices, WithoutALogarithmHaveNoneOfNumbers) {
  using Complex = std::complex<double>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Complex last : {Complex(0), Complex(nan), Complex(std::numeric_limits<double>::infinity())}) {
    const Array logarithm =
        run_op("MatrixLogarithm", {Array::from(std::vector<Complex>{1, 0, 0, 0, 2, 0, 0, 0, last}, {3, 3})});
    for (const Complex& value : logarithm.span<Complex>()) EXPECT_TRUE(std::isnan(value.real()));
  }
}

TEST(Matrices, HaveOldNamesForBatches) {
  const Array triangular = matrix({4, 0, 0, 9}, {2, 2});
  EXPECT_EQ(run_op("BatchCholesky", {triangular}), matrix({2, 0, 0, 3}, {2, 2}));
  EXPECT_EQ(run_op("BatchMatrixInverse", {matrix({4, 0, 0, 8}, {2, 2})}),
            matrix({0.25f, 0, 0, 0.125f}, {2, 2}));
}

TEST(Matrices, HaveEigenvaluesAboveTheirVectors) {
  const Array found = run_op("SelfAdjointEig", {Array::from(std::vector<double>{2, 0, 0, 1}, {2, 2})});
  ASSERT_EQ(found.shape(), (Shape{3, 2}));
  EXPECT_EQ(found.rows(0, 1).reshape({2}), Array(std::vector<double>{1, 2}));
  for (const int64_t i : {2, 5})
    EXPECT_EQ(found.data<double>()[i], 0);  // they are the axes, in either direction
  for (const int64_t i : {3, 4}) EXPECT_EQ(std::abs(found.data<double>()[i]), 1);
  EXPECT_EQ(run_op("SelfAdjointEig", {Array(DType::kFloat64, {2, 0, 0})}).shape(), (Shape{2, 1, 0}));
  EXPECT_EQ(built_shape("SelfAdjointEig", {floats({-1, 3, 3})}), "[?,4,3]");
  expect_run_error("Input matrix must be square.", "SelfAdjointEig", {zeros({2, 3})});
}

// The numbers are TensorFlow 2.21's.
TEST(Matrices, HaveTheGradientOfCholeskyAsAnOp) {
  const Array factor = Array::from(std::vector<double>{2, 0, 1, 3}, {2, 2});
  const Array gradient =
      Array::from(std::vector<double>{1, 5, 0.5, 2}, {2, 2});  // what is above the diagonal does not count
  expect_close(run_op("CholeskyGrad", {factor, gradient}),
               Array::from(std::vector<double>{13.0 / 48, -1.0 / 24, -1.0 / 24, 1.0 / 3}, {2, 2}), 1e-12,
               1e-12);
  EXPECT_EQ(run_op("CholeskyGrad", {Array(DType::kFloat64, {0, 0}), Array(DType::kFloat64, {0, 0})}).shape(),
            (Shape{0, 0}));
}

TEST(Matrices, WithoutElementsAreDoneAtOnceHoweverManyThereAre) {
  const Array none = zeros({int64_t{1} << 40, 0, 0});
  for (const char* op : {"MatrixInverse", "Cholesky", "Qr"})
    EXPECT_EQ(run_op(op, {none}).shape(), none.shape());
  EXPECT_EQ(run_op("MatrixSolve", {none, none}).shape(), none.shape());
  EXPECT_EQ(run_op("MatrixTriangularSolve", {none, none}).shape(), none.shape());
}

}  // namespace
}  // namespace flowray::testing
