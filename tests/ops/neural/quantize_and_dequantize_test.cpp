// Numbers and errors are those of TensorFlow 2.21.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

const Array kNumbers = Array({-1.7f, -0.6f, -0.1f, 0.f, 0.24f, 0.5f, 0.9f, 2.3f});

Array quantized(const graph::Attrs& attrs, float least = -1, float most = 1) {
  return run_op("QuantizeAndDequantizeV2", {kNumbers, Array(least), Array(most)}, attrs);
}
void expect_close(const Array& found, const std::vector<float>& expected) {
  ASSERT_EQ(found.shape(), (Shape{std::ssize(expected)}));
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found.data<float>()[i], expected[i], 1e-6f) << i;
}

TEST(QuantizeAndDequantizeV2, RoundsToTheStepsOfARange) {
  expect_close(quantized({{"range_given", true}}),
               {-1.007874f, -0.5984252f, -0.1023622f, 0, 0.23622048f, 0.503937f, 0.8976378f, 1});
  expect_close(quantized({{"range_given", true}, {"num_bits", int64_t{4}}}),
               {-1.1428572f, -0.5714286f, -0.14285715f, 0, 0.2857143f, 0.5714286f, 0.8571429f, 1});
  expect_close(quantized({{"range_given", true}, {"signed_input", false}}),
               {0, 0, 0, 0, 0.2392157f, 0.5019608f, 0.90196085f, 1});
  expect_close(quantized({{"range_given", true}, {"narrow_range", true}, {"num_bits", int64_t{3}}}),
               {-1, -0.6666667f, 0, 0, 0.33333334f, 0.6666667f, 1, 1});
  expect_close(quantized({{"range_given", true}, {"num_bits", int64_t{3}}}, -1, 0.3f),
               {-1, -0.5f, 0, 0, 0.25f, 0.5f, 0.75f, 0.75f});
}

TEST(QuantizeAndDequantizeV2, FindsTheRangeItself) {
  expect_close(quantized({}),
               {-1.7023622f, -0.5976378f, -0.10866141f, 0, 0.23543307f, 0.50708663f, 0.9055118f, 2.3f});
  const Array table = Array({{-1.f, 0.3f, 2.f}, {0.5f, -0.7f, 0.1f}});
  const Array by_column = run_op("QuantizeAndDequantizeV2", {table, zeros({3}), zeros({3})},
                                 {{"axis", int64_t{1}}, {"num_bits", int64_t{4}}});
  expect_close(by_column.reshape({6}), {-1, 0.2625f, 2, 0.5f, -0.7f, 0});
}

TEST(QuantizeAndDequantizeV3, TakesRangesOfChannels) {
  const Array table = Array({{-1.f, 0.3f, 2.f}, {0.5f, -0.7f, 0.1f}});
  const Array by_column = run_op(
      "QuantizeAndDequantizeV3",
      {table, Array({-1.f, -1.f, -1.f}), Array({1.f, 1.f, 1.f}), Array(int32_t{8})}, {{"axis", int64_t{1}}});
  expect_close(by_column.reshape({6}), {-1.f, 0.2992126f, 1, 0.503937f, -0.7007874f, 0.1023622f});
}

TEST(QuantizeAndDequantizeV4Grad, LetsThroughWhatIsInTheRange) {
  const auto out = run_op_all("QuantizeAndDequantizeV4Grad", {kNumbers, kNumbers, Array(-1.f), Array(1.f)});
  expect_close(out[0], {0, -0.6f, -0.1f, 0, 0.24f, 0.5f, 0.9f, 0});
  EXPECT_EQ(out[1], Array(0.f));
  EXPECT_EQ(out[2], Array(0.f));
}

/// 2^40 slices of no element.
TEST(QuantizeAndDequantize, TakeNoTimeForEmptyTensors) {
  const Array along = zeros({int64_t{1} << 40, 1, 0});
  const Array zero({0.f});
  EXPECT_EQ(run_op("QuantizeAndDequantizeV2", {along, zero, zero}, {{"axis", int64_t{1}}}).size(), 0);
  const auto grads = run_op_all("QuantizeAndDequantizeV4Grad", {along, along, zero, zero},
                                {.attrs = {{"axis", int64_t{1}}}});
  EXPECT_EQ(grads[1], zero);
}

TEST(QuantizeAndDequantize, TakesTheRangesAlongAnAxisAsTheyAre) {
  EXPECT_EQ(run_op("QuantizeAndDequantizeV3",
                   {Array({{1.f, 2.f}}), Array({1.f, 0.f}), Array({0.f, 1.f}), Array(int32_t{8})},
                   {{"axis", int64_t{1}}, {"range_given", true}}),
            Array({{0.f, 1.f}}));
}

TEST(QuantizeAndDequantize, RefusesRangesAndBitsThatAreNone) {
  const auto refuses = [](const Array& least, const Array& most, const graph::Attrs& attrs,
                          const std::string& reason) {
    expect_run_error(reason, "QuantizeAndDequantizeV2", {kNumbers, least, most}, attrs);
  };
  const Array one = Array(1.f);
  refuses(Array(2.f), one, {{"range_given", true}}, "Invalid range: input_min 2 > input_max 1");
  refuses(Array(NAN), one, {{"range_given", true}}, "Invalid range: input_min nan > input_max 1");
  refuses(Array({-1.f}), one, {{"range_given", true}}, "input_min must be a scalar.");
  refuses(Array(-1.f), Array({1.f, 2.f}), {{"range_given", true}}, "input_max must be a scalar.");
  for (const int64_t bits : {int64_t{0}, int64_t{-1}, int64_t{62}, int64_t{64}, INT64_MAX, INT64_MIN}) {
    refuses(Array(-1.f), one, {{"num_bits", bits}},
            "num_bits is out of range: " + std::to_string(bits) + " with signed_input_ 1");
  }
  refuses(Array(-1.f), one, {{"axis", int64_t{5}}}, "Shape must be at least rank 6 but is rank 1");
  refuses(Array({-1.f}), Array({1.f}), {{"axis", INT64_MAX}}, "Dimension size overflow");
  expect_build_error("axis should be at least -1, got -2", "QuantizeAndDequantizeV2", {kNumbers, one, one},
                     {{"axis", int64_t{-2}}});
  const auto of_v3 = [&](const Array& least, const Array& bits, int64_t axis, const std::string& reason) {
    expect_run_error(reason, "QuantizeAndDequantizeV3", {kNumbers, least, least, bits}, {{"axis", axis}});
  };
  of_v3(Array({-1.f, 1.f}), Array(int32_t{8}), 0,
        "input_min_tensor has incorrect size, was 2 expected 8 to match dim 0 of the input [2]");
  of_v3(one, Array(int32_t{0}), -1, "num_bits is out of range: 0 with `signed_input_` 1");
  of_v3(one, Array(int32_t{8}), 5,
        "Axis requested is larger than input dimensions. Axis: 5 Input Dimensions: 1");
  expect_run_error("gradient and input must be the same size", "QuantizeAndDequantizeV4Grad",
                   {zeros({3}), kNumbers, one, one});
}

}  // namespace
}  // namespace flowray::testing
