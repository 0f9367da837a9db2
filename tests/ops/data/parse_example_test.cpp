// Damaged Examples; tests/interop/data_ops_test.py compares sound ones with TensorFlow.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array strings(const std::vector<std::string>& values) { return Array(values); }

/// A tf.train.Example with one float feature "a" of [1, 2], as TensorFlow writes it.
const std::string kExample(
    "\x0a\x13\x0a\x11\x0a\x01\x61\x12\x0c\x12\x0a\x0a\x08\x00\x00\x80\x3f\x00\x00\x00\x40", 21);

std::vector<Array> parse(const Array& serialized, const Array& fallback, const Shape& shape) {
  return run_op_all("ParseExampleV2",
                    {serialized, strings({}), strings({}), strings({"a"}), strings({}), fallback},
                    {.attrs = {{"Tdense", std::vector<DType>{DType::kFloat32}},
                               {"num_sparse", int64_t{0}},
                               {"sparse_types", std::vector<DType>{}},
                               {"ragged_value_types", std::vector<DType>{}},
                               {"ragged_split_types", std::vector<DType>{}},
                               {"dense_shapes", std::vector<Shape>{shape}}}});
}

TEST(ParseExample, SurvivesEveryDamage) {
  EXPECT_EQ(parse(strings({kExample}), Array(DType::kFloat32, {0}), {2})[0], Array({{1.f, 2.f}}));
  int num_refused = 0;
  for (size_t i = 0; i < kExample.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      for (const bool is_cut : {false, true}) {
        std::string damaged = kExample.substr(0, is_cut ? i : kExample.size());
        if (!is_cut) damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
        try {
          parse(strings({damaged}), Array({3.f, 4.f}), {2});
        } catch (const errors::InvalidArgumentError&) {
          ++num_refused;
        }
      }
    }
  }
  EXPECT_GT(num_refused, 20);
}

graph::Attrs lists(std::vector<Shape> dense_shapes, std::vector<DType> ragged_values) {
  return {{"Tdense", std::vector<DType>{DType::kFloat32}}, {"num_sparse", int64_t{0}},
          {"sparse_types", std::vector<DType>{}},          {"ragged_value_types", std::move(ragged_values)},
          {"ragged_split_types", std::vector<DType>{}},    {"dense_shapes", std::move(dense_shapes)}};
}

TEST(ParseExample, ComparesTheLengthsOfItsLists) {
  const std::vector<TestInput> inputs = {strings({""}),  strings({}), strings({}),
                                         strings({"a"}), strings({}), Array({0.f})};
  expect_build_error("len(dense_keys) != len(dense_shapes)", "ParseExampleV2", inputs, lists({{1}, {2}}, {}));
  expect_build_error("len(ragged_keys) != len(ragged_split_types)", "ParseExampleV2", inputs,
                     lists({{1}}, {DType::kFloat32}));
  expect_build_error("dense_shapes[0] has unknown rank or unknown inner dimensions: [?,?]", "ParseExampleV2",
                     inputs, lists({{-1, -1}}, {}));
  graph::Attrs sparse = lists({{1}}, {});
  sparse.set("num_sparse", int64_t{2});
  expect_build_error("len(sparse_keys) != len(sparse_types)", "ParseExampleV2", inputs, sparse);
}

TEST(ParseExample, RefusesAStepThatDoesNotFitASize) {
  constexpr int64_t kLong = int64_t{1} << 40;
  expect_run_error("Negative dimension size caused by overflow when multiplying", "ParseExampleV2",
                   {strings({kExample}), strings({}), strings({}), strings({"a"}), strings({}), Array({0.f})},
                   lists({{-1, kLong, kLong}}, {}));
}

}  // namespace
}  // namespace flowray::testing
