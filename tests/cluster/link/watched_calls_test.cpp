#include "cluster/link/watched_calls.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace flowray::cluster {
namespace {

using std::chrono::seconds;

using ::testing::ElementsAre;
using End = WatchedCalls::End;

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
  /// As a server of ours.
  void answer(const std::vector<CallState>& states) {
    std::string bytes;
    for (const CallState state : states) bytes += static_cast<char>(state);
    std::exchange(asked_, nullptr)({Message(std::move(bytes)), {}});
  }
  static std::vector<uint64_t> words_of(const Message& message) {
    std::string bytes;
    for (const Message::Piece& piece : message.pieces())
      bytes.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
    std::vector<uint64_t> words(bytes.size() / sizeof(uint64_t));
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }
  /// Longer than a server may say nothing.
  static constexpr auto kLong = std::chrono::hours(24);

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  Channel::Done asked_;  // the question that waits
  std::vector<uint64_t> question_;
  int num_questions_ = 0;
  int num_left_ = 0;
  int num_given_up_ = 0;
  const std::shared_ptr<WatchedCalls> calls_ = std::make_shared<WatchedCalls>(
      [this](const Message& question, Channel::Deadline, Channel::Done done) {
        ++num_questions_;
        question_ = words_of(question);
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
  EXPECT_EQ(calls_->end(first, 0), End::kSilent);
  EXPECT_EQ(calls_->end(second, 0), End::kSilent);
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
  EXPECT_EQ(calls_->end(call, 0), End::kOwn);
  EXPECT_EQ(num_left_, 0);
}

/// The answer to another call is a sign of life, too.
TEST_F(WatchedCallsTest, GoOnWhereAnotherOneHasBeenAnswered) {
  const uint64_t call = calls_->begin([this] { ++num_given_up_; });
  const uint64_t other = calls_->begin(nullptr);
  EXPECT_TRUE(look(kLong));
  EXPECT_EQ(calls_->end(other, 0), End::kOwn);
  answer(kDeadlineExceeded);
  EXPECT_EQ(num_questions_, 1);
  EXPECT_EQ(num_given_up_, 0);
  EXPECT_EQ(calls_->end(call, 0), End::kOwn);
}

/// As steps with short limits beside a long one.
TEST_F(WatchedCallsTest, TakeNoEndForAnAnswerThatComesOfItself) {
  const uint64_t call = calls_->begin([this] { ++num_given_up_; });
  EXPECT_TRUE(look(kLong));
  for (const int code : {1, kDeadlineExceeded, 14})
    EXPECT_EQ(calls_->end(calls_->begin(nullptr), code), End::kOwn);
  answer(14);  // the connection's own
  answer(kDeadlineExceeded);
  EXPECT_EQ(num_given_up_, 1);
  EXPECT_EQ(calls_->end(call, 0), End::kSilent);
}

/// What was on its way at the first question has come at the second.
TEST_F(WatchedCallsTest, AreLostThatTheServerDoesNotHaveTwice) {
  const uint64_t lost = calls_->begin([this] { ++num_given_up_; });
  const uint64_t there = calls_->begin([this] { ADD_FAILURE() << "the server has it"; });
  EXPECT_TRUE(look(kLong));
  EXPECT_THAT(question_, ElementsAre(calls_->nonce(), lost, there));
  answer({CallState::kUnknown, CallState::kThere});
  EXPECT_EQ(num_given_up_, 0);
  EXPECT_TRUE(look(kLong));
  answer({CallState::kUnknown, CallState::kThere});
  EXPECT_EQ(num_given_up_, 1);
  EXPECT_EQ(num_left_, 1) << "what else the connection has lost nobody knows";
  EXPECT_TRUE(look(kLong));
  EXPECT_THAT(question_, ElementsAre(calls_->nonce(), there));
  answer({CallState::kThere});
  EXPECT_EQ(calls_->end(lost, 1), End::kLost);
  EXPECT_EQ(calls_->end(there, 0), End::kOwn);
}

TEST_F(WatchedCallsTest, AreNotLostThatTheServerHasBetweenTwoQuestions) {
  const uint64_t call = calls_->begin([this] { ++num_given_up_; });
  for (int i = 0; i < 3; ++i) {
    for (const CallState state : {CallState::kUnknown, CallState::kThere}) {
      EXPECT_TRUE(look(kLong));
      answer({state});
    }
  }
  EXPECT_EQ(num_given_up_, 0);
  EXPECT_EQ(calls_->end(call, 0), End::kOwn);
}

/// A large request may take its time to come.
TEST_F(WatchedCallsTest, AreAskedForWhileOthersAreAnswered) {
  const uint64_t call = calls_->begin(nullptr, size_t{1} << 40);
  EXPECT_EQ(calls_->end(calls_->begin(nullptr), 0), End::kOwn);
  EXPECT_TRUE(look(calls_->ask_after() / 2));
  EXPECT_EQ(num_questions_, 0);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(look(kLong));
    EXPECT_EQ(num_questions_, i);
    answer({CallState::kComing});
  }
  calls_->set_give_up(call, [this] { ++num_given_up_; });
  EXPECT_EQ(num_given_up_, 0);
  EXPECT_EQ(calls_->end(call, 0), End::kOwn);
}

/// An answer that is none says that the server is there.
TEST_F(WatchedCallsTest, AreNotLostByAnAnswerOfAnotherSize) {
  const uint64_t call = calls_->begin([this] { ++num_given_up_; });
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(look(kLong));
    answer(std::vector<CallState>(2, CallState::kUnknown));
  }
  EXPECT_EQ(num_given_up_, 0);
  EXPECT_EQ(calls_->end(call, 0), End::kOwn);
}

TEST_F(WatchedCallsTest, AreWatchedAgainAfterAPause) {
  EXPECT_EQ(calls_->end(calls_->begin(nullptr), 0), End::kOwn);
  EXPECT_FALSE(look(kLong));
  const uint64_t call = calls_->begin(nullptr);
  EXPECT_TRUE(look(kLong));
  EXPECT_EQ(num_questions_, 1);
  answer(kUnimplemented);
  EXPECT_EQ(calls_->end(call, 0), End::kOwn);
}

}  // namespace
}  // namespace flowray::cluster
