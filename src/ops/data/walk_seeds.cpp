#include "ops/data/walk_seeds.h"

#include <limits>
#include <random>

namespace flowray::ops {

void RandomWords::keep(WalkState& state) {
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  int64_t seed = seed_;
  int64_t seed2 = seed2_;
  auto num_taken = static_cast<int64_t>(num_taken_);
  state.number("seed", seed, kLeast);
  state.number("seed2", seed2, kLeast);
  state.number("num_words", num_taken);
  if (!state.is_read()) return;
  begin(seed, seed2);
  num_taken_ = static_cast<uint64_t>(num_taken);
  position_.skip(num_taken_ / words_.size());
  if (num_taken_ % words_.size() != 0) words_ = position_.next();
}

RandomWords Seeds::next() {
  const MutexLock lock(mutex_);
  if (!draws_) return {words_.seed(), words_.seed2()};
  const int64_t first = words_.next();
  const int64_t second = words_.next();
  return {first, second};
}

void Seeds::keep(WalkState& state) {
  RandomWords words = this->words();
  words.keep(state);
  if (!state.is_read()) return;
  state.when_read([this, words] {
    const MutexLock lock(mutex_);
    words_ = words;
  });
}

std::shared_ptr<Seeds> seeds_of(int64_t seed, int64_t seed2, bool draws) {
  if (seed == 0 && seed2 == 0) {
    std::random_device random;
    seed = random();
    seed2 = random();
  }
  return std::make_shared<Seeds>(seed, seed2, draws);
}

}  // namespace flowray::ops
