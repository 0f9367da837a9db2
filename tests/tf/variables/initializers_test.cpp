#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace flowray::tf {
namespace {

using ::testing::HasSubstr;

/// The op that makes the values of a variable of [3, 4, 5, 6], and the value of a constant behind it. Each of
/// the 5 input channels sees 3 * 4 places, so fan_in is 60 and fan_out 72.
class InitialValues : public ::testing::Test {
 protected:
  float constant_of(const Initializer& initializer, const std::string& name) {
    const Graph graph;
    const auto scope = graph.as_default();
    get_variable("w", {3, 4, 5, 6}, {.initializer = initializer});
    Session session;
    return session.run(Fetch("w/Initializer/" + name + ":0")).item<float>();
  }
};

TEST_F(InitialValues, OfHeHaveTwiceTheVarianceOfOneOverFanIn) {
  // A normal distribution that is cut at two standard deviations has 0.8796 of its deviation.
  EXPECT_FLOAT_EQ(constant_of(initializers::he_normal(), "truncated_normal/stddev"), 0.20755896f);
  EXPECT_FLOAT_EQ(constant_of(initializers::he_uniform(), "random_uniform/max"), std::sqrt(6.0f / 60));
  EXPECT_FLOAT_EQ(constant_of(initializers::he_uniform(), "random_uniform/min"), -std::sqrt(6.0f / 60));
}

TEST_F(InitialValues, OfLecunHaveTheVarianceOfOneOverFanIn) {
  EXPECT_FLOAT_EQ(constant_of(initializers::lecun_normal(), "truncated_normal/stddev"),
                  std::sqrt(1.0f / 60) / 0.879625661f);
  EXPECT_FLOAT_EQ(constant_of(initializers::lecun_uniform(), "random_uniform/max"), std::sqrt(3.0f / 60));
}

TEST_F(InitialValues, ScaleByFanOutOrTheMeanOfBoth) {
  EXPECT_FLOAT_EQ(constant_of(variance_scaling_initializer({.mode = "fan_out"}), "truncated_normal/stddev"),
                  0.13397872f);
  EXPECT_FLOAT_EQ(
      constant_of(variance_scaling_initializer({.mode = "fan_avg", .distribution = "untruncated_normal"}),
                  "random_normal/stddev"),
      std::sqrt(1.0f / 66));
}

TEST_F(InitialValues, RefuseOptionsThatAreNone) {
  const auto complaint_of = [](const VarianceScalingOptions& options) -> std::string {
    try {
      variance_scaling_initializer(options);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_THAT(complaint_of({.scale = 0}),
              HasSubstr("Argument `scale` must be a positive float. Received: 0"));
  EXPECT_THAT(complaint_of({.mode = "fan"}),
              HasSubstr("Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: fan"));
  EXPECT_THAT(complaint_of({.distribution = "gauss"}), HasSubstr("Received: gauss"));
}

}  // namespace
}  // namespace flowray::tf
