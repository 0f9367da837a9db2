// Lists: what real TensorFlow 2.21 gives and says, op by op.

#include "support/op_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace flowray::ops {
namespace {

using testing::run_op;
using testing::run_op_all;

const graph::Attrs kFloats{{"element_dtype", DType::kFloat32}, {"shape_type", DType::kInt32}};
const Array kUnknown(-1);

Array ints(std::vector<int32_t> values) { return {values}; }
Array rows() { return Array({{1.0f, 2.0f}, {3.0f, 4.0f}}); }
Array list() { return run_op("TensorListFromTensor", {rows(), ints({2})}, kFloats); }
Array reserved(int size, const Array& shape) {
  return run_op("TensorListReserve", {shape, Array(size)}, kFloats);
}
Array empty(const Array& shape, int max = -1) {
  return run_op("EmptyTensorList", {shape, Array(max)}, kFloats);
}
Array floats() { return Array({1.0f, 2.0f}); }

Array run(const std::string& op, const std::vector<Array>& inputs, graph::Attrs attrs = {}) {
  attrs.set("element_dtype", DType::kFloat32);
  return run_op_all(op, inputs, {.attrs = std::move(attrs), .unknown_shapes = true})[0];
}
Array push(const Array& to, const Array& value) { return run("TensorListPushBack", {to, value}); }
Array stack(const Array& of, const Array& shape) { return run("TensorListStack", {of, shape}); }
Array get(const Array& of, int i, const Array& shape) {
  return run("TensorListGetItem", {of, Array(i), shape});
}
Array set(const Array& in, int i, const Array& value) {
  return run("TensorListSetItem", {in, Array(i), value});
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

TEST(TensorList, KeepsEachStateOfAList) {
  const Array first = list();
  const Array longer = push(first, Array({5.0f, 6.0f}));
  const Array changed = set(longer, 0, Array({0.0f, 0.0f}));
  EXPECT_EQ(stack(first, kUnknown), rows());
  EXPECT_EQ(stack(longer, kUnknown), Array({{1.0f, 2.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}));
  EXPECT_EQ(stack(changed, kUnknown), Array({{0.0f, 0.0f}, {3.0f, 4.0f}, {5.0f, 6.0f}}));
}

TEST(TensorList, ReadsZerosWhereNothingWasPut) {
  const Array zeros({0.0f, 0.0f});
  EXPECT_EQ(get(reserved(2, ints({2})), 0, ints({2})), zeros);
  EXPECT_EQ(get(reserved(2, kUnknown), 0, ints({2})), zeros);
  EXPECT_EQ(get(set(reserved(2, kUnknown), 1, floats()), 0, kUnknown), zeros);
  EXPECT_EQ(stack(set(reserved(2, kUnknown), 1, floats()), kUnknown), Array({{0.0f, 0.0f}, {1.0f, 2.0f}}));
  EXPECT_EQ(stack(empty(ints({3, 2})), ints({-1, 2})), Array(DType::kFloat32, {0, 3, 2}));
}

TEST(TensorList, SaysWhatIsWrongWithReading) {
  expect_error("Trying to access element 2 in a list with 2 elements.",
               [] { return get(list(), 2, ints({2})); });
  expect_error("Trying to access element -1 in a list with 2 elements.",
               [] { return get(list(), -1, ints({2})); });
  expect_error(
      "Trying to read an uninitialized tensor but element_shape is not fully defined: <unknown> and no "
      "list element is set.",
      [] { return get(reserved(2, kUnknown), 0, kUnknown); });
  expect_error("PartialTensorShape: Incompatible shapes during merge: [3] vs. [2]",
               [] { return get(reserved(2, ints({2})), 0, ints({3})); });
  expect_error("PartialTensorShape: Incompatible shapes during merge: [3] vs. [2]",
               [] { return stack(list(), ints({3})); });
  expect_error("Tried to stack elements of an empty list with non-fully-defined element_shape: [?,2]",
               [] { return stack(empty(ints({-1, 2})), ints({-1, 2})); });
  expect_error(
      "Tried to stack list which only contains uninitialized tensors and has a non-fully-defined "
      "element_shape: <unknown>",
      [] { return stack(reserved(2, kUnknown), kUnknown); });
  expect_error("PartialTensorShape: Incompatible shapes during merge: [2] vs. [1]",
               [] { return stack(push(push(empty(kUnknown), floats()), Array({1.0f})), kUnknown); });
  expect_error("Operation expected a list with 3 elements but got a list with 2 elements.",
               [] { return run("TensorListStack", {list(), ints({2})}, {{"num_elements", int64_t{3}}}); });
  expect_error("Index 5 out o range; list only has 2 elements.",
               [] { return run("TensorListGather", {list(), ints({0, 5}), ints({2})}); });
  expect_error(
      "Tried to gather uninitialized tensors from a list with non-fully-defined element_shape: <unknown>",
      [] { return run("TensorListGather", {reserved(2, kUnknown), ints({1, 0}), kUnknown}); });
  expect_error("Trying to pop from an empty list.",
               [] { return run("TensorListPopBack", {empty(ints({2})), ints({2})}); });
}

TEST(TensorList, SaysWhatIsWrongWithChanging) {
  expect_error("Trying to modify element 2 in a list with 2 elements.",
               [] { return set(list(), 2, floats()); });
  expect_error("Trying to modify element -2 in a list with 2 elements.",
               [] { return set(list(), -2, floats()); });
  expect_error(
      "Tried to set a tensor with incompatible shape at a list index. Item element shape: [3] list shape: "
      "[2]",
      [] { return set(list(), 0, Array({1.0f, 2.0f, 3.0f})); });
  expect_error(
      "Tried to append a tensor with incompatible shape to a list. Op element shape: [3] list shape: [2]",
      [] { return push(list(), Array({1.0f, 2.0f, 3.0f})); });
  expect_error("Tried to push item into a full list list size: 1 max_num_elements: 1",
               [] { return push(push(empty(ints({2}), 1), floats()), floats()); });
  expect_error("Invalid data types; op elements int32 but list elements float",
               [] { return run_op("TensorListSetItem", {list(), Array(0), ints({1, 2})}); });
  expect_error("TensorListSlice expects size to be non-negative. Got: -1",
               [] { return run_op("TensorListResize", {list(), Array(-1)}); });
  expect_error("input_a and input_b TensorList element shapes are not identical at index 0.  Saw [2] vs. [1]",
               [] {
                 const Array other = run_op("TensorListFromTensor", {Array({{1.0f}}), ints({1})}, kFloats);
                 return run("TensorListConcatLists", {list(), other});
               });
  const Array grown =
      run("TensorListSetItem", {list(), Array(4), floats()}, {{"resize_if_index_out_of_bounds", true}});
  EXPECT_EQ(run_op("TensorListLength", {grown}), Array(5));
}

TEST(TensorList, SaysWhatIsWrongWithMaking) {
  expect_error("Tensor must be at least a vector, but saw shape: []",
               [] { return run_op("TensorListFromTensor", {Array(1.0f), ints({2})}, kFloats); });
  expect_error("Specified a list with shape [3] from a tensor with shape [2]",
               [] { return run_op("TensorListFromTensor", {rows(), ints({3})}, kFloats); });
  expect_error("The num_elements to reserve must be a non negative number, but got -1",
               [] { return reserved(-1, ints({2})); });
  expect_error("Dimension -2 must be >= -1", [] { return reserved(1, ints({-2})); });
  expect_error("The only valid scalar shape tensor is the fully unknown shape specified as -1.",
               [] { return reserved(1, Array(3)); });
  expect_error("Indices in TensorListScatter must all be non-negative.", [] {
    return run_op("TensorListScatter", {Array({{1.0f, 2.0f}}), ints({-1}), ints({2})}, kFloats);
  });
  expect_error("Invalid number of rows in input tensor. Expected: 2 Actual: 1", [] {
    return run_op("TensorListScatter", {Array({{1.0f, 2.0f}}), ints({0, 1}), ints({2})}, kFloats);
  });
  expect_error("TensorListScatter: Trying to scatter at index 2 in list with size 2", [] {
    return run_op("TensorListScatterV2", {Array({{1.0f, 2.0f}}), ints({2}), ints({2}), Array(2)}, kFloats);
  });
  const auto split = [](const Array& values, std::vector<int64_t> lengths) {
    return run_op("TensorListSplit", {values, ints({-1, 2}), Array(lengths)}, kFloats);
  };
  expect_error("Attempting to slice [0, 2] from tensor with length 1",
               [&] { return split(Array({{1.0f, 2.0f}}), {2}); });
  expect_error("Invalid value in lengths: -1", [&] { return split(Array({{1.0f, 2.0f}}), {-1, 2}); });
  expect_error("Unused values in tensor. Length of tensor: 2 Values used: 1",
               [&] { return split(rows(), {1}); });
}

TEST(TensorList, IsConcatenated) {
  const auto concat = [](const Array& of, const Array& shape, std::vector<int64_t> leading) {
    return run("TensorListConcatV2", {of, shape, Array(leading)}, {{"shape_type", DType::kInt32}});
  };
  const Array two = push(push(empty(ints({-1, 2})), Array({{1.0f, 2.0f}})), rows());
  EXPECT_EQ(concat(two, ints({-1, 2}), {}), Array({{1.0f, 2.0f}, {1.0f, 2.0f}, {3.0f, 4.0f}}));
  EXPECT_EQ(concat(reserved(2, ints({-1, 2})), ints({-1, 2}), {1, 2}), Array(DType::kFloat32, {3, 2}));
  EXPECT_EQ(concat(reserved(2, ints({3, 2})), ints({-1, 2}), {}), Array(DType::kFloat32, {6, 2}));
  expect_error("PartialTensorShape: Incompatible shapes during merge: [?,3] vs. [?,2]",
               [&] { return concat(two, ints({-1, 3}), {}); });
  expect_error("List contains uninitialized tensor at index 1 but leading_dims has only 1 elements.",
               [&] { return concat(reserved(2, ints({-1, 2})), ints({-1, 2}), {1}); });
}

TEST(TensorList, SumsElementByElement) {
  const Array halves = set(reserved(2, ints({2})), 1, Array({0.5f, 0.25f}));
  const Array sum = run_op("AddN", {list(), halves, list()}, {{"N", int64_t{3}}, {"T", DType::kVariant}});
  EXPECT_EQ(stack(sum, ints({2})), Array({{2.0f, 4.0f}, {6.5f, 8.25f}}));
  expect_error("Trying to add two lists of tensors with different lengths. One is 2 and the other is 3", [] {
    return run_op("AddN", {list(), push(list(), floats())}, {{"N", int64_t{2}}, {"T", DType::kVariant}});
  });
}

/// TensorFlow crashes where these lists have sizes that no memory is enough for.
template <class Body>
void expect_too_long(const std::string& text, Body body) {
  try {
    body();
    ADD_FAILURE() << "no error";
  } catch (const errors::ResourceExhaustedError& error) {
    EXPECT_EQ(error.message().substr(0, text.size()), text);
  }
}

TEST(TensorList, IsNotMadeOfANumberAlone) {
  const char* text = "OOM when making 2147483647 elements of a TensorList";
  expect_too_long(text, [] { reserved(INT32_MAX, ints({2})); });
  expect_too_long(text, [] { run("TensorListResize", {list(), Array(INT32_MAX)}); });
  expect_too_long(text, [] {
    run("TensorListScatterV2", {rows(), ints({0, INT32_MAX - 1}), ints({2}), Array(-1)},
        {{"shape_type", DType::kInt32}});
  });
  expect_too_long("OOM when making 1099511627776 elements of a TensorList", [] {
    run_op("TensorListFromTensor", {Array(DType::kFloat32, {int64_t{1} << 40, 0}), ints({0})}, kFloats);
  });
}

TEST(TensorList, IsConcatenatedOfRowsThatCanBeCounted) {
  const auto concat = [](std::vector<int64_t> leading) {
    return run("TensorListConcatV2", {reserved(2, ints({-1, 2})), ints({-1, 2}), Array(leading)},
               {{"shape_type", DType::kInt32}});
  };
  expect_error("Dimension -5 must be >= 0", [&] { return concat({-5, 3}); });
  expect_error("Dimension size overflow from adding", [&] { return concat({INT64_MAX, INT64_MAX}); });
}

TEST(TensorList, IsNotSplitIntoMoreThanThereIs) {
  expect_error("Attempting to slice [1, -9223372036854775808] from tensor with length 2", [] {
    return run("TensorListSplit", {floats(), ints({-1}), Array(std::vector<int64_t>{1, INT64_MAX})},
               {{"shape_type", DType::kInt32}});
  });
}

TEST(TensorArray, IsNotMadeOfANumberAlone) {
  expect_too_long("OOM when making 2147483647 elements of a TensorArray", [] {
    run_op_all("TensorArrayV3", {Array(INT32_MAX)}, {.attrs = {{"dtype", DType::kFloat32}}});
  });
}

TEST(TensorArray, IsNotSplitByLengthsThatDoNotFit) {
  const Array array = run_op_all("TensorArrayV3", {Array(2)}, {.attrs = {{"dtype", DType::kFloat32}}})[0];
  expect_error("Expected sum of lengths to be equal to values.shape[0], but sum of lengths is ", [&] {
    return run_op("TensorArraySplitV3",
                  {array, floats(), Array(std::vector<int64_t>{INT64_MAX, INT64_MAX}), Array(0.0f)});
  });
}

}  // namespace
}  // namespace flowray::ops
