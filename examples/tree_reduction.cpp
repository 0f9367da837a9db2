// A sum by a tree of tasks: each adds two arrays that others have made, so that additions run side by side
// and the driver, which makes the whole tree at once, holds references only. Where every array came to the
// driver instead, it would add them one after the other.
//
//     tree_reduction [LEAVES]      16 unless given

#include <flowray/ray.h>

#include <cstdlib>
#include <iostream>
#include <vector>

namespace ray = flowray::ray;
using flowray::Array;

constexpr int64_t kSize = 100'000;

/// What would be a gradient, or a part of a data set: n in all places.
Array leaf(int n) { return Array::full(flowray::DType::kFloat64, {kSize}, n); }

Array add(const Array& a, const Array& b) {
  const auto left = a.span<double>();
  const auto right = b.span<double>();
  std::vector<double> sum(left.size());
  for (size_t i = 0; i < sum.size(); ++i) sum[i] = left[i] + right[i];
  return Array(std::move(sum));
}

RAY_REMOTE(leaf, add);

int main(int argc, char** argv) {
  const int leaves = argc > 1 ? std::atoi(argv[1]) : 16;
  if (leaves < 1) {
    std::cerr << "tree_reduction [LEAVES]: at least 1, not " << argv[1] << "\n";
    return 2;
  }
  ray::Init();
  std::vector<ray::ObjectRef<Array>> level;
  for (int n = 1; n <= leaves; ++n) level.push_back(ray::Task(leaf).Remote(n));
  int depth = 0;
  for (; level.size() > 1; ++depth) {
    std::vector<ray::ObjectRef<Array>> next;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      next.push_back(ray::Task(add).Remote(level[i], level[i + 1]));
    if (level.size() % 2 == 1) next.push_back(level.back());
    level = next;
  }
  const auto sum = level[0].Get();
  std::cout << "the sum of 1 to " << leaves << " by " << depth
            << " levels of tasks: " << sum->span<double>()[0] << ", " << kSize << " times\n";
}
