#include "support/golden_graph.h"

#include <flowray/tf/array.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable_scope.h>

namespace flowray {
namespace {

GOLDEN_PROGRAM(gathered_by_coordinates) {
  auto params = tf::placeholder(tf::float32, {3, 4, 5}, {.name = "params"});
  tf::gather_nd(params, {{0, 1}, {2, 3}});
  auto indices = tf::placeholder(tf::int64, {tf::None, 3}, {.name = "indices"});
  tf::gather_nd(params, indices, {.name = "elements"});
  tf::gather_nd(params, {{{0}}, {{1}}, {{2}}}, {.batch_dims = 1});
  auto open = tf::placeholder(tf::float32, {tf::None, tf::None, 5}, {.name = "open"});
  auto within = tf::placeholder(tf::int32, {tf::None, tf::None, 2, 1}, {.name = "within"});
  tf::gather_nd(open, within, {.name = "batches", .batch_dims = 2});
  auto variable = tf::get_variable("table", {3, 4}, {.use_resource = true});
  tf::gather_nd(variable, {{0, 1}});
  tf::gather_nd(variable, {{2}}, {.name = "rows"});
}

TEST(GatherNd, TakesElementsOfEachOfABatch) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::Session session;
  const auto params = tf::constant({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(session.run(tf::gather_nd(params, {{{2}, {0}}, {{1}, {1}}}, {.batch_dims = 1})),
            Array({{3, 1}, {5, 5}}));
  EXPECT_EQ(session.run(tf::gather_nd(params, {{1, 0}, {0, 2}})), Array({4, 3}));
}

TEST(GatherNd, RefusesBatchDimsThatAreNotThere) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto params = tf::constant({{1, 2, 3}, {4, 5, 6}});
  const auto taken = [&](int64_t batch_dims) {
    (void)tf::gather_nd(params, {{{2}}, {{1}}}, {.batch_dims = batch_dims});
  };
  EXPECT_THROW(taken(-1), tf::ValueError);
  EXPECT_THROW(taken(2), tf::ValueError);
  EXPECT_THROW(taken(INT64_MAX), tf::ValueError);
  EXPECT_THROW(taken(INT64_MIN), tf::ValueError);
}

}  // namespace
}  // namespace flowray
