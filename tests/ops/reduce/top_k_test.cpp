// TopKV2, Unique, GatherNd, ScatterNd, Diag: values are compared with TensorFlow's in GoldenOps (top_ks,
// uniques, coordinates, diagonals); here shapes, gradients and errors, in TensorFlow's words.

#include <limits>

#include "ops/array_testing.h"
#include "ops/variable_testing.h"

namespace flowray::testing {
namespace {

using graph::Attrs;

Array numbers(const std::vector<float>& values) { return Array(values); }
Array doubles(const std::vector<double>& values, const Shape& shape) { return Array::from(values, shape); }

TEST(TopK, PutsNanFirst) {
  const std::vector<Array> out =
      run_op_all("TopKV2", {numbers({1, std::numeric_limits<float>::quiet_NaN(), 2, 3}), Array(2)});
  EXPECT_EQ(out[1], int_vector({1, 3}));
}

TEST(TopK, KnowsItsShapes) {
  EXPECT_EQ(built_shapes("TopKV2", {floats({Shape::kUnknownDim, 7}), Array(3)}),
            (std::vector<std::string>{"[?,3]", "[?,3]"}));
  EXPECT_EQ(built_shape("TopKV2", {floats({2, 7}), ints({})}), "[2,?]");
  expect_build_error("input must have last dimension >= k = 3 but is 2", "TopKV2", {floats({2}), Array(3)});
}

TEST(TopK, SaysWhatDoesNotFit) {
  const Array three = numbers({1, 2, 3});
  expect_run_error("input must have at least k columns. Had 3, needed 4\n", "TopKV2", {three, Array(4)});
  expect_run_error("Need k >= 0, got -1\n", "TopKV2", {three, Array(-1)});
  expect_run_error("input must be >= 1-D, got shape []\n", "TopKV2", {Array(1.f), Array(1)});
  expect_run_error("k must be scalar, got shape [1]\n", "TopKV2", {three, int_vector({1})});
}

TEST(Unique, KeepsStringsInTheirOrder) {
  const std::vector<Array> out =
      run_op_all("UniqueWithCounts", {Array(std::vector<std::string>{"b", "a", "b"})});
  EXPECT_EQ(out[0], Array(std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(out[1], int_vector({0, 1, 0}));
  EXPECT_EQ(out[2], int_vector({2, 1}));
  expect_run_error("unique expects a 1D vector.\n", "Unique", {zeros({1, 2})});
}

TEST(GatherNd, IsScatteredBackByItsGradient) {
  const Array x = doubles({1, 2, 3, 4, 5, 6}, {3, 2});
  const Array indices = Array::from(std::vector<int32_t>{2, 0, 2}, {3, 1});
  check_gradient("GatherNd", {x, indices});
  check_gradient("ScatterNd", {indices, doubles({1, 2, 3, 4, 5, 6}, {3, 2}), int_vector({4, 2})});
  EXPECT_EQ(run_op("GatherNd",
                   {Array(std::vector<std::string>{"a", "b"}), Array::from(std::vector<int32_t>{1}, {1, 1})}),
            Array(std::vector<std::string>{"b"}));
}

TEST(GatherNd, SaysWhatIsNotThere) {
  const Array x = zeros({2, 2});
  const Array beyond = Array::from(std::vector<int32_t>{1, 2}, {1, 2});
  expect_run_error("indices[0] = [1, 2] does not index into param shape [2,2], node name: ", "GatherNd",
                   {x, beyond});
  expect_run_error("index innermost dimension length must be <= params rank; saw: 3 vs. 2", "GatherNd",
                   {x, Array::from(std::vector<int32_t>{0, 0, 0}, {1, 3})});
  expect_run_error("indices[0] = [5] does not index into shape [4]\n", "ScatterNd",
                   {Array::from(std::vector<int32_t>{5}, {1, 1}), numbers({1}), int_vector({4})});
  EXPECT_EQ(built_shape("GatherNd", {floats({3, 4, 2}), ints({Shape::kUnknownDim, 2})}), "[?,2]");
  EXPECT_EQ(built_shape("ScatterNd",
                        {ints({Shape::kUnknownDim, 1}), floats({Shape::kUnknownDim, 2}), int_vector({5, 2})}),
            "[5,2]");
}

TEST(ResourceGather, ReadsRowsOfAVariable) {
  VariableGraph graph(/*resources=*/true);
  const graph::Endpoint variable = graph.variable(Array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {3, 2}));
  const auto gather = [&](const std::vector<int32_t>& rows, const Shape& shape) {
    return graph.run(graph.builder.op("ResourceGather", {variable, graph.constant(Array::from(rows, shape))},
                                      {{"dtype", DType::kFloat32}}));
  };
  EXPECT_EQ(gather({2, 0}, {1, 2}), Array::from(std::vector<float>{5, 6, 1, 2}, {1, 2, 2}));
  EXPECT_THROW(gather({3}, {1}), errors::InvalidArgumentError);
}

TEST(Diag, HasItsGradient) {
  check_gradient("Diag", {doubles({1, 2, 3}, {3})});
  check_gradient("DiagPart", {doubles({1, 2, 3, 4}, {2, 2})});
  EXPECT_EQ(built_shape("Diag", {floats({2, Shape::kUnknownDim})}), "[2,?,2,?]");
  EXPECT_EQ(built_shape("DiagPart", {floats({2, Shape::kUnknownDim, 2, 3})}), "[2,3]");
  expect_run_error("Invalid shape [2,3]: dimensions 0 and 1 do not match.\n", "DiagPart", {zeros({2, 3})});
  expect_run_error(
      "The rank of the tensor should be                                          even and positive, got "
      "shape [3]",
      "DiagPart", {zeros({3})});
}

TEST(TopK, OfNoRowsTakesNoMemory) {
  EXPECT_EQ(run_op("TopKV2", {Array(DType::kFloat32, {0, int64_t{1} << 62}), Array(1)}).shape(),
            Shape({0, 1}));
}

}  // namespace
}  // namespace flowray::testing
