#include "ops/loops/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "core/sanitizers.h"
#include "ops/loops/kernel_testing.h"

namespace flowray::ops {
namespace {

std::string text_of(const GemmShape& s, const GemmEpilogue& e) {
  std::ostringstream out;
  out << "m " << s.m << ", n " << s.n << ", k " << s.k << (s.transpose_a ? ", transpose_a" : "")
      << (s.transpose_b ? ", transpose_b" : "") << (e.add_to_c ? ", add_to_c" : "")
      << (e.bias ? ", bias" : "") << (e.relu ? ", relu" : "");
  return out.str();
}

template <typename T>
struct Operands {
  std::vector<T> a, b, bias, c;
};

template <typename T>
Operands<T> random_operands(const GemmShape& s, std::mt19937& random) {
  return {random_values<T>(s.m * s.k, random), random_values<T>(s.k * s.n, random),
          random_values<T>(s.n, random), random_values<T>(s.m * s.n, random)};
}

template <typename T>
std::vector<Sum> expected_product(const GemmShape& s, const GemmEpilogue& e, const Operands<T>& x) {
  std::vector<Sum> sums;
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      Sum sum;
      if (e.add_to_c) sum.add(x.c[i * s.n + j]);
      for (int64_t k = 0; k < s.k; ++k) {
        const double a = x.a[s.transpose_a ? k * s.m + i : i * s.k + k];
        sum.add(a * x.b[s.transpose_b ? j * s.k + k : k * s.n + j]);
      }
      if (e.bias) sum.add(x.bias[j]);
      if (e.relu) sum.clamp_below_zero();
      sums.push_back(sum);
    }
  }
  return sums;
}

template <typename T>
void check(const GemmShape& shape, const GemmEpilogue& epilogue, CpuLevel level, Parallel& parallel,
           std::mt19937& random) {
  const Operands<T> operands = random_operands<T>(shape, random);
  const EdgeArray<T> a(operands.a), b(operands.b), bias(operands.bias);
  // Without add_to_c the old content must not matter: it stays NaN.
  EdgeArray<T> c(operands.c.size());
  if (epilogue.add_to_c) std::copy(operands.c.begin(), operands.c.end(), c.data());
  const Gemm<T> gemm(shape, epilogue, level);
  Workspace workspace(gemm.workspace_bytes(parallel.workers()));
  gemm.run(a.data(), b.data(), epilogue.bias ? bias.data() : nullptr, c.data(), workspace.data(), parallel);
  expect_sums<T>(c.span(), expected_product(shape, epilogue, operands), text_of(shape, epilogue));
}

template <typename T>
void check_transposes(GemmShape shape, CpuLevel level, Parallel& parallel, std::mt19937& random) {
  for (const bool transpose_a : {false, true}) {
    for (const bool transpose_b : {false, true}) {
      shape.transpose_a = transpose_a;
      shape.transpose_b = transpose_b;
      const GemmEpilogue epilogue{
          .add_to_c = random() % 2 == 0, .bias = random() % 2 == 0, .relu = random() % 4 == 0};
      check<T>(shape, epilogue, level, parallel, random);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

class GemmAtLevel : public testing::TestWithParam<CpuLevel> {};
INSTANTIATE_TEST_SUITE_P(Levels, GemmAtLevel, testing::ValuesIn(runnable_levels()), level_test_name);

TEST_P(GemmAtLevel, MultipliesEverySmallShape) {
  std::mt19937 random(1);
  Serial serial;
  for (const int64_t m : {1, 2, 5, 6, 7, 16, 19}) {
    for (const int64_t n : {1, 3, 8, 10, 16, 17, 33, 64, 65, 84, 128}) {
      for (const int64_t k : {1, 4, 31}) {
        check_transposes<float>({m, n, k}, GetParam(), serial, random);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(GemmAtLevel, SplitsLargeShapesOverWorkersAndSteps) {
  std::mt19937 random(2);
  for (const int workers : {1, 3, 8}) {
    if (kSanitized && workers != 3) continue;  // ten seconds each
    Threads threads(workers);
    for (const GemmShape& shape :
         {GemmShape{100, 120, 400}, GemmShape{400, 120, 100}, GemmShape{100, 400, 120},
          GemmShape{120, 10, 100}, GemmShape{1, 301, 500}, GemmShape{301, 1, 500}, GemmShape{37, 200, 129},
          GemmShape{200, 37, 300}}) {
      check_transposes<float>(shape, GetParam(), threads, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(GemmAtLevel, MultipliesMatricesForWhichCachesAreTooSmall) {
  std::mt19937 random(3);
  for (const int workers : {1, 2}) {
    Threads threads(workers);
    for (const GemmShape& shape : {GemmShape{250, 90, 600}, GemmShape{256, 800, 30}}) {
      check_transposes<float>(shape, GetParam(), threads, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(GemmAtLevel, MultipliesVectors) {
  std::mt19937 random(8);
  Threads threads(2);
  for (const int64_t k : {1, 2, 15, 16, 33, 1000}) {
    for (const int64_t length : {1, 3, 4, 77}) {
      check_transposes<float>({1, length, k}, GetParam(), threads, random);
      check_transposes<float>({length, 1, k}, GetParam(), threads, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(GemmAtLevel, AppliesEveryEpilogue) {
  std::mt19937 random(4);
  Serial serial;
  for (int bits = 0; bits < 8; ++bits) {
    const GemmEpilogue epilogue{
        .add_to_c = (bits & 1) != 0, .bias = (bits & 2) != 0, .relu = (bits & 4) != 0};
    for (const GemmShape& shape : {GemmShape{13, 48, 20}, GemmShape{13, 47, 300}}) {
      check<float>(shape, epilogue, GetParam(), serial, random);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(GemmAtLevel, SumOfNothingIsZeroOrTheBias) {
  std::mt19937 random(5);
  Serial serial;
  check<float>({3, 5, 0}, {}, GetParam(), serial, random);
  check<float>({3, 5, 0}, {.bias = true}, GetParam(), serial, random);
  check<float>({3, 5, 0}, {.add_to_c = true, .bias = true, .relu = true}, GetParam(), serial, random);
  check<double>({3, 5, 0}, {.bias = true}, GetParam(), serial, random);
}

TEST_P(GemmAtLevel, EmptyResultTouchesNothing) {
  std::mt19937 random(6);
  Threads threads(2);
  for (const GemmShape& shape : {GemmShape{0, 5, 3}, GemmShape{5, 0, 3}, GemmShape{0, 0, 0}}) {
    check<float>(shape, {.bias = true}, GetParam(), threads, random);
    check<int32_t>(shape, {.bias = true}, GetParam(), threads, random);
  }
}

TEST_P(GemmAtLevel, ReluKeepsNaN) {
  Serial serial;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> a{nan, -1, 2}, b{1};
  std::vector<float> c(3);
  const Gemm<float> gemm({3, 1, 1}, {.relu = true}, GetParam());
  Workspace workspace(gemm.workspace_bytes(1));
  gemm.run(a.data(), b.data(), nullptr, c.data(), workspace.data(), serial);
  EXPECT_TRUE(std::isnan(c[0]));
  EXPECT_EQ(c[1], 0);
  EXPECT_EQ(c[2], 2);
}

template <typename T>
class GemmOfType : public testing::Test {};
using PlainTypes = testing::Types<double, int32_t, int64_t>;
TYPED_TEST_SUITE(GemmOfType, PlainTypes);

TYPED_TEST(GemmOfType, MultipliesOddShapes) {
  std::mt19937 random(7);
  Threads threads(3);
  for (const GemmShape& shape :
       {GemmShape{1, 1, 1}, GemmShape{5, 7, 3}, GemmShape{17, 33, 65}, GemmShape{1, 40, 9}}) {
    check_transposes<TypeParam>(shape, cpu_level(), threads, random);
    if (this->HasFatalFailure()) return;
  }
}

TEST(Gemm, IntegersWrapAround) {
  Serial serial;
  const std::vector<int32_t> a{2'000'000'000, 2'000'000'000}, b{1, 1};
  std::vector<int32_t> c(1);
  const Gemm<int32_t> gemm({1, 1, 2});
  gemm.run(a.data(), b.data(), nullptr, c.data(), nullptr, serial);
  EXPECT_EQ(c[0], -294'967'296);  // 4'000'000'000 - 2^32
}

}  // namespace
}  // namespace flowray::ops
