// Values and errors are those of TensorFlow 2.21.

#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

Array longs(const std::vector<int64_t>& numbers) { return Array(numbers); }
Array matrix(const std::vector<int64_t>& numbers, const Shape& shape) { return Array::from(numbers, shape); }

/// [[0, 1, 0], [2, 0, 0]]
std::vector<Array> two() { return {matrix({0, 1, 1, 0}, {2, 2}), Array({1.f, 2.f}), longs({2, 3})}; }

Array serialized(const std::string& op, const std::vector<Array>& sparse) { return run_op(op, sparse); }

std::vector<Array> deserialized(const Array& bytes, const std::string& op = "DeserializeSparse",
                                DType dtype = DType::kFloat32) {
  return run_op_all(op, {bytes}, {.attrs = {{"dtype", dtype}}});
}

void expect_failure(const std::string& text, const Array& bytes) {
  expect_run_error(text, "DeserializeSparse", {bytes}, {{"dtype", DType::kFloat32}});
}

TEST(SerializeSparse, WritesThreeMessagesThatAreReadBack) {
  const Array bytes = serialized("SerializeSparse", two());
  ASSERT_EQ(bytes.shape(), Shape({3}));
  using namespace std::string_literals;
  EXPECT_EQ(bytes.data<std::string>()[1],
            "\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\x00\x00\x80?\x00\x00\x00@"s);
  EXPECT_EQ(deserialized(bytes), two());
}

TEST(SerializeSparse, LeavesTheOrderAsItIs) {
  const std::vector<Array> turned = {matrix({1, 1, 0, 0}, {2, 2}), Array({1.f, 2.f}), longs({2, 3})};
  EXPECT_EQ(deserialized(serialized("SerializeSparse", turned)), turned);
}

TEST(SerializeManySparse, HasARowForEach) {
  const Array rows = serialized("SerializeManySparse", two());
  ASSERT_EQ(rows.shape(), Shape({2, 3}));
  EXPECT_EQ(deserialized(rows), two());
  EXPECT_EQ(deserialized(rows, "DeserializeManySparse"), two());
  EXPECT_EQ(deserialized(rows.rows(1, 2).reshape({3})),
            (std::vector<Array>{matrix({0}, {1, 1}), Array({2.f}), longs({3})}));
  const std::vector<Array> none = {Array(DType::kInt64, {0, 2}), Array(DType::kFloat32, {0}), longs({2, 3})};
  EXPECT_EQ(deserialized(serialized("SerializeManySparse", none)), none);
}

TEST(DeserializeSparse, PutsDimensionsInFrontAndTakesTheLargestShape) {
  const Array one = serialized("SerializeSparse", two());
  const Array other = serialized("SerializeSparse", {matrix({0, 1}, {1, 2}), Array({5.f}), longs({4, 2})});
  std::vector<std::string> texts(one.data<std::string>(), one.data<std::string>() + 3);
  texts.insert(texts.end(), other.data<std::string>(), other.data<std::string>() + 3);
  EXPECT_EQ(deserialized(Array::from(texts, {2, 3})),
            (std::vector<Array>{matrix({0, 0, 1, 0, 1, 0, 1, 0, 1}, {3, 3}), Array({1.f, 2.f, 5.f}),
                                longs({2, 4, 3})}));
  EXPECT_EQ(deserialized(Array::from(texts, {2, 1, 3}))[2], longs({2, 1, 4, 3}));
}

TEST(DeserializeSparse, RefusesWhatIsNone) {
  const Array one = serialized("SerializeSparse", two());
  EXPECT_EQ(built_shape("DeserializeSparse", {one}, {{"dtype", DType::kFloat32}}), "[?,?]");
  expect_build_error("Dimension must be 3 but is 2", "DeserializeSparse", {Array({"a", "b"})},
                     {{"dtype", DType::kFloat32}});
  expect_failure("Serialized sparse should have non-zero rank []", Array("a"));
  expect_failure("Serialized sparse should have 3 as the last dimension [2]", Array({"a", "b"}));
  expect_failure("Serialized sparse should have at least 1 serialized tensor, but has a zero dimension [0,3]",
                 Array(DType::kString, {0, 3}));
  expect_failure("Could not parse serialized proto", Array({"a", "b", "c"}));
  const Array cube =
      serialized("SerializeSparse", {matrix({0, 1, 1}, {1, 3}), Array({1.f}), longs({2, 3, 4})});
  std::vector<std::string> texts(one.data<std::string>(), one.data<std::string>() + 3);
  texts.insert(texts.end(), cube.data<std::string>(), cube.data<std::string>() + 3);
  expect_failure(
      "Inconsistent shape across SparseTensors: rank prior to SparseTensor[1] was: 2 but rank of "
      "SparseTensor[1] "
      "is: 3",
      Array::from(texts, {2, 3}));
  expect_failure(
      "Expected row counts of SparseTensor[0].indices and SparseTensor[0].values to match but they do "
      "not: 1 vs. 2",
      serialized("SerializeSparse", {matrix({0, 1}, {1, 2}), Array({1.f, 2.f}), longs({2, 3})}));
  expect_failure(
      "Expected column counts of SparseTensor[0].indices to match size of SparseTensor[0].shape but "
      "they do not: 2 vs. 1",
      serialized("SerializeSparse", {matrix({0, 1}, {1, 2}), Array({1.f}), longs({2})}));
}

TEST(SerializeManySparse, ListsTakeItsVariantsApart) {
  const Array rows = run_op("SerializeManySparse", two(), {{"out_type", DType::kVariant}});
  const Array list = run_op("TensorListFromTensor", {rows, Array(std::vector<int32_t>{3})},
                            {{"element_dtype", DType::kVariant}});
  const Array row = run_op("TensorListGetItem", {list, Array(1), Array(std::vector<int32_t>{3})},
                           {{"element_dtype", DType::kVariant}});
  EXPECT_EQ(deserialized(row), (std::vector<Array>{matrix({0}, {1, 1}), Array({2.f}), longs({3})}));
}

TEST(SerializeManySparse, RefusesWhatHasNoRows) {
  const auto fails = [](const std::string& text, const std::vector<Array>& inputs) {
    expect_run_error(text, "SerializeManySparse", inputs);
  };
  fails("Rank of input SparseTensor should be > 1, but saw rank: 1",
        {matrix({0}, {1, 1}), Array({1.f}), longs({2})});
  fails("Expected shape dimensions to be non-negative, got -2",
        {matrix({0, 1}, {1, 2}), Array({1.f}), longs({-2, -3})});
  fails("indices[0] = [5,6] is out of bounds: need 0 <= index < [2,3]",
        {matrix({5, 6}, {1, 2}), Array({1.f}), longs({2, 3})});
  fails("indices[1] = [0,0] is out of order. Many sparse ops require sorted indices.",
        {matrix({1, 1, 0, 0}, {2, 2}), Array({1.f, 2.f}), longs({2, 3})});
  EXPECT_THROW(run_op("SerializeManySparse",
                      {matrix({}, {0, 2}), Array(DType::kFloat32, {0}), longs({100'000'000'000, 1})}),
               errors::ResourceExhaustedError);
  fails("indices and values rows (indexing dimension) must match. (indices = 1, values = 2)",
        {matrix({0, 1}, {1, 2}), Array({1.f, 2.f}), longs({2, 3})});
}

}  // namespace
}  // namespace flowray::testing
