#include "graph/graph.h"

#include "graph/builder.h"
#include "graph/constant_value.h"
#include "ops/all_ops.h"

#include <gtest/gtest.h>

#include <thread>

namespace flowray::graph {
namespace {

class GraphTest : public ::testing::Test {
 protected:
  Graph graph{ops::op_table()};
  Builder builder{graph};
};

TEST_F(GraphTest, MakesNamesUniqueWithoutRegardToCase) {
  EXPECT_EQ(graph.unique_name("a"), "a");
  EXPECT_EQ(graph.unique_name("a"), "a_1");
  EXPECT_EQ(graph.unique_name("A"), "A_2");
  EXPECT_EQ(graph.unique_name("a_1"), "a_1_1");
  EXPECT_EQ(graph.unique_name("a", /*mark_as_used=*/false), "a_3");
  EXPECT_EQ(graph.unique_name("a"), "a_3");
}

TEST_F(GraphTest, ScopesPutTheirNameBeforeOthers) {
  {
    const NameScope outer(graph, "outer");
    EXPECT_EQ(outer.path(), "outer/");
    const NameScope inner(graph, "inner");
    EXPECT_EQ(builder.constant(1).node->name(), "outer/inner/Const");
    const NameScope root(graph, "");
    EXPECT_EQ(builder.constant(1).node->name(), "Const");
  }
  const NameScope again(graph, "outer");
  EXPECT_EQ(again.path(), "outer_1/");
  const NameScope reentered(graph, "outer/");
  EXPECT_EQ(reentered.path(), "outer/");
}

TEST_F(GraphTest, RefusesBadScopeNames) {
  try {
    const NameScope scope(graph, " biases");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_TRUE(error.message().starts_with("' biases' is not a valid root scope name.")) << error.message();
  }
  const NameScope scope(graph, "a");
  EXPECT_NO_THROW(NameScope(graph, "_b"));
  EXPECT_THROW(NameScope(graph, "b*"), ValueError);
}

TEST_F(GraphTest, ScopesBelongToTheirThread) {
  const NameScope scope(graph, "here");
  std::string there;
  std::thread([&] { there = builder.constant(1).node->name(); }).join();
  EXPECT_EQ(there, "Const");
}

TEST_F(GraphTest, TakesNodesFromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) builder.op("Neg", {builder.constant(1.0f)});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(graph.num_nodes(), 4 * 200 * 2);
  for (const Node* node : graph.nodes()) EXPECT_EQ(graph.find(node->name()), node);
}

TEST_F(GraphTest, FillsInWhatFollowsFromTheInputs) {
  const Endpoint x = builder.constant(Array({{1.0f, 2.0f}}));
  const Endpoint y = builder.op("MatMul", {x, x}, {{"transpose_b", true}}, "product");
  EXPECT_EQ(to_text(*y.node),
            "product = MatMul(Const, Const) T=float32 grad_a=false grad_b=false transpose_a=false "
            "transpose_b=true -> "
            "float32[1,1]");
}

TEST_F(GraphTest, CountsTheInputsOfLists) {
  const Endpoint one = builder.constant(1.0f);
  const Endpoint sum = builder.op("AddN", {one, one, one});
  EXPECT_EQ(sum.node->attrs().get<int64_t>("N"), 3);
}

TEST_F(GraphTest, SaysWhichDtypesDoNotGoTogether) {
  const Endpoint x = builder.constant(1.0f);
  const Endpoint y = builder.constant(1);
  try {
    builder.op("AddV2", {x, y});
    FAIL();
  } catch (const TypeError& error) {
    EXPECT_EQ(error.message(),
              "Input 'y' of 'AddV2' Op has type int32 that does not match type float32 of argument 'x'.");
  }
  EXPECT_THROW(builder.op("LogicalNot", {x}), TypeError);
  EXPECT_THROW(builder.op("Neg", {x, x}), ValueError);
  EXPECT_THROW(builder.op("Neg", {}), ValueError);
  EXPECT_THROW(builder.op("Nonsense", {}), errors::NotFoundError);
}

/// What making the node is refused with.
std::string refusal(Builder& builder, std::string_view op, const std::vector<Endpoint>& inputs,
                    const Attrs& attrs) {
  try {
    builder.node(op, inputs, attrs);
  } catch (const ValueError& error) {
    return error.message();
  }
  return "taken";
}

TEST_F(GraphTest, RefusesAttributesBelowTheirMinimumInTensorFlowsWords) {
  const Endpoint x = builder.constant(Array(DType::kFloat32, {1, 8, 8, 1}));
  EXPECT_EQ(refusal(builder, "Pack", {}, {{"T", DType::kFloat32}}),
            "List argument 'values' to 'Pack' Op with length 0 shorter than minimum length 1.");
  EXPECT_EQ(refusal(builder, "MaxPool", {x},
                    {{"ksize", std::vector<int64_t>{1}},
                     {"strides", std::vector<int64_t>{1, 1, 1, 1}},
                     {"padding", std::string("SAME")}}),
            "Attr 'ksize' of 'MaxPool' Op passed list of length 1 less than minimum 4.");
  EXPECT_EQ(refusal(builder, "SpaceToDepth", {x}, {{"block_size", int64_t{1}}}),
            "Attr 'block_size' of 'SpaceToDepth' Op passed 1 less than minimum 2.");
  EXPECT_EQ(refusal(builder, "Assert", {builder.constant(true)}, {}),
            "Attr 'T' of 'Assert' Op passed list of length 0 less than minimum 1.");
}

TEST_F(GraphTest, KnowsNoInputsAndOutputsBeyondThoseOfANode) {
  const Node& node = *builder.op("Neg", {builder.constant(1.0f)}).node;
  EXPECT_THROW((void)node.input(1), errors::InvalidArgumentError);
  EXPECT_THROW((void)node.input(-1), errors::InvalidArgumentError);
  EXPECT_THROW((void)node.output_shape(1), errors::InvalidArgumentError);
  EXPECT_THROW((void)node.output_dtype(2), errors::InvalidArgumentError);
}

TEST_F(GraphTest, AWrongShapeIsAnErrorAtTheLineThatBuildsIt) {
  const Endpoint a = builder.constant(Array(DType::kFloat32, {2, 3}));
  const Endpoint b = builder.constant(Array(DType::kFloat32, {4, 5}));
  try {
    builder.op("MatMul", {a, b});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_TRUE(error.message().starts_with(
        "Dimensions must be equal, but are 3 and 4 for '{{node MatMul}} = MatMul["))
        << error.message();
    EXPECT_NE(error.message().find("with input shapes: [2,3], [4,5]."), std::string::npos) << error.message();
  }
}

TEST_F(GraphTest, TakesNoTensorOfAnotherGraph) {
  Graph other(ops::op_table());
  const Endpoint foreign = Builder(other).constant(1.0f);
  EXPECT_THROW(builder.op("Neg", {foreign}), ValueError);
}

TEST_F(GraphTest, IsClosedByFinalize) {
  graph.finalize();
  try {
    builder.constant(1);
    FAIL();
  } catch (const RuntimeError& error) {
    EXPECT_EQ(error.message(), "Graph is finalized and cannot be modified.");
  }
}

TEST_F(GraphTest, ControlDependenciesLeaveOutWhatAnInputImplies) {
  const Endpoint a = builder.constant(1.0f, "a");
  graph.scopes().control.push_back({.nodes = {a.node}});
  const Endpoint b = builder.op("Neg", {a}, {}, "b");
  const Endpoint c = builder.op("Neg", {b}, {}, "c");
  const Endpoint d = builder.constant(1.0f, "d");
  graph.scopes().control.pop_back();
  EXPECT_TRUE(b.node->control_inputs().empty());
  EXPECT_TRUE(c.node->control_inputs().empty());
  ASSERT_EQ(d.node->control_inputs().size(), 1u);
  EXPECT_EQ(d.node->control_inputs()[0], a.node);
}

TEST_F(GraphTest, ColocatedNodesSayWithWhom) {
  graph.scopes().colocation.push_back({"loc:@b", "loc:@a"});
  const Endpoint x = builder.constant(1.0f);
  graph.scopes().colocation.pop_back();
  EXPECT_EQ(x.node->attrs().get<std::vector<std::string>>("_class"),
            (std::vector<std::string>{"loc:@a", "loc:@b"}));
}

TEST_F(GraphTest, KnowsValuesThatFollowFromConstants) {
  const Endpoint two = builder.op("AddV2", {builder.constant(1), builder.constant(1)});
  EXPECT_EQ(constant_value(two), Array(2));
  const Endpoint x = builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{3, -1}}});
  EXPECT_FALSE(constant_value(builder.op("Neg", {x})).has_value());
  EXPECT_EQ(constant_value_as_shape(builder.op("Shape", {x})), (Shape{3, -1}));
  const Endpoint packed = builder.op("Pack", {two, builder.op("Size", {x})}, {{"axis", int64_t{0}}});
  EXPECT_EQ(constant_value_as_shape(packed), (Shape{2, -1}));
  const Endpoint full = builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{3, 4}}});
  EXPECT_EQ(constant_value(builder.op("Size", {full})), Array(12));
}

TEST_F(GraphTest, InfersShapesFromSingleDimensions) {
  const Endpoint x = builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{3, -1, 5}}});
  const Endpoint shape = builder.op("Shape", {x});
  const auto dim = [&](Endpoint of, int i) {
    const auto index = [&](int at) { return builder.constant(Array(std::vector<int32_t>{at})); };
    return builder.op("StridedSlice", {of, index(i), index(i + 1), index(1)},
                      {{"shrink_axis_mask", int64_t{1}}});
  };
  const auto length = [&](Endpoint limit) {
    return builder.op("Range", {builder.constant(0), limit, builder.constant(1)}).shape();
  };
  EXPECT_EQ(length(dim(shape, 0)), Shape{3});
  EXPECT_EQ(length(dim(shape, 2)), Shape{5});
  EXPECT_EQ(length(dim(shape, 1)), Shape{-1});
  EXPECT_EQ(length(builder.op("AddV2", {dim(shape, 0), dim(shape, 2)})), Shape{8});
  EXPECT_EQ(length(dim(builder.op("Identity", {shape}), 0)), Shape{-1});  // nor does TensorFlow see it
  const Endpoint packed = builder.op("Pack", {dim(shape, 0), dim(shape, 1)}, {{"axis", int64_t{0}}});
  EXPECT_EQ(constant_value_as_shape(packed), (Shape{3, -1}));
  EXPECT_FALSE(constant_value(dim(shape, 0)).has_value());
}

TEST_F(GraphTest, ComputesNothingLargeBeforeAStepDoes) {
  const Array indices = Array(std::vector<int64_t>{1, 0}).reshape(Shape{1, 2});
  const Array values(std::vector<float>{2});
  const Array dense_shape(std::vector<int64_t>{int64_t{1} << 33, 1});
  const Endpoint filled =
      builder.op("SparseFillEmptyRows", {builder.constant(indices), builder.constant(values),
                                         builder.constant(dense_shape), builder.constant(0.0F)});
  // Of its outputs only this one is small: the place of each value that was there.
  const Endpoint places = filled.node->output(3);
  EXPECT_EQ(places.shape(), Shape{1});
  EXPECT_FALSE(constant_value(places).has_value());
}

}  // namespace
}  // namespace flowray::graph
