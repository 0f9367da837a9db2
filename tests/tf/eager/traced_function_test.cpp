// Functions that are made into a graph once.
#include "tf/eager/traced_function.h"

#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace tf = flowray::tf;
using flowray::Array;

namespace {

/// Of one float scalar.
template <class Function>
std::shared_ptr<tf::eagerly::TracedFunction> traced(Function function) {
  const tf::Graph graph = tf::eagerly::graph_to_trace(true);
  const auto scope = graph.as_default();
  const tf::Tensor x = tf::placeholder(tf::float32, {});
  const std::vector<tf::Tensor> outputs = {function(x)};
  return std::make_shared<tf::eagerly::TracedFunction>(graph, std::vector<tf::Tensor>{x}, outputs);
}

float number(const tf::Tensor& tensor) { return tensor.value().item<float>(); }

TEST(TracedFunction, RunsAsOneStep) {
  const auto eager = tf::eager();
  const tf::Tensor ten = tf::constant(10.f);
  const auto function = traced([&](const tf::Tensor& x) { return x * x + ten; });
  EXPECT_EQ(number(function->call({tf::constant(3.f)})[0]), 19);
  EXPECT_EQ(number(function->call({tf::constant(4.f)})[0]), 26);
}

TEST(TracedFunction, UsesVariablesOfOutsideInTheOrderOfTheProgram) {
  const auto eager = tf::eager();
  const tf::Variable v(1.f);
  const auto function = traced([&](const tf::Tensor& x) {
    (void)v.assign_add(x);
    const tf::Tensor between = v.read_value();
    (void)v.assign_add(x);
    return between * 100 + v.read_value();
  });
  EXPECT_EQ(number(function->call({tf::constant(1.f)})[0]), 203);
  EXPECT_EQ(number(v.value()), 3);
  EXPECT_EQ(number(function->call({tf::constant(1.f)})[0]), 405);
}

TEST(TracedFunction, IsOneOperationOfATape) {
  const auto eager = tf::eager();
  const tf::Variable w(3.f);
  const auto function = traced([&](const tf::Tensor& x) { return tf::square(w * x); });
  for (int i = 0; i < 3; ++i) {
    const tf::Tensor x = tf::constant(2.f);
    tf::GradientTape tape;
    tape.watch(x);
    const tf::Tensor y = function->call({x * 1})[0] + w;
    const std::vector<tf::Tensor> gradients = tape.gradient(y, {w, x});
    EXPECT_EQ(number(gradients[0]), 25);  // 2 w x x + 1
    EXPECT_EQ(number(gradients[1]), 36);  // 2 w w x
  }
}

TEST(TracedFunction, HasGradientsThroughBranches) {
  const auto eager = tf::eager();
  const auto function =
      traced([](const tf::Tensor& x) { return tf::cond(x > 0, [&] { return x * 2; }, [&] { return -x; }); });
  for (const float at : {3.f, -3.f}) {
    const tf::Tensor x = tf::constant(at);
    tf::GradientTape tape;
    tape.watch(x);
    const tf::Tensor y = function->call({x})[0];
    EXPECT_EQ(number(tape.gradient(y, x)), at > 0 ? 2 : -1);
  }
}

TEST(TracedFunction, TrainsInItsGraph) {
  const auto eager = tf::eager();
  const tf::Variable w(1.f);
  tf::train::AdamOptimizer optimizer(0.1);
  const auto function = traced([&](const tf::Tensor& x) {
    tf::GradientTape tape;
    const tf::Tensor loss = w * w * x;
    const tf::Tensor gradient = tape.gradient(loss, w);
    optimizer.apply_gradients({{gradient, w}});
    return loss;
  });
  for (int i = 0; i < 3; ++i) (void)function->call({tf::constant(1.f)});
  EXPECT_NEAR(number(w.value()), 0.7015863f, 1e-4f);
}

TEST(TracedFunction, MakesVariablesOutsideOfItself) {
  const auto eager = tf::eager();
  tf::Variable v;
  const auto function = traced([&](const tf::Tensor& x) {
    v = tf::Variable(5.f);
    return v.assign_add(x);
  });
  (void)function->call({tf::constant(1.f)});
  EXPECT_EQ(number(function->call({tf::constant(1.f)})[0]), 7);
  EXPECT_EQ(number(v.value()), 7);
}

}  // namespace
