#include "engine/compile.h"

#include "engine/engine_fixture.h"
#include "engine/program/program_text.h"

namespace flowray::engine {
namespace {

using Plan = EngineTest;

const Array kThree({1.0f, 2.0f, 3.0f});

int count(const std::string& text, const std::string& word) {
  int found = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

TEST_F(Plan, FoldsWhatIsTheSameInEveryRun) {
  const auto x = placeholder(DType::kFloat32, {3});
  const auto two = builder.op("AddV2", {builder.constant(1.0f), builder.constant(1.0f)});
  const auto y = builder.op("Mul", {x, two}, {}, "y");
  const std::string text = to_text(*plan_for({y}, {{x, kThree}}));
  EXPECT_EQ(count(text, "\nrun "), 1) << text;
  EXPECT_NE(text.find("run Mul y"), std::string::npos) << text;
}

TEST_F(Plan, FoldsShapesOfFedValues) {
  const auto x = placeholder(DType::kFloat32, {Shape::kUnknownDim, 2});
  const auto shape = builder.op("Shape", {x});
  const auto filled = builder.op("Fill", {shape, builder.constant(7.0f)});
  EXPECT_EQ(count(to_text(*plan_for({filled}, {{x, Array(DType::kFloat32, {4, 2})}})), "\nrun "), 0);
  EXPECT_EQ(run({filled}, {{x, Array(DType::kFloat32, {4, 2})}})[0],
            Array::full(DType::kFloat32, {4, 2}, 7.0f));
}

TEST_F(Plan, WritesInPlaceWhereNobodyReadsLater) {
  const auto x = placeholder(DType::kFloat32, {1000});
  auto y = builder.op("Neg", {x});
  for (int i = 0; i < 5; ++i) y = builder.op("Exp", {y});
  const auto total = builder.op("Sum", {y, builder.constant(Array(std::vector<int32_t>{0}))});
  // One block of 4,000 bytes serves the whole chain.
  EXPECT_LT(plan_for({total}, {{x, Array(DType::kFloat32, {1000})}})->segment.arena_bytes, 2 * 4000u);
}

TEST_F(Plan, KeepsAValueThatIsReadLater) {
  const auto x = placeholder(DType::kFloat32, {3});
  const auto a = builder.op("Neg", {x});
  const auto b = builder.op("Exp", {a});
  const auto c = builder.op("AddV2", {a, b});
  const Array result = run({c}, {{x, Array({0.0f, -1.0f, 1.0f})}})[0];
  testing::expect_close(result, Array({1.0f, 1.0f + 2.7182817f, -1.0f + 0.36787945f}));
}

TEST_F(Plan, AViewSharesItsInputsMemory) {
  const auto x = placeholder(DType::kFloat32, {3});
  const auto a = builder.op("Neg", {x});
  const auto b = builder.op("Reshape", {a, builder.constant(Array(std::vector<int32_t>{3, 1}))});
  const auto c = builder.op("Identity", {b});
  EXPECT_EQ(count(to_text(*plan_for({c}, {{x, kThree}})), "\nrun "), 1);
  const std::vector<Array> both = run({a, c}, {{x, kThree}});
  EXPECT_EQ(both[0], Array({-1.0f, -2.0f, -3.0f}));
  EXPECT_EQ(both[1], Array({{-1.0f}, {-2.0f}, {-3.0f}}));
}

TEST_F(Plan, ReleasesAVariablesValueBeforeItsUpdate) {
  const auto w = variable("w", kThree);
  const auto read = builder.op("Identity", {w}, {}, "w/read");
  const auto doubled = builder.op("Mul", {read, builder.constant(2.0f)});
  graph::Node* update = builder.node("ApplyGradientDescent", {w, builder.constant(1.0f), doubled});
  const std::string text = to_text(*plan_for({}, {}, {update}));
  const size_t release = text.find("release");
  const size_t apply = text.find("run ApplyGradientDescent");
  ASSERT_NE(release, std::string::npos) << text;
  ASSERT_NE(apply, std::string::npos) << text;
  EXPECT_LT(release, apply) << text;
}

TEST_F(Plan, RunsWhatIsKnownOnlyAtRunTimeDynamically) {
  const auto dims = placeholder(DType::kInt32, {2});
  const auto x = placeholder(DType::kFloat32, {6});
  const auto y = builder.op("Neg", {builder.op("Reshape", {x, dims})});
  const Array six({1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f});
  const Array two_by_three = run({y}, {{dims, Array({2, 3})}, {x, six}})[0];
  EXPECT_EQ(two_by_three, Array({{-1.0f, -2.0f, -3.0f}, {-4.0f, -5.0f, -6.0f}}));
  EXPECT_EQ(run({y}, {{dims, Array({6, 1})}, {x, six}})[0].shape(), (Shape{6, 1}));
}

TEST_F(Plan, AnErrorInAShapeNamesTheNode) {
  const auto a = placeholder(DType::kFloat32, Shape::unknown_rank());
  const auto b = placeholder(DType::kFloat32, Shape::unknown_rank());
  const auto product = builder.op("MatMul", {a, b}, {}, "dense/MatMul");
  try {
    (void)run({product}, {{a, Array(DType::kFloat32, {2, 3})}, {b, Array(DType::kFloat32, {4, 5})}});
    FAIL() << "shapes do not fit";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.node_name(), "dense/MatMul");
    EXPECT_NE(error.message().find("[[{{node dense/MatMul}}]]"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace flowray::engine
