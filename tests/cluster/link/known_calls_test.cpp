#include "cluster/link/known_calls.h"

#include <gtest/gtest.h>

#include <vector>

namespace flowray::cluster {
namespace {

using Words = std::vector<uint64_t>;

std::vector<CallState> states(const KnownCalls& calls, const Words& question,
                              KnownCalls::Clock::time_point now = KnownCalls::Clock::now()) {
  std::vector<CallState> states;
  for (const char state : calls.answer(std::as_bytes(std::span(question)), now).value_or("?"))
    states.push_back(static_cast<CallState>(state));
  return states;
}

TEST(KnownCalls, TellWhatIsThereOfEach) {
  KnownCalls calls;
  calls.begin({7, 1});
  calls.begin({7, 2});
  calls.has_come({7, 2});
  calls.begin({8, 3});
  const std::vector<CallState> expected = {CallState::kComing, CallState::kThere, CallState::kUnknown};
  EXPECT_EQ(states(calls, {7, 1, 2, 3}), expected);
  calls.end({7, 2});
  EXPECT_EQ(states(calls, {7, 2}), std::vector<CallState>{CallState::kUnknown});
  EXPECT_EQ(states(calls, {7}), std::vector<CallState>{});
}

/// What a connection does not carry any more will not come, however long it is kept here.
TEST(KnownCalls, TakeAnAnswerThatDoesNotGetAwayForLost) {
  KnownCalls calls;
  calls.begin({7, 1});
  calls.has_come({7, 1});
  const auto now = KnownCalls::Clock::now();
  calls.goes({7, 1}, 256 * 60'000, now);
  EXPECT_EQ(states(calls, {7, 1}, now + std::chrono::seconds(60)), std::vector<CallState>{CallState::kThere});
  EXPECT_EQ(states(calls, {7, 1}, now + std::chrono::seconds(70)),
            std::vector<CallState>{CallState::kUnknown});
}

TEST(KnownCalls, RefuseWhatIsNoQuestion) {
  const KnownCalls calls;
  const Words word = {7};
  EXPECT_EQ(calls.answer({}), std::nullopt);
  EXPECT_EQ(calls.answer(std::as_bytes(std::span(word)).first(5)), std::nullopt);
}

}  // namespace
}  // namespace flowray::cluster
