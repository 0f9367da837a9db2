#include "graph/kernel/kernel.h"
#include "ops/all_ops.h"
#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <numeric>

namespace flowray::testing {
namespace {

TEST(AddN, AddsAnyNumberOfArrays) {
  const Array a({1.f, 2.f});
  const Array b({10.f, 20.f});
  const Array c({100.f, 200.f});
  EXPECT_EQ(run_op("AddN", {a}), a);
  EXPECT_EQ(run_op("AddN", {a, b}), Array({11.f, 22.f}));
  EXPECT_EQ(run_op("AddN", {a, b, c, a}), Array({112.f, 224.f}));
  EXPECT_EQ(run_op("AddN", {Array({{1}, {2}}), Array({{3}, {4}})}), Array({{4}, {6}}));
  EXPECT_EQ(run_op("AddN", {Array(DType::kInt64, Shape{0}), Array(DType::kInt64, Shape{0})}).shape(),
            (Shape{0}));
}

TEST(AddN, SumsLargeArraysPieceByPiece) {
  Array x(DType::kFloat32, Shape{300001});
  for (int i = 0; i < 300001; ++i) x.mutable_data<float>()[i] = static_cast<float>(i % 1000);
  const Array sum = run_op("AddN", {x, x, x});
  for (int i = 0; i < 300001; ++i) ASSERT_EQ(sum.data<float>()[i], static_cast<float>(3 * (i % 1000))) << i;
}

class NoStates final : public graph::NodeStates {
  std::shared_ptr<graph::NodeState> find_or_make(
      const std::string&, const std::function<std::shared_ptr<graph::NodeState>()>&) override {
    return nullptr;
  }
};

/// x + y + x into x's own memory: a piece is written after all inputs were read there.
TEST(AddN, MayWriteOverAnInputThatStandsTwiceAmongThem) {
  constexpr int64_t kCount = 5000;
  const graph::PrepareContext::Value vector = {Shape{kCount}, DType::kFloat32, nullptr};
  const std::vector<graph::PrepareContext::Value> inputs(3, vector);
  const std::vector<graph::PrepareContext::Value> outputs(1, vector);
  const graph::OpSchema& schema = *ops::op_table().find("AddN");
  const std::string name = "sum";
  const graph::Attrs attrs = {{"N", int64_t{3}}, {"T", DType::kFloat32}};
  NoStates states;
  graph::PrepareContext context(name, schema, attrs, inputs, outputs, states, /*workers=*/1);
  const std::unique_ptr<graph::Kernel> kernel = schema.row.prepare(context);
  ASSERT_EQ(kernel->in_place().size(), 3u);

  std::vector<float> x(kCount);
  std::vector<float> y(kCount, 0.5f);
  std::iota(x.begin(), x.end(), 0.f);
  void* const slots[] = {x.data(), y.data(), x.data(), x.data()};
  const uint32_t in[] = {0, 1, 2};
  const uint32_t out[] = {3};
  Serial serial;
  kernel->run(graph::KernelCall(slots, in, out, nullptr, serial));
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], 2 * static_cast<float>(i) + 0.5f) << i;
}

TEST(AddN, TellsWhichShapesDiffer) {
  const std::vector<Array> inputs = {Array({1.f, 2.f}), Array({1.f, 2.f}), Array({1.f})};
  const auto message = [&](bool unknown_shapes) {
    try {
      run_op_all("AddN", inputs, {.unknown_shapes = unknown_shapes});
    } catch (const Error& error) {
      return error.message();
    }
    return std::string("no error");
  };
  EXPECT_TRUE(
      message(false).starts_with("Dimension 0 in both shapes must be equal, but are 2 and 1. Shapes are [2] "
                                 "and [1].\n\tFrom merging shape 1 with "
                                 "other shapes."))
      << message(false);
  EXPECT_TRUE(
      message(true).starts_with("Inputs to operation AddN of type AddN must have the same size and shape.  "
                                "Input 0: [2] != input 2: [1]"))
      << message(true);
}

TEST(AddN, GradientGoesToEachInput) {
  const Array x(std::vector<double>{1, 2});
  check_gradient("AddN", {x, x, x});
}

}  // namespace
}  // namespace flowray::testing
