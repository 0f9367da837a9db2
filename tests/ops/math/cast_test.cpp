#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <limits>

namespace flowray::testing {
namespace {

Array cast(const Array& x, DType to, bool truncate = false) {
  return run_op("Cast", {x}, {{"DstT", to}, {"Truncate", truncate}});
}

TEST(Cast, DropsFractionsTowardsZero) {
  const Array x(std::vector<float>{1.9f, -1.9f, 0.f, 300.f});
  EXPECT_EQ(cast(x, DType::kInt32), Array({1, -1, 0, 300}));
  EXPECT_EQ(cast(x, DType::kInt64), Array(std::vector<int64_t>{1, -1, 0, 300}));
  EXPECT_EQ(cast(x, DType::kBool), Array(std::vector<bool>{true, true, false, true}));
  EXPECT_EQ(cast(x, DType::kFloat64),
            Array(std::vector<double>{1.8999999761581421, -1.8999999761581421, 0, 300}));
}

TEST(Cast, WidensAndWrapsIntegers) {
  const Array x(std::vector<int32_t>{-1, 200, 70000});
  EXPECT_EQ(cast(x, DType::kUint8), Array(std::vector<uint8_t>{255, 200, 112}));
  EXPECT_EQ(cast(x, DType::kInt8), Array(std::vector<int8_t>{-1, -56, 112}));
  EXPECT_EQ(cast(x, DType::kInt64), Array(std::vector<int64_t>{-1, 200, 70000}));
  EXPECT_EQ(cast(x, DType::kFloat32), Array(std::vector<float>{-1, 200, 70000}));
  EXPECT_EQ(cast(Array(std::vector<bool>{true, false}), DType::kFloat32), Array(std::vector<float>{1, 0}));
}

TEST(Cast, RoundsToHalfPrecisionOrTruncates) {
  const Array x(std::vector<float>{1.00999f, 0.1f, 65519.f});
  EXPECT_EQ(cast(x, DType::kBfloat16).astype(DType::kFloat32),
            Array(std::vector<float>{1.0078125f, 0.10009765625f, 65536.f}));
  EXPECT_EQ(cast(x, DType::kBfloat16, /*truncate=*/true).astype(DType::kFloat32),
            Array(std::vector<float>{1.0078125f, 0.099609375f, 65280.f}));
  EXPECT_EQ(cast(Array(std::vector<double>{0.1, 1.0 / 3}), DType::kFloat32, /*truncate=*/true),
            Array(std::vector<float>{0.09999999403953552f, 0.3333333134651184f}));
}

TEST(Cast, HasAnswersOutOfRange) {
  const float inf = std::numeric_limits<float>::infinity();
  const Array x(std::vector<float>{3e9f, -3e9f, inf, std::numeric_limits<float>::quiet_NaN()});
  constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
  EXPECT_EQ(cast(x, DType::kInt32), Array({kLeast, kLeast, kLeast, kLeast}));
  // The lowest bits of an int64.
  EXPECT_EQ(cast(x, DType::kUint32), Array(std::vector<uint32_t>{3000000000u, 1294967296u, 0, 0}));
  EXPECT_EQ(cast(Array(std::vector<float>{300.f, -1.5f, 1e10f}), DType::kUint8),
            Array(std::vector<uint8_t>{44, 255, 0}));
}

TEST(Cast, KeepsToTheLimitsInWholePacketsAndWrapsBehindThem) {
  // TensorFlow's vector instructions take 32 floats at once.
  std::vector<float> many(40, 300.f);
  many[3] = -1.9f;
  many[35] = -1.9f;
  const Array bytes = cast(Array(many), DType::kUint8);
  EXPECT_EQ(bytes.span<uint8_t>()[0], 255);
  EXPECT_EQ(bytes.span<uint8_t>()[3], 0);
  EXPECT_EQ(bytes.span<uint8_t>()[31], 255);
  EXPECT_EQ(bytes.span<uint8_t>()[32], 44);
  EXPECT_EQ(bytes.span<uint8_t>()[35], 255);
}

TEST(Cast, KnowsNoStrings) {
  try {
    cast(Array(std::vector<std::string>{"1"}), DType::kInt32);
    FAIL();
  } catch (const errors::UnimplementedError& error) {
    EXPECT_TRUE(error.message().starts_with("Cast string to int32 is not supported")) << error.message();
  }
}

TEST(Cast, TakesEmptyAndLargeArrays) {
  EXPECT_EQ(cast(Array(DType::kInt32, Shape{0, 2}), DType::kFloat32).shape(), (Shape{0, 2}));
  Array x(DType::kInt32, Shape{100001});
  for (int i = 0; i < 100001; ++i) x.mutable_data<int32_t>()[i] = i;
  const Array y = cast(x, DType::kFloat64);
  for (int i = 0; i < 100001; ++i) ASSERT_EQ(y.data<double>()[i], i);
}

}  // namespace
}  // namespace flowray::testing
