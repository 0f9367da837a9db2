#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array numbers(const std::vector<int64_t>& values) { return Array(values); }

TEST(UnravelIndex, TellsWhereElementsStand) {
  // numpy.unravel_index([22, 41, 37], (7, 6))
  EXPECT_EQ(run_op("UnravelIndex", {numbers({22, 41, 37}), numbers({7, 6})}),
            Array::from(std::vector<int64_t>{3, 6, 6, 4, 5, 1}, {2, 3}));
  EXPECT_EQ(run_op("UnravelIndex", {Array(int64_t{5}), numbers({2, 3})}), numbers({1, 2}));
}

TEST(UnravelIndex, RefusesWhatLiesOutside) {
  EXPECT_THROW(run_op("UnravelIndex", {numbers({6}), numbers({2, 3})}), errors::InvalidArgumentError);
  EXPECT_THROW(run_op("UnravelIndex", {numbers({-1}), numbers({2, 3})}), errors::InvalidArgumentError);
  EXPECT_THROW(run_op("UnravelIndex", {numbers({0}), numbers({0, 3})}), errors::InvalidArgumentError);
  EXPECT_THROW(run_op("UnravelIndex", {numbers({0}), numbers({-2, -3})}), errors::InvalidArgumentError);
  EXPECT_THROW(run_op("UnravelIndex", {numbers({0}), numbers({int64_t{1} << 40, int64_t{1} << 40})}),
               errors::InvalidArgumentError);
}

}  // namespace
}  // namespace flowray::testing
