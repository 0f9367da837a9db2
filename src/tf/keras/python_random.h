#pragma once
/// The random numbers of Python's module random, so that a seed means the same here.

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace flowray::tf::keras {

/// Mersenne Twister, seeded as random.seed(int) does it.
class PythonRandom {
 public:
  explicit PythonRandom(int64_t seed);
  /// random.random(): in [0, 1).
  double random();
  /// random.randint(least, greatest): both may be given.
  int64_t randint(int64_t least, int64_t greatest) {
    return least + static_cast<int64_t>(below(static_cast<uint64_t>(greatest - least) + 1));
  }
  /// random.shuffle.
  template <class T>
  void shuffle(std::vector<T>& values) {
    for (size_t i = values.size(); i-- > 1;) std::swap(values[i], values[below(i + 1)]);
  }

 private:
  /// In [0, limit).
  uint64_t below(uint64_t limit);
  uint64_t bits(int count);

  std::mt19937 engine_;
};

}  // namespace flowray::tf::keras
