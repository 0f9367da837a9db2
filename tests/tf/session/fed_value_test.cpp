// What a feed refuses, and what it converts. A number alone is refused as TensorFlow's client refuses it
// (tests/tf/errors_running_test.cpp); the elements of a list, which TensorFlow wraps around, as NumPy does.
#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <vector>

#include "support/error_words.h"

namespace flowray {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class FedValue : public ::testing::Test {
 protected:
  FedValue() : scope_(graph_.as_default()), session_(graph_) {}

  /// What comes out of a placeholder of `dtype` that is fed `value`.
  Array through(DType dtype, const Array& value) {
    const tf::Tensor x = tf::placeholder(dtype, Shape::unknown_rank());
    return session_.run(tf::identity(x), {{x, value}});
  }
  std::string complaint(DType dtype, const Array& value) {
    try {
      through(dtype, value);
    } catch (const TypeError& error) {
      return testing::without_line(error);
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }

  tf::Graph graph_;
  tf::GraphScope scope_;
  tf::Session session_;
};

TEST_F(FedValue, IsRefusedWhereAnElementIsBeyondItsDtype) {
  const std::string first =
      "Type of feed value 3000000000 with type <class 'int'> is not compatible with Tensor type <class "
      "'numpy.int32'>. Try explicitly setting the type of the feed tensor to a larger type (e.g. int64).\n";
  EXPECT_EQ(complaint(tf::int32, 3000000000),
            first + "The value was fed to Placeholder:0, whose dtype int32 holds -2147483648 to 2147483647.");
  EXPECT_EQ(complaint(tf::int32, {{1, 2}, {3, 3000000000}}),
            first +
                "The value at [1, 1] was fed to Placeholder_1:0, whose dtype int32 holds -2147483648 to "
                "2147483647.");
  EXPECT_THAT(complaint(tf::int32, std::vector<int64_t>{0, 3000000000}), StartsWith(first));
  EXPECT_THAT(complaint(tf::int8, {0, -129}), HasSubstr("value -129 with type <class 'int'>"));
  EXPECT_THAT(complaint(tf::uint32, {0, -1}), HasSubstr("whose dtype uint32 holds 0 to 4294967295."));
  EXPECT_THAT(complaint(tf::uint64, -1), HasSubstr("<class 'numpy.uint64'>"));
  EXPECT_THAT(complaint(tf::int64, uint64_t{1} << 63), HasSubstr("9223372036854775808"));
}

TEST_F(FedValue, IsRefusedWhereNoIntegerIsNearAFloat) {
  EXPECT_THAT(complaint(tf::int32, 3e9), HasSubstr("feed value 3000000000.0 with type <class 'float'>"));
  EXPECT_THAT(complaint(tf::int64, {1.F, std::nanf("")}), HasSubstr("feed value nan"));
  EXPECT_THAT(complaint(tf::uint8, -1.5), HasSubstr("feed value -1.5"));
}

TEST_F(FedValue, IsRefusedWhereAnImaginaryPartWouldBeLost) {
  EXPECT_THAT(complaint(tf::float32, std::complex<double>(1, 2)),
              HasSubstr("The value was fed to Placeholder:0, whose dtype float32 has no imaginary part."));
}

TEST_F(FedValue, AloneIsNoBoolUnlessItIsZeroOrOne) {
  EXPECT_THAT(complaint(tf::boolean, 2), HasSubstr("whose dtype bool is fed 0 or 1, or a bool."));
  EXPECT_EQ(through(tf::boolean, 1), Array(true));
  EXPECT_EQ(through(tf::boolean, {0, 2}), Array({false, true}));
  EXPECT_EQ(through(tf::boolean, 0.5), Array(true));
}

TEST_F(FedValue, IsConvertedAsNumPyConverts) {
  EXPECT_EQ(through(tf::int32, {3.7, -3.7}), Array({3, -3}));
  EXPECT_EQ(through(tf::uint8, {0, 255}), Array(std::vector<uint8_t>{0, 255}));
  EXPECT_EQ(through(tf::int32, true), Array(1));
  EXPECT_EQ(through(tf::float32, std::complex<float>(1.5F, 0)), Array(1.5F));
  EXPECT_EQ(through(tf::float32, int64_t{3000000000}), Array(3e9F));
}

TEST_F(FedValue, IsCheckedByCallablesAndVariablesToo) {
  const tf::Tensor x = tf::placeholder(tf::int8, {tf::None});
  const auto step = session_.make_callable(tf::identity(x), {x});
  EXPECT_THROW(step({1, 128}), TypeError);
  EXPECT_EQ(step(std::vector<int64_t>{1, 127}), Array(std::vector<int8_t>{1, 127}));
  const tf::Variable count(0, {.name = "count"});
  EXPECT_THROW(count.load(int64_t{3000000000}, &session_), TypeError);
}

}  // namespace
}  // namespace flowray
