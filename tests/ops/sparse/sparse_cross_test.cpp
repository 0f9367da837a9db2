// The hashes are TensorFlow 2.21's; the texts are worked out by hand.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }
Array texts(const std::vector<std::string>& words) { return Array(words); }

/// Rows of a; b and c; nothing, with 3; 5; nothing, and with two columns: 7 9, 8 6, 1 2.
std::vector<Array> features(const Array& second, const Array& columns) {
  return {Array::from(std::vector<int64_t>{0, 0, 1, 0, 1, 1}, {3, 2}),
          Array::from(std::vector<int64_t>{0, 0, 1, 0}, {2, 2}),
          texts({"a", "b", "c"}),
          second,
          longs({3, 2}),
          longs({3, 1}),
          columns.reshape({3, 2})};
}

graph::Attrs attrs_of(const std::vector<Array>& inputs, bool hashed, int64_t buckets, DType internal) {
  return {{"N", int64_t{2}},
          {"hashed_output", hashed},
          {"num_buckets", buckets},
          {"hash_key", int64_t{956888297470}},
          {"sparse_types", std::vector<DType>{inputs[2].dtype(), inputs[3].dtype()}},
          {"dense_types", std::vector<DType>{inputs[6].dtype()}},
          {"out_type", hashed ? DType::kInt64 : DType::kString},
          {"internal_type", internal}};
}

std::vector<Array> crossed(const std::vector<Array>& inputs, bool hashed, int64_t buckets, DType internal) {
  return run_op_all("SparseCross", inputs, {.attrs = attrs_of(inputs, hashed, buckets, internal)});
}

std::vector<Array> with_numbers() { return features(longs({3, 5}), longs({7, 9, 8, 6, 1, 2})); }
std::vector<Array> with_texts() { return features(texts({"3", "5"}), texts({"7", "9", "8", "6", "1", "2"})); }

TEST(SparseCross, JoinsAValueOfEachFeatureOfARow) {
  for (const std::vector<Array>& inputs : {with_numbers(), with_texts()}) {
    const auto out = crossed(inputs, false, 0, DType::kInt64);
    EXPECT_EQ(out[0], Array::from(std::vector<int64_t>{0, 0, 0, 1, 1, 0, 1, 1, 1, 2, 1, 3}, {6, 2}));
    EXPECT_EQ(out[1], texts({"a_X_3_X_7", "a_X_3_X_9", "b_X_5_X_8", "b_X_5_X_6", "c_X_5_X_8", "c_X_5_X_6"}));
    EXPECT_EQ(out[2], longs({3, 4}));
  }
}

TEST(SparseCrossV2, PutsTheSeparatorBetweenThem) {
  std::vector<Array> inputs = with_numbers();
  inputs.push_back(Array("_Y_"));
  const graph::Attrs attrs = {{"N", int64_t{2}},
                              {"sparse_types", std::vector<DType>{DType::kString, DType::kInt64}},
                              {"dense_types", std::vector<DType>{DType::kInt64}}};
  const auto out = run_op_all("SparseCrossV2", inputs, {.attrs = attrs});
  EXPECT_EQ(out[0], Array::from(std::vector<int64_t>{0, 0, 0, 1, 1, 0, 1, 1, 1, 2, 1, 3}, {6, 2}));
  EXPECT_EQ(out[1], texts({"a_Y_3_Y_7", "a_Y_3_Y_9", "b_Y_5_Y_8", "b_Y_5_Y_6", "c_Y_5_Y_8", "c_Y_5_Y_6"}));
  EXPECT_EQ(out[2], longs({3, 4}));
  inputs.back() = texts({"a", "b"});
  expect_run_error(
      "Input separator should be a scalar. Received: Tensor<type: string shape: [2] values: a b>",
      "SparseCrossV2", inputs, attrs);
}

TEST(SparseCross, HashesThem) {
  EXPECT_EQ(crossed(with_numbers(), true, 100, DType::kInt64)[1], longs({83, 85, 44, 68, 10, 72}));
  EXPECT_EQ(crossed(with_numbers(), true, 0, DType::kInt64)[1],
            longs({6391431863622988083, 5287020762592423178, 1858377865334855437, 246700200143262061,
                   1191999172505592910, 2191829637443644065}));
  for (const DType internal : {DType::kString, DType::kInt64})
    EXPECT_EQ(crossed(with_texts(), true, 5, internal)[1], longs({0, 1, 0, 3, 1, 3}));
}

std::vector<Array> with_salt(std::vector<Array> inputs, int64_t buckets, bool strong, const Array& salt) {
  inputs.insert(inputs.end(), {Array(buckets), Array(strong), salt});
  return inputs;
}
graph::Attrs types_of(const std::vector<Array>& inputs) {
  return {{"N", int64_t{2}},
          {"sparse_types", std::vector<DType>{inputs[2].dtype(), inputs[3].dtype()}},
          {"dense_types", std::vector<DType>{inputs[6].dtype()}}};
}

TEST(SparseCrossHashed, HashesWithAndWithoutASalt) {
  const auto hashes = [](const std::vector<Array>& inputs, int64_t buckets, bool strong) {
    const auto all = with_salt(inputs, buckets, strong, longs({1, 2}));
    return run_op_all("SparseCrossHashed", all, {.attrs = types_of(inputs)})[1];
  };
  // Two rows: a; b and c, with 3; 5 and 7 9; 8 6.
  const std::vector<Array> inputs = {Array::from(std::vector<int64_t>{0, 0, 1, 0, 1, 1}, {3, 2}),
                                     Array::from(std::vector<int64_t>{0, 0, 1, 0}, {2, 2}),
                                     texts({"a", "b", "c"}),
                                     longs({3, 5}),
                                     longs({2, 2}),
                                     longs({2, 1}),
                                     longs({7, 9, 8, 6}).reshape({2, 2})};
  EXPECT_EQ(hashes(inputs, 100, false), longs({40, 80, 52, 41, 18, 47}));
  EXPECT_EQ(hashes(inputs, 0, false), longs({6445583001801823340, 8011960929991910080, 9182080413354740152,
                                             545451836091904334, 5067906318465243311, 6694255788610647347}));
  EXPECT_EQ(hashes(inputs, -5, false), hashes(inputs, 0, false));
  EXPECT_NE(hashes(inputs, 0, true), hashes(inputs, 0, false));
}

TEST(SparseCrossHashed, HashesOneFeatureByItself) {
  const auto hash = [](const Array& value, bool strong) {
    const graph::Attrs attrs = {{"N", int64_t{1}},
                                {"sparse_types", std::vector<DType>{value.dtype()}},
                                {"dense_types", std::vector<DType>{}}};
    const Array place = Array::from(std::vector<int64_t>{0, 0}, {1, 2});
    return run_op_all("SparseCrossHashed", with_salt({place, value, longs({1, 1})}, 0, strong, longs({1, 2})),
                      {.attrs = attrs})[1];
  };
  EXPECT_EQ(hash(texts({"a"}), false), longs({3694432073954588132}));
  EXPECT_EQ(hash(texts({"a"}), true), longs({5158252350249958646}));
  EXPECT_EQ(hash(longs({5}), false), longs({6963635240778461613}));
  EXPECT_EQ(hash(longs({5}), true), longs({112910862072883125}));
}

TEST(SparseCrossHashed, RefusesSettingsThatAreNone) {
  const std::vector<Array> inputs = with_texts();
  for (const auto& [salt, length] : {std::pair(longs({1}), 1), std::pair(longs({}), 0)}) {
    expect_run_error("Input \"salt\" must have length 2 but has length " + std::to_string(length),
                     "SparseCrossHashed", with_salt(inputs, 5, false, salt), types_of(inputs));
  }
  std::vector<Array> several = with_salt(inputs, 5, false, longs({1, 2}));
  several[7] = longs({5, 7});
  expect_run_error("Input num_buckets should be a scalar but received shape [2]", "SparseCrossHashed",
                   several, types_of(inputs));
}

TEST(SparseCross, TakesNoNumbersAsTexts) {
  std::vector<Array> inputs = with_numbers();
  expect_run_error("Input values should be of internal type 7 but received 9", "SparseCross", inputs,
                   attrs_of(inputs, false, 0, DType::kString));
  inputs[3] = texts({"3", "5"});
  expect_run_error("Dense inputs should be of internal type 7 but received 9", "SparseCross", inputs,
                   attrs_of(inputs, false, 0, DType::kString));
}

TEST(SparseCross, RefusesRowsThatAreNotThere) {
  std::vector<Array> inputs = with_texts();
  inputs[1] = Array::from(std::vector<int64_t>{0, 0, 3, 0}, {2, 2});
  EXPECT_THROW(crossed(inputs, false, 0, DType::kString), errors::InvalidArgumentError);
  inputs[1] = Array::from(std::vector<int64_t>{1, 0, 0, 0}, {2, 2});
  EXPECT_THROW(crossed(inputs, false, 0, DType::kString), errors::InvalidArgumentError);
}

TEST(SparseCross, HasNoFewerThanNoRows) {
  std::vector<Array> inputs = with_texts();
  inputs[4] = longs({INT64_MIN, 2});
  inputs[5] = longs({INT64_MIN, 1});
  inputs.pop_back();
  expect_run_error("Dimension -9223372036854775808 must be >= 0", "SparseCross", inputs,
                   {{"N", int64_t{2}},
                    {"hashed_output", false},
                    {"num_buckets", int64_t{0}},
                    {"hash_key", int64_t{0}},
                    {"sparse_types", std::vector<DType>{DType::kString, DType::kString}},
                    {"dense_types", std::vector<DType>{}},
                    {"out_type", DType::kString},
                    {"internal_type", DType::kString}});
}

TEST(SparseCross, CountsNoRowsWithoutColumns) {
  const std::vector<Array> inputs = {Array(DType::kInt64, {int64_t{1} << 59, 0})};
  EXPECT_THROW(run_op_all("SparseCross", inputs,
                          {.attrs = {{"N", int64_t{0}},
                                     {"hashed_output", true},
                                     {"num_buckets", int64_t{0}},
                                     {"hash_key", int64_t{0}},
                                     {"sparse_types", std::vector<DType>{}},
                                     {"dense_types", std::vector<DType>{DType::kInt64}},
                                     {"out_type", DType::kInt64},
                                     {"internal_type", DType::kInt64}}}),
               errors::ResourceExhaustedError);
}

}  // namespace
}  // namespace flowray::testing
