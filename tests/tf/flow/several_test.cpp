// One value, tuples and lists in branches and loops: what is computed, worked out by hand.
#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <array>
#include <tuple>
#include <utility>
#include <vector>

namespace flowray {
namespace {

class Several : public testing::Test {
 protected:
  const tf::Graph graph_;
  const tf::GraphScope scope_ = graph_.as_default();
  tf::Session session_;
};

TEST_F(Several, ALoopOfOneVariableTakesGenericFunctions) {
  const auto [last] = tf::while_loop([](auto i) { return i < 10; }, [](auto i) { return i + 3; }, {1});
  EXPECT_EQ(session_.run(last), Array(10));
}

TEST_F(Several, ALoopOfOneVariableTakesItWithoutBraces) {
  const tf::Tensor last = tf::while_loop([](auto i) { return i < 10; }, [](auto i) { return i + 3; }, 1);
  EXPECT_EQ(session_.run(last), Array(10));
  const tf::Tensor grown = tf::while_loop([](tf::Tensor a) { return a < 100.0f; },
                                          [](tf::Tensor a) { return a * 3.0f; }, tf::constant(2.0f));
  EXPECT_EQ(session_.run(grown), Array(162.0f));
}

TEST_F(Several, ACasesFunctionsGiveOneValueOrSeveral) {
  const auto x = tf::placeholder(tf::float32, {});
  const auto one = tf::case_({{x < 0.0, [&] { return -x; }}, {x > 9.0, [&] { return x / 2.0; }}},
                             {.default_fn = [&] { return x; }});
  ASSERT_EQ(one.size(), 1u);
  const auto value = [&](float of) { return session_.run(one[0], {{x, of}}); };
  EXPECT_EQ(value(-3.0f), Array(3.0f));
  EXPECT_EQ(value(12.0f), Array(6.0f));
  EXPECT_EQ(value(5.0f), Array(5.0f));
  const auto both = tf::case_({{x < 0.0, [&] { return std::tuple(x, 1); }}},
                              {.default_fn = [&] { return std::vector<tf::BranchValue>{x * x, 2}; }});
  EXPECT_EQ(session_.run(both, {{x, 3.0f}}), (std::vector{Array(9.0f), Array(2)}));
}

TEST_F(Several, ALoopsBodyGivesATupleAnArrayOrAList) {
  const auto goes_on = [](auto i, auto) { return i < 3; };
  const auto tuple = [](auto i, auto a) { return std::tuple(i + 1, a * 2.0f); };
  const auto array = [](auto i, auto a) { return std::array{i + 1, a * 2.0f}; };
  const auto list = [](auto i, auto a) { return std::vector<tf::Tensor>{i + 1, a * 2.0f}; };
  const tf::Tensor a = tf::while_loop(goes_on, tuple, {0, 1.0f})[1];
  const tf::Tensor b = tf::while_loop(goes_on, array, {0, 1.0f})[1];
  const tf::Tensor c = tf::while_loop(goes_on, list, {0, 1.0f})[1];
  for (const tf::Tensor& doubled : {a, b, c}) EXPECT_EQ(session_.run(doubled), Array(8.0f));
}

TEST_F(Several, ALoopOfAListOfVariablesTakesGenericFunctions) {
  const std::vector<tf::Tensor> first = {tf::constant(0), tf::constant(1.0f)};
  const std::vector<tf::Tensor> last =
      tf::while_loop([](const auto& values) { return values[0] < 3; },
                     [](const auto& values) { return std::vector{values[0] + 1, values[1] * 2.0f}; }, first);
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(session_.run(last)[1], Array(8.0f));
}

TEST_F(Several, BranchesGiveTuples) {
  const auto p = tf::placeholder(tf::boolean, {});
  const auto x = tf::constant(1.0f);
  const auto y = tf::constant(2);
  const auto [a, b] = tf::cond(p, [&] { return std::tuple(x, y); }, [&] { return std::pair(x + 1.0f, 7); });
  const auto values = [&](bool yes) { return session_.run({a, b}, {{p, yes}}); };
  EXPECT_EQ(values(true), (std::array{Array(1.0f), Array(2)}));
  EXPECT_EQ(values(false), (std::array{Array(2.0f), Array(7)}));
}

TEST_F(Several, BranchesGiveListsOfTensors) {
  const auto x = tf::constant(1.0f);
  const std::vector<tf::Tensor> merged =
      tf::cond(x > 0.0f, [&] { return std::vector{x, x + 1.0f}; }, [&] { return std::vector{x, x}; });
  ASSERT_EQ(merged.size(), 2u);
  EXPECT_EQ(session_.run(merged[1]), Array(2.0f));
}

TEST_F(Several, MapFnTakesARowOfOneTensor) {
  const tf::Tensor squares = tf::map_fn([](auto row) { return row * row; }, tf::constant({1.0f, 2.0f, 3.0f}));
  EXPECT_EQ(session_.run(squares), Array({1.0f, 4.0f, 9.0f}));
}

TEST_F(Several, MapFnTakesRowsOfSeveralAndGivesATuple) {
  const auto x = tf::constant({1.0f, 2.0f});
  const auto y = tf::constant({10.0f, 20.0f});
  const auto [sums, products] = tf::map_fn([](auto a, auto b) { return std::tuple(a + b, a * b); }, {x, y});
  EXPECT_EQ(session_.run(sums), Array({11.0f, 22.0f}));
  EXPECT_EQ(session_.run(products), Array({10.0f, 40.0f}));
  const tf::Tensor differences =
      tf::map_fn([](auto a, auto b) { return b - a; }, {x, y}, {.dtypes = {tf::float32}});
  EXPECT_EQ(session_.run(differences), Array({9.0f, 18.0f}));
}

TEST_F(Several, ScanAndFoldsTakeOneTensor) {
  const auto x = tf::constant({1.0f, 2.0f, 3.0f});
  const auto sum = [](auto before, auto row) { return before + row; };
  EXPECT_EQ(session_.run(tf::scan(sum, x)), Array({1.0f, 3.0f, 6.0f}));
  EXPECT_EQ(session_.run(tf::scan(sum, x, {.reverse = true})), Array({6.0f, 5.0f, 3.0f}));
  EXPECT_EQ(session_.run(tf::foldl(sum, x, {.initializer = {10.0f}})), Array(16.0f));
  const auto difference = [](auto before, auto row) { return row - before; };
  EXPECT_EQ(session_.run(tf::foldl(difference, x)), Array(2.0f));  // 3 - (2 - 1)
  EXPECT_EQ(session_.run(tf::foldr(difference, x)), Array(2.0f));  // 1 - (2 - 3)
}

TEST_F(Several, ScanTakesSeveralTensorsAndAnInitializerOfItsOwnLength) {
  const auto x = tf::constant({1.0f, 2.0f, 3.0f});
  const auto y = tf::constant({10.0f, 20.0f, 30.0f});
  const auto [a, b] = tf::scan(
      [](auto before, auto row) { return std::tuple(before[0] + row[0], before[1] + row[1]); }, {x, y});
  EXPECT_EQ(session_.run(b), Array({10.0f, 30.0f, 60.0f}));
  const auto [sums, counts] =
      tf::scan([](auto before, auto row) { return std::tuple(before[0] + row, before[1] + 1); }, x,
               std::tuple(0.0f, 0));
  EXPECT_EQ(session_.run(sums), Array({1.0f, 3.0f, 6.0f}));
  EXPECT_EQ(session_.run(counts), Array({1, 2, 3}));
  const tf::Tensor dots =
      tf::foldl([](auto before, auto row) { return before + row[0] * row[1]; }, {x, y}, 0.0f);
  EXPECT_EQ(session_.run(dots), Array(140.0f));
}

TEST_F(Several, AnInitializerOfAnotherNumberIsRefused) {
  const auto x = tf::constant({1.0f, 2.0f});
  EXPECT_THROW(tf::scan([](auto before, auto row) { return before + row; }, x, {.initializer = {0.0f, 1.0f}}),
               tf::ValueError);
}

}  // namespace
}  // namespace flowray
