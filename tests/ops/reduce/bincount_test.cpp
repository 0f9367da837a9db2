#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(Bincount, CountsOrAddsUp) {
  const Array none(std::vector<float>{});
  EXPECT_EQ(run_op("Bincount", {int_vector({1, 1, 3}), Array(4), none}), Array({0.f, 2.f, 0.f, 1.f}));
  EXPECT_EQ(run_op("Bincount", {int_vector({1, 1, 3}), Array(3), none}), Array({0.f, 2.f, 0.f}));
  EXPECT_EQ(run_op("Bincount", {int_vector({1, 1, 3}), Array(4), Array({.5f, 2.f, 7.f})}),
            Array({0.f, 2.5f, 0.f, 7.f}));
  EXPECT_EQ(run_op("Bincount", {int_vector({}), Array(2), none}), Array({0.f, 0.f}));
  EXPECT_EQ(built_shape("Bincount", {ints({3}), Array(4), floats({0})}), "[4]");
}

TEST(Bincount, RefusesWhatItCannotCount) {
  const Array none(std::vector<float>{});
  expect_run_error("Input arr must be non-negative!", "Bincount", {int_vector({1, -1}), Array(3), none});
  expect_run_error("size (-3) must be non-negative", "Bincount", {int_vector({1}), Array(-3), none});
  expect_run_error("Input indices and weights must have the same size.", "Bincount",
                   {int_vector({1, 1, 3}), Array(3), Array({1.f, 1.f})});
  expect_run_error("Shape must be rank 0 but is rank 1", "Bincount",
                   {int_vector({1}), int_vector({3}), none});
  expect_run_error("Input arr must be non-negative!\n", "DenseBincount",
                   {int_vector({-1}), Array(4), int_vector({})});
}

TEST(NthElement, FindsWhatWouldStandThere) {
  const Array rows({{3.f, 1.f, 2.f}, {9.f, 9.f, 0.f}});
  EXPECT_EQ(run_op("NthElement", {rows, Array(1)}), Array({2.f, 9.f}));
  EXPECT_EQ(run_op("NthElement", {rows, Array(0)}, {{"reverse", true}}), Array({3.f, 9.f}));
  EXPECT_EQ(run_op("NthElement", {zeros({0, 3}), Array(1)}).shape(), (Shape{0}));
  expect_run_error("Input must have last dimension > n = 3", "NthElement", {rows, Array(3)});
  expect_run_error("n must be non-negative but is -1", "NthElement", {rows, Array(-1)});
  expect_run_error("Input must be at least rank 1 but is rank 0", "NthElement", {zeros({}), Array(0)});
  check_gradient("NthElement", {Array::from(std::vector<double>{3, 1, 2, 9, 8, 0}, {2, 3}), Array(1)});
}

TEST(DenseBincount, KnowsAndChecksItsShape) {
  const TestInput weights = floats({0});
  EXPECT_EQ(built_shape("DenseBincount", {ints({4, 4}), Array(3), weights}), "[4,3]");
  EXPECT_EQ(built_shape("DenseBincount", {ints(kUnknownRank), Array(3), weights}), "<unknown>");
  expect_build_error("Shape must be rank 0 but is rank 1", "DenseBincount",
                     {ints({4}), Array(DType::kInt32, {0}), weights});
  expect_build_error("size (-3) must be non-negative", "DenseBincount", {ints({4}), Array(-3), weights});
  expect_build_error("Shape must be at most rank 2 but is rank 3", "DenseBincount",
                     {ints({4, 4, 4}), Array(3), weights});
  expect_run_error("Shape must be rank 0 but is rank 1", "DenseBincount",
                   {int_vector({1}), Array(DType::kInt32, {0}), zeros({0})});
}

TEST(DenseBincount, AddsUpIntegersThatWrapAround) {
  const Array weights = int_vector({INT32_MAX, 1});
  EXPECT_EQ(run_op("DenseBincount", {int_vector({0, 0}), Array(1), weights}), int_vector({INT32_MIN}));
  EXPECT_EQ(run_op("Bincount", {int_vector({0, 0}), Array(1), weights}), int_vector({INT32_MIN}));
}

TEST(NthElement, OfNoRowsTakesNoMemory) {
  EXPECT_EQ(run_op("NthElement", {zeros({0, int64_t{1} << 62}), Array(1)}), zeros({0}));
}

}  // namespace
}  // namespace flowray::testing
