#pragma once
/// How many elements datasets have, as the op DatasetCardinality tells it: from those that they are made of,
/// without a walk.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace flowray::ops {

inline constexpr int64_t kInfiniteCardinality = -1;
/// Also of more elements than there are numbers for.
inline constexpr int64_t kUnknownCardinality = -2;

/// Of the numbers from `start`, `step` apart, before `stop`. The greatest there is stands for none, as
/// enumerate() has it.
constexpr int64_t cardinality_of_range(int64_t start, int64_t stop, int64_t step) {
  if (stop == std::numeric_limits<int64_t>::max()) return kInfiniteCardinality;
  if (step > 0 ? start >= stop : start <= stop) return 0;
  // Distances of up to 2^64 - 1.
  const auto distance = [](int64_t low, int64_t high) {
    return static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  };
  const uint64_t all = step > 0 ? distance(start, stop) : distance(stop, start);
  const uint64_t stride = step > 0 ? distance(0, step) : distance(step, 0);
  const uint64_t count = all / stride + (all % stride == 0 ? 0 : 1);
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return count > kMost ? kUnknownCardinality : static_cast<int64_t>(count);
}

constexpr int64_t cardinality_of_batches(int64_t all, int64_t size, bool drops_remainder) {
  return all < 0 ? all : all / size + (all % size == 0 || drops_remainder ? 0 : 1);
}

/// Of windows of `size` elements, `stride` apart, each `shift` behind the one before.
constexpr int64_t cardinality_of_windows(int64_t all, int64_t size, int64_t shift, int64_t stride,
                                         bool drops_remainder) {
  if (!drops_remainder) return cardinality_of_batches(all, shift, false);
  if (all < 0) return all;
  int64_t span = 0;
  if (__builtin_mul_overflow(size - 1, stride, &span) || span >= all) return 0;
  return (all - span - 1) / shift + 1;
}

/// `times` below 0: without end.
constexpr int64_t cardinality_of_repeated(int64_t all, int64_t times) {
  if (times == 0 || all == 0) return 0;
  if (times < 0) return kInfiniteCardinality;
  int64_t count = 0;
  if (all < 0) return all;
  return __builtin_mul_overflow(all, times, &count) ? kUnknownCardinality : count;
}

/// `most` below 0: all.
constexpr int64_t cardinality_of_taken(int64_t all, int64_t most) {
  if (all == kUnknownCardinality || most < 0) return all;
  return all == kInfiniteCardinality ? most : std::min(all, most);
}

/// `first` below 0: all.
constexpr int64_t cardinality_of_rest(int64_t all, int64_t first) {
  if (all < 0) return all;
  return first < 0 ? 0 : all - std::min(all, first);
}

constexpr int64_t cardinality_of_shard(int64_t all, int64_t num_shards, int64_t index) {
  return all < 0 ? all : all / num_shards + (index < all % num_shards ? 1 : 0);
}

/// Of two that are walked through together.
constexpr int64_t cardinality_of_pairs(int64_t first, int64_t second) {
  if (first == kUnknownCardinality || second == kUnknownCardinality) return kUnknownCardinality;
  if (first == kInfiniteCardinality) return second;
  return second == kInfiniteCardinality ? first : std::min(first, second);
}

/// Of one behind the other.
constexpr int64_t cardinality_of_joined(int64_t first, int64_t second) {
  if (first == kInfiniteCardinality || second == kInfiniteCardinality) return kInfiniteCardinality;
  if (first < 0 || second < 0) return kUnknownCardinality;
  int64_t count = 0;
  return __builtin_add_overflow(first, second, &count) ? kUnknownCardinality : count;
}

}  // namespace flowray::ops
