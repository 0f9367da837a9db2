#include "core/thread_rest.h"

#include <gtest/gtest.h>

namespace flowray {
namespace {

constexpr int64_t kMillisecond = 1'000'000;

TEST(ThreadRest, IsOverAtFirst) {
  ThreadRest rest;
  EXPECT_FALSE(rest.lasts(0));
  EXPECT_FALSE(rest.lasts(kMillisecond));
}

TEST(ThreadRest, LastsSixteenTimesAsLongAsWasLost) {
  ThreadRest rest;
  rest.begin(1000, 2 * kMillisecond);
  EXPECT_TRUE(rest.lasts(1000 + 32 * kMillisecond - 1));
  EXPECT_FALSE(rest.lasts(1000 + 32 * kMillisecond));
}

TEST(ThreadRest, LastsAtMostAQuarterOfASecond) {
  ThreadRest rest;
  rest.begin(0, 1000 * kMillisecond);
  EXPECT_TRUE(rest.lasts(250 * kMillisecond - 1));
  EXPECT_FALSE(rest.lasts(250 * kMillisecond));
}

TEST(ThreadRest, DoublesUpToFourMillisecondsForSmallLosses) {
  ThreadRest rest;
  int64_t now = 0;
  for (const int64_t expected : {160'000, 320'000, 640'000, 1'280'000, 2'560'000, 4'000'000, 4'000'000}) {
    rest.begin(now, 10'000);
    EXPECT_TRUE(rest.lasts(now + expected - 1)) << expected;
    EXPECT_FALSE(rest.lasts(now + expected)) << expected;
    now += expected;
  }
}

TEST(ThreadRest, ForgetsByHalves) {
  ThreadRest rest;
  rest.begin(0, 10'000);  // 160 us
  rest.forgive();
  rest.forgive();
  rest.begin(kMillisecond, 1'000);  // twice the remaining 40 us are more than 16
  EXPECT_TRUE(rest.lasts(kMillisecond + 80'000 - 1));
  EXPECT_FALSE(rest.lasts(kMillisecond + 80'000));
}

}  // namespace
}  // namespace flowray
