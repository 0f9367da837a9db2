// Functions of C++ that are traced once: what TensorFlow 2.21's tf.function does, which the expected values
// and first sentences are of.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace flowray::tf {
namespace {

using contrib::eager::defun;
using ::testing::ElementsAre;
using ::testing::StartsWith;

class DefunTest : public ::testing::Test {
 protected:
  EagerScope eager_ = eager();
};

TEST_F(DefunTest, IsTracedOnceForEachDtypeAndShape) {
  int runs = 0;
  const auto square_sum = defun([&](const Tensor& x) {
    ++runs;
    return reduce_sum(x * x);
  });
  EXPECT_EQ(square_sum(std::vector<float>{1, 2}).value().item<float>(), 5);
  EXPECT_EQ(square_sum(std::vector<float>{3, 4}).value().item<float>(), 25);
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(square_sum(std::vector<float>{1, 2, 3}).value().item<float>(), 14);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(square_sum(std::vector<int32_t>{1, 2}).value().item<int32_t>(), 5);
  EXPECT_EQ(runs, 3);
  square_sum(std::vector<float>{5, 6});
  EXPECT_EQ(runs, 3);
  EXPECT_EQ(square_sum.experimental_get_tracing_count(), 3);
}

TEST_F(DefunTest, GivesListsAndNothing) {
  const auto both = defun([](const Tensor& a, const Tensor& b) { return std::vector<Tensor>{a + b, a * b}; });
  const std::vector<Tensor> results = both(3.0f, 4.0f);
  EXPECT_EQ(results[0].value().item<float>(), 7);
  EXPECT_EQ(results[1].value().item<float>(), 12);
  const Variable counter(0.0f);
  const auto count = defun([&] { counter.assign_add(1.0f); });
  count();
  count();
  EXPECT_EQ(counter.value().value().item<float>(), 2);
}

TEST_F(DefunTest, EffectsRunInTheOrderOfTheProgram) {
  const Variable v(1.0f);
  const auto twice = defun([&](const Tensor& x) {
    v.assign_add(x);
    const Tensor between = v.read_value();
    v.assign(v * 10.0f);
    return between;
  });
  EXPECT_EQ(twice(2.0f).value().item<float>(), 3);
  EXPECT_EQ(v.value().value().item<float>(), 30);
  EXPECT_EQ(twice(1.0f).value().item<float>(), 31);
  EXPECT_EQ(v.value().value().item<float>(), 310);
}

TEST_F(DefunTest, MakesItsVariablesOnce) {
  std::optional<Variable> weight;
  const auto scaled = defun([&](const Tensor& x) {
    if (!weight.has_value()) weight = Variable(2.0f);
    return *weight * x;
  });
  EXPECT_EQ(scaled(3.0f).value().item<float>(), 6);
  weight->assign(5.0f);
  EXPECT_EQ(scaled(3.0f).value().item<float>(), 15);
  EXPECT_EQ(scaled(std::vector<float>{1, 2}).value().span<float>()[1], 10);  // another trace
}

TEST_F(DefunTest, RefusesAVariableOfALaterTrace) {
  const auto always = defun([](const Tensor& x) { return x * Variable(2.0f); });
  always(1.0f);
  EXPECT_THROW(always(std::vector<float>{1, 2}), ValueError);
}

/// d (3 x^2) / dx = 6 x; d (w x) / dw = x.
TEST_F(DefunTest, HasGradients) {
  const Variable w(3.0f);
  const auto loss = defun([&](const Tensor& x) { return w * x * x; });
  const Tensor x = constant(2.0f);
  for (int i = 0; i < 2; ++i) {
    GradientTape tape;
    tape.watch(x);
    const Tensor value = loss(x);
    EXPECT_EQ(value.value().item<float>(), 12);
    const std::vector<Tensor> gradients = tape.gradient(value, {GradientTarget(x), GradientTarget(w)});
    EXPECT_EQ(gradients[0].value().item<float>(), 12);
    EXPECT_EQ(gradients[1].value().item<float>(), 4);
  }
}

TEST_F(DefunTest, TapesAndOptimizersInsideOfItTrain) {
  const Variable w(0.0f);
  const train::GradientDescentOptimizer optimizer(0.25);
  auto rule = optimizer;
  const auto step = defun([&](const Tensor& x, const Tensor& y) {
    GradientTape tape;
    const Tensor loss = square(w * x - y);
    const Tensor gradient = tape.gradient(loss, w);
    rule.apply_gradients({{gradient, w}});
    return loss;
  });
  EXPECT_EQ(step(1.0f, 2.0f).value().item<float>(), 4);  // w = 0 + 0.25 * 4 = 1
  EXPECT_EQ(step(1.0f, 2.0f).value().item<float>(), 1);  // w = 1 + 0.25 * 2 = 1.5
  EXPECT_EQ(w.value().value().item<float>(), 1.5f);
}

TEST_F(DefunTest, ASignatureTakesWhatFits) {
  int runs = 0;
  const auto sum = defun(
      [&](const Tensor& x) {
        ++runs;
        return reduce_sum(x);
      },
      {.input_signature = {{{.dtype = float32, .shape = {-1}}}}});
  EXPECT_EQ(sum(std::vector<float>{1, 2}).value().item<float>(), 3);
  EXPECT_EQ(sum(std::vector<float>{1, 2, 3}).value().item<float>(), 6);
  EXPECT_EQ(runs, 1);
  const auto error_of = [&](const auto& call) {
    try {
      call();
    } catch (const TypeError& error) {
      return error.message();
    }
    return std::string("nothing");
  };
  EXPECT_THAT(
      error_of([&] { sum(1.0f); }),
      StartsWith("Binding inputs to tf.function failed due to `Can not cast TensorSpec(shape=(), "
                 "dtype=tf.float32, name=None) to TensorSpec(shape=(?,), dtype=tf.float32, name=None)`."));
  const contrib::eager::DefunOptions without_dtype{.input_signature = std::vector<data::TensorSpec>(1)};
  EXPECT_THAT(error_of([&] { defun([](const Tensor& x) { return x; }, without_dtype); }),
              StartsWith("An input_signature needs the dtype of each argument"));
}

TEST_F(DefunTest, IsCalledAsItStandsInGraphsAndInOthers) {
  const auto inner = defun([](const Tensor& x) { return x + 1.0f; });
  const auto outer = defun([&](const Tensor& x) { return inner(x) * 2.0f; });
  EXPECT_EQ(outer(3.0f).value().item<float>(), 8);
  EXPECT_EQ(inner.experimental_get_tracing_count(), 0);
  const Graph graph;
  const auto scope = graph.as_default();
  Session session(graph);
  EXPECT_EQ(session.run(inner(constant(4.0f))).item<float>(), 5);
}

TEST_F(DefunTest, FailsAgainWhereItsFunctionDoes) {
  bool fails = true;
  const auto function = defun([&](const Tensor& x) {
    if (fails) throw ValueError("not yet");
    return x;
  });
  EXPECT_THROW(function(1.0f), ValueError);
  fails = false;
  EXPECT_EQ(function(1.0f).value().item<float>(), 1);
}

}  // namespace
}  // namespace flowray::tf
