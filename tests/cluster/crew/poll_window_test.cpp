#include "cluster/crew/poll_window.h"

#include <gtest/gtest.h>

namespace flowray::cluster {
namespace {

using std::chrono::microseconds;

constexpr PollWindow::Duration kClosed = PollWindow::Duration::zero();

TEST(PollWindow, IsClosedUntilARequestCameNear) {
  PollWindow window(2);
  EXPECT_EQ(window.length(), kClosed);
  window.request_came(PollWindow::kNear);
  EXPECT_EQ(window.length(), kClosed);
  window.request_came(PollWindow::kNear - microseconds(1));
  EXPECT_EQ(window.length(), PollWindow::kLength);
}

TEST(PollWindow, StaysOpenWhileRequestsComeWithinIt) {
  PollWindow window(2);
  for (int i = 0; i < 100; ++i) {
    window.request_came(microseconds(120));
    EXPECT_EQ(window.length(), PollWindow::kLength);
  }
  window.request_came(PollWindow::kLength);
  EXPECT_EQ(window.length(), kClosed);
}

/// With a request each 1,500 us it would look in vain each time.
TEST(PollWindow, OpensLessAndLessOftenWhereItWasOpenInVain) {
  PollWindow window(2);
  int times_open = 0;
  for (int i = 0; i < 1024; ++i) {
    window.request_came(microseconds(1500));
    times_open += window.length() != kClosed ? 1 : 0;
  }
  EXPECT_EQ(times_open, 21);  // a try takes 2 requests and those it passes: 0, 1, 2, 4 ... 64, 64 ...
}

TEST(PollWindow, StaysClosedWhereTheClientNeedsTheOnlyCore) {
  PollWindow window(1);
  for (int i = 0; i < 3; ++i) window.request_came(microseconds(1));
  EXPECT_EQ(window.length(), kClosed);
}

}  // namespace
}  // namespace flowray::cluster
