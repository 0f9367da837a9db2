#include "ray/simulation/fibers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <vector>

namespace flowray::ray {
namespace {

TEST(Fibers, MayStartOthersWhereOneEnds) {
  std::vector<int> done;
  Fibers* fibers = nullptr;
  std::function<void(int)> job = [&](int number) { done.push_back(number); };
  // Its state is large, so that it stands on the heap, where it must stay while it runs.
  const std::array<int, 64> next{1, 2, 3, 4, 5};
  Fibers three([&, next]() -> Fibers::Fiber* {
    if (done.size() == 5) return fibers->first();
    Fibers::Fiber* const other = fibers->start([&, number = next[done.size()]] { job(number); });
    EXPECT_EQ(next[4], 5);
    return other;
  });
  fibers = &three;
  three.hand_to(three.start([&] { job(next[0]); }));
  EXPECT_THAT(done, ::testing::ElementsAre(1, 2, 3, 4, 5));
  EXPECT_EQ(three.here(), three.first());
}

}  // namespace
}  // namespace flowray::ray
