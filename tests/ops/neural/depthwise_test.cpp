// Values are compared with TensorFlow's in GoldenOps; here what is refused, in its words.

#include "ops/nn_testing.h"

namespace flowray::testing {
namespace {

graph::Attrs depthwise(const std::string& padding, std::vector<int64_t> explicit_paddings) {
  return {{"padding", padding},
          {"strides", std::vector<int64_t>{1, 1, 1, 1}},
          {"explicit_paddings", std::move(explicit_paddings)}};
}

TEST(DepthwiseConv, ChecksItsPaddings) {
  const Array image = Array::full(DType::kFloat32, {1, 2, 2, 1}, 1);
  const Array filter = Array::full(DType::kFloat32, {1, 1, 1, 1}, 1);
  EXPECT_EQ(
      build_error("DepthwiseConv2dNative", {image, filter}, depthwise("EXPLICIT", {0, 0, -1, 0, 0, 0, 0, 0})),
      "All elements of explicit_paddings must be nonnegative");
  EXPECT_EQ(
      build_error("DepthwiseConv2dNative", {image, filter}, depthwise("SAME", {0, 0, 1, 0, 0, 0, 0, 0})),
      "explicit_paddings attribute must be empty if the padding attribute is not EXPLICIT");
}

TEST(DepthwiseConv, IsDoneAtOnceWhereThereAreNoImages) {
  const Array none(DType::kFloat32, {0, int64_t{1} << 40, int64_t{1} << 40, 1});
  const Array filter = Array::full(DType::kFloat32, {2, 2, 1, 1}, 1);
  EXPECT_EQ(run_op("DepthwiseConv2dNative", {none, filter}, depthwise("SAME", {})).shape(), none.shape());
  EXPECT_EQ(run_op("DepthwiseConv2dNativeBackpropFilter",
                   {none, Array(std::vector<int32_t>{2, 2, 1, 1}), none}, depthwise("SAME", {})),
            Array(DType::kFloat32, {2, 2, 1, 1}));
}

}  // namespace
}  // namespace flowray::testing
