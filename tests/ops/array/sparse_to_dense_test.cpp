// Values are compared with TensorFlow's in GoldenOps (arrangements); here errors, in its words.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

TEST(SparseToDense, SaysWhatDoesNotFit) {
  const auto dense_error = [](const std::string& text, const std::vector<int32_t>& indices) {
    expect_run_error(text, "SparseToDense", {Array(indices), int_vector({5}), Array(7), Array(-1)});
  };
  dense_error("indices[1] = [9] is out of bounds: need 0 <= index < [5]\n", {1, 9});
  dense_error("indices[1] = [1] is out of order. Many sparse ops require sorted indices.\n", {3, 1});
  dense_error("indices[1] = [1] is repeated\n", {1, 1});
}

}  // namespace
}  // namespace flowray::testing
