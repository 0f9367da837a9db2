// tests/python/programs/shared_layers.py compares names and values with TensorFlow's; here C++'s own form.
#include <flowray/tf/array.h>
#include <flowray/tf/layers.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/session.h>

#include <gtest/gtest.h>

#include <stdexcept>

namespace flowray {
namespace {

TEST(SharedLayer, HasTheVariablesOfItsFirstCall) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::layers::Shared layer([](const tf::Input& x) {
    return tf::layers::dense(x, 2, {.kernel_initializer = tf::ones_initializer()});
  });
  EXPECT_FALSE(layer.built());
  EXPECT_THROW((void)layer.scope_name(), tf::ValueError);
  auto x = tf::placeholder(tf::float32, {tf::None, 3});
  const tf::Tensor y = layer(x);
  tf::Tensor z;
  {
    const auto elsewhere = tf::variable_scope("elsewhere");
    z = layer(2 * x);
  }
  EXPECT_EQ(y.name(), "dense/BiasAdd:0");
  EXPECT_EQ(z.name(), "dense/BiasAdd_1:0");
  EXPECT_EQ(layer.scope_name(), "dense");
  ASSERT_EQ(layer.variables().size(), 2U);
  EXPECT_EQ(layer.variables()[0].name(), "dense/kernel:0");
  EXPECT_EQ(tf::layers::dense(x, 1).name(), "dense_1/BiasAdd:0");
}

TEST(SharedLayer, IsNotBuiltByACallThatFails) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  int calls = 0;
  const tf::layers::Shared layer([&](const tf::Input& x) {
    if (++calls == 1) throw std::runtime_error("not yet");
    return tf::layers::dense(x, 2);
  });
  auto x = tf::placeholder(tf::float32, {tf::None, 3});
  EXPECT_THROW((void)layer(x), std::runtime_error);
  EXPECT_FALSE(layer.built());
  EXPECT_EQ(tf::layers::dense(x, 1).name(), "dense/BiasAdd:0");
  EXPECT_EQ(layer(x).name(), "dense_1/BiasAdd:0");
}

}  // namespace
}  // namespace flowray
