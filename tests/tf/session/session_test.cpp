// What can be fetched and fed, as C++ programs have it.
#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <array>
#include <future>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace flowray {
namespace {

class SessionRun : public testing::Test {
 protected:
  const tf::Graph graph_;
  const tf::GraphScope scope_ = graph_.as_default();
  const tf::Tensor x_ = tf::placeholder(tf::float32, {tf::None, 2}, {.name = "x"});
  const tf::Tensor sum_ = tf::reduce_sum(x_, 0);
  tf::Session session_;
  const std::vector<std::vector<float>> rows_ = {{1, 2}, {3, 4}, {5, 6}};
};

/// A loop without end, and the variable that counts its iterations.
TEST_F(SessionRun, EndsWhenTheSessionIsClosed) {
  const tf::Variable counter(0, {.name = "counter"});
  const auto endless = [&](bool counts) {
    return tf::while_loop(
        [](auto i) { return i >= 0; },
        [&](auto i) {
          const auto after = tf::control_dependencies(
              counts ? std::vector<tf::Dependency>{counter.assign_add(1)} : std::vector<tf::Dependency>());
          return (i + 1) % 1000;
        },
        0);
  };
  const tf::Tensor counting = endless(true);
  const tf::Tensor plain = endless(false);
  session_.run(counter.initializer());
  const auto run = [&](const tf::Tensor& loop) {
    return std::async(std::launch::async, [&] { session_.run(loop); });
  };
  std::future<void> first = run(counting);
  while (session_.run(counter).item<int>() == 0) std::this_thread::yield();
  std::future<void> second = run(plain);  // which may come too late for a closed session
  session_.close();
  EXPECT_THROW(first.get(), tf::errors::CancelledError);
  EXPECT_ANY_THROW(second.get());
}

TEST_F(SessionRun, FetchesAVectorOfTensors) {
  const std::vector<tf::Tensor> fetches = {sum_, sum_ * 2.0};
  EXPECT_EQ(session_.run(fetches, {{x_, rows_}}),
            (std::vector<Array>{Array({9.0f, 12.0f}), Array({18.0f, 24.0f})}));
  EXPECT_TRUE(session_.run(std::vector<tf::Tensor>()).empty());
}

TEST_F(SessionRun, FetchesVectorsOfOperationsVariablesAndNames) {
  const std::vector<tf::Variable> variables = {tf::Variable(1.5f), tf::Variable(2)};
  const std::vector<Array> nothing =
      session_.run(std::vector{variables[0].initializer(), variables[1].initializer()});
  EXPECT_FALSE(nothing.at(0).has_value());
  EXPECT_EQ(session_.run(variables), (std::vector<Array>{Array(1.5f), Array(2)}));
  EXPECT_EQ(session_.run(std::vector<std::string>{"Variable:0"}), std::vector<Array>{Array(1.5f)});
}

TEST_F(SessionRun, FetchesAMap) {
  const std::map<std::string, Array> found =
      session_.run(std::map<std::string, tf::Fetch>{{"sum", sum_}, {"x", "x:0"}}, {{x_, {{1.0f, 2.0f}}}});
  EXPECT_EQ(found,
            (std::map<std::string, Array>{{"sum", Array({1.0f, 2.0f})}, {"x", Array({{1.0f, 2.0f}})}}));
  EXPECT_EQ(session_.run(std::map<int, tf::Tensor>{{7, sum_}}, {{x_, rows_}}).at(7), Array({9.0f, 12.0f}));
}

TEST_F(SessionRun, FetchesAMapThatIsWrittenInTheCall) {
  const std::map<std::string, Array> found = session_.run({{"sum", sum_}, {"x", x_}}, {{x_, {{1.0f, 2.0f}}}});
  EXPECT_EQ(found,
            (std::map<std::string, Array>{{"sum", Array({1.0f, 2.0f})}, {"x", Array({{1.0f, 2.0f}})}}));
  EXPECT_EQ(session_.run({{"sum", sum_}}, {{x_, rows_}}).at("sum"), Array({9.0f, 12.0f}));
  EXPECT_EQ(session_.run({{"one", "x:0"}}, {{x_, rows_}}).size(), 1u);
  EXPECT_EQ(session_.run({{"one", "x:0"}, {"two", sum_.name()}}, {{x_, rows_}}).size(), 2u);
  const auto last = session_.run({{"same", x_}, {"same", sum_}}, {{x_, rows_}});
  EXPECT_EQ(last, (std::map<std::string, Array>{{"same", Array({9.0f, 12.0f})}}));
}

TEST_F(SessionRun, FetchesAnArray) {
  const std::array<tf::Tensor, 2> fetches = {sum_, sum_ * 2.0};
  const std::array<Array, 2> found = session_.run(fetches, {{x_, rows_}});
  EXPECT_EQ(found, (std::array{Array({9.0f, 12.0f}), Array({18.0f, 24.0f})}));
  const std::array<tf::Fetch, 2> mixed = {sum_, "x:0"};
  EXPECT_EQ(session_.run(mixed, {{x_, rows_}})[0], found[0]);
  EXPECT_TRUE(session_.run(std::array<tf::Tensor, 0>()).empty());
  const auto [sum, twice] = session_.make_callable(fetches, {x_})(rows_);
  EXPECT_EQ(sum, found[0]);
  EXPECT_EQ(twice, found[1]);
}

TEST_F(SessionRun, TakesVectorsInVectors) {
  const Array matrix({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}});
  EXPECT_EQ(session_.run(x_, {{x_, rows_}}), matrix);
  tf::FeedDict feeds;
  feeds.add("x:0", rows_);
  EXPECT_EQ(session_.run(x_, feeds), matrix);
  EXPECT_EQ(session_.make_callable(x_, {x_})(rows_), matrix);
  EXPECT_EQ(session_.make_callable({x_, sum_}, {x_})(rows_)[0], matrix);
  EXPECT_EQ(session_.run(tf::constant(rows_)), matrix);
  const std::vector<std::vector<std::vector<std::string>>> words = {{{"a", "b"}}, {{"c", "d"}}};
  EXPECT_EQ(session_.run(tf::constant(words)), Array({{{"a", "b"}}, {{"c", "d"}}}));
  EXPECT_EQ(tf::array_of(std::vector<std::vector<bool>>{{true, false}}), Array({{true, false}}));
  EXPECT_EQ(tf::array_of(std::vector<std::vector<int>>{}).shape(), tf::TensorShape({0}));
}

TEST_F(SessionRun, RefusesVectorsOfUnequalLengths) {
  try {
    session_.run(x_, {{x_, std::vector<std::vector<float>>{{1, 2}, {3}}}});
    FAIL();
  } catch (const tf::ValueError& error) {
    EXPECT_EQ(std::string(error.what()).find("setting an array element with a sequence."), 0u)
        << error.what();
  }
}

}  // namespace
}  // namespace flowray
