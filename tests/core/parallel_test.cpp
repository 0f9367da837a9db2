#include "core/parallel.h"

#include <gtest/gtest.h>

#include <vector>

namespace flowray {
namespace {

TEST(Serial, RunsAllAsOnePieceInTheCaller) {
  Serial serial;
  Parallel& parallel = serial;
  EXPECT_EQ(parallel.workers(), 1);
  std::vector<int64_t> seen;
  parallel.for_range(
      100, 1, [&](int64_t begin, int64_t end, int worker) { seen.insert(seen.end(), {begin, end, worker}); });
  EXPECT_EQ(seen, (std::vector<int64_t>{0, 100, 0}));
}

TEST(Serial, RunsNothingForAnEmptyRange) {
  Serial serial;
  for (const int64_t count : {0, -1}) {
    serial.for_range(count, 1, [](int64_t, int64_t, int) { ADD_FAILURE() << "a piece of nothing"; });
  }
}

}  // namespace
}  // namespace flowray
