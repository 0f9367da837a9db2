// The numbers are those of TensorFlow 2.21; tests/interop/data_ops_test.py compares many more with it.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array strings(const std::vector<std::string>& values) { return Array(values); }
Array longs(const std::vector<int64_t>& values) { return Array(values); }

TEST(StringToHashBucket, GivesTensorFlowsNumbers) {
  const Array texts = strings({"", "a", "hello", std::string(65, 'z')});
  const graph::Attrs many = {{"num_buckets", int64_t{1} << 62}};
  EXPECT_EQ(run_op("StringToHashBucketFast", {texts}, many),
            longs({1936946117179621455, 3694432073954588131, 3786372426573024488, 3688229565335330613}));
  EXPECT_EQ(run_op("StringToHashBucket", {texts}, many),
            longs({105434511174508091, 2996632905371535868, 1331861223480393034, 2788949775400558854}));
  EXPECT_EQ(run_op("StringToHashBucketStrong", {texts},
                   {{"num_buckets", int64_t{1} << 62}, {"key", std::vector<int64_t>{7, 9}}}),
            longs({1315545615887763260, 1004874263156222447, 4448715484617106059, 4499851587181231062}));
}

}  // namespace
}  // namespace flowray::testing
