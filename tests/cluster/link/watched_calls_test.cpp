#include "cluster/link/watched_calls.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <utility>

namespace flowray::cluster {
namespace {

using std::chrono::seconds;

constexpr int kUnimplemented = 12;
constexpr int kDeadlineExceeded = 4;

/// A server whose answers are the test's. Its clock is ahead, so that the thread that looks by itself does
/// not ask.
class WatchedCallsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ::setenv("FLOWRAY_KEEPALIVE_MS", "60000000", 1); }
  static void TearDownTestSuite() { ::unsetenv("FLOWRAY_KEEPALIVE_MS"); }

  bool look(std::chrono::steady_clock::duration after) { return calls_->look(begin_ + after); }
  void answer(int code) { std::exchange(asked_, nullptr)({{}, {code, ""}}); }
  /// Longer than a server may say nothing.
  static constexpr auto kLong = std::chrono::hours(24);

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Channel::Done asked_;  // the question that waits
  int num_questions_ = 0;
  int num_left_ = 0;
  int num_given_up_ = 0;
  const std::shared_ptr<WatchedCalls> calls_ = std::make_shared<WatchedCalls>(
      [this](Channel::Deadline, Channel::Done done) {
        ++num_questions_;
        asked_ = std::move(done);
      },
      [this] { ++num_left_; });
};

TEST_F(WatchedCallsTest, AreGivenUpWhenTwoQuestionsHaveNoAnswer) {
  const uint64_t first = calls_->begin([this] { ++num_given_up_; });
  const uint64_t second = calls_->begin(nullptr);
  EXPECT_TRUE(look(seconds(1)));
  EXPECT_EQ(num_questions_, 0) << "it is not yet time";
  EXPECT_TRUE(look(kLong));
  EXPECT_TRUE(look(kLong));
  EXPECT_EQ(num_questions_, 1) << "one at a time";
  answer(kDeadlineExceeded);
  EXPECT_EQ(num_questions_, 2);
  EXPECT_EQ(num_given_up_, 0);
  answer(kDeadlineExceeded);
  EXPECT_EQ(num_given_up_, 1);
  EXPECT_EQ(num_left_, 1);
  calls_->set_give_up(second, [this] { ++num_given_up_; });  // whose start was not over
  EXPECT_EQ(num_given_up_, 2);
  EXPECT_TRUE(calls_->end(first, 0));
  EXPECT_TRUE(calls_->end(second, 0));
  EXPECT_FALSE(look(kLong)) << "nothing is under way";
}

/// As a step is that lasts for hours.
TEST_F(WatchedCallsTest, GoOnWhileTheServerSaysAnything) {
  const uint64_t call = calls_->begin([this] { ++num_given_up_; });
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(look(kLong));
    answer(kUnimplemented);
  }
  EXPECT_EQ(num_questions_, 3);
  EXPECT_TRUE(look(kLong));
  answer(kDeadlineExceeded);
  answer(kUnimplemented);
  EXPECT_EQ(num_given_up_, 0);
  EXPECT_FALSE(calls_->end(call, 0));
  EXPECT_EQ(num_left_, 0);
}

/// The answer to another call is a sign of life, too.
TEST_F(WatchedCallsTest, GoOnWhereAnotherOneHasBeenAnswered) {
  const uint64_t call = calls_->begin([this] { ++num_given_up_; });
  const uint64_t other = calls_->begin(nullptr);
  EXPECT_TRUE(look(kLong));
  EXPECT_FALSE(calls_->end(other, 0));
  answer(kDeadlineExceeded);
  EXPECT_EQ(num_questions_, 1);
  EXPECT_EQ(num_given_up_, 0);
  EXPECT_FALSE(calls_->end(call, 0));
}

/// As steps with short limits beside a long one.
TEST_F(WatchedCallsTest, TakeNoEndForAnAnswerThatComesOfItself) {
  const uint64_t call = calls_->begin([this] { ++num_given_up_; });
  EXPECT_TRUE(look(kLong));
  for (const int code : {1, kDeadlineExceeded, 14}) EXPECT_FALSE(calls_->end(calls_->begin(nullptr), code));
  answer(14);  // the connection's own
  answer(kDeadlineExceeded);
  EXPECT_EQ(num_given_up_, 1);
  EXPECT_TRUE(calls_->end(call, 0));
}

TEST_F(WatchedCallsTest, AreWatchedAgainAfterAPause) {
  EXPECT_FALSE(calls_->end(calls_->begin(nullptr), 0));
  EXPECT_FALSE(look(kLong));
  const uint64_t call = calls_->begin(nullptr);
  EXPECT_TRUE(look(kLong));
  EXPECT_EQ(num_questions_, 1);
  answer(kUnimplemented);
  EXPECT_FALSE(calls_->end(call, 0));
}

}  // namespace
}  // namespace flowray::cluster
