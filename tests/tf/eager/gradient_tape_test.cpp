// tf::GradientTape, custom gradients and optimizers of what runs at once.
#include "core/sanitizers.h"
#include "tf/eager/tape_gradient.h"

#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tf/eager/expect_error.h"

namespace tf = flowray::tf;
using flowray::Array;
using flowray::Shape;

namespace {

float number(const tf::Tensor& tensor) { return tensor.value().item<float>(); }

TEST(GradientTape, DifferentiatesWhatRan) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant(3.f);
  tf::GradientTape tape;
  tape.watch(x);
  const tf::Tensor y = x * x + tf::sin(x);
  EXPECT_FLOAT_EQ(number(tape.gradient(y, x)), 6 + std::cos(3.f));
}

TEST(GradientTape, FollowsThePathThatTheProgramTook) {
  const auto eager = tf::eager();
  for (const float at : {-2.f, 2.f, -3.f, 3.f}) {
    const tf::Tensor x = tf::constant(at);
    tf::GradientTape tape;
    tape.watch(x);
    const tf::Tensor y = number(x) > 0 ? x * x : -x;
    EXPECT_FLOAT_EQ(number(tape.gradient(y, x)), at > 0 ? 2 * at : -1);
  }
}

TEST(GradientTape, WatchesTrainableVariables) {
  const auto eager = tf::eager();
  const tf::Variable w(2.f);
  const tf::Variable fixed(5.f, {.trainable = false});
  tf::GradientTape tape;
  const tf::Tensor y = w * w * fixed;
  const std::vector<tf::Variable> watched = tape.watched_variables();
  ASSERT_EQ(watched.size(), 1u);
  EXPECT_TRUE(watched[0] == w);
  const std::vector<tf::Tensor> gradients = tape.gradient(y, {w, fixed});
  EXPECT_EQ(number(gradients[0]), 20);
  EXPECT_FALSE(gradients[1].has_value());
}

TEST(GradientTape, GivesTheSameWithTheStepAsOpByOp) {
  const auto eager = tf::eager();
  const tf::Variable w(tf::constant({{0.5f, -1.f}, {2.f, 1.f}}));
  const tf::Variable b(tf::constant({0.1f, 0.2f}));
  const size_t before = tf::eagerly::num_gradient_steps();
  std::vector<Array> first;
  for (int i = 0; i < 4; ++i) {
    const tf::Tensor x = tf::constant({{1.f, 2.f}, {3.f, 4.f}, {5.f, 6.f}});
    tf::GradientTape tape;
    const tf::Tensor loss = tf::reduce_mean(tf::square(tf::tanh(tf::matmul(x, w) + b)));
    const std::vector<tf::Tensor> gradients = tape.gradient(loss, {w, b});
    if (i == 0) {
      first = {gradients[0].value(), gradients[1].value()};
      continue;
    }
    for (size_t k = 0; k < 2; ++k) {
      for (int64_t j = 0; j < first[k].size(); ++j)
        EXPECT_NEAR(gradients[k].value().data<float>()[j], first[k].data<float>()[j], 1e-6f);
    }
  }
  EXPECT_EQ(tf::eagerly::num_gradient_steps(), before + 1);
}

TEST(GradientTape, TakesTheValuesOfItsOwnRun) {
  const auto eager = tf::eager();
  for (int i = 1; i < 6; ++i) {
    const tf::Tensor x = tf::constant(static_cast<float>(i));
    tf::GradientTape tape;
    tape.watch(x);
    EXPECT_FLOAT_EQ(number(tape.gradient(x * x * x, x)), 3.f * static_cast<float>(i * i));
  }
}

TEST(GradientTape, MayBeNested) {
  const auto eager = tf::eager();
  for (int i = 0; i < 3; ++i) {
    const tf::Tensor x = tf::constant(3.f);
    tf::GradientTape outer;
    outer.watch(x);
    tf::Tensor first;
    {
      tf::GradientTape inner;
      inner.watch(x);
      const tf::Tensor y = x * x * x;
      first = inner.gradient(y, x);
    }
    EXPECT_FLOAT_EQ(number(first), 27);
    EXPECT_FLOAT_EQ(number(outer.gradient(first, x)), 18);
  }
}

TEST(GradientTape, MayBePersistent) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant(3.f);
  tf::GradientTape tape({.persistent = true});
  tape.watch(x);
  const tf::Tensor y = x * x;
  const tf::Tensor z = y * y;
  EXPECT_FLOAT_EQ(number(tape.gradient(z, x)), 108);
  EXPECT_FLOAT_EQ(number(tape.gradient(y, x)), 6);
  EXPECT_FLOAT_EQ(number(tape.gradient(z, y)), 18);
}

TEST(GradientTape, EndsWithItsGradient) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant(3.f);
  tf::GradientTape tape;
  tape.watch(x);
  const tf::Tensor y = x * x;
  (void)tape.gradient(y, x);
  flowray::expect_error<tf::RuntimeError>(
      [&] { (void)tape.gradient(y, x); },
      "A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)");
}

TEST(GradientTape, GivesNoneOrZerosWhereNothingFlows) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant({1.f, 2.f});
  const tf::Tensor z = tf::constant({3.f, 4.f});
  tf::GradientTape tape({.persistent = true});
  tape.watch(x);
  tape.watch(z);
  const tf::Tensor y = x * x;
  EXPECT_FALSE(tape.gradient(y, z).has_value());
  EXPECT_EQ(tape.gradient(y, z, {.unconnected_gradients = "zero"}).value(), Array({0.f, 0.f}));
}

TEST(GradientTape, StartsFromGivenGradients) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant({1.f, 2.f});
  tf::GradientTape tape;
  tape.watch(x);
  const tf::Tensor y = x * x;
  EXPECT_EQ(
      tape.gradient(y, x, {.output_gradients = {tf::OptionalInput(tf::constant({10.f, 100.f}))}}).value(),
      Array({20.f, 400.f}));
}

TEST(GradientTape, GivesJacobians) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant({1.f, 2.f, 3.f});
  tf::GradientTape tape;
  tape.watch(x);
  const tf::Tensor y = x * x;
  EXPECT_EQ(tape.jacobian(y, x).value(), Array({{2.f, 0.f, 0.f}, {0.f, 4.f, 0.f}, {0.f, 0.f, 6.f}}));
}

TEST(GradientTape, RecordsNothingWhileItIsStopped) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant(3.f);
  tf::GradientTape tape;
  tape.watch(x);
  const tf::Tensor y = x * x;
  tape.stop();
  const tf::Tensor unseen = y * 100;
  tape.start();
  const tf::Tensor z = y + unseen;
  EXPECT_FLOAT_EQ(number(tape.gradient(z, x)), 6);
}

TEST(GradientTape, LetsGoOfWhatItRecorded) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant(1.f);
  tf::Tensor y = x;
  {
    tf::GradientTape tape;
    tape.watch(x);
    // A chain that must not go all at once.
    for (int i = 0; i < (flowray::kSanitized ? 40'000 : 200'000); ++i) y = y * 1.0001f;
  }
  EXPECT_EQ(y.node()->num_inputs(), 0);
}

TEST(CustomGradient, StandsInForThatOfTheOperations) {
  const auto eager = tf::eager();
  const auto log1pexp = [](const std::vector<tf::Tensor>& arguments) {
    const tf::Tensor e = tf::exp(arguments[0]);
    return tf::ValuesAndGradient{{tf::log(1 + e)}, [e](const std::vector<tf::Tensor>& gradients) {
                                   return std::vector<tf::Tensor>{gradients[0] * (1 - 1 / (1 + e))};
                                 }};
  };
  for (int i = 0; i < 3; ++i) {
    const tf::Tensor x = tf::constant(100.f);
    tf::GradientTape tape;
    tape.watch(x);
    const tf::Tensor scaled = x * 2;
    const tf::Tensor y = tf::custom_gradient(log1pexp, {scaled})[0] * 3;
    EXPECT_FLOAT_EQ(number(tape.gradient(y, x)), 6);  // not NaN
  }
}

TEST(CustomGradient, RefusesFunctionsThatAreNone) {
  const auto eager = tf::eager();
  const tf::Tensor x = tf::constant(1.f);
  flowray::expect_error<tf::TypeError>([&] { tf::custom_gradient(nullptr, {x}); },
                                       "'function' must be callable.");
  const auto without_gradient = [](const std::vector<tf::Tensor>& arguments) {
    return tf::ValuesAndGradient{arguments, nullptr};
  };
  flowray::expect_error<tf::TypeError>([&] { tf::custom_gradient(without_gradient, {x}); },
                                       "'gradient' must be callable.");
}

TEST(EagerOptimizer, MinimizesWhatAFunctionGives) {
  const auto eager = tf::eager();
  std::vector<float> xs(100);
  std::vector<float> ys(100);
  for (size_t i = 0; i < xs.size(); ++i) {
    xs[i] = 0.01f * static_cast<float>(i);
    ys[i] = 0.1f * xs[i] + 0.3f;
  }
  const tf::Tensor x = tf::constant(Array(xs));
  const tf::Tensor y = tf::constant(Array(ys));
  const tf::Variable w(tf::constant({-0.5f}));
  const tf::Variable b(tf::zeros({1}));
  tf::train::GradientDescentOptimizer optimizer(0.5);
  for (int i = 0; i < 200; ++i)
    optimizer.minimize([&] { return tf::reduce_mean(tf::square(w * x + b - y)); });
  EXPECT_NEAR(w.value().value().item<float>(), 0.1f, 1e-2f);
  EXPECT_NEAR(b.value().value().item<float>(), 0.3f, 1e-2f);
}

TEST(EagerOptimizer, KeepsSlotsOfVariablesApart) {
  const auto eager = tf::eager();
  const tf::Variable first(1.f);
  const tf::Variable second(10.f);  // of the same name
  tf::train::AdamOptimizer optimizer(0.1);
  for (int i = 0; i < 3; ++i) optimizer.minimize([&] { return first * first + second * second; });
  EXPECT_NEAR(first.value().value().item<float>(), 0.7015863f, 1e-4f);
  EXPECT_NEAR(second.value().value().item<float>(), 9.7001010f, 1e-4f);
}

TEST(EagerOptimizer, UpdatesRowsAlone) {
  const auto eager = tf::eager();
  const tf::Variable table(tf::constant({{1.f, 1.f}, {2.f, 2.f}, {3.f, 3.f}}));
  tf::train::MomentumOptimizer optimizer(0.1, 0.9);
  for (int i = 0; i < 3; ++i)
    optimizer.minimize([&] { return tf::reduce_sum(tf::gather(table, {i % 2 == 0 ? 0 : 2})); });
  // The momentum of a row that is not gathered stays as it is: row 0 moves by 0.1 and then by 0.19.
  const Array found = table.value().value();
  const std::vector<float> expected = {0.71f, 0.71f, 2.f, 2.f, 2.9f, 2.9f};
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found.data<float>()[i], expected[i], 1e-6f);
}

TEST(EagerOptimizer, WantsAFunction) {
  const auto eager = tf::eager();
  const tf::Variable v(1.f);
  tf::train::GradientDescentOptimizer optimizer(0.5);
  flowray::expect_error<tf::RuntimeError>(
      [&] { optimizer.minimize(v * v); },
      "`loss` passed to Optimizer.compute_gradients should be a function when eager execution is enabled.");
}

}  // namespace
