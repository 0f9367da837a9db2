#include "ops/loops/pool_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ops/loops/kernel_testing.h"

namespace flowray::ops {
namespace {

std::string text_of(const Pool2DShape& s) {
  std::ostringstream out;
  out << "in [" << s.batch << ", " << s.in_height << ", " << s.in_width << ", " << s.channels << "], window ["
      << s.window_height << ", " << s.window_width << "], out [" << s.out_height << ", " << s.out_width
      << "], strides " << s.stride_height << ", " << s.stride_width << ", pads " << s.pad_top << ", "
      << s.pad_left;
  return out.str();
}

size_t in_size(const Pool2DShape& s) {
  return static_cast<size_t>(s.batch * s.in_height * s.in_width * s.channels);
}
size_t out_size(const Pool2DShape& s) {
  return static_cast<size_t>(s.batch * s.out_height * s.out_width * s.channels);
}

/// The places of the image under each value of the result, in row-major order.
std::vector<std::vector<size_t>> windows_of(const Pool2DShape& s) {
  std::vector<std::vector<size_t>> windows;
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t y = 0; y < s.out_height; ++y)
      for (int64_t x = 0; x < s.out_width; ++x)
        for (int64_t c = 0; c < s.channels; ++c) {
          std::vector<size_t>& window = windows.emplace_back();
          for (int64_t i = 0; i < s.window_height; ++i)
            for (int64_t j = 0; j < s.window_width; ++j) {
              const int64_t row = y * s.stride_height - s.pad_top + i;
              const int64_t column = x * s.stride_width - s.pad_left + j;
              if (row < 0 || row >= s.in_height || column < 0 || column >= s.in_width) continue;
              window.push_back(
                  static_cast<size_t>(((n * s.in_height + row) * s.in_width + column) * s.channels + c));
            }
        }
  return windows;
}

template <typename T>
void check_average(const Pool2DShape& s, CpuLevel level, Parallel& parallel, std::mt19937& random) {
  const auto in_values = random_values<T>(static_cast<int64_t>(in_size(s)), random);
  auto gradients = random_values<T>(static_cast<int64_t>(out_size(s)), random);
  std::vector<Sum> expected(out_size(s)), expected_gradient(in_size(s));
  const auto windows = windows_of(s);
  for (size_t i = 0; i < windows.size(); ++i) {
    const auto count = static_cast<double>(windows[i].size());
    for (const size_t at : windows[i]) {
      expected[i].add(in_values[at]);
      const double part = gradients[i] / count;
      expected_gradient[at].add(std::is_integral_v<T> ? std::trunc(part) : part);
    }
    expected[i].value /= count;
    if (std::is_integral_v<T>) expected[i].value = std::trunc(expected[i].value);
    expected[i].magnitude /= count;
  }
  const EdgeArray<T> in(in_values), out_gradient(gradients);
  EdgeArray<T> out(out_size(s)), in_gradient(in_size(s));
  AveragePool2D<T>(s, level).run(in.data(), out.data(), parallel);
  expect_sums<T>(out.span(), expected, "average, " + text_of(s));
  AveragePool2DGradient<T>(s, level).run(out_gradient.data(), in_gradient.data(), parallel);
  expect_sums<T>(in_gradient.span(), expected_gradient, "average's gradient, " + text_of(s));
}

template <typename T>
void check_max(const Pool2DShape& s, CpuLevel level, Parallel& parallel, std::mt19937& random) {
  // Few different values, so that windows have more than one maximum.
  std::vector<T> in_values(in_size(s));
  for (T& value : in_values) value = static_cast<T>(static_cast<int>(random() % 5) - 7);
  const auto gradients = random_values<T>(static_cast<int64_t>(out_size(s)), random);
  std::vector<Sum> expected(out_size(s)), expected_gradient(in_size(s));
  const auto windows = windows_of(s);
  for (size_t i = 0; i < windows.size(); ++i) {
    size_t first = windows[i].front();
    for (const size_t at : windows[i]) first = in_values[at] > in_values[first] ? at : first;
    expected[i].add(in_values[first]);
    expected_gradient[first].add(gradients[i]);
  }
  const EdgeArray<T> in(in_values), out_gradient(gradients);
  EdgeArray<T> out(out_size(s)), in_gradient(in_size(s));
  MaxPool2D<T>(s, level).run(in.data(), out.data(), parallel);
  expect_sums<T>(out.span(), expected, "max, " + text_of(s));
  MaxPool2DGradient<T>(s, level).run(in.data(), out.data(), out_gradient.data(), in_gradient.data(),
                                     parallel);
  expect_sums<T>(in_gradient.span(), expected_gradient, "max's gradient, " + text_of(s));
}

template <typename T>
void check_both(const Pool2DShape& s, CpuLevel level, Parallel& parallel, std::mt19937& random) {
  check_average<T>(s, level, parallel, random);
  check_max<T>(s, level, parallel, random);
}

Pool2DShape random_shape(std::mt19937& random) {
  const auto in_range = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  };
  // As many windows as begin inside of the image.
  const auto out_extent = [](int64_t in, int64_t stride, int64_t pad) { return (in + pad - 1) / stride + 1; };
  Pool2DShape s;
  s.batch = in_range(1, 3);
  s.in_height = in_range(1, 9);
  s.in_width = in_range(1, 12);
  s.channels = random() % 6 == 0 ? 64 : in_range(1, 17);
  s.window_height = in_range(1, 4);
  s.window_width = in_range(1, 4);
  s.stride_height = in_range(1, 3);
  s.stride_width = in_range(1, 3);
  s.pad_top = in_range(0, s.window_height - 1);
  s.pad_left = in_range(0, s.window_width - 1);
  s.out_height = in_range(1, out_extent(s.in_height, s.stride_height, s.pad_top));
  s.out_width = in_range(1, out_extent(s.in_width, s.stride_width, s.pad_left));
  return s;
}

/// Windows of 2x2 that tile the image, the last row and column cut off where its sides are odd (SAME).
Pool2DShape halved(int64_t batch, int64_t height, int64_t width, int64_t channels) {
  return {.batch = batch,
          .in_height = height,
          .in_width = width,
          .channels = channels,
          .window_height = 2,
          .window_width = 2,
          .stride_height = 2,
          .stride_width = 2,
          .out_height = (height + 1) / 2,
          .out_width = (width + 1) / 2};
}

class PoolingAtLevel : public testing::TestWithParam<CpuLevel> {};
INSTANTIATE_TEST_SUITE_P(Levels, PoolingAtLevel, testing::ValuesIn(runnable_levels()), level_test_name);

TEST_P(PoolingAtLevel, AgreesWithItsDefinitionForRandomShapes) {
  std::mt19937 random(21);
  Threads threads(3);
  Serial serial;
  for (int i = 0; i < 400; ++i) {
    check_both<float>(random_shape(random), GetParam(), i % 2 == 0 ? static_cast<Parallel&>(threads) : serial,
                      random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(PoolingAtLevel, HalvesImagesOfEveryNumberOfChannels) {
  std::mt19937 random(22);
  Threads threads(2);
  for (int64_t channels = 1; channels <= 35; ++channels) {
    check_both<float>(halved(2, 6, 8, channels), GetParam(), threads, random);
    check_both<float>(halved(2, 5, 7, channels), GetParam(), threads, random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(PoolingAtLevel, PoolsLeNetsImages) {
  std::mt19937 random(23);
  Threads threads(2);
  check_both<float>(halved(5, 28, 28, 6), GetParam(), threads, random);
  check_both<float>(halved(5, 10, 10, 16), GetParam(), threads, random);
}

TEST_P(PoolingAtLevel, EmptyBatchTouchesNothing) {
  std::mt19937 random(24);
  Serial serial;
  check_both<float>(halved(0, 4, 4, 3), GetParam(), serial, random);
  check_both<double>(halved(0, 4, 4, 3), GetParam(), serial, random);
}

TEST_P(PoolingAtLevel, PixelsOutsideOfAllWindowsHaveAGradientOfZero) {
  Serial serial;
  const Pool2DShape s{.batch = 1,
                      .in_height = 1,
                      .in_width = 5,
                      .channels = 1,
                      .stride_width = 3,
                      .out_height = 1,
                      .out_width = 2};
  const std::vector<float> out_gradient{5, 7};
  std::vector<float> in_gradient(5, -1);
  AveragePool2DGradient<float>(s, GetParam()).run(out_gradient.data(), in_gradient.data(), serial);
  EXPECT_EQ(in_gradient, (std::vector<float>{5, 0, 0, 7, 0}));
}

template <typename T>
class PoolingOfType : public testing::Test {};
using PlainTypes = testing::Types<double, int32_t, int64_t>;
TYPED_TEST_SUITE(PoolingOfType, PlainTypes);

TYPED_TEST(PoolingOfType, AgreesWithItsDefinitionForRandomShapes) {
  std::mt19937 random(25);
  Threads threads(3);
  for (int i = 0; i < 60; ++i) {
    check_both<TypeParam>(random_shape(random), cpu_level(), threads, random);
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace flowray::ops
