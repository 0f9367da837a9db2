#pragma once

#include <flowray/float16.h>

#include <array>
#include <cstdint>
#include <span>

#include "core/guarded.h"
#include "core/parallel.h"

namespace flowray {

/// The counter-based generator Philox 4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy
/// as 1, 2, 3", SC'11), seeded and read as TensorFlow does, so that equal seeds give its numbers.
///
/// A value: it holds a position in the stream, 128 bits of counter, and the key. Each position gives
/// four words.
class Philox {
 public:
  using Words = std::array<uint32_t, 4>;

  /// The key is `seed`; `seed2` is the upper half of the first counter.
  Philox(uint64_t seed, uint64_t seed2) noexcept : key_(seed), low_(0), high_(seed2) {}

  /// Moves on by `count` positions, as `count` calls of next() would.
  void skip(uint64_t count) noexcept {
    low_ += count;
    high_ += low_ < count ? 1u : 0u;
  }

  /// The words here; moves on by one position.
  Words next() noexcept {
    Words words = {static_cast<uint32_t>(low_), static_cast<uint32_t>(low_ >> 32),
                   static_cast<uint32_t>(high_), static_cast<uint32_t>(high_ >> 32)};
    auto key0 = static_cast<uint32_t>(key_);
    auto key1 = static_cast<uint32_t>(key_ >> 32);
    for (int round = 0; round < kRounds; ++round) {
      const uint64_t product0 = uint64_t{kMultiplier0} * words[0];
      const uint64_t product1 = uint64_t{kMultiplier1} * words[2];
      words = {static_cast<uint32_t>(product1 >> 32) ^ words[1] ^ key0, static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ words[3] ^ key1, static_cast<uint32_t>(product0)};
      key0 += kWeyl0;
      key1 += kWeyl1;
    }
    skip(1);
    return words;
  }

  friend bool operator==(const Philox&, const Philox&) noexcept = default;

 private:
  static constexpr int kRounds = 10;
  static constexpr uint32_t kMultiplier0 = 0xD2511F53;
  static constexpr uint32_t kMultiplier1 = 0xCD9E8D57;
  static constexpr uint32_t kWeyl0 = 0x9E3779B9;
  static constexpr uint32_t kWeyl1 = 0xBB67AE85;

  uint64_t key_;
  uint64_t low_;
  uint64_t high_;
};

/// The generator that a stateful operation (RandomUniform, ...) keeps from run to run. Thread-safe.
class RandomStream {
 public:
  /// The operation's attributes `seed` and `seed2`; both 0: nondeterministic seeds.
  RandomStream(int64_t seed, int64_t seed2);

  /// Where a run that makes `outputs` numbers has to begin. The stream moves on by 256 positions for each of
  /// them, whatever the type and distribution: that is TensorFlow's rule, and what makes a second run give
  /// its numbers.
  Philox reserve(int64_t outputs);
  /// The same for a run that takes no more than `positions` positions, which is how far the stream moves on.
  Philox reserve_positions(int64_t positions);

 private:
  Guarded<Philox> next_;
};

// Each fills `out` with what TensorFlow's operation makes from the same position of its generator. T is
// float, double, float16 or bfloat16. The work is split over `parallel`; the numbers do not depend on how.

/// RandomUniform: [0, 1), with all the bits of T's fraction random.
template <class T>
void fill_uniform(const Philox& start, std::span<T> out, Parallel& parallel);

/// RandomUniformInt: [least, limit), for int32_t and int64_t; a random word modulo the size of the range,
/// which prefers small numbers a little. Throws errors::InvalidArgumentError unless least < limit or nothing
/// is to be filled.
template <class T>
void fill_uniform_int(const Philox& start, T least, T limit, std::span<T> out, Parallel& parallel);

/// RandomStandardNormal: mean 0, deviation 1, by Box and Muller.
template <class T>
void fill_normal(const Philox& start, std::span<T> out, Parallel& parallel);

/// TruncatedNormal: the same without what lies 2 or more from 0.
template <class T>
void fill_truncated_normal(const Philox& start, std::span<T> out, Parallel& parallel);

}  // namespace flowray
