// Windows as channels: values are compared with TensorFlow's by scripts/conformance;
// here sizes that no array has.

#include <flowray/errors.h>

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

/// 2^30 by 2^30 of 16 channels wraps to no channel at all.
TEST(ExtractImagePatches, RefusesMoreChannelsThanThereAreNumbers) {
  const std::vector<int64_t> ones{1, 1, 1, 1};
  const std::vector<int64_t> large{1, int64_t{1} << 30, int64_t{1} << 30, 1};
  EXPECT_THROW(
      (void)run_op_all(
          "ExtractImagePatches", {zeros({1, 2, 2, 16})},
          {.attrs = {{"ksizes", large}, {"strides", ones}, {"rates", ones}, {"padding", std::string("SAME")}},
           .unknown_shapes = true}),
      Error);
}

}  // namespace
}  // namespace flowray::testing
