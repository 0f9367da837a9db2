#pragma once
/// Gradients of whatever a function of the language builds, against finite differences.

#include <flowray/tf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace flowray::testing {

/// Of a builder that goes through float32 the differences need a wide step, and are less exact.
struct Differences {
  double step = 1e-5;
  double tolerance = 1e-8;
};

/// The gradient of what `build` makes of a [3, 2] tensor of doubles, a scalar, against differences of
/// its values.
inline void expect_gradient(const std::function<tf::Tensor(const tf::Tensor&)>& build,
                            const Differences& differences = {}) {
  const tf::Graph graph;
  const tf::GraphScope scope = graph.as_default();
  const tf::Tensor x = tf::placeholder(DType::kFloat64, Shape{3, 2});
  const tf::Tensor loss = build(x);
  const tf::Tensor gradient = tf::gradients(loss, {x})[0];
  ASSERT_TRUE(gradient.has_value());
  tf::Session session;
  const std::vector<double> at = {0.3, -0.7, 1.1, 0.4, -0.2, 0.9};
  const auto loss_with = [&](size_t i, double change) {
    std::vector<double> values = at;
    values[i] += change;
    return session.run(loss, {{x, Array::from(values, Shape{3, 2})}}).item<double>();
  };
  const Array actual = session.run(gradient, {{x, Array::from(at, Shape{3, 2})}});
  ASSERT_EQ(actual.shape(), (Shape{3, 2}));
  for (size_t i = 0; i < at.size(); ++i) {
    const double expected =
        (loss_with(i, differences.step) - loss_with(i, -differences.step)) / (2 * differences.step);
    EXPECT_NEAR(actual.data<double>()[i], expected, differences.tolerance * std::max(1.0, std::abs(expected)))
        << "element " << i;
  }
}

}  // namespace flowray::testing
