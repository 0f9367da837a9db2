#include "ops/elements/array_sequence.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace flowray::ops {
namespace {

// Against plain vectors, with all earlier states kept. 1100 elements take three levels of pieces.
TEST(ArraySequence, IsAVectorWhoseCopiesAreCheap) {
  std::vector<std::pair<ArraySequence, std::vector<int>>> states(1);
  uint64_t random = 1;
  const auto draw = [&](size_t below) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<size_t>(random >> 33) % below;
  };
  for (int i = 0; i < 3000; ++i) {
    auto [sequence, expected] = states[draw(10) == 0 ? draw(states.size()) : states.size() - 1];
    const size_t what = draw(8);
    if (what == 0 && !expected.empty()) {
      sequence.pop_back();
      expected.pop_back();
    } else if (what == 1 && !expected.empty()) {
      const size_t at = draw(expected.size());
      sequence.set(static_cast<int64_t>(at), Array(i));
      expected[at] = i;
    } else if (what == 2 && draw(20) == 0) {
      const size_t size = draw(1100);
      sequence.resize(static_cast<int64_t>(size));
      expected.resize(size, -1);
    } else {
      sequence.push_back(Array(i));
      expected.push_back(i);
    }
    states.emplace_back(std::move(sequence), std::move(expected));
    if (states.size() > 50) states.erase(states.begin());
  }
  for (const auto& [sequence, expected] : states) {
    ASSERT_EQ(sequence.size(), static_cast<int64_t>(expected.size()));
    for (size_t i = 0; i < expected.size(); ++i) {
      const Array& value = sequence[static_cast<int64_t>(i)];
      ASSERT_EQ(value.has_value() ? value.item<int32_t>() : -1, expected[i]);
    }
  }
}

TEST(ArraySequence, FindsWhatWasSetAmongWhatWasNot) {
  const int64_t size = int64_t{1} << 40;
  ArraySequence sequence(size);
  EXPECT_EQ(sequence.next_set(0), size);
  for (const int64_t i : {int64_t{5}, int64_t{1} << 20, size - 1}) sequence.set(i, Array(1));
  EXPECT_EQ(sequence.next_set(0), 5);
  EXPECT_EQ(sequence.next_set(5), 5);
  EXPECT_EQ(sequence.next_set(6), int64_t{1} << 20);
  EXPECT_EQ(sequence.next_set((int64_t{1} << 20) + 1), size - 1);
  EXPECT_EQ(sequence.next_set(size), size);
  sequence.resize(6);
  sequence.resize(size);
  EXPECT_EQ(sequence.next_set(6), size);
}

}  // namespace
}  // namespace flowray::ops
