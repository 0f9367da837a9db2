// What runs at once: values, operators, control flow of C++, errors.
#include "tf/eager/eager_runner.h"

#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tf/eager/expect_error.h"

namespace tf = flowray::tf;
using flowray::Array;
using flowray::DType;
using flowray::Shape;

namespace {

float number(const tf::Tensor& tensor) { return tensor.value().item<float>(); }

TEST(Eager, GivesValuesAtOnce) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant({{1.f, 2.f}, {3.f, 4.f}});
  EXPECT_TRUE(x.is_eager());
  EXPECT_EQ(tf::matmul(x, x).value(), Array({{7.f, 10.f}, {15.f, 22.f}}));
  EXPECT_EQ((x + x).value(), Array({{2.f, 4.f}, {6.f, 8.f}}));
  EXPECT_EQ((x * 2 - 1).value(), Array({{1.f, 3.f}, {5.f, 7.f}}));
  EXPECT_EQ((1 / x).value(), Array({{1.f, 0.5f}, {1.f / 3, 0.25f}}));
  EXPECT_EQ(tf::reduce_sum(x).value(), Array(10.f));
  EXPECT_EQ(tf::reduce_mean(x, {.axis = 0}).value(), Array({2.f, 3.f}));
  EXPECT_EQ(x[0].value(), Array({1.f, 2.f}));
  EXPECT_EQ(tf::reshape(x, {4}).value(), Array({1.f, 2.f, 3.f, 4.f}));
  EXPECT_EQ(tf::concat({x, x}, 1).value(), Array({{1.f, 2.f, 1.f, 2.f}, {3.f, 4.f, 3.f, 4.f}}));
}

TEST(Eager, IsOnAsLongAsTheGuardLives) {
  EXPECT_FALSE(tf::executing_eagerly());
  {
    const auto eager = tf::eager();
    EXPECT_TRUE(tf::executing_eagerly());
    {
      const tf::Graph graph;
      const auto in_graph = graph.as_default();
      EXPECT_FALSE(tf::executing_eagerly());
      EXPECT_FALSE(tf::constant(1.f).is_eager());
    }
    EXPECT_TRUE(tf::executing_eagerly());
  }
  EXPECT_FALSE(tf::executing_eagerly());
}

TEST(Eager, LetsTheProgramDecideByValues) {
  const auto eager = tf::eager();
  tf::Tensor x = tf::constant(27);
  int steps = 0;
  while (x.value().item<int32_t>() != 1) {
    const bool is_even = tf::equal(x % 2, 0).value().item<bool>();
    x = is_even ? tf::floordiv(x, 2) : x * 3 + 1;
    ++steps;
  }
  EXPECT_EQ(steps, 111);  // the Collatz sequence of 27
}

TEST(Eager, RunsFunctionsOfSeveralOps) {
  const auto eager = tf::eager();
  const tf::Tensor logits = tf::constant({{1.f, 2.f, 3.f}});
  const Array softmax = tf::nn::softmax(logits).value();
  EXPECT_NEAR(softmax.data<float>()[0], 0.09003057f, 1e-6f);
  EXPECT_NEAR(softmax.data<float>()[2], 0.66524096f, 1e-6f);
  EXPECT_NEAR(number(tf::reduce_logsumexp(logits)), 3.4076059f, 1e-5f);
  EXPECT_EQ(tf::one_hot({0, 2}, 3).value(), Array({{1.f, 0.f, 0.f}, {0.f, 0.f, 1.f}}));
  EXPECT_EQ(tf::range(5).value(), Array({0, 1, 2, 3, 4}));
  EXPECT_EQ(tf::argmax(logits, {.axis = 1}).value(), Array(std::vector<int64_t>{2}));
}

TEST(Eager, KeepsWhatDependsOnValuesApart) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant({{1.f, 2.f}, {3.f, 4.f}});
  EXPECT_EQ(tf::reduce_sum(x, {.axis = 0}).value(), Array({4.f, 6.f}));
  EXPECT_EQ(tf::reduce_sum(x, {.axis = 1}).value(), Array({3.f, 7.f}));
  EXPECT_EQ(tf::reduce_sum(x, {.axis = 0}).value(), Array({4.f, 6.f}));
  EXPECT_EQ(tf::reshape(x, {1, 4}).value().shape(), (Shape{1, 4}));
  EXPECT_EQ(tf::reshape(x, {4, 1}).value().shape(), (Shape{4, 1}));
  EXPECT_EQ(tf::transpose(x).value(), Array({{1.f, 3.f}, {2.f, 4.f}}));
}

TEST(Eager, GivesShapesThatOnlyValuesTell) {
  const auto eager = tf::eager();
  const std::vector<tf::Tensor> found = {
      tf::boolean_mask(tf::constant({1, 2, 3, 4}), {true, false, true, false})};
  EXPECT_EQ(found[0].value(), Array({1, 3}));
  EXPECT_EQ(found[0].shape(), (Shape{2}));
  EXPECT_EQ(tf::where(tf::constant({false, true, true})).value(),
            Array(std::vector<int64_t>{1, 2}).reshape({2, 1}));
}

TEST(Eager, KeepsOnePlanForAnOpOfTheSameShapes) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant({1.f, 2.f, 3.f});
  (void)(x + x);
  const size_t before = tf::eagerly::num_plans();
  tf::Tensor y = x;
  for (int i = 0; i < 100; ++i) y = y + x;
  EXPECT_EQ(tf::eagerly::num_plans(), before);
  EXPECT_EQ(y.value(), Array({101.f, 202.f, 303.f}));
  const tf::Tensor one = tf::constant(1);
  tf::Tensor count = one;
  (void)(count + one);
  const size_t of_numbers = tf::eagerly::num_plans();
  for (int i = 0; i < 100; ++i) count = count + one;  // a number's value is not in the plan
  EXPECT_EQ(tf::eagerly::num_plans(), of_numbers);
}

TEST(Eager, SaysWhatIsWrongWithTheOp) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant({1.f, 2.f});
  flowray::expect_error<tf::errors::InvalidArgumentError>([&] { (void)(x + tf::constant({1.f, 2.f, 3.f})); },
                                                          "Incompatible shapes: [2] vs. [3] [Op:AddV2]");
  flowray::expect_error<tf::errors::InvalidArgumentError>(
      [&] { (void)tf::matmul(tf::zeros({2, 3}), tf::zeros({2, 3})); }, "Matrix size-incompatible");
  flowray::expect_error<tf::errors::InvalidArgumentError>(
      [&] { (void)tf::multiply(x, tf::constant(2)); },
      "cannot compute Mul as input #1(zero-based) was expected to be a float tensor but is a int32 tensor "
      "[Op:Mul]");
}

TEST(Eager, RefusesWhatIsOfGraphs) {
  const tf::Tensor symbolic = tf::constant(1.f);
  flowray::expect_error<tf::ValueError>([&] { (void)symbolic.value(); }, "is symbolic");
  const auto eager = tf::eager();
  flowray::expect_error<tf::RuntimeError>([&] { (void)tf::placeholder(tf::float32); },
                                          "tf.placeholder() is not compatible with eager execution.");
  const tf::Tensor x = tf::constant(1.f);
  flowray::expect_error<tf::RuntimeError>(
      [&] { (void)tf::gradients(x, {x}); },
      "tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.");
}

TEST(Eager, IsAConstantInAGraph) {
  tf::Tensor value;
  {
    const auto eager = tf::eager();
    value = tf::constant({1.f, 2.f}) * 3;
  }
  const tf::Tensor x = tf::placeholder(tf::float32, {2});
  const tf::Tensor y = x + value;
  EXPECT_FALSE(y.is_eager());
  tf::Session session;
  EXPECT_EQ(session.run(y, {{x, Array({1.f, 1.f})}}), Array({4.f, 7.f}));
}

TEST(Eager, HoldsVariables) {
  const auto eager = tf::eager();
  const tf::Variable v(tf::constant({1.f, 2.f}), {.name = "v"});
  EXPECT_EQ(v.value().value(), Array({1.f, 2.f}));
  EXPECT_EQ(v.dtype(), DType::kFloat32);
  EXPECT_EQ(v.name(), "v:0");
  EXPECT_EQ(v.assign({3.f, 4.f}).value(), Array({3.f, 4.f}));
  const tf::Tensor before = v.value();
  (void)v.assign_add({1.f, 1.f});
  (void)v.assign_sub({0.f, 2.f});
  EXPECT_EQ(v.value().value(), Array({4.f, 3.f}));
  EXPECT_EQ(before.value(), Array({3.f, 4.f}));  // what was read stays as it was
  EXPECT_EQ((v * 2).value(), Array({8.f, 6.f}));
  EXPECT_TRUE(tf::trainable_variables().empty());
  flowray::expect_error<tf::errors::InvalidArgumentError>([&] { (void)v.assign({1.f, 2.f, 3.f}); }, "[2]");
}

TEST(Eager, GoesOnWithARandomGenerator) {
  const auto eager = tf::eager();
  const Array first = tf::random_uniform({4}, 0.0, 1.0, {.seed = 7}).value();
  const Array second = tf::random_uniform({4}, 0.0, 1.0, {.seed = 7}).value();
  EXPECT_FALSE(first == second);
}

TEST(Eager, PrintsValues) {
  const auto eager = tf::eager();
  std::ostringstream text;
  text << tf::constant({1, 2});
  EXPECT_EQ(text.str(), "tf.Tensor([1 2], shape=(2,), dtype=int32)");
}

TEST(Eager, HandsValuesToOtherThreads) {
  tf::Tensor sum;
  std::thread other([&] {
    const auto eager = tf::eager();
    sum = tf::constant({1.f, 2.f}) + tf::constant({3.f, 4.f});
  });
  other.join();
  const auto eager = tf::eager();
  EXPECT_EQ((sum + sum).value(), Array({8.f, 12.f}));
}

TEST(Eager, IteratesOverDatasets) {
  const auto eager = tf::eager();
  const tf::Tensor factor = tf::constant(int64_t{10});
  const auto dataset =
      tf::data::Dataset::range(4).map([&](const tf::Tensor& x) { return x * factor; }).batch(2);
  auto iterator = dataset.make_one_shot_iterator();
  EXPECT_EQ(iterator.get_next()[0].value(), Array(std::vector<int64_t>{0, 10}));
  EXPECT_EQ(iterator.get_next()[0].value(), Array(std::vector<int64_t>{20, 30}));
  flowray::expect_error<tf::errors::OutOfRangeError>([&] { (void)iterator.get_next(); }, "End of sequence");
}

}  // namespace
