// tests/oracle/programs/nn_convolutions.py in C++.
#include <flowray/tf.h>

#include "support/golden_graph.h"

namespace flowray {
namespace {

tf::Tensor images(const tf::TensorShape& shape = {2, 8, 9, 3}, const char* name = "x") {
  return tf::placeholder(tf::float32, shape, {.name = name});
}
tf::Tensor kernel(const tf::TensorShape& shape) { return tf::ones(shape); }

GOLDEN_PROGRAM(convolutions_of_depth) {
  const auto x = images();
  tf::nn::depthwise_conv2d(x, kernel({3, 2, 3, 2}), {.strides = {1, 2, 2, 1}, .padding = "SAME"});
  tf::nn::depthwise_conv2d(x, kernel({3, 2, 3, 2}),
                           {.strides = {1, 1, 1, 1}, .padding = "VALID", .rate = {2, 2}, .name = "gaps"});
  tf::nn::depthwise_conv2d_native(x, kernel({3, 2, 3, 1}),
                                  {.strides = {1, 1, 1, 1}, .padding = "VALID", .name = "plain"});
  const auto first = kernel({3, 3, 3, 2});
  tf::nn::separable_conv2d(x, first, kernel({1, 1, 6, 4}), {.strides = {1, 1, 1, 1}, .padding = "SAME"});
  const auto second = kernel({3, 3, 3, 2});
  tf::nn::separable_conv2d(x, second, kernel({1, 1, 6, 4}),
                           {.strides = {1, 1, 1, 1}, .padding = "SAME", .rate = {2, 3}, .name = "apart"});
}

GOLDEN_PROGRAM(convolutions_of_one_dimension) {
  const auto x = images({2, 9, 3});
  tf::nn::conv1d(x, kernel({3, 3, 4}), {.strides = {2}, .padding = "SAME"});
  tf::nn::conv1d(x, kernel({3, 3, 4}),
                 {.strides = {1}, .padding = "VALID", .dilations = {2}, .name = "gaps"});
  tf::nn::conv1d_transpose(x, kernel({3, 5, 3}), {2, 18, 5}, {.strides = {2}});
  tf::nn::conv1d_transpose(x, kernel({3, 5, 3}), {2, 11, 5},
                           {.strides = {1}, .padding = "VALID", .name = "back"});
}

GOLDEN_PROGRAM(convolutions_of_three_dimensions) {
  const auto x = images({2, 5, 6, 7, 3});
  tf::nn::conv3d(x, kernel({2, 3, 2, 3, 4}), {.strides = {1, 1, 2, 1, 1}, .padding = "SAME"});
  tf::nn::conv3d(x, kernel({2, 3, 2, 3, 4}),
                 {.strides = {1, 1, 1, 1, 1}, .padding = "VALID", .name = "inside"});
  tf::nn::conv3d_transpose(x, kernel({2, 2, 2, 4, 3}), {2, 10, 12, 14, 4}, {.strides = {1, 2, 2, 2, 1}});
  tf::nn::conv3d_transpose(x, kernel({2, 2, 2, 4, 3}), {2, 6, 7, 8, 4},
                           {.strides = {1, 1, 1, 1, 1}, .padding = "VALID", .name = "back"});
}

GOLDEN_PROGRAM(convolutions_of_any_dimension) {
  const auto line = images({2, 9, 3}, "line");
  tf::nn::convolution(line, kernel({3, 3, 4}), {.padding = "SAME"});
  const auto x = images();
  tf::nn::convolution(x, kernel({3, 3, 3, 4}), {.padding = "VALID", .strides = {2, 2}, .name = "steps"});
  const auto room = images({2, 5, 6, 7, 3}, "room");
  tf::nn::convolution(room, kernel({2, 2, 2, 3, 4}), {.padding = "SAME"});
  const auto known = images({2, 8, 9, 3}, "known");
  tf::nn::convolution(known, kernel({3, 3, 3, 4}), {.padding = "SAME", .dilation_rate = {2, 2}});
  const auto unknown = images({tf::None, tf::None, tf::None, 3}, "unknown");
  tf::nn::convolution(unknown, kernel({3, 3, 3, 4}),
                      {.padding = "VALID", .dilation_rate = {2, 3}, .name = "gaps"});
  const auto row = images({2, 9, 3}, "row");
  tf::nn::convolution(row, kernel({3, 3, 4}), {.padding = "SAME", .dilation_rate = {2}, .name = "row_gaps"});
}

GOLDEN_PROGRAM(convolutions_with_holes) {
  const auto x = images();
  tf::nn::atrous_conv2d(x, kernel({3, 3, 3, 4}), 2, {.padding = "SAME"});
  const auto unknown = images({tf::None, tf::None, tf::None, 3}, "unknown");
  tf::nn::atrous_conv2d(unknown, kernel({3, 3, 3, 4}), 3, {.padding = "VALID", .name = "holes"});
  const auto y = images({2, 8, 9, 3}, "y");
  tf::nn::atrous_conv2d(y, kernel({3, 3, 3, 4}), 1, {.padding = "SAME", .name = "none"});
}

GOLDEN_PROGRAM(convolutions_with_holes_transposed) {
  const auto x = images({2, 8, 8, 4});
  tf::nn::atrous_conv2d_transpose(x, kernel({3, 3, 3, 4}), {2, 8, 8, 3}, 2, {.padding = "SAME"});
  const auto y = images({2, 8, 8, 4}, "y");
  tf::nn::atrous_conv2d_transpose(y, kernel({3, 3, 3, 4}), {2, 10, 10, 3}, 1,
                                  {.padding = "VALID", .name = "none"});
}

GOLDEN_PROGRAM(convolutions_transposed) {
  const auto line = images({2, 9, 3}, "line");
  tf::nn::conv_transpose(line, kernel({3, 5, 3}), {2, 18, 5}, {.strides = {2}});
  const auto x = images();
  tf::nn::conv_transpose(x, kernel({3, 3, 5, 3}), {2, 16, 18, 5}, {.strides = {2, 2}, .name = "plane"});
  const auto room = images({2, 5, 6, 7, 3}, "room");
  tf::nn::conv_transpose(room, kernel({2, 2, 2, 4, 3}), {2, 10, 12, 14, 4}, {.strides = {2}});
}

GOLDEN_PROGRAM(pools_of_one_dimension) {
  const auto x = images({2, 9, 3});
  tf::nn::max_pool1d(x, {.ksize = {2}, .strides = {2}, .padding = "SAME"});
  tf::nn::avg_pool1d(x, {.ksize = {3}, .strides = {1}, .padding = "VALID", .name = "mean"});
}

GOLDEN_PROGRAM(pools_of_three_dimensions) {
  const auto x = images({2, 5, 6, 7, 3});
  tf::nn::max_pool3d(x, {.ksize = {2}, .strides = {2}, .padding = "SAME"});
  tf::nn::max_pool3d(
      x, {.ksize = {1, 2, 3, 2, 1}, .strides = {1, 1, 1, 1, 1}, .padding = "VALID", .name = "greatest"});
  tf::nn::avg_pool3d(x, {.ksize = {2, 3, 2}, .strides = {1, 2, 1}, .padding = "VALID", .name = "mean"});
}

GOLDEN_PROGRAM(pools_of_second_version) {
  tf::nn::max_pool_v2(images({2, 9, 3}, "line"),
                      {.ksize = {2}, .strides = {2}, .padding = "SAME", .data_format = ""});
  tf::nn::avg_pool_v2(
      images({2, 8, 9, 3}, "plane"),
      {.ksize = {2, 2}, .strides = {1, 1}, .padding = "VALID", .data_format = "", .name = "mean"});
  tf::nn::max_pool_v2(images({2, 5, 6, 7, 3}, "room"),
                      {.ksize = {2}, .strides = {2}, .padding = "SAME", .data_format = "", .name = "cubes"});
  tf::nn::max_pool2d(images({2, 8, 9, 3}, "other"), {.ksize = {2}, .strides = {2}, .padding = "SAME"});
  tf::nn::avg_pool(images({2, 8, 9, 3}, "last"), {.ksize = {1, 2, 3, 1}, .strides = {1}, .padding = "SAME"});
}

GOLDEN_PROGRAM(pools_of_any_dimension) {
  tf::nn::pool(images({2, 9, 3}, "line"), {2}, {.pooling_type = "MAX", .padding = "SAME"});
  tf::nn::pool(images(), {2, 3},
               {.pooling_type = "AVG", .padding = "VALID", .strides = {2, 1}, .name = "mean"});
  tf::nn::pool(images({2, 5, 6, 7, 3}, "room"), {2, 2, 2}, {.pooling_type = "MAX", .padding = "SAME"});
  tf::nn::pool(images({2, 8, 9, 3}, "known"), {2, 2},
               {.pooling_type = "MAX", .padding = "VALID", .dilation_rate = {2, 2}, .name = "gaps"});
}

TEST(Convolutions, WithGapsAreThoseOfAFilterWithZeros) {
  tf::reset_default_graph();
  const auto x = tf::reshape(tf::range(0.0, 7.0), {1, 7, 1});
  const auto gaps = tf::nn::convolution(x, tf::reshape(tf::constant({1.0, 10.0}), {2, 1, 1}),
                                        {.padding = "VALID", .dilation_rate = {3}});
  const auto zeros =
      tf::nn::conv1d(x, tf::reshape(tf::constant({1.0, 0.0, 0.0, 10.0}), {4, 1, 1}), {.padding = "VALID"});
  tf::Session session;
  const auto [one, other] = session.run({gaps, zeros});
  ASSERT_EQ(one.shape(), tf::TensorShape({1, 4, 1}));
  EXPECT_EQ(one.data<float>()[1], 1.0F + 10.0F * 4.0F);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(one.data<float>()[i], other.data<float>()[i]);
}

TEST(Convolutions, RefuseStridesWithGapsAndOtherRanks) {
  tf::reset_default_graph();
  const auto x = images();
  const auto filter = kernel({3, 3, 3, 4});
  EXPECT_THROW(
      tf::nn::convolution(x, filter, {.padding = "SAME", .strides = {2, 2}, .dilation_rate = {2, 2}}),
      tf::ValueError);
  EXPECT_THROW(tf::nn::convolution(x, filter, {.padding = "SAME", .strides = {2}}), tf::ValueError);
  EXPECT_THROW(tf::nn::conv_transpose(x, filter, {1, 2}, {.strides = {1}}), tf::ValueError);
  EXPECT_THROW(tf::nn::pool(x, {2, 2}, {.pooling_type = "MIN", .padding = "SAME"}), tf::ValueError);
  EXPECT_THROW(tf::nn::pool(x, {2, 2}, {.pooling_type = "MAX", .padding = "SAME", .dilation_rate = {2, 2}}),
               tf::ValueError);
}

}  // namespace
}  // namespace flowray
