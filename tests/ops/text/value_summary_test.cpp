// What is expected is what TensorFlow 2.21 gave for the same inputs.

#include "ops/text/value_summary.h"

#include <limits>

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Array strings(const std::vector<std::string>& values) { return Array(values); }
Array numbers(const std::vector<float>& values) { return Array(values); }

TEST(ValueSummary, ShowsTheFirstElements) {
  EXPECT_EQ(ops::value_summary(numbers({1, 2.5f, 1e-7f, 3}), 3), "1 2.5 1e-07...");
  EXPECT_EQ(ops::value_summary(counting<int32_t>({2, 2}, 1), 3), "[1 2][3...]...");
  EXPECT_EQ(ops::value_summary(counting<int64_t>({3, 2, 2}), 5), "[[0 1][2 3]][[4...]]...");
  EXPECT_EQ(ops::value_summary(Array(std::vector<bool>{true, false}), 3), "1 0");
  EXPECT_EQ(ops::value_summary(strings({"q\"\n"}), 3), "q\\\"\\n");
  EXPECT_EQ(ops::value_summary(Array(3.f), 3), "3");
  EXPECT_EQ(ops::value_summary(Array(DType::kFloat32, {0}), 3), "");
}

TEST(ValueSummary, ShowsNumbersAsTheyReadBack) {
  EXPECT_EQ(
      ops::value_summary(
          numbers({1.f / 3, 1e10f, 1e20f, 123456789.f, kNan, kInfinity, -kInfinity, 0.1f, 1e5f, 1e6f}), -1),
      "0.333333343 1e+10 1e+20 123456792 nan inf -inf 0.1 100000 1e+06");
  EXPECT_EQ(ops::value_summary(Array(std::vector<double>{1. / 3, 1e17, 1e-300}), -1),
            "0.33333333333333331 1e+17 1e-300");
  EXPECT_EQ(ops::value_summary(Array(std::vector<float16>{float16(1.5f), float16(1.f / 3)}), -1),
            "1.5 0.333251953");
  EXPECT_EQ(ops::value_summary(Array(std::complex<float>(1, 2)), -1), "?");
  EXPECT_EQ(ops::value_summary(Array(int8_t{-5}), -1), "-5");
  EXPECT_EQ(ops::value_summary(Array(uint8_t{200}), -1), "200");
}

}  // namespace
}  // namespace flowray::testing
