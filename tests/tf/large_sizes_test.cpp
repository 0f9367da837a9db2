// Sizes of which the product does not fit into what it is kept in: an error, or TensorFlow's wider number,
// and never a small size.
#include <flowray/errors.h>
#include <flowray/tf/array.h>
#include <flowray/tf/device_functions.h>
#include <flowray/tf/layers.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace flowray {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kTera = int64_t{1} << 40;

tf::Tensor floats(const tf::TensorShape& shape) { return tf::placeholder(tf::float32, shape); }

// tf.constant([-1, 2**32]) is of int64, as the number does not fit into int32.
TEST(LargeSizes, OfFlattenedColumnsAreInt64) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  EXPECT_EQ(tf::layers::flatten(floats({tf::None, 65'536, 65'535})).shape().dim(1), 65'536LL * 65'535);
  EXPECT_EQ(tf::layers::flatten(floats({tf::None, 65'536, 65'536})).shape().dim(1), int64_t{1} << 32);
}

std::string told(const std::function<void()>& use) {
  try {
    use();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(LargeSizes, DoNotWrapAround) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto overflow = HasSubstr("overflow when multiplying");
  const tf::Tensor wide = floats({tf::None, kTera, kTera});
  EXPECT_THAT(told([&] { tf::layers::flatten(wide); }), overflow);
  const tf::Tensor many = floats({kTera << 20});
  EXPECT_THAT(told([&] { tf::repeat(many, 1 << 20); }), overflow);
  const tf::Operation large = floats({kTera, 1 << 22}).op();
  EXPECT_THAT(told([&] { tf::contrib::training::byte_size_load_fn(large); }), overflow);
  const tf::Tensor masked = floats({kTera, kTera, 0});
  const tf::Tensor mask = tf::placeholder(tf::boolean, {tf::None, tf::None});
  EXPECT_THAT(told([&] { tf::boolean_mask(masked, mask); }), overflow);
}

// A size that does not fit an int32 is refused where one is made of it.
TEST(LargeSizes, AreNotMadeAnInt32) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  EXPECT_THAT(told([] {
                tf::layers::dropout(floats({tf::None}),
                                    {.noise_shape = tf::TensorShape({kTera}), .training = true});
              }),
              HasSubstr("Dimension has value 1099511627776 out of range for an int32"));
}

}  // namespace
}  // namespace flowray
