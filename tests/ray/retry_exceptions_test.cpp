// Tasks that are run again when they throw: SetRetryExceptions with SetMaxRetries.

#include <flowray/ray.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>
#include <string>

namespace flowray {
namespace {

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

/// Counts what tasks do: they have no memory of their own that would outlive a process.
class RetryTally {
 public:
  static RetryTally* Create() { return new RetryTally; }
  int Next() { return ++count_; }
  int Count() const { return count_; }

 private:
  int count_ = 0;
};

int fails_before(ray::ActorHandle<RetryTally> tally, int successes_at) {
  const int attempt = *tally.Task(&RetryTally::Next).Remote().Get();
  if (attempt < successes_at) throw std::out_of_range("attempt " + std::to_string(attempt));
  return attempt;
}

int dies_then_throws(ray::ActorHandle<RetryTally> tally) {
  const int attempt = *tally.Task(&RetryTally::Next).Remote().Get();
  if (attempt == 1) raise(SIGKILL);
  throw std::out_of_range("attempt " + std::to_string(attempt));
}

int waits_and_throws(ray::ActorHandle<RetryTally> tally, ray::ObjectRef<int> never) {
  tally.Task(&RetryTally::Next).Remote().Get();
  return *never.Get();
}

std::string long_error(ray::ActorHandle<RetryTally> tally) {
  const int attempt = *tally.Task(&RetryTally::Next).Remote().Get();
  if (attempt < 3) throw std::out_of_range(std::string(100'000, 'e'));
  return "done";
}

int retry_never_ends() {
  pause();
  return 0;
}

RAY_REMOTE(RetryTally::Create, &RetryTally::Next, &RetryTally::Count, fails_before, dies_then_throws,
           waits_and_throws, long_error, retry_never_ends);

class RetryExceptions : public ::testing::Test {
 protected:
  RetryExceptions() {
    ray::Init({.num_cpus = 2, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 100});
    tally = ray::Actor(RetryTally::Create).Remote();
  }
  ~RetryExceptions() override { ray::Shutdown(); }

  int count() const { return *tally.Task(&RetryTally::Count).Remote().Get(kGuardMs); }

  ray::ActorHandle<RetryTally> tally;
};

TEST_F(RetryExceptions, AreOffUnlessAsked) {
  EXPECT_THROW(ray::Task(fails_before).Remote(tally, 2).Get(kGuardMs), ray::RayTaskException);
  EXPECT_EQ(count(), 1);
}

TEST_F(RetryExceptions, RunTheTaskUntilItSucceeds) {
  EXPECT_EQ(*ray::Task(fails_before).SetRetryExceptions(true).Remote(tally, 4).Get(kGuardMs), 4);
  EXPECT_EQ(count(), 4);
}

TEST_F(RetryExceptions, EndWithTheLastException) {
  try {
    ray::Task(fails_before).SetRetryExceptions(true).SetMaxRetries(2).Remote(tally, 100).Get(kGuardMs);
    FAIL() << "it succeeded";
  } catch (const ray::RayTaskException& error) {
    EXPECT_EQ(error.failure().message, "attempt 3");
  }
  EXPECT_EQ(count(), 3);
}

TEST_F(RetryExceptions, WithoutRetriesMeanNothing) {
  EXPECT_THROW(
      ray::Task(fails_before).SetRetryExceptions(true).SetMaxRetries(0).Remote(tally, 2).Get(kGuardMs),
      ray::RayTaskException);
  EXPECT_EQ(count(), 1);
}

TEST_F(RetryExceptions, GoOnForEverWhereRetriesDo) {
  const auto result = ray::Task(fails_before).SetRetryExceptions(true).SetMaxRetries(-1).Remote(tally, 50);
  EXPECT_EQ(*result.Get(kGuardMs), 50);
}

TEST_F(RetryExceptions, CountTogetherWithDeaths) {
  try {
    ray::Task(dies_then_throws).SetRetryExceptions(true).SetMaxRetries(2).Remote(tally).Get(kGuardMs);
    FAIL() << "it succeeded";
  } catch (const ray::RayTaskException& error) {
    EXPECT_EQ(error.failure().message, "attempt 3");
  }
}

TEST_F(RetryExceptions, DoNotRunACancelledTaskAgain) {
  const ray::ObjectRef<int> never = ray::Task(retry_never_ends).Remote();
  const auto waits =
      ray::Task(waits_and_throws).SetRetryExceptions(true).SetMaxRetries(-1).Remote(tally, never);
  // Not before it waits: it has counted then.
  while (count() == 0) {
  }
  ray::Cancel(waits);
  EXPECT_THROW(waits.Get(kGuardMs), ray::TaskCancelledException);
  EXPECT_EQ(count(), 1);
}

TEST_F(RetryExceptions, LetGoOfErrorsThatLieInTheStore) {
  for (int i = 0; i < 3; ++i) {
    const auto fresh = ray::Actor(RetryTally::Create).Remote();
    EXPECT_EQ(*ray::Task(long_error).SetRetryExceptions(true).Remote(fresh).Get(kGuardMs), "done");
  }
}

TEST(LocalRetryExceptions, RunTheTaskAgain) {
  ray::Init({.local_mode = true});
  const auto tally = ray::Actor(RetryTally::Create).Remote();
  EXPECT_EQ(*ray::Task(fails_before).SetRetryExceptions(true).Remote(tally, 3).Get(), 3);
  EXPECT_THROW(ray::Task(fails_before).SetRetryExceptions(true).SetMaxRetries(1).Remote(tally, 100).Get(),
               ray::RayTaskException);
  EXPECT_EQ(*tally.Task(&RetryTally::Count).Remote().Get(), 5);
  ray::Shutdown();
}

}  // namespace
}  // namespace flowray
