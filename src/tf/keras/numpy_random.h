#pragma once
/// The random numbers of NumPy's module numpy.random, so that a seed means the same here.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace flowray::tf::keras {

/// Mersenne Twister, seeded as numpy.random.seed(int) does it.
class NumpyRandom {
 public:
  explicit NumpyRandom(uint32_t seed) : engine_(seed) {}

  /// numpy.random.random(): in [0, 1).
  double random() {
    const uint32_t high = next() >> 5;
    const uint32_t low = next() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
  }
  /// numpy.random.uniform.
  double uniform(double low, double high) { return low + (high - low) * random(); }
  /// numpy.random.choice of a list; there is at least one.
  double choice(const std::vector<double>& of) { return of[up_to(static_cast<uint32_t>(of.size() - 1))]; }
  /// numpy.random.permutation.
  std::vector<int64_t> permutation(int64_t count) {
    std::vector<int64_t> numbers(static_cast<size_t>(count));
    std::iota(numbers.begin(), numbers.end(), int64_t{0});
    for (size_t i = numbers.size(); i-- > 1;) std::swap(numbers[i], numbers[up_to(static_cast<uint32_t>(i))]);
    return numbers;
  }

 private:
  uint32_t next() { return static_cast<uint32_t>(engine_()); }
  /// From 0 to `greatest`.
  uint32_t up_to(uint32_t greatest) {
    if (greatest == 0) return 0;
    uint32_t mask = greatest;
    for (const int shift : {1, 2, 4, 8, 16}) mask |= mask >> shift;
    uint32_t drawn = next() & mask;
    while (drawn > greatest) drawn = next() & mask;
    return drawn;
  }

  std::mt19937 engine_;
};

}  // namespace flowray::tf::keras
