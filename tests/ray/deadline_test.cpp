// Calls that may take so long and no longer, calls that ask for what there is not, and memory that is short.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace flowray {
namespace {

using ::testing::HasSubstr;

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

int late_for_ever() {
  for (;;) pause();
}
int late_double(int x) { return 2 * x; }
int late_parent() { return *ray::Task(late_for_ever).SetMaxRetries(0).Remote().Get(); }

class Late {
 public:
  static Late* Create() { return new Late; }
  int UntilCancelled() const {
    while (!ray::IsCancelled()) std::this_thread::yield();
    return 7;
  }
  int Echo(int x) const { return x; }
};

RAY_REMOTE(late_for_ever, late_double, late_parent, Late::Create, &Late::UntilCancelled, &Late::Echo);

template <typename T>
std::string error_text(const ray::ObjectRef<T>& ref) {
  try {
    ref.Get(kGuardMs);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

class Deadlines : public ::testing::Test {
 protected:
  static void init(ray::RayConfig config = {}) {
    config.num_cpus = 1;
    config.shutdown_timeout_ms = 100;
    ray::Init(config);
  }
  ~Deadlines() override { ray::Shutdown(); }
};

TEST_F(Deadlines, EndATaskThatRunsAndItsProcess) {
  init();
  std::string text;
  int deadline_ms = 10;
  do {  // on a busy machine a short one may pass before the task begins
    deadline_ms *= 2;
    const auto late = ray::Task(late_for_ever).SetDeadline(deadline_ms).Remote();
    EXPECT_THROW(late.Get(kGuardMs), ray::TaskCancelledException);
    text = error_text(late);
  } while (text.ends_with("it had not begun.") && deadline_ms < kGuardMs);
  EXPECT_EQ(text, "Task: late_for_ever was cancelled. Its deadline of " + std::to_string(deadline_ms) +
                      " ms has passed: its process was ended.");
  EXPECT_EQ(*ray::Task(late_double).SetDeadline(kGuardMs).Remote(4).Get(kGuardMs), 8);
}

TEST_F(Deadlines, EndATaskThatHasNotBegun) {
  init();
  const auto running = ray::Task(late_for_ever).SetMaxRetries(0).Remote();
  const auto late = ray::Task(late_double).SetDeadline(20).Remote(1);
  EXPECT_EQ(error_text(late),
            "Task: late_double was cancelled. Its deadline of 20 ms has passed: it had not begun.");
  ray::Cancel(running, {.force = true});
}

TEST_F(Deadlines, EndWhatTheTaskHasCalled) {
  init();
  EXPECT_THAT(error_text(ray::Task(late_parent).SetDeadline(200).Remote()), HasSubstr("deadline of 200 ms"));
  EXPECT_EQ(*ray::Task(late_double).Remote(4).Get(kGuardMs), 8) << "the processor is free again";
}

TEST_F(Deadlines, AreToldToAnActorsCall) {
  init();
  const auto actor = ray::Actor(Late::Create).Remote();
  const auto runs = actor.Task(&Late::UntilCancelled).SetDeadline(20).Remote();
  const auto waits = actor.Task(&Late::Echo).Remote(3);
  try {
    EXPECT_EQ(*runs.Get(kGuardMs), 7);
  } catch (const ray::TaskCancelledException&) {  // it had not begun, on a busy machine
  }
  EXPECT_EQ(*waits.Get(kGuardMs), 3);
}

TEST_F(Deadlines, AreAtLeastAMillisecond) {
  init();
  EXPECT_THROW(ray::Task(late_double).SetDeadline(0), ray::RayException);
  EXPECT_THROW(ray::Actor(Late::Create).Remote().Task(&Late::Echo).SetDeadline(-1), ray::RayException);
}

TEST_F(Deadlines, AreToldToHaveNoEffectInLocalMode) {
  ray::Init({.local_mode = true});
  ::testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(*ray::Task(late_double).SetDeadline(20).Remote(4).Get(), 8);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "flowray: SetDeadline has no effect in local_mode, which runs calls to their end.\n");
}

TEST_F(Deadlines, OfWhatCanNeverBe) {
  ray::RayConfig config;
  config.unschedulable_timeout_ms = 100'000;
  init(config);
  const auto never = ray::Task(late_double).SetResource("CPU", 100).Remote(1);
  const auto of_actor = ray::Actor(Late::Create).SetResource("gold", 1).Remote().Task(&Late::Echo).Remote(1);
  EXPECT_TRUE(ray::Wait(std::vector{never, of_actor}, 1, 20).ready.empty());
  EXPECT_EQ(*ray::Task(late_double).Remote(4).Get(kGuardMs), 8) << "it holds up nobody";
  ray::Cancel(never);
  EXPECT_THROW(never.Get(kGuardMs), ray::TaskCancelledException);
  ray::Shutdown();
  config.unschedulable_timeout_ms = 20;
  init(config);
  EXPECT_THAT(error_text(ray::Task(late_double).SetResource("CPU", 100).Remote(1)),
              HasSubstr("late_double asks for {CPU: 100} of the runtime's resources, and there are {CPU: 1"));
}

TEST_F(Deadlines, TasksThatMayBeRunAgainEndWhereMemoryIsShort) {
  ray::RayConfig config;
  config.memory_usage_threshold = 0;  // it is short all the time
  config.memory_monitor_refresh_ms = 1;
  init(config);
  const auto twice = ray::Task(late_for_ever).SetMaxRetries(1).Remote();
  EXPECT_THROW(twice.Get(kGuardMs), ray::RayWorkerException);
  EXPECT_THAT(error_text(twice), HasSubstr("of the memory were used (memory_usage_threshold: 0.0 %)"));
}

TEST_F(Deadlines, OtherTasksAreLeftWhereMemoryIsShort) {
  ray::RayConfig config;
  config.memory_usage_threshold = 0;
  config.memory_monitor_refresh_ms = 1;
  init(config);
  const auto actor = ray::Actor(Late::Create).Remote();
  EXPECT_EQ(*actor.Task(&Late::Echo).Remote(1).Get(kGuardMs), 1);
  const auto task = ray::Task(late_for_ever).SetMaxRetries(0).SetDeadline(100).Remote();
  EXPECT_THROW(task.Get(kGuardMs), ray::TaskCancelledException);  // by its deadline, not by the watch
  EXPECT_EQ(*actor.Task(&Late::Echo).Remote(2).Get(kGuardMs), 2);
}

}  // namespace
}  // namespace flowray
