#include "core/philox.h"

#include <flowray/errors.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <type_traits>

namespace flowray {
namespace {

// Positions that a truncated normal may use up for each number it makes, and by which every operation's
// stream moves on.
constexpr int64_t kPositionsPerOutput = 256;

// Groups of outputs (those of one position) below which a second thread costs more than it brings.
constexpr int64_t kMinGroups = 512;

Philox seeded(int64_t seed, int64_t seed2) {
  if (seed != 0 || seed2 != 0) return {static_cast<uint64_t>(seed), static_cast<uint64_t>(seed2)};
  std::random_device entropy;
  const auto word = [&] { return (uint64_t{entropy()} << 32) | entropy(); };
  const uint64_t key = word();
  return {key, word()};
}

// Numbers in [1, 2) by random bits behind the point, less 1.
float unit_float(uint32_t word) { return std::bit_cast<float>(0x3f800000u | (word & 0x7fffffu)) - 1.0f; }

double unit_double(uint32_t word0, uint32_t word1) {
  const uint64_t fraction = (uint64_t{word0 & 0xfffffu} << 32) | word1;
  return std::bit_cast<double>((uint64_t{0x3ff} << 52) | fraction) - 1.0;
}

// Two independent normal numbers from two uniform ones, by Box and Muller. The first is kept off zero, whose
// logarithm is infinite. ::sincosf and std::log are libm's, which is what TensorFlow calls: a vectorised
// version would differ.
struct NormalPair {
  static constexpr double kLeast = 1.0e-7;

  static std::array<float, 2> from(uint32_t word0, uint32_t word1) {
    const float uniform = std::max(unit_float(word0), static_cast<float>(kLeast));
    // The product is made in double and rounded once, as TensorFlow's is: near a zero of the sine it shows.
    const auto angle = static_cast<float>(2.0 * std::numbers::pi * static_cast<double>(unit_float(word1)));
    const float radius = std::sqrt(-2.0f * std::log(uniform));
    std::array<float, 2> pair;
    ::sincosf(angle, &pair[0], &pair[1]);
    return {pair[0] * radius, pair[1] * radius};
  }

  static std::array<double, 2> from(uint32_t word0, uint32_t word1, uint32_t word2, uint32_t word3) {
    const double uniform = std::max(unit_double(word0, word1), kLeast);
    const double angle = 2.0 * std::numbers::pi * unit_double(word2, word3);
    const double radius = std::sqrt(-2.0 * std::log(uniform));
    std::array<double, 2> pair;
    ::sincos(angle, &pair[0], &pair[1]);
    return {pair[0] * radius, pair[1] * radius};
  }
};

// A distribution turns the four words of a position into a group of kSize numbers.

template <class T>
struct Uniform {
  static constexpr int kSize = 4;
  std::array<T, kSize> operator()(const Philox::Words& words) const {
    return {one(words[0]), one(words[1]), one(words[2]), one(words[3])};
  }

 private:
  static T one(uint32_t word) {
    if constexpr (std::is_same_v<T, float>) {
      return unit_float(word);
    } else {  // 16 bits: the exponent of 1, and the word's lowest bits as the fraction.
      constexpr int kFractionBits = std::numeric_limits<T>::digits - 1;
      const uint32_t fraction = word & ((1u << kFractionBits) - 1u);
      return T::from_bits(static_cast<uint16_t>(T(1.0f).bits() | fraction)) - T(1.0f);
    }
  }
};

template <>
struct Uniform<double> {
  static constexpr int kSize = 2;
  std::array<double, kSize> operator()(const Philox::Words& words) const {
    return {unit_double(words[0], words[1]), unit_double(words[2], words[3])};
  }
};

template <class T>
struct UniformInt;

template <>
struct UniformInt<int32_t> {
  static constexpr int kSize = 4;
  uint32_t least;
  uint32_t range;
  std::array<int32_t, kSize> operator()(const Philox::Words& words) const {
    std::array<int32_t, kSize> group;
    for (size_t i = 0; i < kSize; ++i) group[i] = static_cast<int32_t>(least + words[i] % range);
    return group;
  }
};

template <>
struct UniformInt<int64_t> {
  static constexpr int kSize = 2;
  uint64_t least;
  uint64_t range;
  std::array<int64_t, kSize> operator()(const Philox::Words& words) const {
    const auto one = [&](uint64_t low, uint64_t high) {
      return static_cast<int64_t>(least + (low | (high << 32)) % range);
    };
    return {one(words[0], words[1]), one(words[2], words[3])};
  }
};

template <class T>
struct Normal {
  static constexpr int kSize = 4;
  std::array<T, kSize> operator()(const Philox::Words& words) const {
    const auto first = NormalPair::from(words[0], words[1]);
    const auto second = NormalPair::from(words[2], words[3]);
    return {T(first[0]), T(first[1]), T(second[0]), T(second[1])};
  }
};

template <>
struct Normal<double> {
  static constexpr int kSize = 2;
  std::array<double, kSize> operator()(const Philox::Words& words) const {
    return NormalPair::from(words[0], words[1], words[2], words[3]);
  }
};

// Calls group(generator) for the positions of all groups of `size` outputs and copies what it returns.
template <int64_t kStride, int kSize, class T, class Group>
void fill(const Philox& start, std::span<T> out, Parallel& parallel, const Group& group) {
  const auto count = static_cast<int64_t>(out.size());
  const int64_t groups = (count + kSize - 1) / kSize;
  parallel.for_range(groups, kMinGroups, [&](int64_t begin, int64_t end, int) {
    const int64_t whole = std::min(end, count / kSize);
    Philox generator = start;
    generator.skip(static_cast<uint64_t>(begin * kStride));
    for (int64_t index = begin; index < end; ++index) {
      Philox here = generator;
      const std::array<T, kSize> numbers = group(here);
      generator.skip(kStride);
      const int64_t size = index < whole ? kSize : count - index * kSize;
      std::copy_n(numbers.begin(), size, out.begin() + index * kSize);
    }
  });
}

// One word after the other.
class WordReader {
 public:
  explicit WordReader(Philox& generator) : generator_(generator) {}
  uint32_t next() {
    if (used_ == words_.size()) {
      words_ = generator_.next();
      used_ = 0;
    }
    return words_[used_++];
  }

 private:
  Philox& generator_;
  Philox::Words words_{};
  size_t used_ = words_.size();
};

// A group draws pairs until it has as many numbers as it needs.
template <class T>
struct TruncatedNormal {
  static constexpr int kSize = Normal<T>::kSize;
  static constexpr float kLimit = 2.0f;

  std::array<T, kSize> operator()(Philox& generator) const {
    WordReader words(generator);
    std::array<T, kSize> group;
    size_t made = 0;
    while (true) {
      for (const auto number : draw(words)) {
        if (!(std::abs(number) < kLimit)) continue;
        group[made++] = T(number);
        if (made == kSize) return group;
      }
    }
  }

 private:
  static auto draw(WordReader& words) {
    const uint32_t word0 = words.next();
    const uint32_t word1 = words.next();
    if constexpr (std::is_same_v<T, double>) {
      const uint32_t word2 = words.next();
      return NormalPair::from(word0, word1, word2, words.next());
    } else {
      return NormalPair::from(word0, word1);
    }
  }
};

template <class T, class Distribution>
void fill_by_position(const Philox& start, std::span<T> out, Parallel& parallel,
                      const Distribution& distribution) {
  fill<1, Distribution::kSize>(start, out, parallel,
                               [&](Philox& generator) { return distribution(generator.next()); });
}

}  // namespace

RandomStream::RandomStream(int64_t seed, int64_t seed2) : next_(seeded(seed, seed2)) {}

Philox RandomStream::reserve(int64_t outputs) {
  return reserve_positions(static_cast<int64_t>(static_cast<uint64_t>(outputs) * kPositionsPerOutput));
}

Philox RandomStream::reserve_positions(int64_t positions) {
  auto next = next_.lock();
  const Philox start = *next;
  next->skip(static_cast<uint64_t>(positions));
  return start;
}

template <class T>
void fill_uniform(const Philox& start, std::span<T> out, Parallel& parallel) {
  fill_by_position(start, out, parallel, Uniform<T>{});
}

template <class T>
void fill_uniform_int(const Philox& start, T least, T limit, std::span<T> out, Parallel& parallel) {
  if (out.empty()) return;
  if (least >= limit) {
    throw errors::InvalidArgumentError("Need minval < maxval, got " + std::to_string(least) +
                                       " >= " + std::to_string(limit));
  }
  using Unsigned = std::make_unsigned_t<T>;
  const auto first = static_cast<Unsigned>(least);
  const auto range = static_cast<Unsigned>(static_cast<Unsigned>(limit) - first);
  fill_by_position(start, out, parallel, UniformInt<T>{first, range});
}

template <class T>
void fill_normal(const Philox& start, std::span<T> out, Parallel& parallel) {
  fill_by_position(start, out, parallel, Normal<T>{});
}

template <class T>
void fill_truncated_normal(const Philox& start, std::span<T> out, Parallel& parallel) {
  constexpr int kSize = TruncatedNormal<T>::kSize;
  fill<kSize * kPositionsPerOutput / 4, kSize>(start, out, parallel, TruncatedNormal<T>{});
}

#define FLOWRAY_DEFINE_FILLS(T)                                          \
  template void fill_uniform<T>(const Philox&, std::span<T>, Parallel&); \
  template void fill_normal<T>(const Philox&, std::span<T>, Parallel&);  \
  template void fill_truncated_normal<T>(const Philox&, std::span<T>, Parallel&)
FLOWRAY_DEFINE_FILLS(float);
FLOWRAY_DEFINE_FILLS(double);
FLOWRAY_DEFINE_FILLS(float16);
FLOWRAY_DEFINE_FILLS(bfloat16);
#undef FLOWRAY_DEFINE_FILLS
template void fill_uniform_int<int32_t>(const Philox&, int32_t, int32_t, std::span<int32_t>, Parallel&);
template void fill_uniform_int<int64_t>(const Philox&, int64_t, int64_t, std::span<int64_t>, Parallel&);

}  // namespace flowray
