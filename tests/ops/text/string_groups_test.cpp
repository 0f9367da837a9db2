// Strings and errors are those of TensorFlow 2.21.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array words(const std::vector<std::string>& texts) { return Array(texts); }
Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }

TEST(UnsortedSegmentJoin, JoinsTheStringsOfASegment) {
  const auto joined = [](const Array& strings, const Array& ids, int64_t count) {
    return run_op("UnsortedSegmentJoin", {strings, ids, Array(count)}, {{"separator", std::string("-")}});
  };
  EXPECT_EQ(joined(words({"a", "b", "c"}), longs({0, 2, 0}), 3), words({"a-c", "", "b"}));
  EXPECT_EQ(joined(words({"", "b", "", "d"}), longs({0, 0, 0, 0}), 1), words({"b--d"}));
  const Array table = words({"a", "b", "c", "d"}).reshape({2, 2});
  EXPECT_EQ(joined(table, longs({1, 1}), 2), words({"", "", "a-c", "b-d"}).reshape({2, 2}));
  EXPECT_EQ(joined(table, longs({0, 1, 1, 0}).reshape({2, 2}), 2), words({"a-d", "b-c"}));
  const Array none(DType::kString, {0, 0});
  EXPECT_THROW(joined(none, Array(DType::kInt64, {0}), int64_t{1} << 62), errors::OpError);
  EXPECT_THROW(joined(words({"a"}), longs({0}), int64_t{1} << 40), errors::OpError);
}

TEST(UnsortedSegmentJoin, RefusesWhatDoesNotFit) {
  const auto refuses = [](const Array& ids, const Array& count, const std::string& reason) {
    expect_run_error(reason, "UnsortedSegmentJoin", {words({"a", "b", "c"}), ids, count});
  };
  const std::string outside =
      "segment_ids are not allowed to exceed num_segments or to have negative values.";
  refuses(longs({0, 3, 0}), Array(int64_t{3}), outside);
  refuses(longs({0, -1, 0}), Array(int64_t{3}), outside);
  refuses(longs({0, 2, 0}), Array(int64_t{-1}), "Number of segments must be non-negative but got -1");
  refuses(longs({0, 2, 0}), longs({3}), "Number of segments must be a scalar");
  refuses(Array(int64_t{0}), Array(int64_t{3}), "Segment_id cannot have rank 0");
  refuses(longs({0, 2}), Array(int64_t{3}), "Segment dimension is 2 while input dimension is 1 in rank 0");
  EXPECT_THROW(run_op_all("UnsortedSegmentJoin",
                          {words({"a", "b", "c"}), longs({0, 2, 0}).reshape({1, 3}), Array(int64_t{3})},
                          {.unknown_shapes = true}),
               errors::OutOfRangeError);
  expect_build_error("Dimensions must be equal, but are 3 and 2", "UnsortedSegmentJoin",
                     {words({"a", "b", "c"}), longs({0, 2}), Array(int64_t{3})});
}

struct Pads {
  std::string left;
  std::string right;
  int64_t width = 0;
  bool keeps_short = false;
};
graph::Attrs ngram_attrs(const std::vector<int64_t>& widths, const Pads& pads = {}) {
  return {{"separator", std::string("|")}, {"ngram_widths", widths},
          {"left_pad", pads.left},         {"right_pad", pads.right},
          {"pad_width", pads.width},       {"preserve_short_sequences", pads.keeps_short}};
}
const std::vector<Array> kRows = {words({"a", "b", "c", "d", "e"}), longs({0, 3, 3, 5})};
using Arrays = std::vector<Array>;

TEST(StringNGrams, AreTheNeighboursOfEachRow) {
  const auto of = [](const graph::Attrs& attrs) {
    return run_op_all("StringNGrams", kRows, {.attrs = attrs});
  };
  EXPECT_EQ(of(ngram_attrs({2})), (Arrays{words({"a|b", "b|c", "d|e"}), longs({0, 2, 2, 3})}));
  EXPECT_EQ(of(ngram_attrs({2, 3})), (Arrays{words({"a|b", "b|c", "a|b|c", "d|e"}), longs({0, 3, 3, 4})}));
  EXPECT_EQ(of(ngram_attrs({3}, {"L", "R", 1})),
            (Arrays{words({"L|a|b", "a|b|c", "b|c|R", "L|d|e", "d|e|R"}), longs({0, 3, 3, 5})}));
  EXPECT_EQ(of(ngram_attrs({3}, {"L", "R", -1})),
            (Arrays{words({"L|L|a", "L|a|b", "a|b|c", "b|c|R", "c|R|R", "L|L|R", "L|R|R", "L|L|d", "L|d|e",
                           "d|e|R", "e|R|R"}),
                    longs({0, 5, 7, 11})}));
  EXPECT_EQ(of(ngram_attrs({6}, {"L", "R", 1, true})),
            (Arrays{words({"L|a|b|c|R", "L|d|e|R"}), longs({0, 1, 1, 2})}));
  EXPECT_EQ(of(ngram_attrs({})), (Arrays{Array(DType::kString, {0}), longs({0, 0, 0, 0})}));
}

TEST(StringNGrams, RefusesSplitsAndWidthsThatCannotBe) {
  const auto refuses = [](const std::vector<int64_t>& splits, const graph::Attrs& attrs,
                          const std::string& reason) {
    expect_run_error(reason, "StringNGrams", {kRows[0], longs(splits)}, attrs);
  };
  refuses({1, 3, 5}, ngram_attrs({2}), "First split value must be 0, got 1");
  refuses({0, 3}, ngram_attrs({2}), "Last split value must be data size. Expected 5, got 3");
  refuses({0, 3, 9}, ngram_attrs({2}), "Invalid split value 9, must be in [3, 5]");
  refuses({0, -3, 5}, ngram_attrs({2}), "Invalid split value -3, must be in [0, 5]");
  refuses({0, 3, 5}, ngram_attrs({0}), "ngram_widths must contain positive values");
  refuses({0, 3, 5}, ngram_attrs({int64_t{1} << 40}),
          "Attr ngram_widths has value 1099511627776 out of range");
}

TEST(StringNGrams, MakesNoMoreTextThanThereMayBe) {
  for (const graph::Attrs& attrs :
       {ngram_attrs({INT32_MAX}, {"L", "R", -1}), ngram_attrs({INT32_MAX}, {"L", "R", INT32_MAX / 4, true})})
    EXPECT_THROW(run_op_all("StringNGrams", kRows, {.attrs = attrs}), errors::ResourceExhaustedError);
}

}  // namespace
}  // namespace flowray::testing
