#include "core/said_lines.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace flowray {
namespace {

TEST(SaidLines, AreSaidOnceByPartsThatWaitForTheSame) {
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    say_unless_just_said("waiting for the chief", std::chrono::hours(1));
    say_unless_just_said("waiting for a ps", std::chrono::hours(1));
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "flowray: waiting for the chief\nflowray: waiting for a ps\n");
}

TEST(SaidLines, AreSaidAgainLater) {
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) say_unless_just_said("still waiting", std::chrono::seconds(0));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "flowray: still waiting\nflowray: still waiting\n");
}

}  // namespace
}  // namespace flowray
