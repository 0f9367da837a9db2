// What is expected is what TensorFlow 2.21 gave for the same inputs; tests/interop/data_ops_test.py compares
// many more with it.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array strings(const std::vector<std::string>& values) { return Array(values); }

TEST(DecodeCsv, ReadsQuotedFieldsAndDefaults) {
  const auto columns =
      run_op_all("DecodeCSV", {strings({"1,\"b,c\"", ",x"}), int_vector({7}), strings({"z"})});
  EXPECT_EQ(columns[0], int_vector({1, 7}));
  EXPECT_EQ(columns[1], strings({"b,c", "x"}));
  expect_run_error("Quoted field has to end with quote followed by delim or end", "DecodeCSV",
                   {strings({"\"a"}), strings({"z"})});
}

}  // namespace
}  // namespace flowray::testing
