// Dtypes that an op has no loop of its own for: 16-bit floats and small integers through a wider kernel,
// uint64 and complex numbers.

#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <complex>
#include <limits>

namespace flowray::testing {
namespace {

Array as(DType dtype, const std::vector<double>& values) { return Array(values).astype(dtype); }

TEST(WidenedKernel, ComputesSmallFloatsAsFloatsAndRoundsOnce) {
  // 2049 lies between the halves 2048 and 2050 and goes to the even one; 2051 goes up to 2052.
  EXPECT_EQ(run_op("AddV2", {as(DType::kFloat16, {2048, 2050}), as(DType::kFloat16, {1, 1})}),
            as(DType::kFloat16, {2048, 2052}));
  EXPECT_EQ(run_op("Mul", {as(DType::kBfloat16, {1.5, -3}), as(DType::kBfloat16, {2, 0.5})}),
            as(DType::kBfloat16, {3, -1.5}));
  EXPECT_EQ(run_op("Sqrt", {as(DType::kFloat16, {4, 0.25})}), as(DType::kFloat16, {2, 0.5}));
}

TEST(WidenedKernel, WrapsSmallIntegersAround) {
  EXPECT_EQ(run_op("AddV2", {as(DType::kInt8, {127, -128}), as(DType::kInt8, {1, -1})}),
            as(DType::kInt8, {-128, 127}));
  EXPECT_EQ(run_op("Mul", {as(DType::kUint16, {65535}), as(DType::kUint16, {65535})}),
            as(DType::kUint16, {1}));
  EXPECT_EQ(run_op("Sub", {as(DType::kUint32, {0, 5}), as(DType::kUint32, {1, 3})}),
            as(DType::kUint32, {4294967295.0, 2}));
  EXPECT_EQ(run_op("FloorDiv", {as(DType::kInt16, {-7, 7}), as(DType::kInt16, {2, -2})}),
            as(DType::kInt16, {-4, -4}));
}

TEST(WidenedKernel, LeavesOutputsOfOtherDtypesAsTheyAre) {
  EXPECT_EQ(run_op("Less", {as(DType::kUint8, {1, 200}), as(DType::kUint8, {2, 100})}),
            Array(std::vector<bool>{true, false}));
  EXPECT_EQ(run_op("ArgMax", {as(DType::kFloat16, {1, 5, 2}), Array(0)}), Array(int64_t{1}));
}

TEST(WidenedKernel, SumsAndOrdersWhatIsEmptyInTheDtypeItself) {
  EXPECT_EQ(run_op("Max", {Array(DType::kInt8, Shape{2, 0}), Array(std::vector<int32_t>{1})}),
            as(DType::kInt8, {-128, -128}));
  EXPECT_EQ(run_op("Min", {Array(DType::kUint16, Shape{1, 0}), Array(std::vector<int32_t>{1})}),
            as(DType::kUint16, {65535}));
}

TEST(WidenedKernel, SaysTheDtypeThatWasAskedFor) {
  try {
    run_op("Pow", {as(DType::kUint8, {1}), as(DType::kUint8, {2})});
    FAIL() << "TensorFlow's Pow takes no uint8";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("uint8"), std::string::npos) << error.message();
  }
}

TEST(RareMathLoops, DivideAndOrderUnsignedIntegersAboveTheSignedOnes) {
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  const Array large(std::vector<uint64_t>{most, most - 1});
  const Array small(std::vector<uint64_t>{2, most});
  EXPECT_EQ(run_op("FloorDiv", {large, small}), Array(std::vector<uint64_t>{most / 2, 0}));
  EXPECT_EQ(run_op("Maximum", {large, small}), Array(std::vector<uint64_t>{most, most}));
  EXPECT_EQ(run_op("Greater", {large, small}), Array(std::vector<bool>{true, false}));
  EXPECT_EQ(run_op("AddV2", {large, small}), Array(std::vector<uint64_t>{1, most - 2}));
}

TEST(RareMathLoops, ComputeWithComplexNumbers) {
  using C = std::complex<float>;
  const Array x(std::vector<C>{{1, 2}, {0, -1}});
  const Array y(std::vector<C>{{3, -1}, {0, 2}});
  EXPECT_EQ(run_op("Mul", {x, y}), Array(std::vector<C>{{5, 5}, {2, 0}}));
  EXPECT_EQ(run_op("SquaredDifference", {x, y}), Array(std::vector<C>{{13, 0}, {9, 0}}));
  EXPECT_EQ(run_op("Neg", {x}), Array(std::vector<C>{{-1, -2}, {0, 1}}));
  EXPECT_EQ(run_op("Equal", {x, x}), Array(std::vector<bool>{true, true}));
}

TEST(RareMathLoops, KeepTheDigitsOfComplexNumbersNextToZero) {
  using C = std::complex<double>;
  const C z(1e-12, 2e-12);
  const Array x(std::vector<C>{z});
  for (const char* op : {"Expm1", "Log1p"}) {
    const C got = run_op(op, {x}).data<C>()[0];
    EXPECT_LT(std::abs(got - z), 1e-23) << op;  // z + z^2/2 or z - z^2/2
  }
}

}  // namespace
}  // namespace flowray::testing
