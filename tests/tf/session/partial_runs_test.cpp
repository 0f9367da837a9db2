// Steps that are fed and fetched in several calls; tests/cluster/master/master_partial_run_test.cpp has the
// rest of what they do and say, as servers do the same.
#include <flowray/tf.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flowray {
namespace {

class PartialRuns : public testing::Test {
 protected:
  const tf::Graph graph_;
  const tf::GraphScope scope_ = graph_.as_default();
  const tf::Tensor a_ = tf::placeholder(tf::float32, {}, {.name = "a"});
  const tf::Tensor b_ = tf::placeholder(tf::float32, {}, {.name = "b"});
  const tf::Tensor sum_ = a_ + b_;
  const tf::Tensor square_ = tf::square(a_);
  tf::Session session_;
};

TEST_F(PartialRuns, ComputeWhatTheFeedsSoFarAreEnoughFor) {
  const std::string handle = session_.partial_run_setup({sum_, square_}, {a_, b_});
  EXPECT_EQ(session_.partial_run(handle, {square_}, {{a_, 3.0f}}), std::vector<Array>({Array(9.0f)}));
  EXPECT_EQ(session_.partial_run(handle, {sum_}, {{b_, 1.0f}}), std::vector<Array>({Array(4.0f)}));
  EXPECT_THROW(session_.partial_run(handle, {sum_}), errors::InvalidArgumentError);  // it is over
}

TEST_F(PartialRuns, GoOnBesideOneAnother) {
  const std::string first = session_.partial_run_setup({sum_}, {a_, b_});
  const std::string second = session_.partial_run_setup({sum_}, {a_, b_});
  EXPECT_NE(first, second);
  EXPECT_TRUE(session_.partial_run(first, {}, {{a_, 1.0f}}).empty());
  EXPECT_TRUE(session_.partial_run(second, {}, {{a_, 10.0f}}).empty());
  EXPECT_EQ(session_.partial_run(second, {sum_}, {{b_, 2.0f}}).at(0), Array(12.0f));
  EXPECT_EQ(session_.partial_run(first, {sum_}, {{b_, 2.0f}}).at(0), Array(3.0f));
}

TEST_F(PartialRuns, RunOperationsThatWereNamedAtTheirBeginning) {
  tf::Variable counter(0.0f);
  const tf::Operation count = counter.assign_add(a_).op();
  session_.run(tf::global_variables_initializer());
  const std::string handle = session_.partial_run_setup({count, sum_}, {a_, b_});
  EXPECT_THROW(session_.partial_run(handle, {count}, {{a_, 2.0f}}), RuntimeError);
  session_.partial_run(handle, {}, {{a_, 2.0f}});
  EXPECT_EQ(session_.run(counter), Array(2.0f));
  session_.partial_run(handle, {sum_}, {{b_, 2.0f}});
  EXPECT_EQ(session_.run(counter), Array(2.0f));
}

TEST_F(PartialRuns, SayWhatMayNotBeAskedFor) {
  const std::string handle = session_.partial_run_setup({sum_}, {a_, b_});
  EXPECT_THROW(session_.partial_run(handle, {sum_}, {{a_, 1.0f}}), errors::InvalidArgumentError);
  EXPECT_THROW(session_.partial_run(handle, {square_}, {{a_, 1.0f}}), errors::InvalidArgumentError);
  EXPECT_THROW(session_.partial_run("nothing", {sum_}), errors::InvalidArgumentError);
  EXPECT_THROW(session_.partial_run_setup({}, {a_}), errors::InvalidArgumentError);
  session_.close();
  EXPECT_THROW(session_.partial_run_setup({sum_}, {a_}), RuntimeError);
}

}  // namespace
}  // namespace flowray
