#include "ops/neural/softmax_rows.h"
#include "ops/nn_testing.h"

#include <limits>

namespace flowray::testing {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(ExpOfNonpositive, IsWithinTwoUnitsInTheLastPlace) {
  for (float x = 0; x > -87.3f; x -= 0.00731f) {
    const double exact = std::exp(static_cast<double>(x));
    EXPECT_NEAR(ops::exp_of_nonpositive(x), exact, 2.4e-7 * exact) << x;
  }
  EXPECT_EQ(ops::exp_of_nonpositive(0.0f), 1.0f);
  EXPECT_EQ(ops::exp_of_nonpositive(-88.0f), 0.0f);
  EXPECT_EQ(ops::exp_of_nonpositive(-kInf), 0.0f);
  EXPECT_TRUE(std::isnan(ops::exp_of_nonpositive(kNan)));
}

TEST(Softmax, SharesOneOutByExponentials) {
  // 1, 3 and 6 parts of 10, in one row shifted far up.
  const float log3 = std::log(3.0f);
  const float log6 = std::log(6.0f);
  const Array logits = floats({0, log3, log6, 1000, 1000 + log3, 1000 + log6}, {2, 3});
  expect_close(run_op("Softmax", {logits}), floats({0.1f, 0.3f, 0.6f, 0.1f, 0.3f, 0.6f}, {2, 3}), 1e-4, 0);
  expect_close(run_op("Softmax", {logits.rows(0, 1)}), floats({0.1f, 0.3f, 0.6f}, {1, 3}), 1e-6, 0);
  expect_close(run_op("LogSoftmax", {logits.rows(0, 1)}),
               floats({std::log(0.1f), std::log(0.3f), std::log(0.6f)}, {1, 3}), 1e-6, 0);
}

TEST(Softmax, WorksOnTheLastOfAnyNumberOfDimensions) {
  const Array logits = scattered(DType::kFloat64, {2, 3, 4});
  const Array flat = run_op("Softmax", {logits.reshape({6, 4})});
  EXPECT_EQ(run_op("Softmax", {logits}), flat.reshape({2, 3, 4}));
  EXPECT_EQ(run_op("Softmax", {floats({7}, {1})}), floats({1}, {1}));
  EXPECT_EQ(run_op("LogSoftmax", {Array(DType::kFloat32, {0, 4})}), Array(DType::kFloat32, {0, 4}));
  EXPECT_EQ(run_op("Softmax", {Array(DType::kFloat32, {3, 0})}), Array(DType::kFloat32, {3, 0}));
}

TEST(Softmax, TreatsInfinitiesAsTensorFlowDoes) {
  const Array logits = floats({kInf, 1, -kInf, 1, -kInf, -kInf, kNan, 1}, {4, 2});
  expect_close(run_op("Softmax", {logits}), floats({kNan, kNan, 0, 1, kNan, kNan, kNan, kNan}, {4, 2}));
  expect_close(run_op("LogSoftmax", {logits}),
               floats({kNan, kNan, -kInf, 0, kNan, kNan, kNan, kNan}, {4, 2}));
}

/// Rows longer and blocks larger than the loops' own.
TEST(Softmax, OfLargeArraysAddsUpToOne) {
  for (const Shape& shape : {Shape{3, 5001}, Shape{3000, 17}, Shape{7, 64}}) {
    const Array logits = scattered(DType::kFloat32, shape);
    const Array probabilities = run_op("Softmax", {logits});
    const Array logs = run_op("LogSoftmax", {logits});
    for (int64_t r = 0; r < shape.dim(0); r += shape.dim(0) / 3) {
      double sum = 0;
      double exact_sum = 0;
      for (int64_t c = 0; c < shape.dim(1); ++c) {
        exact_sum += std::exp(static_cast<double>(logits.data<float>()[r * shape.dim(1) + c]));
      }
      for (int64_t c = 0; c < shape.dim(1); ++c) {
        const int64_t i = r * shape.dim(1) + c;
        const double exact = std::exp(static_cast<double>(logits.data<float>()[i])) / exact_sum;
        ASSERT_NEAR(probabilities.data<float>()[i], exact, 2e-6 * exact);
        ASSERT_NEAR(logs.data<float>()[i], std::log(exact), 4e-6);
        sum += probabilities.data<float>()[i];
      }
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
}

TEST(Softmax, RefusesAScalarInTensorFlowsWords) {
  EXPECT_EQ(build_error("Softmax", {Array(1.0f)}), "Shape must be at least rank 1 but is rank 0");
  EXPECT_EQ(run_error("LogSoftmax", {Array(1.0f)}), "logits must have >= 1 dimension, got []");
}

TEST(Softmax, HasAGradient) {
  const Array logits = scattered(DType::kFloat64, {2, 3, 4});
  check_gradient("Softmax", {logits});
  check_gradient("LogSoftmax", {logits});
}

const std::vector<Array> cross_entropy(const Array& logits, const Array& labels) {
  return run_op_all("SoftmaxCrossEntropyWithLogits", {logits, labels});
}

TEST(CrossEntropy, IsTheLogarithmOfTheRightClass) {
  const float log3 = std::log(3.0f);
  const Array logits = floats({0, log3, 0, log3}, {2, 2});
  const auto outputs = cross_entropy(logits, floats({1, 0, 0.5f, 0.5f}, {2, 2}));
  expect_close(outputs[0], floats({std::log(4.0f), std::log(4.0f) - log3 / 2}, {2}));
  expect_close(outputs[1], floats({-0.75f, 0.75f, -0.25f, 0.25f}, {2, 2}));
}

TEST(CrossEntropy, BroadcastsLogitsAndLabels) {
  const Array logits = scattered(DType::kFloat64, {2, 3});
  const Array labels = scattered(DType::kFloat64, {3}, 2);
  const auto repeat = [](const Array& row) {
    std::vector<double> twice(row.data<double>(), row.data<double>() + 3);
    twice.insert(twice.end(), row.data<double>(), row.data<double>() + 3);
    return Array::from(twice, {2, 3});
  };
  const auto expected = cross_entropy(logits, repeat(labels));
  const auto actual = cross_entropy(logits, labels);
  expect_close(actual[0], expected[0], 1e-15, 0);
  expect_close(actual[1], expected[1], 1e-15, 0);
  const auto swapped = cross_entropy(labels.reshape({1, 3}), logits);
  expect_close(swapped[1], cross_entropy(repeat(labels), logits)[1], 1e-15, 0);
  // One number for all classes.
  const Array half = doubles({0.5, 0.25}, {2, 1});
  expect_close(cross_entropy(logits, half)[0],
               cross_entropy(logits, doubles({0.5, 0.5, 0.5, 0.25, 0.25, 0.25}, {2, 3}))[0], 1e-15, 0);
}

TEST(CrossEntropy, TreatsInfinitiesAsTensorFlowDoes) {
  const auto outputs =
      cross_entropy(floats({-kInf, 1, 1, 2, 300, -300}, {3, 2}), floats({0, 1, 0, 0, 0, 1}, {3, 2}));
  expect_close(outputs[0], floats({kNan, 0, 600}, {3}));
  expect_close(outputs[1], floats({0, 0, 0.26894142f, 0.7310586f, 1, -1}, {3, 2}));
}

TEST(CrossEntropy, OfNoClassesIsZero) {
  const auto outputs = cross_entropy(Array(DType::kFloat32, {2, 0}), Array(DType::kFloat32, {2, 0}));
  EXPECT_EQ(outputs[0], floats({0, 0}, {2}));
  EXPECT_EQ(outputs[1].shape(), Shape({2, 0}));
}

TEST(CrossEntropy, RefusesShapesInTensorFlowsWords) {
  const auto ones = [](const Shape& shape) { return Array::full(DType::kFloat32, shape, 1); };
  const char* op = "SoftmaxCrossEntropyWithLogits";
  EXPECT_EQ(build_error(op, {ones({2, 3}), ones({2, 4})}), "Dimensions must be equal, but are 3 and 4");
  EXPECT_EQ(build_error(op, {ones({3}), ones({3})}), "Shape must be broadcasted with rank 2, but is rank 1");
  EXPECT_EQ(run_error(op, {ones({2, 3}), ones({2, 4})}),
            "logits and labels must be broadcastable: logits_size=[2,3] labels_size=[2,4]");
  EXPECT_EQ(run_error(op, {ones({3}), ones({3})}),
            "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional");
}

TEST(CrossEntropy, HasGradientsOfBothOutputs) {
  const Array logits = scattered(DType::kFloat64, {3, 4});
  // The loss's gradient is backprop where the labels of a row add up to 1.
  const Array labels = run_op("Softmax", {scattered(DType::kFloat64, {3, 4}, 2)});
  check_gradient("SoftmaxCrossEntropyWithLogits", {logits, labels});
  // TensorFlow leaves the labels out of the second output's gradient.
  check_gradient("SoftmaxCrossEntropyWithLogits", {logits, labels}, {.skip = {1}, .outputs = {0, 1}});
}

TEST(SparseCrossEntropy, IsThatOfOneHotLabels) {
  const Array logits = scattered(DType::kFloat32, {3, 4});
  const Array one_hot = floats({0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1}, {3, 4});
  const auto expected = cross_entropy(logits, one_hot);
  for (DType dtype : {DType::kInt32, DType::kInt64}) {
    const Array labels = Array(std::vector<int32_t>{2, 0, 3}).astype(dtype);
    const auto outputs = run_op_all("SparseSoftmaxCrossEntropyWithLogits", {logits, labels});
    expect_close(outputs[0], expected[0]);
    expect_close(outputs[1], expected[1]);
  }
}

TEST(SparseCrossEntropy, RefusesInTensorFlowsWords) {
  const auto ones = [](const Shape& shape) { return Array::full(DType::kFloat32, shape, 1); };
  const auto labels = [](const std::vector<int32_t>& values) { return Array(values); };
  const char* op = "SparseSoftmaxCrossEntropyWithLogits";
  EXPECT_EQ(run_error(op, {ones({2, 3}), labels({0, 5})}),
            "Received a label value of 5 which is outside the valid range of [0, 3).  Label values: 0 5");
  EXPECT_EQ(run_error(op, {ones({2, 3}), labels({0, -1})}),
            "Received a label value of -1 which is outside the valid range of [0, 3).  Label values: 0 -1");
  EXPECT_EQ(
      run_error(op, {ones({2, 3}), labels({0, 0, 0})}),
      "logits and labels must have the same first dimension, got logits shape [2,3] and labels shape [3]");
  EXPECT_EQ(run_error(op, {ones({3}), labels({0, 0, 0})}), "logits must be 2-D, but got shape [3]");
  EXPECT_EQ(run_error(op, {ones({2, 0}), labels({0, 0})}),
            "Must have at least one class, but got logits shape [2,0]");
  EXPECT_EQ(build_error(op, {ones({2, 3}), labels({0, 0, 0})}), "Dimensions must be equal, but are 2 and 3");
}

TEST(SparseCrossEntropy, HasGradients) {
  const std::vector<Array> inputs = {scattered(DType::kFloat64, {3, 4}),
                                     Array(std::vector<int32_t>{1, 3, 0})};
  check_gradient("SparseSoftmaxCrossEntropyWithLogits", inputs);
  check_gradient("SparseSoftmaxCrossEntropyWithLogits", inputs, {.outputs = {0, 1}});
}

TEST(Softmax, IsDoneAtOnceWhereThereAreNoClasses) {
  const Array none(DType::kFloat32, {int64_t{1} << 40, 0});
  const Array batch(DType::kFloat32, {0, int64_t{1} << 40, int64_t{1} << 40});
  for (const char* op : {"Softmax", "LogSoftmax"}) {
    EXPECT_EQ(run_op(op, {none}).shape(), none.shape());
    EXPECT_EQ(run_op(op, {batch}).shape(), batch.shape());
  }
}

}  // namespace
}  // namespace flowray::testing
