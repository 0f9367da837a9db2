// What real TensorFlow 2.21 gives and says.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/op_runner.h"

namespace flowray::ops {
namespace {

using testing::run_op;

Array floats() { return Array({1.0f, 2.0f}); }
Array list() {
  return run_op("TensorListFromTensor", {Array({{1.0f, 2.0f}}), Array(std::vector<int32_t>{2})},
                {{"element_dtype", DType::kFloat32}, {"shape_type", DType::kInt32}});
}

template <class F>
void expect_error(const std::string& text, F run) {
  try {
    (void)run();
    ADD_FAILURE() << "no error, but " << text;
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_THAT(error.message(), ::testing::StartsWith(text));
  }
}

TEST(Optional, HoldsValuesOrNothing) {
  const graph::Attrs types{{"output_types", std::vector{DType::kFloat32}},
                           {"output_shapes", std::vector{Shape{2}}}};
  const Array some =
      run_op("OptionalFromValue", {floats()}, {{"Toutput_types", std::vector{DType::kFloat32}}});
  const Array none = run_op("OptionalNone", {});
  EXPECT_EQ(run_op("OptionalGetValue", {some}, types), floats());
  EXPECT_EQ(run_op("OptionalHasValue", {some}), Array(true));
  EXPECT_EQ(run_op("OptionalHasValue", {none}), Array(false));
  expect_error("The given optional does not have a value.",
               [&] { return run_op("OptionalGetValue", {none}, types); });
  expect_error(
      "Input handle is not a list. Saw: 'Variant<type: tensorflow::data::Optional value: "
      "OptionalVariant<None>>'",
      [&] { return run_op("TensorListLength", {none}); });
  expect_error("Input to OptionalHasValue must be an OptionalVariant object.",
               [] { return run_op("OptionalHasValue", {list()}); });
}

}  // namespace
}  // namespace flowray::ops
