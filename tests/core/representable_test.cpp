#include "core/representable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace flowray {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::optional<int64_t> kNone;

Array doubles(const std::vector<double>& values) { return Array(values); }

TEST(Representable, IntegersAreInTheRangeOfTheirDtype) {
  const Array wide(std::vector<int64_t>{-2147483648, 2147483647, 2147483648});
  EXPECT_EQ(first_not_representable(wide, DType::kInt32), 2);
  EXPECT_EQ(first_not_representable(wide, DType::kInt64), kNone);
  EXPECT_EQ(first_not_representable(wide, DType::kUint32), 0);
  EXPECT_EQ(first_not_representable(wide, DType::kFloat32), kNone);
  EXPECT_EQ(first_not_representable(wide, DType::kBool), kNone);
  EXPECT_EQ(first_not_representable(Array({-128, 127, 128}), DType::kInt8), 2);
  EXPECT_EQ(first_not_representable(Array({0, 255, 256}), DType::kUint8), 2);
  EXPECT_EQ(first_not_representable(Array({-32768, 32767, -32769}), DType::kInt16), 2);
  EXPECT_EQ(first_not_representable(Array({0, 65535, -1}), DType::kUint16), 2);
  const Array unsigned_numbers(std::vector<uint64_t>{0, uint64_t{1} << 63});
  EXPECT_EQ(first_not_representable(unsigned_numbers, DType::kInt64), 1);
  EXPECT_EQ(first_not_representable(unsigned_numbers, DType::kUint64), kNone);
}

TEST(Representable, FloatsAreCutToWholeNumbersFirst) {
  EXPECT_EQ(first_not_representable(doubles({-2147483648.9, 2147483647.9, 3e9}), DType::kInt32), 2);
  EXPECT_EQ(first_not_representable(doubles({-0.9, 255.9, -1.0}), DType::kUint8), 2);
  // 2^63 is the first double beyond int64, 2^64 that beyond uint64.
  EXPECT_EQ(first_not_representable(doubles({-0x1p63, 0x1.fffffffffffffp62, 0x1p63}), DType::kInt64), 2);
  EXPECT_EQ(first_not_representable(doubles({0x1p63, 0x1.fffffffffffffp63, 0x1p64}), DType::kUint64), 2);
  for (const double value : {kInfinity, -kInfinity, std::nan("")}) {
    EXPECT_EQ(first_not_representable(Array(value), DType::kInt64), 0) << value;
    EXPECT_EQ(first_not_representable(Array(value), DType::kFloat32), kNone) << value;
    EXPECT_EQ(first_not_representable(Array(value), DType::kBool), kNone) << value;
  }
  EXPECT_EQ(first_not_representable(Array({1.0, 300.0}).astype(DType::kFloat16), DType::kInt8), 1);
  EXPECT_EQ(first_not_representable(Array({1.0, 300.0}).astype(DType::kBfloat16), DType::kUint8), 1);
  EXPECT_EQ(first_not_representable(Array(1e300), DType::kFloat32), kNone);  // infinity, as NumPy has it
}

TEST(Representable, AnImaginaryPartIsOfNoRealNumber) {
  const Array numbers(std::vector<std::complex<float>>{{3.5F, 0}, {0, 2}});
  EXPECT_EQ(first_not_representable(numbers, DType::kFloat64), 1);
  EXPECT_EQ(first_not_representable(numbers, DType::kInt32), 1);
  EXPECT_EQ(first_not_representable(numbers, DType::kComplex128), kNone);
  EXPECT_EQ(first_not_representable(numbers, DType::kBool), kNone);
  EXPECT_EQ(first_not_representable(Array(std::complex<double>(300, 0)), DType::kInt8), 0);
}

TEST(Representable, BoolsAreNumbersAndAnEmptyArrayHasNone) {
  EXPECT_EQ(first_not_representable(Array(true), DType::kInt8), kNone);
  EXPECT_EQ(first_not_representable(Array(DType::kInt64, Shape{0}), DType::kInt8), kNone);
}

TEST(Representable, ShowsNumbersAsPythonDoes) {
  EXPECT_EQ(python_number(Array({1, -3}), 1), "-3");
  EXPECT_EQ(python_number(Array(uint64_t{1} << 63), 0), "9223372036854775808");
  EXPECT_EQ(python_number(Array(3e9), 0), "3000000000.0");
  EXPECT_EQ(python_number(Array(1e20), 0), "1e+20");
  EXPECT_EQ(python_number(Array(std::nan("")), 0), "nan");
  EXPECT_EQ(python_number(Array(std::complex<double>(1, -2)), 0), "(1-2j)");
  EXPECT_EQ(python_number(Array(true), 0), "True");
  EXPECT_EQ(range_text(DType::kInt8), "-128 to 127");
  EXPECT_EQ(range_text(DType::kUint64), "0 to 18446744073709551615");
}

}  // namespace
}  // namespace flowray
