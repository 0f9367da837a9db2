// What a layer takes, and its calls. Errors are tf_keras 2.21's.
#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace flowray::tf::keras {
namespace {

using ::testing::StartsWith;

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ValueError& error) {
    return error.message();
  }
  return "nothing";
}

TEST(InputSpec, IsThereSinceTheLayerIsBuilt) {
  const Graph graph;
  const auto scope = graph.as_default();
  layers::Dense dense(1);
  EXPECT_TRUE(dense.input_spec().empty());
  dense(Input({4}));
  ASSERT_EQ(dense.input_spec().size(), 1u);
  EXPECT_EQ(dense.input_spec()[0].min_ndim, 2);
  EXPECT_EQ(dense.input_spec()[0].axes.at(-1), 4);
}

TEST(InputSpec, RefusesOtherInputs) {
  const Graph graph;
  const auto scope = graph.as_default();
  layers::Dense dense(1, {.name = "d"});
  dense(Input({4}));
  EXPECT_THAT(
      error_of([&] { dense(Input({5})); }),
      StartsWith("Input 0 of layer \"d\" is incompatible with the layer: expected axis -1 of input shape to "
                 "have value 4, but received input with shape ("));
  EXPECT_THAT(
      error_of([&] { dense(Input(TensorShape{})); }),
      StartsWith(
          "Input 0 of layer \"d\" is incompatible with the layer: expected min_ndim=2, found ndim=1."));
  layers::Conv2D convolution(1, {2}, {.name = "c"});
  convolution(Input({4, 4, 3}));
  EXPECT_THAT(
      error_of([&] { convolution(Input({4, 4, 2})); }),
      StartsWith("Input 0 of layer \"c\" is incompatible with the layer: expected axis -1 of input shape to "
                 "have value 3, but received input with shape ("));
  EXPECT_NO_THROW(dense(Input({7, 4})));
}

class Typed : public Layer {
 public:
  Typed() : Layer("Typed", {.name = "t"}) {}
  std::string class_name() const override { return "Typed"; }
  std::shared_ptr<Layer> copy() const override { return std::make_shared<Typed>(*this); }

 protected:
  void build(const TensorShape&) override { set_input_spec({{.dtype = int32, .ndim = 2, .max_ndim = 3}}); }
};

TEST(InputSpec, OfALayerOfTheProgram) {
  const Graph graph;
  const auto scope = graph.as_default();
  Typed layer;
  layer(Input({1}, {.dtype = int32}));
  EXPECT_THAT(error_of([&] { layer(Input({1})); }),
              StartsWith("Input 0 of layer \"t\" is incompatible with the layer: expected dtype=int32, found "
                         "dtype=float32"));
  EXPECT_THAT(
      error_of([&] { layer(Input({1, 1}, {.dtype = int32})); }),
      StartsWith("Input 0 of layer \"t\" is incompatible with the layer: expected ndim=2, found ndim=3."));
}

TEST(Layer, TellsItsCallsAndWhatIsInside) {
  const Graph graph;
  const auto scope = graph.as_default();
  const KerasTensor x = Input({4});
  layers::Dense shared(4);
  const KerasTensor once = shared(x);
  const KerasTensor twice = shared(once);
  const std::vector<InboundNode> nodes = shared.inbound_nodes();
  ASSERT_EQ(nodes.size(), 2u);
  EXPECT_EQ(nodes[0].inputs[0].name(), x.name());
  EXPECT_EQ(nodes[1].inputs[0].name(), once.name());
  EXPECT_EQ(nodes[1].outputs[0].name(), twice.name());
  Sequential inner;
  inner.add(layers::TimeDistributed(layers::Dense(2, {.name = "deep"}), {.input_shape = TensorShape{2, 4}}));
  Sequential outer;
  outer.add(inner);
  std::vector<std::string> names;
  for (const std::shared_ptr<Layer>& layer : outer.submodules()) names.push_back(layer->name());
  EXPECT_THAT(names, ::testing::ElementsAre("sequential", "time_distributed", "deep"));
}

}  // namespace
}  // namespace flowray::tf::keras
