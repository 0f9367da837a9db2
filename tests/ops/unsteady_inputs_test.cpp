// Inputs that lie where another process may write, as values in the object store do, may read otherwise each
// time. What comes of it is anybody's guess, but for memory that is not the op's.
#include "support/op_runner.h"
#include "support/unsteady_memory.h"

#include <flowray/errors.h>

#include <gtest/gtest.h>

namespace flowray {
namespace {

using testing::unsteady;

constexpr uint64_t kTries = 300;

/// Runs the op often, each time with other changes to the inputs that are named.
void run_unsteadily(const std::string& op, const std::vector<Array>& inputs, const std::vector<size_t>& which,
                    const graph::Attrs& attrs = {}) {
  if (!testing::has_unsteady_memory()) GTEST_SKIP();
  for (uint64_t seed = 1; seed <= kTries; ++seed) {
    std::vector<Array> arrays = inputs;
    for (const size_t i : which) arrays[i] = unsteady(inputs[i], seed);
    try {
      (void)testing::run_op_all(op, arrays, {.attrs = attrs, .unknown_shapes = true});
    } catch (const Error&) {  // is as good as a value
    }
  }
}

TEST(UnsteadyInputs, AreOtherNumbersEachTime) {
  if (!testing::has_unsteady_memory()) GTEST_SKIP();
  const Array array = unsteady(Array::full(DType::kFloat32, {4}, 7.0), 5);
  const auto* elements = static_cast<const volatile float*>(array.data<float>());
  int sevens = 0;
  int others = 0;
  for (int i = 0; i < 100; ++i) ++(elements[i % 4] == 7.0f ? sevens : others);
  EXPECT_GT(sevens, 0);
  EXPECT_GT(others, 0);
}

TEST(UnsteadyInputs, WhereWritesNoMoreRowsThanItHasRoomFor) {
  run_unsteadily("Where", {Array(DType::kFloat32, {3, 5})}, {0});
  run_unsteadily("Where", {Array(DType::kInt8, {40})}, {0});
}

TEST(UnsteadyInputs, ListDiffKeepsNoMoreThanItHasRoomFor) {
  const Array x = Array(std::vector<float>(50, 1.0f));
  const Array y = Array(std::vector<float>{1.0f, 2.0f});
  run_unsteadily("ListDiff", {x, y}, {0, 1});
}

TEST(UnsteadyInputs, SortsStayWithinTheirRows) {
  const Array x = Array(std::vector<float>{5, 1, 4, 2, 3, 9, 8, 7, 6, 0, 5, 1, 4, 2, 3, 9, 8, 7, 6, 0});
  run_unsteadily("TopKV2", {x, Array(15)}, {0});
  run_unsteadily("NthElement", {x, Array(11)}, {0});
  run_unsteadily("Unique", {x}, {0});
  run_unsteadily("NonMaxSuppressionV3",
                 {Array(DType::kFloat32, {20, 4}), x, Array(10), Array(0.5f), Array(0.0f)}, {0, 1, 3, 4});
}

TEST(UnsteadyInputs, CropsStayWithinTheirImages) {
  const Array image = Array(DType::kFloat32, {2, 3, 3, 1});
  const Array boxes = Array::full(DType::kFloat32, {4, 4}, 0.5);
  const Array images(std::vector<int32_t>{0, 1, 1, 0});
  const Array size(std::vector<int32_t>{2, 2});
  const Array grads = Array::full(DType::kFloat32, {4, 2, 2, 1}, 1.0);
  run_unsteadily("CropAndResize", {image, boxes, images, size}, {1, 2, 3});
  run_unsteadily("CropAndResizeGradImage", {grads, boxes, images, Array(std::vector<int32_t>{2, 3, 3, 1})},
                 {1, 2, 3}, {{"T", DType::kFloat32}});
  run_unsteadily("CropAndResizeGradBoxes", {grads, image, boxes, images}, {2, 3});
}

TEST(UnsteadyInputs, DivisorsThatTurnToZeroSpoilQuotientsOnly) {
  const Array x = Array::full(DType::kUint64, {9}, 7);
  const Array y = Array::full(DType::kUint64, {9}, 3);
  for (const char* op : {"Div", "RealDiv", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod"})
    run_unsteadily(op, {x, y}, {1});
}

}  // namespace
}  // namespace flowray
