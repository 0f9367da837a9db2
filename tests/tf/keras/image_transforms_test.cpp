// Images turned, moved, sheared and zoomed: the numbers are those of tf_keras 2.21.
#include <flowray/tf/keras/image_preprocessing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace flowray::tf::keras::preprocessing::image {
namespace {

using ::testing::FloatNear;
using ::testing::Pointwise;

/// 0 to 11 in three rows.
Array counted(DType dtype = DType::kFloat32) {
  Array made(DType::kFloat32, {3, 4, 1});
  for (int64_t i = 0; i < 12; ++i) made.mutable_data<float>()[i] = static_cast<float>(i);
  return made.astype(dtype);
}

void expect_values(const Array& image, std::vector<float> expected) {
  const Array values = image.astype(DType::kFloat32);
  EXPECT_THAT(std::vector<float>(values.data<float>(), values.data<float>() + values.size()),
              Pointwise(FloatNear(1e-3f), std::move(expected)));
}

const AffineOptions kBare = {.fill_mode = "constant", .cval = -1};

TEST(ImageTransforms, MoveAsTfKeras) {
  expect_values(apply_affine_transform(counted(), {.tx = 1}, kBare),
                {1, 2, 3, -1, 5, 6, 7, -1, 9, 10, 11, -1});
  expect_values(apply_affine_transform(counted(), {.ty = 1}, kBare),
                {4, 5, 6, 7, 8, 9, 10, 11, -1, -1, -1, -1});
}

TEST(ImageTransforms, TurnZoomAndShearAsTfKeras) {
  expect_values(apply_affine_transform(counted(), {.theta = 30}, kBare),
                {-1, 2.554f, 5.420f, -1, 2.652f, 5.518f, 8.384f, -1, -1, 8.482f, -1, -1});
  expect_values(apply_affine_transform(counted(), {.zx = 2}, kBare),
                {-1, 1, 3, -1, -1, 5, 7, -1, -1, 9, 11, -1});
  expect_values(apply_affine_transform(counted(), {.shear = 20}, kBare),
                {0.875f, 1.875f, 2.875f, -1, 4.292f, 5.292f, 6.292f, -1, -1, 8.708f, 9.708f, 10.708f});
}

TEST(ImageTransforms, LeaveImagesAlone) {
  const Array image = counted();
  EXPECT_EQ(apply_affine_transform(image, {}).raw_data(), image.raw_data());
  EXPECT_EQ(apply_affine_transform(Array(DType::kFloat32, {0, 4, 1}), {.theta = 3}).size(), 0);
  EXPECT_EQ(apply_affine_transform(counted(DType::kUint8), {.tx = 1}).dtype(), DType::kUint8);
}

TEST(ImageTransforms, WrapAsScipyDoes) {
  const Array column = counted().rows(0, 3).reshape({12, 1, 1}).rows(0, 4);  // 0, 1, 2, 3, in rows
  const AffineOptions wrapped = {.fill_mode = "wrap"};
  expect_values(apply_affine_transform(column, {.ty = -3}, wrapped), {3, 1, 2, 0});
  expect_values(apply_affine_transform(column, {.ty = -6}, wrapped), {3, 1, 2, 3});
}

TEST(ImageTransforms, RoundIntegers) {
  Array pattern(DType::kUint8, {3, 4, 1});
  for (int64_t i = 0; i < 12; ++i) pattern.mutable_data<uint8_t>()[i] = static_cast<uint8_t>(i * 37 % 256);
  expect_values(apply_affine_transform(pattern, {.theta = 20}),
                {21, 69, 105, 27, 110, 188, 168, 109, 80, 74, 105, 140});
  const Array bytes = Array::from<uint8_t>({0, 100, 200}, {1, 3, 1});
  const auto moved_by = [](double columns) { return AffineTransform{.tx = columns}; };
  expect_values(apply_affine_transform(bytes, moved_by(0.257)), {26, 126, 200});  // 25.7, 125.7
  expect_values(apply_affine_transform(bytes, moved_by(2), {.fill_mode = "constant", .cval = 300}),
                {200, 255, 255});
  expect_values(apply_affine_transform(bytes, moved_by(2), {.fill_mode = "constant", .cval = -7}),
                {200, 0, 0});
}

TEST(ImageTransforms, GetBrighterWithinTheirLimits) {
  expect_values(apply_channel_shift(counted(), 3.5),
                {3.5f, 4.5f, 5.5f, 6.5f, 7.5f, 8.5f, 9.5f, 10.5f, 11, 11, 11, 11});
  // 0, 1 ... 11 are 0, 23 ... 255 of 255 in whole steps, twice that at most 255.
  expect_values(apply_brightness_shift(counted(), 2),
                {0, 46, 92, 138, 184, 230, 255, 255, 255, 255, 255, 255});
  expect_values(apply_brightness_shift(counted(), 2, false), {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22});
}

TEST(ImageTransforms, StayAsOpaque) {
  const Array image = Array::full(DType::kFloat32, {1, 2, 4}, 100.0);
  expect_values(apply_brightness_shift(image, 0.5, false), {50, 50, 50, 100, 50, 50, 50, 100});
}

TEST(ImageTransforms, RefuseWhatIsNoImage) {
  const double large = std::numeric_limits<double>::max();
  EXPECT_THROW(apply_affine_transform(counted(), {.zx = large, .zy = large}), ValueError);
  EXPECT_THROW(apply_affine_transform(counted(), {.tx = large}, {.fill_mode = "reflect"}), ValueError);
  EXPECT_THROW(apply_brightness_shift(Array(DType::kFloat32, {2, 2, 2}), 1), ValueError);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(apply_channel_shift(Array({{{7.f}, {nan}, {nan}, {3.f}}}), 1).size(), 4);
  EXPECT_THROW(apply_affine_transform(Array({1.f}), {.theta = 1}), ValueError);
  EXPECT_THROW(apply_affine_transform(counted(), {.theta = 1}, {.fill_mode = "none"}), ValueError);
  EXPECT_THROW(apply_affine_transform(counted(), {.theta = std::numeric_limits<double>::infinity()}),
               ValueError);
  EXPECT_THROW(apply_channel_shift(Array({1.f}), 1), ValueError);
  EXPECT_THROW(apply_brightness_shift(Array(), 1), ValueError);
}

}  // namespace
}  // namespace flowray::tf::keras::preprocessing::image
