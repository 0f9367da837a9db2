#include "ops/variable_testing.h"

namespace flowray::testing {
namespace {

using graph::Attrs;
using graph::Endpoint;

/// The name of an op for both kinds of variables.
struct Form {
  bool resources;
  const char* assign;
  const char* assign_add;
  const char* assign_sub;
  const char* is_initialized;
  const char* scatter_add;
  const char* scatter_sub;
  const char* scatter_update;
};
constexpr Form kReferences = {
    false,        "Assign",     "AssignAdd",    "AssignSub", "IsVariableInitialized",
    "ScatterAdd", "ScatterSub", "ScatterUpdate"};
constexpr Form kResources = {true,
                             "AssignVariableOp",
                             "AssignAddVariableOp",
                             "AssignSubVariableOp",
                             "VarIsInitializedOp",
                             "ResourceScatterAdd",
                             "ResourceScatterSub",
                             "ResourceScatterUpdate"};

class Variables : public ::testing::TestWithParam<const Form*> {
 protected:
  const Form& form() const { return *GetParam(); }
  VariableGraph graph_{GetParam()->resources};

  /// Runs `op` on a variable of `value`; the value after it.
  Array after(const char* op, const Array& value, const std::vector<Array>& inputs) {
    const Endpoint variable = graph_.variable(value);
    std::vector<Endpoint> endpoints = {variable};
    for (const Array& input : inputs) endpoints.push_back(graph_.constant(input));
    graph_.run(graph_.builder.node(op, endpoints));
    return graph_.value(variable);
  }
};

INSTANTIATE_TEST_SUITE_P(Forms, Variables, ::testing::Values(&kReferences, &kResources),
                         [](const auto& form) {
                           return std::string(form.param->resources ? "Resource" : "Reference");
                         });

TEST(RefIdentity, IsTheSameVariable) {
  VariableGraph graph(/*resources=*/false);
  const Endpoint variable = graph.variable(floats({1, 2}, {2}));
  const Endpoint same = graph.builder.op("RefIdentity", {variable});
  graph.run(graph.builder.node("AssignAdd", {same, graph.constant(floats({1, 1}, {2}))}));
  EXPECT_EQ(graph.value(variable), floats({2, 3}, {2}));
}

TEST_P(Variables, AreAssigned) {
  const Endpoint variable = graph_.declare(DType::kFloat32, {2});
  const Endpoint initialized = graph_.builder.op(form().is_initialized, {variable});
  graph::Node* assign = graph_.builder.node(form().assign, {variable, graph_.constant(floats({1, 2}, {2}))});
  EXPECT_EQ(graph_.run(initialized), Array(false));
  graph_.run(assign);
  EXPECT_EQ(graph_.run(initialized), Array(true));
  EXPECT_EQ(graph_.value(variable), floats({1, 2}, {2}));
}

TEST_P(Variables, HoldAnyDtype) {
  for (const Array& value : {Array(std::vector<int64_t>{1, -2}), Array(std::vector<bool>{true, false}),
                             Array(std::vector<std::string>{"a", "long enough to be on the heap"})}) {
    const Endpoint variable = graph_.declare(value.dtype(), value.shape());
    graph_.run(graph_.builder.node(form().assign, {variable, graph_.constant(value)}));
    EXPECT_EQ(graph_.value(variable), value);
  }
}

TEST_P(Variables, AreAddedToAndSubtractedFrom) {
  EXPECT_EQ(after(form().assign_add, floats({1, 2}, {2}), {floats({10, 20}, {2})}), floats({11, 22}, {2}));
  EXPECT_EQ(after(form().assign_sub, floats({1, 2}, {2}), {floats({10, 20}, {2})}), floats({-9, -18}, {2}));
  EXPECT_EQ(after(form().assign_add, Array(INT32_MAX), {Array(1)}), Array(INT32_MIN));
}

TEST_P(Variables, DoNotChangeWhatWasRead) {
  const Endpoint variable = graph_.variable(floats({1, 2}, {2}));
  const Array before = graph_.value(variable);
  graph_.run(graph_.builder.node(form().assign_add, {variable, graph_.constant(floats({1, 1}, {2}))}));
  EXPECT_EQ(before, floats({1, 2}, {2}));
  EXPECT_EQ(graph_.value(variable), floats({2, 3}, {2}));
}

TEST_P(Variables, AreScatteredTo) {
  const Array value = floats({0, 1, 2, 3, 4, 5}, {3, 2});
  const Array rows(std::vector<int32_t>{2, 0, 2});
  const Array updates = floats({10, 20, 30, 40, 50, 60}, {3, 2});
  EXPECT_EQ(after(form().scatter_add, value, {rows, updates}), floats({30, 41, 2, 3, 64, 85}, {3, 2}));
  EXPECT_EQ(after(form().scatter_sub, value, {rows, updates}), floats({-30, -39, 2, 3, -56, -75}, {3, 2}));
  EXPECT_EQ(after(form().scatter_update, value, {rows.astype(DType::kInt64), updates}),
            floats({30, 40, 2, 3, 50, 60}, {3, 2}));
}

TEST_P(Variables, AreScatteredToByOneNumberAndByOneIndex) {
  const Array value = floats({0, 1, 2, 3, 4, 5}, {3, 2});
  EXPECT_EQ(after(form().scatter_add, value, {Array(std::vector<int32_t>{1}), Array(5.0f)}),
            floats({0, 1, 7, 8, 4, 5}, {3, 2}));
  EXPECT_EQ(after(form().scatter_add, value, {Array(1), floats({5, 6}, {2})}),
            floats({0, 1, 7, 9, 4, 5}, {3, 2}));
  EXPECT_EQ(after(form().scatter_update, value, {Array(DType::kInt32, {0}), Array(DType::kFloat32, {0, 2})}),
            value);
}

TEST_P(Variables, RefuseIndicesInTensorFlowsWords) {
  const Array value = floats({0, 1, 2, 3, 4, 5}, {3, 2});
  EXPECT_EQ(error_of<errors::InvalidArgumentError>([&] {
              after(form().scatter_add, value, {Array(std::vector<int32_t>{5}), floats({1, 2}, {1, 2})});
            }),
            "indices[0] = 5 is not in [0, 3)");
  EXPECT_EQ(
      error_of<errors::InvalidArgumentError>([&] {
        after(form().scatter_update, value,
              {Array::from(std::vector<int32_t>{0, 1, -1, 2}, {2, 2}), Array(DType::kFloat32, {2, 2, 2})});
      }),
      "indices[1,0] = -1 is not in [0, 3)");
}

TEST_P(Variables, RefuseUpdatesOfAnotherShape) {
  const Endpoint variable = graph_.variable(floats({0, 1, 2, 3, 4, 5}, {3, 2}));
  const Endpoint updates = graph_.fed(floats({1, 2, 3}, {1, 3}));
  graph::Node* scatter = graph_.builder.node(
      form().scatter_add, {variable, graph_.constant(Array(std::vector<int32_t>{1})), updates});
  EXPECT_EQ(error_of<errors::InvalidArgumentError>([&] { graph_.run(scatter); }),
            "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got "
            "updates.shape [1,3], "
            "indices.shape [1], params.shape [3,2]");
}

TEST(ReferenceVariables, RefuseInTensorFlowsWords) {
  VariableGraph g(false);
  const Endpoint variable = g.variable(floats({1, 2}, {2}));
  const Endpoint three = g.fed(floats({1, 2, 3}, {3}));
  EXPECT_EQ(
      error_of<errors::InvalidArgumentError>([&] { g.run(g.builder.node("Assign", {variable, three})); }),
      "Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [3]");
  EXPECT_EQ(
      error_of<errors::InvalidArgumentError>([&] { g.run(g.builder.node("AssignAdd", {variable, three})); }),
      "Parameters and update must be the same size");
  const std::string message =
      error_of<ValueError>([&] { g.builder.node("Assign", {variable, g.constant(floats({1, 2, 3}, {3}))}); });
  EXPECT_EQ(message.substr(0, message.find(" for '{{node")),
            "Dimension 0 in both shapes must be equal, but are 2 and 3. Shapes are [2] and [3].");
  const Endpoint nothing = g.declare(DType::kFloat32, {2});
  EXPECT_EQ(error_of<errors::FailedPreconditionError>(
                [&] { g.run(g.builder.node("AssignAdd", {nothing, g.constant(floats({1, 2}, {2}))})); }),
            "Attempting to use uninitialized value " + nothing.node->name());
}

TEST(ReferenceVariables, TakeAnotherShapeWhenToldNotToLook) {
  VariableGraph g(false);
  const Endpoint variable = g.variable(floats({1, 2}, {2}));
  g.run(g.builder.node("Assign", {variable, g.fed(floats({1, 2, 3}, {3}))}, {{"validate_shape", false}}));
  EXPECT_EQ(g.value(variable), floats({1, 2, 3}, {3}));
}

TEST(ReferenceVariables, CompareWithTheValueWhereTheGraphKnowsNoShape) {
  VariableGraph g(false);
  const Endpoint variable = g.declare(DType::kFloat32, Shape::unknown_rank());
  g.run(g.builder.node("Assign", {variable, g.constant(floats({1, 2}, {2}))}));
  EXPECT_EQ(error_of<errors::InvalidArgumentError>(
                [&] { g.run(g.builder.node("Assign", {variable, g.constant(floats({1, 2, 3}, {3}))})); }),
            "Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= [3]");
}

TEST(ReferenceVariables, DeclareTheirShape) {
  VariableGraph g(false);
  EXPECT_EQ(g.declare(DType::kFloat32, {2, 3}).shape(), Shape({2, 3}));
  const Attrs attrs = {{"dtype", DType::kFloat32}, {"shape", Shape()}};
  EXPECT_EQ(g.builder.op("VariableV2", {}, attrs).shape(), Shape());
  EXPECT_EQ(g.builder.op("Variable", {}, attrs).shape(), Shape::unknown_rank());
}

TEST(ReferenceVariables, CountUpToALimit) {
  VariableGraph g(false);
  const Endpoint variable = g.variable(Array(1));
  const Endpoint count = g.builder.op("CountUpTo", {variable}, {{"limit", int64_t{3}}});
  EXPECT_EQ(g.run(count), Array(1));
  EXPECT_EQ(g.run(count), Array(2));
  EXPECT_EQ(error_of<errors::OutOfRangeError>([&] { g.run(count); }), "Reached limit of 3");
  EXPECT_EQ(g.value(variable), Array(3));
}

TEST(ResourceVariables, AreRead) {
  VariableGraph g(true);
  const Endpoint variable = g.variable(floats({1, 2}, {2}));
  const Endpoint read = g.builder.op("ReadVariableOp", {variable}, {{"dtype", DType::kFloat32}});
  EXPECT_EQ(read.shape(), Shape({2}));
  EXPECT_EQ(g.run(read), floats({1, 2}, {2}));
  EXPECT_EQ(g.run(g.builder.op("VariableShape", {variable})), Array(std::vector<int32_t>{2}));
}

TEST(ResourceVariables, RefuseInTensorFlowsWords) {
  VariableGraph g(true);
  const Endpoint nothing = g.declare(DType::kFloat32, {2});
  const Endpoint read = g.builder.op("ReadVariableOp", {nothing}, {{"dtype", DType::kFloat32}});
  const std::string message = error_of<errors::FailedPreconditionError>([&] { g.run(read); });
  EXPECT_TRUE(message.starts_with(
      "Could not find variable " + nothing.node->name() +
      ". This could mean that the variable has been deleted. In TF1, it can also mean the "
      "variable is uninitialized."))
      << message;
  const Endpoint variable = g.variable(floats({1, 2}, {2}));
  const Endpoint three = g.fed(floats({1, 2, 3}, {3}));
  EXPECT_EQ(error_of<errors::InvalidArgumentError>(
                [&] { g.run(g.builder.node("AssignAddVariableOp", {variable, three})); }),
            "Cannot update variable with shape [2] using a Tensor with shape [3], shapes must be equal.");
  EXPECT_EQ(error_of<errors::InvalidArgumentError>([&] {
              g.run(g.builder.node("AssignVariableOp", {variable, three}, {{"validate_shape", true}}));
            }),
            "Trying to assign to variable with tensor with wrong shape. Expected [2] got [3]");
}

TEST(CountUpTo, HasALimitOfTheVariablesDtype) {
  VariableGraph g(false);
  const graph::Endpoint counted =
      g.builder.op("CountUpTo", {g.variable(Array(int32_t{INT32_MAX}))}, {{"limit", int64_t{1} << 40}});
  EXPECT_EQ(error_of<errors::InvalidArgumentError>([&] { g.run(counted); }).substr(0, 60),
            "Attr limit has value 1099511627776 out of range for an int32");
}

}  // namespace
}  // namespace flowray::testing
