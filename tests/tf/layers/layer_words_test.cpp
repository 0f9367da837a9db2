// Activations as a program calls them.
#include <flowray/tf.h>

#include <gtest/gtest.h>

namespace tf = flowray::tf;

namespace {

TEST(Activation, LinearIsTheIdentity) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Tensor x = tf::constant({1.f, -2.f});
  EXPECT_TRUE(tf::layers::activation("linear")(x).is(x));
  EXPECT_FALSE(tf::layers::Activation().has_value());
}

TEST(Activation, UnsetIsNotCallable) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Tensor x = tf::constant({1.f, -2.f});
  EXPECT_THROW(tf::layers::Activation()(x), flowray::TypeError);
}

}  // namespace
