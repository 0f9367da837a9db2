#include "ops/nn_testing.h"

#include <limits>

namespace flowray::testing {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Array vector_of(DType dtype, const std::vector<double>& values) { return Array(values).astype(dtype); }

/// `op` in float64 and float32.
void expect_function(const std::string& op, const std::vector<double>& x, const std::vector<double>& y,
                     const graph::Attrs& attrs = {}) {
  SCOPED_TRACE(op);
  expect_close(run_op(op, {vector_of(DType::kFloat64, x)}, attrs), vector_of(DType::kFloat64, y), 1e-14,
               1e-15);
  expect_close(run_op(op, {vector_of(DType::kFloat32, x)}, attrs), vector_of(DType::kFloat32, y), 4e-7, 1e-7);
}

void expect_gradient_op(const std::string& op, const std::vector<double>& d, const std::vector<double>& x,
                        const std::vector<double>& y, const graph::Attrs& attrs = {}) {
  SCOPED_TRACE(op);
  for (DType dtype : {DType::kFloat64, DType::kFloat32}) {
    expect_close(run_op(op, {vector_of(dtype, d), vector_of(dtype, x)}, attrs), vector_of(dtype, y), 4e-7,
                 1e-7);
  }
}

TEST(Activations, AreWhatTheirPapersSay) {
  expect_function("Relu", {-1, 0, 2, kInf, -kInf}, {0, 0, 2, kInf, 0});
  expect_function("Relu6", {-1, 0, 2, 6, 7, kInf}, {0, 0, 2, 6, 6, 6});
  expect_function("LeakyRelu", {-1, 0, 2, -kInf}, {-0.5, 0, 2, -kInf}, {{"alpha", 0.5f}});
  expect_function("Elu", {-1, 0, 2, -kInf}, {-0.6321205588285577, 0, 2, -1});
  expect_function("Selu", {-1, 0, 2, -kInf},
                  {-1.1113307378125625, 0, 2.101401974710961, -1.7580993408473766});
  expect_function("Softplus", {-1, 0, 2, 800, -800},
                  {0.31326168751822286, 0.6931471805599453, 2.1269280110429725, 800, 0});
  expect_function("Softsign", {-1, 0, 3, 1e6}, {-0.5, 0, 0.75, 1e6 / (1e6 + 1)});
}

TEST(Activations, KeepNanAndTheSignOfZero) {
  for (const char* op : {"Relu", "Relu6", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign"}) {
    const Array y = run_op(op, {vector_of(DType::kFloat32, {kNan})});
    EXPECT_TRUE(std::isnan(y.data<float>()[0])) << op;
  }
  for (const char* op : {"Relu", "Relu6", "LeakyRelu", "Elu"}) {
    EXPECT_TRUE(std::signbit(run_op(op, {vector_of(DType::kFloat32, {-0.0})}).data<float>()[0])) << op;
  }
}

TEST(Activations, TakeIntegers) {
  const Array x(std::vector<int32_t>{-3, 0, 5, 9});
  EXPECT_EQ(run_op("Relu", {x}), Array(std::vector<int32_t>{0, 0, 5, 9}));
  EXPECT_EQ(run_op("Relu6", {x.astype(DType::kInt64)}), Array(std::vector<int64_t>{0, 0, 5, 6}));
  EXPECT_EQ(run_op("ReluGrad", {Array(std::vector<int32_t>{1, 2, 3, 4}), x}),
            Array(std::vector<int32_t>{0, 0, 3, 4}));
}

TEST(Activations, KeepShapesAndEmptyArrays) {
  const Array x = scattered(DType::kFloat32, {2, 3, 5});
  EXPECT_EQ(run_op("Relu", {x}).shape(), Shape({2, 3, 5}));
  EXPECT_EQ(run_op("Elu", {Array(DType::kFloat32, {0, 4})}), Array(DType::kFloat32, {0, 4}));
}

TEST(ActivationGradients, AreZeroOrOneWhereTheKinkIs) {
  expect_gradient_op("ReluGrad", {3, 3, 3}, {-1, 0, 1}, {0, 0, 3});
  expect_gradient_op("Relu6Grad", {3, 3, 3, 3, 3}, {-1, 0, 1, 6, 7}, {0, 0, 3, 0, 0});
  expect_gradient_op("LeakyReluGrad", {3, 3, 3}, {-1, 0, 1}, {1.5, 1.5, 3}, {{"alpha", 0.5f}});
  expect_gradient_op("EluGrad", {3, 3, 3}, {-0.25, 0, 1}, {2.25, 3, 3});
  expect_gradient_op("SeluGrad", {2, 2}, {-0.5, 1}, {2 * (1.7580993408473766 - 0.5), 2 * 1.0507009873554805});
  expect_gradient_op("SoftsignGrad", {2, 2, 2}, {-1, 0, 3}, {0.5, 2, 0.125});
  // TensorFlow multiplies: an infinite gradient through a closed gate is NaN.
  expect_gradient_op("ReluGrad", {kInf, kNan, 1}, {-1, -1, kNan}, {kNan, kNan, 0});
}

TEST(Activations, HaveGradients) {
  const Array x = scattered(DType::kFloat64, {3, 4});
  for (const char* op : {"Relu", "LeakyRelu", "Elu", "Selu", "Softplus", "Softsign"}) check_gradient(op, {x});
  check_gradient("Relu6", {doubles({-1, 0.5, 5.5, 7}, {4})});
}

TEST(ActivationGradients, HaveGradients) {
  const Array d = scattered(DType::kFloat64, {3, 4}, 2);
  const Array x = scattered(DType::kFloat64, {3, 4});
  for (const char* op : {"ReluGrad", "Relu6Grad", "LeakyReluGrad", "EluGrad", "SeluGrad"})
    check_gradient(op, {d, x});
}

TEST(ActivationGradients, RefuseDifferentShapesInTensorFlowsWords) {
  const Array a = scattered(DType::kFloat32, {2, 3});
  const Array b = scattered(DType::kFloat32, {3, 2});
  EXPECT_EQ(build_error("ReluGrad", {a, b}),
            "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2,3] and [3,2].");
  EXPECT_EQ(build_error("ReluGrad", {a, scattered(DType::kFloat32, {3})}),
            "Shapes must be equal rank, but are 2 and 1");
  EXPECT_EQ(run_error("ReluGrad", {a, b}),
            "Inputs to operation ReluGrad of type ReluGrad must have the same size and shape.  Input 0: "
            "[2,3] != input "
            "1: [3,2]");
}

/// More elements than one worker takes, and not a multiple of any vector.
TEST(Activations, OfLargeArraysAreTheSameEverywhere) {
  const Array x = scattered(DType::kFloat32, {100003});
  const Array y = run_op("Relu", {x});
  int64_t wrong = 0;
  for (int64_t i = 0; i < x.size(); ++i)
    wrong += y.data<float>()[i] != std::max(x.data<float>()[i], 0.0f) ? 1 : 0;
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace flowray::testing
