#include "ops/loops/conv_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ops/loops/kernel_testing.h"

namespace flowray::ops {
namespace {

std::string text_of(const Conv2DShape& s) {
  std::ostringstream out;
  out << "in [" << s.batch << ", " << s.in_height << ", " << s.in_width << ", " << s.in_channels
      << "], filter [" << s.filter_height << ", " << s.filter_width << "], out [" << s.out_height << ", "
      << s.out_width << ", " << s.out_channels << "], strides " << s.stride_height << ", " << s.stride_width
      << ", dilations " << s.dilation_height << ", " << s.dilation_width << ", pads " << s.pad_top << ", "
      << s.pad_left;
  return out.str();
}

int64_t in_size(const Conv2DShape& s) { return s.batch * s.in_height * s.in_width * s.in_channels; }
int64_t out_size(const Conv2DShape& s) { return s.batch * s.out_height * s.out_width * s.out_channels; }
int64_t filter_size(const Conv2DShape& s) {
  return s.filter_height * s.filter_width * s.in_channels * s.out_channels;
}

/// Calls body(in, filter, out) with the indices of every product in the convolution's definition.
template <typename Body>
void for_products(const Conv2DShape& s, Body body) {
  for (int64_t n = 0; n < s.batch; ++n)
    for (int64_t y = 0; y < s.out_height; ++y)
      for (int64_t x = 0; x < s.out_width; ++x)
        for (int64_t i = 0; i < s.filter_height; ++i)
          for (int64_t j = 0; j < s.filter_width; ++j) {
            const int64_t row = y * s.stride_height + i * s.dilation_height - s.pad_top;
            const int64_t column = x * s.stride_width + j * s.dilation_width - s.pad_left;
            if (row < 0 || row >= s.in_height || column < 0 || column >= s.in_width) continue;
            for (int64_t c = 0; c < s.in_channels; ++c)
              for (int64_t o = 0; o < s.out_channels; ++o)
                body(((n * s.in_height + row) * s.in_width + column) * s.in_channels + c,
                     ((i * s.filter_width + j) * s.in_channels + c) * s.out_channels + o,
                     ((n * s.out_height + y) * s.out_width + x) * s.out_channels + o);
          }
}

template <typename T>
struct Operands {
  Operands(const Conv2DShape& s, std::mt19937& random)
      : in(random_values<T>(in_size(s), random)),
        filter(random_values<T>(filter_size(s), random)),
        bias(random_values<T>(s.out_channels, random)),
        out_gradient(random_values<T>(out_size(s), random)) {}
  std::vector<T> in, filter, bias, out_gradient;
};

template <typename T>
void check_forward(const Conv2DShape& s, const Conv2DEpilogue& epilogue, const Operands<T>& x, CpuLevel level,
                   Parallel& parallel) {
  std::vector<Sum> expected(static_cast<size_t>(out_size(s)));
  for_products(s, [&](int64_t in, int64_t filter, int64_t out) {
    expected[out].add(static_cast<double>(x.in[in]) * x.filter[filter]);
  });
  for (size_t i = 0; i < expected.size(); ++i) {
    if (epilogue.bias) expected[i].add(x.bias[i % s.out_channels]);
    if (epilogue.relu) expected[i].clamp_below_zero();
  }
  const EdgeArray<T> in(x.in), filter(x.filter), bias(x.bias);
  EdgeArray<T> out(expected.size());
  const Conv2D<T> conv(s, epilogue, level);
  Workspace workspace(conv.workspace_bytes(parallel.workers()));
  conv.run(in.data(), filter.data(), epilogue.bias ? bias.data() : nullptr, out.data(), workspace.data(),
           parallel);
  expect_sums<T>(out.span(), expected, "forward, " + text_of(s));
}

template <typename T>
void check_backward_input(const Conv2DShape& s, const Operands<T>& x, CpuLevel level, Parallel& parallel) {
  std::vector<Sum> expected(static_cast<size_t>(in_size(s)));
  for_products(s, [&](int64_t in, int64_t filter, int64_t out) {
    expected[in].add(static_cast<double>(x.out_gradient[out]) * x.filter[filter]);
  });
  const EdgeArray<T> filter(x.filter), out_gradient(x.out_gradient);
  EdgeArray<T> in_gradient(expected.size());
  const Conv2DBackwardInput<T> conv(s, level);
  Workspace workspace(conv.workspace_bytes(parallel.workers()));
  conv.run(filter.data(), out_gradient.data(), in_gradient.data(), workspace.data(), parallel);
  expect_sums<T>(in_gradient.span(), expected, "backward input, " + text_of(s));
}

template <typename T>
void check_backward_filter(const Conv2DShape& s, const Operands<T>& x, CpuLevel level, Parallel& parallel) {
  std::vector<Sum> expected(static_cast<size_t>(filter_size(s)));
  for_products(s, [&](int64_t in, int64_t filter, int64_t out) {
    expected[filter].add(static_cast<double>(x.out_gradient[out]) * x.in[in]);
  });
  const EdgeArray<T> in(x.in), out_gradient(x.out_gradient);
  EdgeArray<T> filter_gradient(expected.size());
  const Conv2DBackwardFilter<T> conv(s, level);
  Workspace workspace(conv.workspace_bytes(parallel.workers()));
  conv.run(in.data(), out_gradient.data(), filter_gradient.data(), workspace.data(), parallel);
  expect_sums<T>(filter_gradient.span(), expected, "backward filter, " + text_of(s));
}

template <typename T>
void check_all(const Conv2DShape& s, CpuLevel level, Parallel& parallel, std::mt19937& random) {
  const Operands<T> operands(s, random);
  const Conv2DEpilogue epilogue{.bias = random() % 2 == 0, .relu = random() % 2 == 0};
  check_forward(s, epilogue, operands, level, parallel);
  check_backward_input(s, operands, level, parallel);
  check_backward_filter(s, operands, level, parallel);
}

/// The output's extent for explicit pads on both sides; 0 where the filter does not fit.
int64_t out_extent(int64_t in, int64_t filter, int64_t stride, int64_t dilation, int64_t pad,
                   int64_t pad_after) {
  return std::max<int64_t>(0, (in + pad + pad_after - (filter - 1) * dilation - 1 + stride) / stride);
}

Conv2DShape random_shape(std::mt19937& random) {
  const auto in_range = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % (high - low + 1));
  };
  const auto channels = [&] { return random() % 8 == 0 ? 64 : in_range(1, 17); };
  Conv2DShape s;
  s.batch = in_range(1, 3);
  s.in_height = in_range(1, 11);
  s.in_width = in_range(1, 13);
  s.in_channels = random() % 4 == 0 ? 1 : channels();
  s.out_channels = channels();
  s.filter_height = in_range(1, 5);
  s.filter_width = in_range(1, 5);
  s.stride_height = in_range(1, 3);
  s.stride_width = random() % 2 == 0 ? 1 : in_range(1, 3);
  s.dilation_height = random() % 3 == 0 ? 2 : 1;
  s.dilation_width = random() % 3 == 0 ? 2 : 1;
  s.pad_top = in_range(0, 4);
  s.pad_left = in_range(0, 4);
  s.out_height =
      out_extent(s.in_height, s.filter_height, s.stride_height, s.dilation_height, s.pad_top, in_range(0, 3));
  s.out_width =
      out_extent(s.in_width, s.filter_width, s.stride_width, s.dilation_width, s.pad_left, in_range(0, 3));
  return s;
}

Conv2DShape lenet_conv1(int64_t batch) {
  return {.batch = batch,
          .in_height = 28,
          .in_width = 28,
          .in_channels = 1,
          .filter_height = 5,
          .filter_width = 5,
          .out_channels = 6,
          .out_height = 28,
          .out_width = 28,
          .pad_top = 2,
          .pad_left = 2};
}

Conv2DShape lenet_conv2(int64_t batch) {
  return {.batch = batch,
          .in_height = 14,
          .in_width = 14,
          .in_channels = 6,
          .filter_height = 5,
          .filter_width = 5,
          .out_channels = 16,
          .out_height = 10,
          .out_width = 10};
}

class Conv2DAtLevel : public testing::TestWithParam<CpuLevel> {};
INSTANTIATE_TEST_SUITE_P(Levels, Conv2DAtLevel, testing::ValuesIn(runnable_levels()), level_test_name);

TEST_P(Conv2DAtLevel, AgreesWithItsDefinitionForRandomShapes) {
  std::mt19937 random(11);
  Threads threads(3);
  Serial serial;
  for (int i = 0; i < 150; ++i) {
    check_all<float>(random_shape(random), GetParam(), i % 2 == 0 ? static_cast<Parallel&>(threads) : serial,
                     random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Conv2DAtLevel, ConvolvesLeNetsImages) {
  std::mt19937 random(12);
  for (const int workers : {1, 2, 5}) {
    Threads threads(workers);
    check_all<float>(lenet_conv1(7), GetParam(), threads, random);
    check_all<float>(lenet_conv2(7), GetParam(), threads, random);
    if (HasFatalFailure()) return;
  }
}

TEST_P(Conv2DAtLevel, ConvolvesOneChannelForEveryNumberOfOutputChannels) {
  std::mt19937 random(13);
  Threads threads(2);
  for (int64_t channels = 1; channels <= 17; ++channels) {
    for (const int64_t filter : {3, 4, 5, 7}) {
      for (const int64_t width : {7, 12, 31}) {
        const Conv2DShape s{.batch = 2,
                            .in_height = 9,
                            .in_width = width,
                            .in_channels = 1,
                            .filter_height = filter,
                            .filter_width = filter,
                            .out_channels = channels,
                            .out_height = 5,
                            .out_width = width - 1,
                            .stride_height = 2,
                            .pad_top = 1,
                            .pad_left = filter / 2};
        check_all<float>(s, GetParam(), threads, random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Conv2DAtLevel, ConvolvesWideImagesWithManyChannels) {
  std::mt19937 random(14);
  Threads threads(2);
  check_all<float>({.batch = 2,
                    .in_height = 9,
                    .in_width = 9,
                    .in_channels = 64,
                    .filter_height = 3,
                    .filter_width = 3,
                    .out_channels = 80,
                    .out_height = 9,
                    .out_width = 9,
                    .pad_top = 1,
                    .pad_left = 1},
                   GetParam(), threads, random);
}

TEST_P(Conv2DAtLevel, PointwiseConvolutionIsAProductOfMatrices) {
  std::mt19937 random(15);
  Threads threads(2);
  for (const int64_t channels : {1, 3, 16, 40}) {
    check_all<float>({.batch = 2,
                      .in_height = 5,
                      .in_width = 7,
                      .in_channels = channels,
                      .filter_height = 1,
                      .filter_width = 1,
                      .out_channels = 33,
                      .out_height = 5,
                      .out_width = 7},
                     GetParam(), threads, random);
  }
}

TEST_P(Conv2DAtLevel, FilterMayBeLargerThanTheImage) {
  std::mt19937 random(16);
  Serial serial;
  for (const int64_t channels : {1, 6, 16}) {
    check_all<float>({.batch = 2,
                      .in_height = 2,
                      .in_width = 3,
                      .in_channels = channels,
                      .filter_height = 7,
                      .filter_width = 7,
                      .out_channels = 5,
                      .out_height = 2,
                      .out_width = 3,
                      .pad_top = 3,
                      .pad_left = 3},
                     GetParam(), serial, random);
  }
}

TEST_P(Conv2DAtLevel, EmptyBatchHasAFilterGradientOfZero) {
  std::mt19937 random(17);
  Threads threads(2);
  check_all<float>(lenet_conv1(0), GetParam(), threads, random);
  check_all<float>(lenet_conv2(0), GetParam(), threads, random);
}

TEST_P(Conv2DAtLevel, ResultsWithoutPixelsOrChannelsAreEmptyOrZero) {
  std::mt19937 random(18);
  Serial serial;
  Conv2DShape s = lenet_conv2(2);
  s.out_height = 0;
  check_all<float>(s, GetParam(), serial, random);
  s = lenet_conv2(2);
  s.in_channels = 0;
  check_all<float>(s, GetParam(), serial, random);
  s = lenet_conv2(2);
  s.out_channels = 0;
  check_all<float>(s, GetParam(), serial, random);
}

TEST_P(Conv2DAtLevel, AppliesBiasAndRelu) {
  std::mt19937 random(19);
  Serial serial;
  for (int bits = 0; bits < 4; ++bits) {
    const Conv2DEpilogue epilogue{.bias = (bits & 1) != 0, .relu = (bits & 2) != 0};
    for (const Conv2DShape& s : {lenet_conv1(1), lenet_conv2(1)}) {
      check_forward(s, epilogue, Operands<float>(s, random), GetParam(), serial);
    }
  }
}

template <typename T>
class Conv2DOfType : public testing::Test {};
using PlainTypes = testing::Types<double, int32_t, int64_t>;
TYPED_TEST_SUITE(Conv2DOfType, PlainTypes);

TYPED_TEST(Conv2DOfType, AgreesWithItsDefinitionForRandomShapes) {
  std::mt19937 random(20);
  Threads threads(3);
  for (int i = 0; i < 40; ++i) {
    check_all<TypeParam>(random_shape(random), cpu_level(), threads, random);
    if (this->HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace flowray::ops
