// What is expected is what TensorFlow 2.21 gave for the same inputs; tests/interop/data_ops_test.py compares
// many more with it.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array strings(const std::vector<std::string>& values) { return Array(values); }

TEST(DecodeRaw, ReadsElementsOfEitherByteOrder) {
  const graph::Attrs big = {{"out_type", DType::kInt16}, {"little_endian", false}};
  EXPECT_EQ(run_op("DecodeRaw", {strings({"abcd"})}, big),
            Array(std::vector<int16_t>{24930, 25444}).reshape({1, 2}));
  expect_run_error("Input to DecodeRaw has length 3 that is not a multiple of 2, the size of int16",
                   "DecodeRaw", {strings({"abc"})}, big);
}

}  // namespace
}  // namespace flowray::testing
