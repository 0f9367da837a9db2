// Transforms whose results are known without a computer, and those that undo each other.

#include "ops/array_testing.h"

#include <gtest/gtest.h>

#include <complex>

namespace flowray::testing {
namespace {

using Number = std::complex<double>;

Array numbers(const std::vector<Number>& values, const Shape& shape) {
  Array array(DType::kComplex128, shape);
  std::copy(values.begin(), values.end(), array.mutable_data<Number>());
  return array;
}

void expect_numbers(const Array& actual, const std::vector<Number>& expected) {
  ASSERT_EQ(actual.size(), std::ssize(expected));
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_LT(std::abs(actual.data<Number>()[i] - expected[i]), 1e-12) << i;
}

TEST(Fourier, OfAnImpulseIsFlat) {
  expect_numbers(run_op("FFT", {numbers({1, 0, 0, 0}, {4})}), {1, 1, 1, 1});
  expect_numbers(run_op("FFT", {numbers({0, 1, 0, 0}, {4})}), {1, {0, -1}, -1, {0, 1}});
  expect_numbers(run_op("IFFT", {numbers({0, 4, 0, 0}, {4})}), {1, {0, 1}, -1, {0, -1}});
}

TEST(Fourier, OfTwoDimensionsIsAlongBoth) {
  expect_numbers(run_op("FFT2D", {numbers({1, 2, 3, 4}, {2, 2})}), {10, -2, -4, 0});
}

TEST(Fourier, OfRealNumbersIsHalfOfIt) {
  const Array x = Array::from(std::vector<double>{1, 2, 3, 4, 5}, {5});
  const Array spectrum =
      run_op("RFFT", {x, int_vector({5})}, {{"Treal", DType::kFloat64}, {"Tcomplex", DType::kComplex128}});
  ASSERT_EQ(spectrum.size(), 3);
  EXPECT_LT(std::abs(spectrum.data<Number>()[0] - 15.0), 1e-12);
  const Array back = run_op("IRFFT", {spectrum, int_vector({5})},
                            {{"Treal", DType::kFloat64}, {"Tcomplex", DType::kComplex128}});
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(back.data<double>()[i], i + 1, 1e-12);
}

TEST(Fourier, NeedsAsManyNumbersAsItIsToTransform) {
  expect_run_error("Input dimension 0 must have length of at least 4 but got: 3", "RFFT",
                   {Array({1.f, 2.f, 3.f}), int_vector({4})},
                   {{"Treal", DType::kFloat32}, {"Tcomplex", DType::kComplex64}});
}

TEST(Fourier, OfNothing) {
  const Shape shape{0, int64_t{1} << 62, 4};
  EXPECT_EQ(run_op("FFT2D", {Array(DType::kComplex64, shape)}).shape(), shape);
  EXPECT_EQ(run_op("RFFT", {Array(DType::kFloat32, {2, 0}), Array(std::vector<int32_t>{4})}),
            Array(DType::kComplex64, {2, 3}));
  EXPECT_EQ(run_op("IRFFT", {Array(DType::kComplex64, {2, 0}), Array(std::vector<int32_t>{4})}),
            Array(DType::kFloat32, {2, 4}));
}

}  // namespace
}  // namespace flowray::testing
