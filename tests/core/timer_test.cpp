#include "core/timer.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <string>

namespace flowray {
namespace {

using Clock = Timer::Clock;
using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Timer, CallsAtTheTimeAndNotBefore) {
  Timer timer;
  std::promise<Clock::time_point> called;
  const auto when = Clock::now() + milliseconds(20);
  const Timer::Alarm alarm(timer, when, [&] { called.set_value(Clock::now()); });
  EXPECT_GE(called.get_future().get(), when);
}

TEST(Timer, CallsInTheOrderOfTheTimesNotOfTheAlarms) {
  Timer timer;
  std::string order;
  std::promise<void> called;
  const auto now = Clock::now();
  const Timer::Alarm far_off(timer, now + hours(1000), [&] { order += 'x'; });
  const Timer::Alarm last(timer, now + milliseconds(30), [&] {
    order += 'c';
    called.set_value();
  });
  const Timer::Alarm first(timer, now - hours(1), [&] { order += 'a'; });
  const Timer::Alarm second(timer, now + milliseconds(10), [&] { order += 'b'; });
  called.get_future().wait();
  EXPECT_EQ(order, "abc");
}

TEST(Timer, IsSilentAboutAlarmsThatHaveEnded) {
  Timer timer;
  bool early = false;
  std::optional<Timer::Alarm> ended;
  std::promise<void> called;
  const auto when = Clock::now() + milliseconds(20);
  ended.emplace(timer, when, [&] { early = true; });
  const Timer::Alarm alarm(timer, when, [&] { called.set_value(); });
  ended.reset();
  called.get_future().wait();
  EXPECT_FALSE(early);
}

TEST(Timer, EndsWithoutEverHavingBeenUsed) { Timer timer; }

}  // namespace
}  // namespace flowray
