#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(Empty, HasTheShapeThatIsAsked) {
  const Array made = run_op("Empty", {int_vector({2, 3})}, {{"dtype", DType::kFloat32}, {"init", true}});
  EXPECT_EQ(made, zeros({2, 3}));
  EXPECT_EQ(built_shape("Empty", {int_vector({2, 0})}, {{"dtype", DType::kInt32}}), "[2,0]");
  expect_run_error("Dimension -1 must be >= 0", "Empty", {int_vector({2, -1})}, {{"dtype", DType::kFloat32}});
}

TEST(DeepCopy, GivesTheSameValue) {
  EXPECT_EQ(run_op("DeepCopy", {counting({2, 2})}), counting({2, 2}));
  EXPECT_EQ(run_op("DeepCopy", {Array({"a", "b"})}), Array({"a", "b"}));
  EXPECT_EQ(run_op("DeepCopy", {zeros({0})}), zeros({0}));
}

}  // namespace
}  // namespace flowray::testing
