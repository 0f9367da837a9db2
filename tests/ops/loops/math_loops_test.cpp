#include "ops/loops/math_loops.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <vector>

namespace flowray::ops {
namespace {

const float kInf = std::numeric_limits<float>::infinity();

std::vector<CpuLevel> levels() {
  std::vector<CpuLevel> levels;
  for (const CpuLevel level : {CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512}) {
    if (level <= highest_cpu_level()) levels.push_back(level);
  }
  return levels;
}

/// How many floats lie between the two.
int64_t distance(float a, float b) {
  const auto place = [](float x) -> int64_t {
    const int32_t bits = std::bit_cast<int32_t>(x);
    return bits < 0 ? -int64_t{bits & 0x7fffffff} : bits;
  };
  return std::abs(place(a) - place(b));
}

/// Floats of every magnitude and both signs, subnormal ones, zeros, infinities and NaN included.
std::vector<float> floats_of_all_kinds() {
  std::vector<float> values = {
      0.f,        -0.f,      kInf,    -kInf,  std::numeric_limits<float>::quiet_NaN(),
      1.f,        -1.f,      1e-45f,  88.7f,  89.f,
      -87.4f,     -103.9f,   -104.5f, 0.625f, 0.7071068f,
      0.7071067f, 1.4142135f};
  for (uint32_t bits = 1; bits < 0x7f800000u; bits += 1000003) {
    values.push_back(std::bit_cast<float>(bits));
    values.push_back(-std::bit_cast<float>(bits));
  }
  return values;
}

void expect_within_two_units(UnaryFunction function, const std::function<double(double)>& exact) {
  const std::vector<float> x = floats_of_all_kinds();
  for (const CpuLevel level : levels()) {
    std::vector<float> y(x.size());
    math_loops(level).find(function, DType::kFloat32)(x.data(), y.data(), static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      const float want = static_cast<float>(exact(x[i]));
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(y[i])) << name_of(level) << " of " << x[i];
      } else {
        EXPECT_LE(distance(y[i], want), 2)
            << name_of(level) << " of " << x[i] << ": " << y[i] << ", not " << want;
      }
    }
  }
}

TEST(MathLoops, ExponentialIsExactToTwoUnits) {
  expect_within_two_units(UnaryFunction::kExp, [](double x) { return std::exp(x); });
}
TEST(MathLoops, LogarithmIsExactToTwoUnits) {
  expect_within_two_units(UnaryFunction::kLog, [](double x) { return std::log(x); });
}
TEST(MathLoops, TanhIsExactToTwoUnits) {
  expect_within_two_units(UnaryFunction::kTanh, [](double x) { return std::tanh(x); });
}
TEST(MathLoops, SigmoidIsExactToTwoUnits) {
  expect_within_two_units(UnaryFunction::kSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
}

/// Whatever the length, no element is left out and none behind the end is touched.
TEST(MathLoops, EveryLengthIsDoneToItsEnd) {
  for (const CpuLevel level : levels()) {
    for (const UnaryFunction function : {UnaryFunction::kExp, UnaryFunction::kNeg}) {
      const UnaryLoop loop = math_loops(level).find(function, DType::kFloat32);
      for (int64_t count = 0; count < 70; ++count) {
        std::vector<float> x(70, 0.f);
        std::vector<float> y(70, 7.f);
        x.assign(70, -1.f);
        loop(x.data(), y.data(), count);
        const float want = function == UnaryFunction::kExp ? 0.36787945f : 1.f;
        for (int64_t i = 0; i < 70; ++i) {
          EXPECT_NEAR(y[static_cast<size_t>(i)], i < count ? want : 7.f, 1e-6)
              << name_of(level) << " " << count;
        }
      }
    }
  }
}

TEST(MathLoops, OutputMayBeAnInput) {
  for (const CpuLevel level : levels()) {
    std::vector<float> x(1003);
    std::vector<float> y(1003);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<float>(i);
      y[i] = static_cast<float>(2 * i + 1);
    }
    const BinaryLoops subtract = math_loops(level).find(BinaryFunction::kSub, DType::kFloat32);
    std::vector<float> left = x;
    subtract.both(left.data(), y.data(), left.data(), 1003);
    std::vector<float> right = y;
    subtract.both(x.data(), right.data(), right.data(), 1003);
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(left[i], -static_cast<float>(i) - 1);
      EXPECT_EQ(right[i], -static_cast<float>(i) - 1);
    }
  }
}

/// The three forms of a loop give the same, at every level, for every function and element type.
TEST(MathLoops, ALoneOperandStandsForMany) {
  constexpr int64_t kCount = 37;
  for (const CpuLevel level : levels()) {
    for (int f = 0; f < kBinaryFunctions; ++f) {
      const BinaryLoops loops = math_loops(level).find(static_cast<BinaryFunction>(f), DType::kFloat32);
      if (loops.both == nullptr) continue;
      std::vector<float> x(kCount);
      for (int64_t i = 0; i < kCount; ++i) x[static_cast<size_t>(i)] = 0.25f * static_cast<float>(i) - 3.f;
      const float one = 1.75f;
      const std::vector<float> ones(kCount, one);
      std::vector<float> many(kCount, 0.f);
      std::vector<float> alone(kCount, 0.f);
      const auto same = [&] {
        for (size_t i = 0; i < many.size(); ++i) {
          if (std::bit_cast<int32_t>(many[i]) != std::bit_cast<int32_t>(alone[i]) &&
              !(std::isnan(many[i]) && std::isnan(alone[i]))) {
            return false;
          }
        }
        return true;
      };
      loops.both(x.data(), ones.data(), many.data(), kCount);
      loops.one_right(x.data(), &one, alone.data(), kCount);
      EXPECT_TRUE(same()) << name_of(level) << " function " << f << ", one on the right";
      loops.both(ones.data(), x.data(), many.data(), kCount);
      loops.one_left(&one, x.data(), alone.data(), kCount);
      EXPECT_TRUE(same()) << name_of(level) << " function " << f << ", one on the left";
    }
  }
}

}  // namespace
}  // namespace flowray::ops
