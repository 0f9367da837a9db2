// Branches and loops in sessions. Expectations are those of TensorFlow's Python.
#include <gtest/gtest.h>

#include <flowray/tf/array_ops.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/math_ops.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include <vector>

namespace flowray {
namespace {

using Values = std::vector<tf::BranchValue>;

class ControlFlow : public ::testing::Test {
 protected:
  void SetUp() override { tf::reset_default_graph(); }
};

TEST_F(ControlFlow, ACaseOfOnePairGivesWhatItsFunctionDoes) {
  const auto p = tf::placeholder(tf::boolean, {}, {.name = "p"});
  const auto give_one = tf::Branch([] { return Values{1, tf::constant(2.5)}; });
  for (const bool exclusive : {false, true}) {
    const std::vector<tf::Tensor> results = tf::case_({{p, give_one}}, {.exclusive = exclusive});
    ASSERT_EQ(results.size(), 2U);
    tf::Session session;
    EXPECT_EQ(session.run(results[0], {{p, true}}).item<int32_t>(), 1);
    EXPECT_EQ(session.run(results[1], {{p, true}}).item<float>(), 2.5F);
    EXPECT_THROW(session.run(results[0], {{p, false}}), errors::InvalidArgumentError);
  }
}

TEST_F(ControlFlow, ACaseOfOnePairRunsTheOperationThatItsFunctionGives) {
  const auto p = tf::placeholder(tf::boolean, {}, {.name = "p"});
  tf::Variable v(1.0, {.name = "v"});
  const auto result = tf::case_({{p, tf::Branch([&] { return Values{tf::group({v.assign_add(2.0)})}; })}},
                                {.exclusive = true});
  ASSERT_EQ(result.size(), 1U);
  tf::Session session;
  session.run(v.initializer());
  session.run(result[0], {{p, true}});
  EXPECT_EQ(session.run(v).item<float>(), 3.0F);
}

}  // namespace
}  // namespace flowray
