// Who takes which of the states that wait for the next run.

#include "engine/run/free_run_states.h"

#include <gtest/gtest.h>

#include <latch>
#include <thread>
#include <vector>

namespace flowray::engine {
namespace {

std::unique_ptr<RunState> new_state() { return std::make_unique<RunState>(std::make_shared<Program>()); }

TEST(FreeRunStates, GiveAThreadTheOneThatItHadBefore) {
  FreeRunStates states;
  std::latch gave_first(1), gave_second(1);
  const RunState* first = nullptr;
  const RunState* taken_by_first = nullptr;
  std::thread thread([&] {
    auto state = new_state();
    first = state.get();
    states.give(std::move(state));
    gave_first.count_down();
    gave_second.wait();
    taken_by_first = states.take().get();
  });
  gave_first.wait();
  auto state = new_state();
  const RunState* const second = state.get();
  states.give(std::move(state));
  gave_second.count_down();
  thread.join();
  EXPECT_EQ(taken_by_first, first);
  EXPECT_EQ(states.count(), 1u);
  EXPECT_EQ(states.take().get(), second);
  EXPECT_EQ(states.take(), nullptr);
}

TEST(FreeRunStates, GiveAThreadThatHasNoneThatOfAnother) {
  FreeRunStates states;
  auto state = new_state();
  const RunState* const only = state.get();
  states.give(std::move(state));
  std::thread([&] { EXPECT_EQ(states.take().get(), only); }).join();
  EXPECT_EQ(states.count(), 0u);
}

TEST(FreeRunStates, AreDroppedBeyondTheirMost) {
  FreeRunStates states;
  std::vector<std::weak_ptr<const Program>> programs;
  for (size_t i = 0; i <= FreeRunStates::kMost; ++i) {
    auto program = std::make_shared<Program>();
    programs.push_back(program);
    states.give(std::make_unique<RunState>(std::move(program)));
  }
  EXPECT_EQ(states.count(), FreeRunStates::kMost);
  EXPECT_TRUE(programs.back().expired());
  states.clear();
  EXPECT_EQ(states.count(), 0u);
  for (const auto& program : programs) EXPECT_TRUE(program.expired());
}

}  // namespace
}  // namespace flowray::engine
