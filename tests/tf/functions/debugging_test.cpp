// Assertions that run: what they say comes before what the nodes that wait for them say.

#include <flowray/tf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flowray {
namespace {

using ::testing::HasSubstr;

std::string refusal(tf::Session& session, const tf::Tensor& fetch, const tf::Tensor& x, const tf::Tensor& y) {
  const Array two = Array(std::vector<float>{1, 2});
  const Array three = Array(std::vector<float>{1, 2, 3});
  try {
    (void)session.run(fetch, {{x, two}, {y, three}});
  } catch (const errors::InvalidArgumentError& error) {
    return error.message();
  }
  return "nothing was thrown";
}

TEST(Checks, ComeBeforeTheErrorsOfWhatWaitsForThem) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Tensor x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  const tf::Tensor y = tf::placeholder(tf::float32, {tf::None}, {.name = "y"});
  tf::Session session;
  const tf::Tensor unchecked = x + y;
  tf::Tensor checked;
  {
    const auto check = tf::assert_equal(tf::shape(x), tf::shape(y), {.message = "so many xs as ys"});
    const auto wait = tf::control_dependencies({check});
    checked = tf::identity(x) + y;
  }
  EXPECT_THAT(refusal(session, unchecked, x, y), HasSubstr("Incompatible shapes: [2] vs. [3]"));
  for (int run = 0; run < 2; ++run)
    EXPECT_THAT(refusal(session, checked, x, y), HasSubstr("so many xs as ys"));
  const Array fits = Array(std::vector<float>{1, 2});
  EXPECT_EQ(session.run(checked, {{x, fits}, {y, fits}}), Array(std::vector<float>{2, 4}));
}

// What is shown are floats: TensorFlow's Assert is in a branch then.
TEST(Checks, InBranchesComeFirst) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Tensor x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  const tf::Tensor y = tf::placeholder(tf::float32, {tf::None}, {.name = "y"});
  const auto check = tf::assert_equal(tf::reduce_sum(x), 4.0f, {.message = "a sum of four"});
  const auto wait = tf::control_dependencies({check});
  const tf::Tensor sum = tf::identity(x) + y;
  tf::Session session;
  EXPECT_THAT(refusal(session, sum, x, y), HasSubstr("a sum of four"));
}

// The assertion holds: then the node that does not fit says so.
TEST(Checks, LeaveOtherErrorsAsTheyAre) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Tensor x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  const tf::Tensor y = tf::placeholder(tf::float32, {tf::None}, {.name = "y"});
  const auto check = tf::assert_positive(x);
  const auto wait = tf::control_dependencies({check});
  const tf::Tensor sum = x + y;
  tf::Session session;
  const std::string message = refusal(session, sum, x, y);
  EXPECT_THAT(message, HasSubstr("Incompatible shapes: [2] vs. [3]"));
  EXPECT_THAT(message, HasSubstr("{{node add}}"));
}

}  // namespace
}  // namespace flowray
