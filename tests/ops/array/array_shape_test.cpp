#include "ops/array_testing.h"

#include "graph/gradient_context.h"

namespace flowray::testing {
namespace {

TEST(Shape, OfAnArray) {
  EXPECT_EQ(run_op("Shape", {zeros({2, 0, 3})}), Array({2, 0, 3}));
  EXPECT_EQ(run_op("Shape", {Array(1.f)}).shape(), Shape({0}));
  EXPECT_EQ(run_op("Shape", {Array({"a", "b"})}, {{"out_type", DType::kInt64}}),
            Array(std::vector<int64_t>{2}));
  EXPECT_EQ(run_op("Size", {zeros({2, 3})}), Array(6));
  EXPECT_EQ(run_op("Size", {zeros({2, 0})}, {{"out_type", DType::kInt64}}), Array(int64_t{0}));
  EXPECT_EQ(run_op("Rank", {zeros({2, 3, 1})}), Array(3));
  const std::vector<Array> shapes = run_op_all("ShapeN", {zeros({2, 3}), zeros({4})});
  EXPECT_EQ(shapes[0], Array({2, 3}));
  EXPECT_EQ(shapes[1], Array({4}));
}

TEST(Shape, KnowsItsLengthWhileAGraphIsBuilt) {
  EXPECT_EQ(built_shape("Shape", {floats({-1, 2})}), "[2]");
  EXPECT_EQ(built_shape("Shape", {floats(kUnknownRank)}), "[?]");
  EXPECT_EQ(built_shapes("ShapeN", {floats({-1, 2}), floats({})}), (std::vector<std::string>{"[2]", "[0]"}));
  EXPECT_EQ(built_shape("Size", {floats(kUnknownRank)}), "[]");
}

TEST(Identity, ShowsTheSameElements) {
  EXPECT_EQ(run_op("Identity", {Array({"a", "b"})}), Array({"a", "b"}));
  EXPECT_EQ(run_op("StopGradient", {Array({1, 2})}), Array({1, 2}));
  EXPECT_EQ(run_op("PreventGradient", {Array({1, 2})}), Array({1, 2}));
  check_gradient("Identity", {counting<double>({2, 2})});
}

TEST(Identity, OfManyHasEachDType) {
  const std::vector<Array> outputs = run_op_all("IdentityN", {Array({1, 2}), Array("text"), zeros({0, 3})});
  EXPECT_EQ(outputs[0], Array({1, 2}));
  EXPECT_EQ(outputs[1], Array("text"));
  EXPECT_EQ(outputs[2].shape(), Shape({0, 3}));
  check_gradient("IdentityN", {counting<double>({2}), counting<double>({3})}, {.outputs = {0, 1}});
}

TEST(EnsureShape, LetsOnlyThatShapePass) {
  const graph::Attrs attrs = {{"shape", Shape{-1, 3}}};
  EXPECT_EQ(run_op("EnsureShape", {counting({2, 3})}, attrs), counting({2, 3}));
  EXPECT_EQ(built_shape("EnsureShape", {floats({2, -1})}, attrs), "[2,3]");
  expect_build_error("Dimension 1 in both shapes must be equal, but are 3 and 4. Shapes are [?,3] and [2,4].",
                     "EnsureShape", {floats({2, 4})}, attrs);
  EXPECT_THROW(run_op_all("EnsureShape", {zeros({2, 4})}, {.attrs = attrs, .unknown_shapes = true}),
               errors::InvalidArgumentError);
  check_gradient("EnsureShape", {counting<double>({1, 3})}, {.attrs = attrs});
}

// ---- Reshape

TEST(Reshape, KeepsTheElements) {
  const Array x = counting({2, 3});
  EXPECT_EQ(run_op("Reshape", {x, int_vector({3, -1})}), Array({{0.f, 1.f}, {2.f, 3.f}, {4.f, 5.f}}));
  EXPECT_EQ(run_op("Reshape", {x, Array(std::vector<int64_t>{6})}), Array({0.f, 1.f, 2.f, 3.f, 4.f, 5.f}));
  EXPECT_EQ(run_op("Reshape", {Array({7}), Array(DType::kInt32, Shape{0})}), Array(7));
  EXPECT_EQ(run_op("Reshape", {zeros({0}), int_vector({-1, 3})}).shape(), Shape({0, 3}));
  EXPECT_EQ(run_op("Reshape", {zeros({0}), int_vector({-1, 0})}).shape(), Shape({1, 0}));
}

TEST(Reshape, InfersWhatItCanWhileAGraphIsBuilt) {
  const auto shape = [](const Shape& from, const std::vector<int32_t>& to) {
    return built_shape("Reshape", {floats(from), int_vector(to)});
  };
  EXPECT_EQ(shape({2, 3}, {-1, 2}), "[3,2]");
  EXPECT_EQ(shape({-1, 3}, {6}), "[6]");
  EXPECT_EQ(shape({-1, 3}, {-1, 3}), "[?,3]");
  EXPECT_EQ(shape({-1, 784}, {-1, 28, 28, 1}), "[?,28,28,1]");
  EXPECT_EQ(shape({-1, -1}, {-1}), "[?]");
  EXPECT_EQ(shape({0}, {-1, 0}), "[?,0]");
  EXPECT_EQ(shape({2, 3}, {2, -1, -1}), "[2,?,?]");
  EXPECT_EQ(built_shape("Reshape", {floats({2, 3}), ints({2})}), "[?,?]");
  EXPECT_EQ(built_shape("Reshape", {floats({2, 3}), ints(kUnknownRank)}), "<unknown>");
}

TEST(Reshape, RefusesAnotherNumberOfElements) {
  const auto build = [](const std::string& text, const Shape& from, const std::vector<int32_t>& to) {
    expect_build_error(text, "Reshape", {floats(from), int_vector(to)});
  };
  build("Cannot reshape a tensor with 6 elements to shape [4] (4 elements)", {2, 3}, {4});
  build("Dimension size must be evenly divisible by 4 but is 6", {2, 3}, {-1, 4});
  build("Dimension size must be evenly divisible by 3 but is 4", {-1, 3}, {4});
  build("Cannot reshape a tensor with 6 elements to shape [?,0] (0 elements)", {2, 3}, {-1, 0});
  build("Cannot reshape a tensor with 0 elements to shape [4] (4 elements)", {-1, 0}, {4});
  expect_build_error("Shape must be rank 1 but is rank 0", "Reshape", {floats({1}), Array(1)});
  const auto run = [](const std::string& text, const std::vector<int32_t>& to) {
    expect_run_error(text, "Reshape", {zeros({2, 3}), int_vector(to)});
  };
  run("Input to reshape is a tensor with 6 values, but the requested shape has 4", {4});
  run("Input to reshape is a tensor with 6 values, but the requested shape requires a multiple of 4",
      {-1, 4});
  run("Only one input size may be -1, not both 1 and 2", {2, -1, -1});
  run("Size 1 must be non-negative, not -2", {2, -2});
  run("Input to reshape is a tensor with 6 values, but the requested shape has 0", {-1, 0});
}

// The product of the sizes would be 0 in 64 bits.
TEST(Reshape, RefusesMoreElementsThanCanBeCounted) {
  const int64_t most = int64_t{1} << 62;
  const auto sizes = [](std::vector<int64_t> values) { return Array(std::move(values)); };
  expect_run_error("Shape [4611686018427387904, 4] has too many elements", "Reshape",
                   {zeros({0}), sizes({most, 4})});
  expect_run_error("Shape [4611686018427387904, 4, -1] has too many elements", "Reshape",
                   {zeros({2}), sizes({most, 4, -1})});
  expect_run_error("Shape [4611686018427387904, 4, 0, -1] has too many elements", "Reshape",
                   {zeros({0}), sizes({most, 4, 0, -1})});
  EXPECT_EQ(run_op("Reshape", {zeros({0}), sizes({0, most, 4})}).shape(), Shape({0, most, 4}));
}

TEST(Reshape, ReshapesItsGradient) {
  check_gradient("Reshape", {counting<double>({2, 3}), int_vector({3, 2})});
}

// ---- ExpandDims, Squeeze

TEST(ExpandDims, InsertsAnAxis) {
  EXPECT_EQ(run_op("ExpandDims", {zeros({2, 3}), Array(0)}).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(run_op("ExpandDims", {zeros({2, 3}), Array(int64_t{2})}).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(run_op("ExpandDims", {zeros({2, 3}), Array(-1)}).shape(), Shape({2, 3, 1}));
  EXPECT_EQ(run_op("ExpandDims", {zeros({2, 3}), Array(-3)}).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(run_op("ExpandDims", {Array(5), Array(0)}), Array({5}));
  EXPECT_EQ(built_shape("ExpandDims", {floats({-1, 3}), Array(1)}), "[?,1,3]");
  EXPECT_EQ(built_shape("ExpandDims", {floats({2, 3}), ints({})}), "<unknown>");
  check_gradient("ExpandDims", {counting<double>({2, 3}), Array(1)});
}

TEST(ExpandDims, RefusesAnAxisThatIsNotThere) {
  expect_build_error("dim 3 not in the interval [-3, 2].", "ExpandDims", {floats({2, 3}), Array(3)});
  expect_build_error("dim -4 not in the interval [-3, 2].", "ExpandDims", {floats({2, 3}), Array(-4)});
  expect_build_error("'dim' input must be a tensor with a single value", "ExpandDims",
                     {floats({2, 3}), int_vector({1, 1})});
  expect_run_error("Tried to expand dim index 3 for tensor with 2 dimensions.", "ExpandDims",
                   {zeros({2, 3}), Array(3)});
  expect_run_error("'dim' must be a tensor with a single value", "ExpandDims",
                   {zeros({2, 3}), int_vector({1, 1})});
}

graph::Attrs squeeze(std::vector<int64_t> dims) { return {{"squeeze_dims", std::move(dims)}}; }

TEST(Squeeze, DropsAxesOfOne) {
  EXPECT_EQ(run_op("Squeeze", {zeros({1, 2, 1, 3})}).shape(), Shape({2, 3}));
  EXPECT_EQ(run_op("Squeeze", {zeros({1, 2, 1, 3})}, squeeze({2})).shape(), Shape({1, 2, 3}));
  EXPECT_EQ(run_op("Squeeze", {zeros({1, 2, 1})}, squeeze({-1, 0})).shape(), Shape({2}));
  EXPECT_EQ(run_op("Squeeze", {Array({{7}})}), Array(7));
  EXPECT_EQ(run_op("Squeeze", {zeros({1, 0})}).shape(), Shape({0}));
  EXPECT_EQ(built_shape("Squeeze", {floats({1, -1, 3})}), "<unknown>");
  EXPECT_EQ(built_shape("Squeeze", {floats({1, -1, 3})}, squeeze({1})), "[1,3]");
  check_gradient("Squeeze", {counting<double>({2, 1, 3})});
}

TEST(Squeeze, RefusesOtherAxes) {
  expect_build_error("Can not squeeze dim[1], expected a dimension of 1, got 3", "Squeeze", {floats({2, 3})},
                     squeeze({1}));
  expect_build_error("squeeze_dims[0] not in [-2,2).", "Squeeze", {floats({2, 3})}, squeeze({2}));
  expect_run_error("Can not squeeze dim[1], expected a dimension of 1, got 3", "Squeeze", {zeros({2, 3})},
                   squeeze({1}));
  expect_run_error("Tried to squeeze dim index 2 for tensor with 2 dimensions.", "Squeeze", {zeros({2, 3})},
                   squeeze({2}));
}

TEST(Squeeze, RefusesAxesThatNoIntHolds) {
  expect_build_error("Attr squeeze_dims has value 4294967297 out of range for an int32", "Squeeze",
                     {floats({2, 1})}, {{"squeeze_dims", std::vector<int64_t>{(int64_t{1} << 32) + 1}}});
}

TEST(PreventGradient, SaysWhy) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  const graph::Endpoint x = builder.constant(Array(1.0));
  graph::Node* const node = builder.node("PreventGradient", {x}, {{"message", std::string("because")}});
  const graph::Endpoint grads[] = {x};
  graph::GradientContext context(*node, grads);
  try {
    node->schema().row.gradient(context);
    FAIL() << "a gradient went through";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "Gradient explicitly disabled. Reason: because");
  }
}

TEST(Reshape, CountsInEmptyArraysOfAnySize) {
  const int64_t many = int64_t{1} << 62;
  const Array none_or_rest = int_vector({0, -1});
  EXPECT_EQ(run_op("Reshape", {zeros({0, many}), none_or_rest}).shape(), Shape({0, many}));
  EXPECT_EQ(run_op("Reshape", {zeros({1 << 30, 4, 0}), int_vector({-1, 5})}).shape(), Shape({0, 5}));
  expect_run_error("Negative dimension size caused by overflow when multiplying", "Reshape",
                   {zeros({0, many, 4}), none_or_rest});
}

}  // namespace
}  // namespace flowray::testing
