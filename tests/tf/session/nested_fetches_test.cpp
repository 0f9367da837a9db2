// Fetches in the program's own structure.
#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nested_fetches.h>
#include <flowray/tf/operators.h>

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace flowray {
namespace {

struct Step {
  tf::Tensor loss;
  tf::Variable count;
  tf::Operation train;
};
struct StepValues {
  Array loss;
  Array count;
  Array train;
};

TEST(NestedFetches, ComeInTheStructureThatIsAskedFor) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  auto twice = x * 2.0;
  auto more = x + 1.0;
  tf::Session session;
  const auto [pair, list, named, both] = tf::run_nested(
      session,
      std::tuple(std::pair(x, tf::no_op()), std::vector<std::vector<tf::Tensor>>{{x, twice}, {}},
                 std::map<std::string, tf::Tensor>{{"more", more}, {"twice", twice}}, std::array{more, x}),
      {{x, 3}});
  EXPECT_EQ(pair.first, Array(3.f));
  EXPECT_FALSE(pair.second.has_value());
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0], (std::vector<Array>{Array(3.f), Array(6.f)}));
  EXPECT_TRUE(list[1].empty());
  EXPECT_EQ(named, (std::map<std::string, Array>{{"more", Array(4.f)}, {"twice", Array(6.f)}}));
  EXPECT_EQ(both[0], Array(4.f));
}

TEST(NestedFetches, AreOneStep) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::Variable count(0.f);
  auto next = count.assign_add(1.0);
  tf::Session session;
  session.run(count.initializer());
  const auto values = tf::run_nested(session, std::tuple(next, std::vector{next}));
  EXPECT_EQ(std::get<0>(values), Array(1.f));
  EXPECT_EQ(count.eval(&session), Array(1.f));
}

TEST(NestedFetches, OfAStructAreAStruct) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  tf::Variable count(7);
  const Step step{x * 2.0, count, tf::no_op()};
  tf::Session session;
  session.run(count.initializer());
  const auto values = tf::run_as<StepValues>(session, step, {{x, 4}});
  EXPECT_EQ(values.loss, Array(8.f));
  EXPECT_EQ(values.count, Array(7));
  EXPECT_FALSE(values.train.has_value());
  static_assert(tf::internal::count_fields<Step>() == 3);
}

struct SparseStep {
  tf::Tensor total;
  tf::SparseTensor doubled;
};
struct SparseStepValues {
  Array total;
  tf::SparseTensorValue doubled;
};

TEST(NestedFetches, MayBeSparse) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  auto sp = tf::sparse_placeholder(tf::float32, {2, 3});
  auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  const auto doubled = sp * 2.0;
  const auto total = x + tf::reduce_sum(doubled.values());
  tf::Session session;
  const tf::SparseTensorValue value{{{0, 2}, {1, 0}}, {1.5, 2.5}, {2, 3}};
  const auto [sum, all] =
      tf::run_nested(session, std::tuple(total, std::vector{sp, doubled}), {{sp, value}, {x, 1.0}});
  EXPECT_EQ(sum, Array(9.f));
  EXPECT_EQ(all.at(0).values, Array(std::vector<float>{1.5, 2.5}));
  EXPECT_EQ(all.at(1).values, Array(std::vector<float>{3, 5}));
  EXPECT_EQ(all.at(1).indices, Array::from(std::vector<int64_t>{0, 2, 1, 0}, {2, 2}));
  const auto step =
      tf::run_as<SparseStepValues>(session, SparseStep{total, doubled}, {{x, 2.0}, {sp, value}});
  EXPECT_EQ(step.total, Array(10.f));
  EXPECT_EQ(step.doubled.dense_shape, Array(std::vector<int64_t>{2, 3}));
  static_assert(tf::internal::count_fields<SparseStep>() == 2);
}

}  // namespace
}  // namespace flowray
