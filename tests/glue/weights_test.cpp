// The mean of weights and gradients. Expectations are NumPy's (tests/golden/glue.json) or worked out by hand.

#include <flowray/weights.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "support/json.h"

namespace flowray {
namespace {

using ::testing::HasSubstr;
using testing::Json;
using ::testing::StartsWith;

const Json& golden() {
  static const Json kGolden = testing::read_golden("glue");
  return kGolden;
}

std::string hexadecimal(const Array& array) {
  const auto* bytes = static_cast<const unsigned char*>(array.raw_data());
  std::string text;
  for (size_t i = 0; i < array.size_bytes(); ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[bytes[i] / 16];
    text += kDigits[bytes[i] % 16];
  }
  return text;
}

/// A recorded row in the dtype of its means: what NumPy's astype makes of int64 or float64.
Array array_of(const Json& row, DType dtype) {
  std::vector<double> values;
  for (const Json& item : row.items) values.push_back(item.number());
  const Array wide(values);
  return is_integer(dtype) ? wide.astype(DType::kInt64).astype(dtype) : wide.astype(dtype);
}

template <class Error, class F>
std::string message_of(F&& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.message();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Mean, IsNumPysInEveryDtypeBitByBit) {
  ASSERT_GT(golden().at("means").items.size(), 10u);
  for (const Json& fact : golden().at("means").items) {
    const DType dtype = dtype_from_name(fact.at("dtype").text);
    std::vector<Array> arrays;
    for (const Json& row : fact.at("rows").items) arrays.push_back(array_of(row, dtype));
    const Array result = mean(arrays);
    EXPECT_EQ(dtype_name(result.dtype()), fact.at("mean_dtype").text) << dtype_name(dtype);
    EXPECT_EQ(hexadecimal(result), fact.at("mean_bytes").text) << dtype_name(dtype);
  }
}

TEST(Mean, OfWeightsHasTheKeysOfTheFirst) {
  const std::vector<Weights> list = {{{"w", Array({1.f, 2.f})}, {"b", Array(1.f)}},
                                     {{"w", Array({3.f, 6.f})}, {"b", Array(-1.f)}, {"more", Array(5.f)}}};
  EXPECT_EQ(mean(list), (Weights{{"w", Array({2.f, 4.f})}, {"b", Array(0.f)}}));
}

TEST(Mean, OfSharedPointersAsRayGetReturnsThem) {
  const auto one = std::make_shared<Weights>(Weights{{"w", Array(1.f)}});
  const auto two = std::make_shared<Weights>(Weights{{"w", Array(4.f)}});
  EXPECT_EQ(mean(std::vector{one, two}), (Weights{{"w", Array(2.5f)}}));
  EXPECT_EQ(mean(std::vector<std::shared_ptr<const Weights>>{one, two}), (Weights{{"w", Array(2.5f)}}));
}

TEST(Mean, OfGradientsGoesByPosition) {
  const std::vector<std::vector<Array>> gradients = {{Array({1.f, 2.f}), Array(8.f)},
                                                     {Array({5.f, 2.f}), Array(0.f)}};
  EXPECT_EQ(mean(gradients), (std::vector<Array>{Array({3.f, 2.f}), Array(4.f)}));
}

TEST(Mean, OfArraysLongerThanABlockAndOfNone) {
  std::vector<double> rising(10'000);
  for (size_t i = 0; i < rising.size(); ++i) rising[i] = static_cast<double>(i);
  const Array flat(rising);
  const Array result = mean(std::vector<Array>{flat, Array(DType::kFloat64, {10'000}), flat, flat});
  for (int64_t i = 0; i < result.size(); ++i)
    ASSERT_EQ(result.data<double>()[i], 0.75 * static_cast<double>(i));
  EXPECT_EQ(mean(std::vector<Array>(3, Array(DType::kFloat32, {2, 0}))), Array(DType::kFloat32, {2, 0}));
}

TEST(Mean, LeavesItsItemsAlone) {
  const std::vector<Array> arrays = {Array({1.f, 2.f})};
  const Array copy = arrays[0];
  const Array result = mean(arrays);
  EXPECT_NE(result.raw_data(), copy.raw_data());
  EXPECT_EQ(copy, Array({1.f, 2.f}));
}

TEST(Mean, SaysWhatDoesNotFit) {
  using Lists = std::vector<std::vector<Array>>;
  const Weights w = {{"w", Array({1.f, 2.f})}};
  EXPECT_THAT(message_of<KeyError>([&] { mean(std::vector<Weights>{w, {{"v", Array(1.f)}}}); }),
              AllOf(StartsWith("'w'"), HasSubstr("number 1")));
  EXPECT_EQ(message_of<ValueError>([&] { mean(std::vector<Weights>{w, {{"w", Array({1.f})}}}); }),
            "'w' of weights number 1 has shape (1,), but that of number 0 has (2,): a mean needs one shape");
  EXPECT_THAT(message_of<TypeError>([&] { mean(std::vector<Weights>{w, {{"w", Array({1, 2})}}}); }),
              HasSubstr("int32"));
  EXPECT_THAT(message_of<TypeError>([] { mean(std::vector<Array>{Array("text")}); }), HasSubstr("string"));
  EXPECT_THAT(message_of<TypeError>([] { mean(std::vector<Array>{Array()}); }), HasSubstr("no mean"));
  EXPECT_THAT(message_of<IndexError>([] { mean(std::vector<Weights>{}); }),
              StartsWith("list index out of range"));
  EXPECT_THAT(message_of<IndexError>([] { mean(Lists{{Array(1.f), Array(2.f)}, {Array(1.f)}}); }),
              StartsWith("list index out of range"));
  EXPECT_THROW(mean(std::vector<std::shared_ptr<Weights>>{nullptr}), ValueError);
}

TEST(Weights, PrintAsADictionary) {
  std::ostringstream out;
  out << Weights{{"Variable_1", Array({0.3f})}, {"Variable", Array({0.1f})}} << Weights{};
  EXPECT_EQ(out.str(), "{Variable: [0.1], Variable_1: [0.3]}{}");
}

}  // namespace
}  // namespace flowray
