#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/strings.h>

namespace flowray {
namespace {

GOLDEN_PROGRAM(split_strings) {
  auto lines = tf::placeholder(tf::string, {tf::None}, {.name = "lines"});
  tf::string_split(lines);
  tf::string_split(lines, {.sep = ",;", .skip_empty = false, .name = "pieces"});
  tf::strings::split(lines);
  tf::strings::split(tf::placeholder(tf::string, tf::TensorShape{}, {.name = "line"}),
                     {.sep = "<>", .maxsplit = 2, .name = "parts"});
}

TEST(Splitting, GivesThePiecesOfEachStringInARow) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::Session session;
  const auto lines = tf::constant({"a b", "c", ""});
  const tf::SparseTensorValue pieces = session.run(tf::string_split(lines));
  EXPECT_EQ(pieces.values, Array(std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(pieces.indices, Array::from(std::vector<int64_t>{0, 0, 0, 1, 1, 0}, {3, 2}));
  EXPECT_EQ(pieces.dense_shape, Array(std::vector<int64_t>{3, 2}));
  const tf::SparseTensorValue one = session.run(tf::strings::split("x<>y<>z", {.sep = "<>", .maxsplit = 1}));
  EXPECT_EQ(one.values, Array(std::vector<std::string>{"x", "y<>z"}));
}

TEST(Splitting, RefusesRowsOfRows) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  EXPECT_THROW((void)tf::strings::split(tf::constant({{"a b"}, {"c"}})), tf::ValueError);
}

}  // namespace
}  // namespace flowray
