// Values are compared with TensorFlow's in GoldenOps (arrangements); here errors, in its words.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(DynamicPartition, SaysWhatDoesNotFit) {
  expect_run_error("partitions[1] = 5 is not in [0, 2)\n", "DynamicPartition",
                   {zeros({2}), int_vector({0, 5})}, {{"num_partitions", int64_t{2}}});
}

}  // namespace
}  // namespace flowray::testing
