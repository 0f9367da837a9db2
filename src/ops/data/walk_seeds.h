#pragma once
/// The random numbers of walks through datasets, and the seeds that they begin with.

#include "core/mutex.h"
#include "core/philox.h"
#include "graph/resource/resource.h"
#include "ops/data/walk_state.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace flowray::ops {

/// Single words of a Philox stream.
class RandomWords {
 public:
  RandomWords(int64_t seed, int64_t seed2) { begin(seed, seed2); }
  uint32_t next() {
    const size_t place = num_taken_ % words_.size();
    if (place == 0) words_ = position_.next();
    ++num_taken_;
    return words_[place];
  }
  void keep(WalkState& state);
  int64_t seed() const { return seed_; }
  int64_t seed2() const { return seed2_; }

 private:
  void begin(int64_t seed, int64_t seed2) {
    seed_ = seed;
    seed2_ = seed2;
    position_ = Philox(static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2));
  }

  int64_t seed_ = 0;
  int64_t seed2_ = 0;
  Philox position_{0, 0};
  Philox::Words words_ = {};
  uint64_t num_taken_ = 0;
};

/// The seeds of the walks through one dataset: its own each time, or drawn anew for each.
class Seeds {
 public:
  Seeds(int64_t seed, int64_t seed2, bool draws) : draws_(draws), words_(seed, seed2) {}
  RandomWords next();
  /// For the walks that begin after the one that is saved.
  void keep(WalkState& state);

 private:
  RandomWords words() {
    const MutexLock lock(mutex_);
    return words_;
  }

  const bool draws_;
  Mutex mutex_;
  RandomWords words_ FLOWRAY_GUARDED_BY(mutex_);
};

/// Of seeds that are 0 both, some by chance.
std::shared_ptr<Seeds> seeds_of(int64_t seed, int64_t seed2, bool draws);

/// What gives walks through datasets their seeds, as a value in the graph.
class SeedGenerator final : public graph::Resource {
 public:
  static constexpr std::string_view kKind = "tensorflow::data::SeedGeneratorManager";

  /// Without seeds it stands where one is asked for and gives none.
  SeedGenerator(std::string name, std::shared_ptr<Seeds> seeds)
      : Resource(std::move(name)), seeds_(std::move(seeds)) {}
  std::string_view kind() const override { return kKind; }
  const std::shared_ptr<Seeds>& seeds() const { return seeds_; }

 private:
  const std::shared_ptr<Seeds> seeds_;
};

}  // namespace flowray::ops
