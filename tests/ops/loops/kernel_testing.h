#pragma once

// What the tests of the numeric kernels share: arrays that end where memory ends, several threads, all
// CPU levels.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/parallel.h"
#include "ops/loops/cpu_level.h"

namespace flowray::ops {

/// An array whose last element is right before a page that may not be touched: a kernel that reads or writes
/// beyond it crashes, also where it is assembly that sanitizers do not see. Its content is NaN (or 0xff)
/// until it is set.
template <typename T>
class EdgeArray {
 public:
  explicit EdgeArray(size_t size) : size_(size) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t used = (size * sizeof(T) + page - 1) / page * page;
    mapped_bytes_ = used + page;
    void* mapped = mmap(nullptr, mapped_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::runtime_error("mmap failed");
    base_ = static_cast<std::byte*>(mapped);
    if (mprotect(base_ + used, page, PROT_NONE) != 0) throw std::runtime_error("mprotect failed");
    std::memset(base_, 0xff, used);
    data_ = reinterpret_cast<T*>(base_ + used - size * sizeof(T));
  }
  template <typename U>
  explicit EdgeArray(const std::vector<U>& values) : EdgeArray(values.size()) {
    for (size_t i = 0; i < size_; ++i) data_[i] = static_cast<T>(values[i]);
  }
  ~EdgeArray() { munmap(base_, mapped_bytes_); }
  EdgeArray(const EdgeArray&) = delete;
  EdgeArray& operator=(const EdgeArray&) = delete;

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::span<T> span() { return {data_, size_}; }

 private:
  std::byte* base_;
  size_t mapped_bytes_;
  T* data_;
  size_t size_;
};

/// A workspace of at least `bytes`, 64-byte aligned, filled with NaN; what lies beyond may not be touched.
class Workspace {
 public:
  explicit Workspace(size_t bytes) : bytes_((bytes + 63) / 64 * 64) {}
  void* data() { return bytes_.data(); }

 private:
  EdgeArray<std::byte> bytes_;
};

/// Cuts every range into as many pieces as there are workers, each in a thread of its own.
class Threads final : public Parallel {
 public:
  explicit Threads(int workers) : workers_(workers) {}
  int workers() const override { return workers_; }
  void for_range(int64_t count, int64_t /*min_per_worker*/,
                 const FunctionRef<void(int64_t, int64_t, int)>& body) override {
    std::vector<std::thread> threads;
    for (int worker = 0; worker < workers_; ++worker) {
      const int64_t begin = count * worker / workers_;
      const int64_t end = count * (worker + 1) / workers_;
      if (begin < end) threads.emplace_back([&body, begin, end, worker] { body(begin, end, worker); });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  int workers_;
};

/// Every level that this machine can run.
inline std::vector<CpuLevel> runnable_levels() {
  std::vector<CpuLevel> levels;
  for (const CpuLevel level : {CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (level <= highest_cpu_level()) levels.push_back(level);
  }
  return levels;
}

/// Names a test's instance after its level.
inline std::string level_test_name(const testing::TestParamInfo<CpuLevel>& info) {
  return std::string(name_of(info.param));
}

/// Values in [-1, 1), or integers in [-8, 8) for the integer types.
template <typename T>
std::vector<T> random_values(int64_t size, std::mt19937& random) {
  std::vector<T> values(static_cast<size_t>(size));
  for (T& value : values) {
    if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(random() % 16) - 8;
    else
      value = static_cast<T>(random() >> 8) / static_cast<T>(1 << 23) - 1;
  }
  return values;
}

/// One expected value: the sum, and the sum of the magnitudes of what was added, which rounding is
/// relative to.
struct Sum {
  double value = 0;
  double magnitude = 0;

  void add(double term) {
    value += term;
    magnitude += std::abs(term);
  }
  void clamp_below_zero() { value = value < 0 ? 0 : value; }
};

/// Fails at the first value that is further from its sum than the type's rounding explains.
template <typename T>
void expect_sums(std::span<const T> actual, const std::vector<Sum>& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  const double tolerance = std::is_integral_v<T> ? 0.0 : std::is_same_v<T, float> ? 2e-6 : 1e-14;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double error = std::abs(static_cast<double>(actual[i]) - expected[i].value);
    ASSERT_TRUE(error <= tolerance * expected[i].magnitude)
        << what << "\nat " << i << ": " << actual[i] << ", expected " << expected[i].value;
  }
}

}  // namespace flowray::ops
