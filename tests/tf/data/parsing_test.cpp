// tests/oracle/programs/parsing.py in C++, and values.
#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/example.h>
#include <flowray/tf/nested_fetches.h>
#include <flowray/tf/parsing.h>

namespace flowray {
namespace {

GOLDEN_PROGRAM(parsed_batch) {
  auto serialized = tf::placeholder(tf::string, {tf::None}, {.name = "records"});
  tf::parse_example(
      serialized,
      {{"label", tf::FixedLenFeature{{}, tf::int64}},
       {"image", tf::FixedLenFeature{{2, 3}, tf::float32, tf::OptionalInput({{0, 0, 0}, {1, 1, 1}})}},
       {"words", tf::VarLenFeature{tf::string}}});
}

GOLDEN_PROGRAM(parsed_sequences) {
  auto serialized = tf::placeholder(tf::string, {4}, {.name = "records"});
  tf::parse_example(serialized,
                    {{"a b", tf::FixedLenFeature{{1}, tf::string, "none"}},
                     {"steps", tf::FixedLenSequenceFeature{{2}, tf::int64, true, -1}},
                     {"names", tf::FixedLenSequenceFeature{{}, tf::string, true}}},
                    {.name = "parsed"});
}

GOLDEN_PROGRAM(parsed_places) {
  auto serialized = tf::placeholder(tf::string, {tf::None}, {.name = "records"});
  tf::parse_example(serialized,
                    {{"sparse", tf::SparseFeature{"place", "value", tf::float32, 10}},
                     {"sorted", tf::SparseFeature{"place", "other", tf::int64, 10, true}},
                     {"value", tf::VarLenFeature{tf::float32}}},
                    {.example_names = {"first", "second"}});
}

GOLDEN_PROGRAM(parsed_one) {
  const tf::ParsedFeatures features{{"image", tf::FixedLenFeature{{4}, tf::float32}},
                                    {"words", tf::VarLenFeature{tf::string}}};
  tf::parse_single_example(tf::placeholder(tf::string, tf::TensorShape{}, {.name = "record"}), features);
  tf::parse_single_example(tf::placeholder(tf::string, tf::TensorShape{}, {.name = "other"}), features,
                           {.name = "one", .example_names = "first"});
}

// ---- values

class Parsing : public ::testing::Test {
 protected:
  const tf::Graph graph_;
  const tf::GraphScope scope_ = graph_.as_default();
};

TEST_F(Parsing, GivesTheFeaturesOfABatch) {
  const std::vector<std::string> records{
      tf::train::Example{
          {{"id", 1}, {"words", {"a", "b"}}, {"place", {3, 0}}, {"value", {0.5, 1.5}}, {"steps", {1, 2, 3}}}}
          .serialize_to_string(),
      tf::train::Example{{{"id", 2}, {"place", {1}}, {"value", {2.5}}, {"steps", {4}}}}
          .serialize_to_string()};
  const auto parsed =
      tf::parse_example(records, {{"id", tf::FixedLenFeature{{}, tf::int64}},
                                  {"words", tf::VarLenFeature{tf::string}},
                                  {"sparse", tf::SparseFeature{"place", "value", tf::float32, 5}},
                                  {"steps", tf::FixedLenSequenceFeature{{}, tf::int64, true, -1}}});
  EXPECT_EQ(parsed.dense.size(), 2u);
  EXPECT_EQ(parsed.sparse.size(), 2u);
  tf::Session session;
  const auto [dense, sparse] = tf::run_nested(session, std::pair(parsed.dense, parsed.sparse));
  EXPECT_EQ(dense.at("id"), Array(std::vector<int64_t>{1, 2}));
  EXPECT_EQ(dense.at("steps"), Array::from(std::vector<int64_t>{1, 2, 3, 4, -1, -1}, {2, 3}));
  EXPECT_EQ(sparse.at("words").values, Array(std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(sparse.at("sparse").values, Array(std::vector<float>{1.5, 0.5, 2.5}));
  EXPECT_EQ(sparse.at("sparse").indices, Array::from(std::vector<int64_t>{0, 0, 0, 3, 1, 1}, {3, 2}));
  EXPECT_EQ(sparse.at("sparse").dense_shape, Array(std::vector<int64_t>{2, 5}));
}

TEST_F(Parsing, GivesTheFeaturesOfOneExample) {
  const std::string record =
      tf::train::Example{{{"x", {1.0, 2.0}}, {"words", {"a", "b"}}}}.serialize_to_string();
  const auto parsed = tf::parse_single_example(
      record, {{"x", tf::FixedLenFeature{{2}, tf::float32}}, {"words", tf::VarLenFeature{tf::string}}});
  tf::Session session;
  EXPECT_EQ(session.run(parsed.dense.at("x")), Array(std::vector<float>{1, 2}));
  EXPECT_EQ(session.run(parsed.sparse.at("words")).dense_shape, Array(std::vector<int64_t>{2}));
}

TEST_F(Parsing, RefusesFeaturesThatCannotBeRead) {
  const auto refused = [](const tf::ParsedFeature& feature) {
    EXPECT_THROW((void)tf::parse_single_example("", {{"x", feature}}), tf::ValueError);
  };
  refused(tf::VarLenFeature{});
  refused(tf::FixedLenFeature{{tf::None}, tf::float32});
  refused(tf::FixedLenFeature{{2, tf::None}, tf::float32});
  refused(tf::FixedLenSequenceFeature{{}, tf::float32});
  refused(tf::SparseFeature{"", "value", tf::float32, 3});
  refused(tf::SparseFeature{"index", "", tf::float32, 3});
  EXPECT_THROW((void)tf::parse_example({""}, {}), tf::ValueError);
  EXPECT_THROW((void)tf::parse_single_example({"a", "b"}, {{"x", tf::VarLenFeature{tf::string}}}),
               tf::ValueError);
  // One key that is dense and a part of something sparse, one that has two dtypes.
  EXPECT_THROW((void)tf::parse_example({""}, {{"v", tf::FixedLenFeature{{}, tf::float32}},
                                              {"s", tf::SparseFeature{"i", "v", tf::float32, 3}}}),
               tf::ValueError);
  EXPECT_THROW((void)tf::parse_example({""}, {{"i", tf::VarLenFeature{tf::float32}},
                                              {"s", tf::SparseFeature{"i", "v", tf::float32, 3}}}),
               tf::ValueError);
}

}  // namespace
}  // namespace flowray
