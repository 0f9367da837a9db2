#include <flowray/array.h>
#include <limits>

#include "core/block_pool.h"
#include "core/buffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace flowray {
namespace {

TEST(Array, IsZeroWhenMadeByShape) {
  const Array array(DType::kFloat32, {2, 3});
  EXPECT_EQ(array.size(), 6);
  EXPECT_EQ(array.size_bytes(), 24u);
  for (float value : array.span<float>()) EXPECT_EQ(value, 0.0f);
}

TEST(Array, StartsOnACacheLine) {
  for (int64_t size : {1, 3, 17, 1000, 100000}) {
    const Array array(DType::kInt8, {size});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array.raw_data()) % 64, 0u) << size;
  }
}

TEST(Array, TakesTheDtypesOfWhatIsWritten) {
  EXPECT_EQ(Array(1).dtype(), DType::kInt32);
  EXPECT_EQ(Array(1.0).dtype(), DType::kFloat64);
  EXPECT_EQ(Array(1.0f).dtype(), DType::kFloat32);
  EXPECT_EQ(Array(int64_t{1}).dtype(), DType::kInt64);
  EXPECT_EQ(Array(true).dtype(), DType::kBool);
  EXPECT_EQ(Array("text").dtype(), DType::kString);
  EXPECT_EQ(Array({1.0, 2.0}).dtype(), DType::kFloat32);
  EXPECT_EQ(Array({{1, 2, 3}, {4, 5, 6}}).shape(), (Shape{2, 3}));
  EXPECT_EQ(Array(std::vector<double>{1.0}).dtype(), DType::kFloat64);
  EXPECT_EQ(Array(std::vector<bool>{true, false}), Array({true, false}));
}

// clang would take {0} for a null text and {"a"} for a text if a constructor took a const char* that is
// none yet.
TEST(Array, IsAListInBraces) {
  EXPECT_EQ(Array({0}).shape(), (Shape{1}));
  EXPECT_EQ(Array({"a"}).shape(), (Shape{1}));
  EXPECT_EQ(Array("a").shape(), (Shape{}));
  EXPECT_EQ(Literal({"a"}).to_array().shape(), (Shape{1}));
  EXPECT_EQ(Literal("a").to_array().shape(), (Shape{}));
}

TEST(Array, HoldsEveryElementType) {
  for (DType dtype : {DType::kFloat16, DType::kBfloat16, DType::kFloat32, DType::kFloat64, DType::kInt8,
                      DType::kInt16, DType::kInt32, DType::kInt64, DType::kUint8, DType::kUint16,
                      DType::kUint32, DType::kUint64, DType::kBool, DType::kComplex64, DType::kComplex128}) {
    const Array ones = Array::full(dtype, {3}, dtype == DType::kBool ? Literal(true) : Literal(1));
    EXPECT_EQ(ones.dtype(), dtype);
    EXPECT_EQ(ones.astype(DType::kFloat64), Array(std::vector<double>{1, 1, 1})) << dtype_name(dtype);
  }
  const Array words({"a", "longer than a small string holds in place", ""});
  EXPECT_EQ(words.data<std::string>()[1].size(), 41u);
  EXPECT_EQ(Array(words), words);
}

TEST(Array, SharesElementsUntilOneIsWritten) {
  Array first({1.0f, 2.0f});
  const Array second = first;
  EXPECT_EQ(first.raw_data(), second.raw_data());
  first.mutable_data<float>()[0] = 9.0f;
  EXPECT_NE(first.raw_data(), second.raw_data());
  EXPECT_EQ(second, Array({1.0f, 2.0f}));
  const void* own = first.raw_data();
  first.mutable_data<float>()[1] = 8.0f;  // held once now: no further copy
  EXPECT_EQ(first.raw_data(), own);
  EXPECT_EQ(first, Array({9.0f, 8.0f}));
}

TEST(Array, RowsAndReshapedViewsDetachToo) {
  Array whole({{1, 2}, {3, 4}, {5, 6}});
  Array middle = whole.rows(1, 2);
  EXPECT_EQ(middle, Array({{3, 4}}));
  middle.mutable_data<int32_t>()[0] = 99;
  EXPECT_EQ(whole, Array({{1, 2}, {3, 4}, {5, 6}}));
  Array flat = whole.reshape({-1});
  EXPECT_EQ(flat.shape(), (Shape{6}));
  flat.mutable_data<int32_t>()[5] = 0;
  EXPECT_EQ(whole.data<int32_t>()[5], 6);
}

TEST(Array, ForeignMemoryThatIsNotOursToWriteIsCopiedFirst) {
  int32_t foreign[2] = {1, 2};
  BufferRef buffer = Buffer::adopt(foreign, sizeof foreign, nullptr, nullptr, /*writable=*/false);
  Array array = Array::wrap(buffer.leave(), foreign, DType::kInt32, {2});
  array.mutable_data<int32_t>()[0] = 7;
  EXPECT_EQ(foreign[0], 1);
  EXPECT_EQ(array, Array({7, 2}));
}

TEST(Array, ReadsAsItsOwnTypeOnly) {
  const Array array({1.0f});
  EXPECT_EQ(array.item<float>(), 1.0f);
  EXPECT_THROW((void)array.data<double>(), TypeError);
  EXPECT_THROW((void)Array({1.0f, 2.0f}).item<float>(), ValueError);
  EXPECT_THROW((void)Array().item<float>(), ValueError);
}

TEST(Array, RefusesShapesThatDoNotFit) {
  EXPECT_THROW((void)Array({1, 2, 3}).reshape({2, 2}), ValueError);
  EXPECT_THROW((void)Array({1, 2, 3, 4}).reshape({-1, -1}), ValueError);
  EXPECT_THROW((void)Array({1, 2, 3, 4}).reshape({-1, 3}), ValueError);
  EXPECT_THROW((void)Array::from(std::vector<int>{1, 2, 3}, {2}), ValueError);
  EXPECT_THROW((void)Array({1, 2}).rows(1, 3), IndexError);
  EXPECT_THROW((void)Array(1).rows(0, 1), IndexError);
  EXPECT_THROW(Array(DType::kFloat32, {Shape::kUnknownDim}), ValueError);
  EXPECT_THROW((Array{{1, 2}, {3}}), ValueError);
}

TEST(Array, OfStringsTakesItsMemoryFromTheBlocksThatAreLimited) {
  const Array some(DType::kString, {3});
  limit_block_pool(block_pool_stats().bytes_in_use + (1 << 20));
  EXPECT_THROW(Array(DType::kString, {1 << 20}), errors::ResourceExhaustedError);
  EXPECT_NO_THROW(Array(DType::kString, {100}));
  limit_block_pool(0);
  EXPECT_EQ(Array(DType::kString, {1 << 20}).size(), 1 << 20);
}

TEST(Array, SaysWhatWasAskedWhenMemoryDoesNotHoldIt) {
  try {
    Array(DType::kFloat64, {int64_t{1} << 40, int64_t{1} << 21});
    FAIL() << "2^64 bytes";
  } catch (const errors::ResourceExhaustedError& error) {
    EXPECT_EQ(error.message(),
              "OOM when allocating tensor with shape[1099511627776,2097152] and type double");
  }
  try {
    Array(DType::kFloat64, {int64_t{1} << 40, int64_t{1} << 40});
    FAIL() << "2^80 elements";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_EQ(error.message(), "Shape [1099511627776,1099511627776] would have more than 2**63 - 1 elements");
  }
}

TEST(Array, MayBeEmpty) {
  const Array empty(DType::kFloat32, {0, 3});
  EXPECT_EQ(empty.size(), 0);
  EXPECT_TRUE(empty.has_value());
  EXPECT_EQ(empty.reshape({3, 0}).shape(), (Shape{3, 0}));
  EXPECT_EQ(empty, Array(DType::kFloat32, {0, 3}));
  EXPECT_FALSE(empty == Array(DType::kFloat32, {3, 0}));
  EXPECT_FALSE(Array().has_value());
}

TEST(Array, ConvertsAsCppDoes) {
  EXPECT_EQ(Array({1.9f, -1.9f}).astype(DType::kInt32), Array({1, -1}));
  EXPECT_EQ(Array({0.0f, 0.5f}).astype(DType::kBool), Array({false, true}));
  EXPECT_EQ(Array({true, false}).astype(DType::kFloat32), Array({1.0f, 0.0f}));
  EXPECT_EQ(Array(std::vector<int32_t>{300}).astype(DType::kUint8).item<uint8_t>(), 44);
  EXPECT_THROW((void)Array("a").astype(DType::kFloat32), TypeError);
}

TEST(Array, NanDiffersFromItself) { EXPECT_FALSE(Array(NAN) == Array(NAN)); }

TEST(Array, PrintsAsNumPyDoes) {
  EXPECT_EQ(Array({0.5f, 1.0f}).to_string(), "[0.5 1.]");
  EXPECT_EQ(Array({{1, 2}, {3, 4}}).to_string(), "[[1 2]\n [3 4]]");
  EXPECT_EQ(Array(true).to_string(), "True");
  EXPECT_EQ(Array("a").to_string(), "b'a'");
  EXPECT_EQ(Array(DType::kFloat32, {0}).to_string(), "[]");
  EXPECT_EQ(Array(DType::kFloat32, {3, 0}).to_string(), "[]");
  EXPECT_EQ(Array(DType::kString, {int64_t{1} << 40, 0}).to_string(), "[]");
  EXPECT_EQ(Array().to_string(), "None");
  EXPECT_EQ(Array(DType::kInt32, {2000}).to_string(), "[0 0 0 ... 0 0 0]");
}

// Python: repr(b"...").
TEST(Array, PrintsBytesAsPythonDoes) {
  const auto printed = [](const std::string& text) { return Array(text).to_string(); };
  EXPECT_EQ(printed("a b"), "b'a b'");
  EXPECT_EQ(printed("it's"), "b\"it's\"");
  EXPECT_EQ(printed("'\""), "b'\\'\"'");
  EXPECT_EQ(printed("\n\r\t\\"), "b'\\n\\r\\t\\\\'");
  EXPECT_EQ(printed(std::string("\0\x1b\x7f\xff", 4)), "b'\\x00\\x1b\\x7f\\xff'");
}

TEST(Literal, TakesTheDtypeThatIsAskedFor) {
  EXPECT_EQ(Literal(1).to_array(DType::kFloat64), Array(1.0));
  EXPECT_EQ(Literal(0.5).to_array(), Array(0.5f));
  EXPECT_EQ(Literal({1, 2}).to_array(DType::kInt64).dtype(), DType::kInt64);
  EXPECT_EQ(Literal({1, 2.5}).to_array(), Array({1.0f, 2.5f}));
  EXPECT_TRUE(Literal(1).is_weak());
  EXPECT_FALSE(Literal(1.0f).is_weak());
  EXPECT_EQ(Literal({}).to_array().shape(), (Shape{0}));
}

TEST(Literal, SaysWhatANumberCannotBe) {
  try {
    (void)Literal(0.5).to_array(DType::kInt32);
    FAIL() << "0.5 is not an int32";
  } catch (const TypeError& error) {
    EXPECT_TRUE(error.message().starts_with("Expected int32, but got")) << error.message();
  }
  EXPECT_THROW((void)Literal("a").to_array(DType::kFloat32), TypeError);
  EXPECT_THROW((void)Literal({Literal("a"), Literal(1)}).to_array(), TypeError);
}

// NumPy: numpy.array(99999999999, numpy.int32) is an OverflowError; TensorFlow's feeds: a TypeError.
TEST(Literal, IsRefusedOutOfTheRange) {
  try {
    (void)Literal(int64_t{99999999999}).to_array(DType::kInt32);
    FAIL() << "99999999999 is not an int32";
  } catch (const TypeError& error) {
    EXPECT_EQ(error.message(),
              "Expected int32, but got 99999999999 of type 'int', which is out of the range of int32.");
  }
  EXPECT_THROW((void)Literal({1, 300}).to_array(DType::kUint8), TypeError);
  EXPECT_THROW((void)Literal(-1).to_array(DType::kUint64), TypeError);
  EXPECT_THROW((void)Literal(uint64_t{1} << 63).to_array(DType::kInt64), TypeError);
  EXPECT_EQ(Literal({-128, 127}).to_array(DType::kInt8), Array(std::vector<int8_t>{-128, 127}));
  EXPECT_EQ(Literal(255).to_array(DType::kUint8), Array(uint8_t{255}));
  EXPECT_EQ(Literal(uint64_t{1} << 63).to_array(DType::kUint64), Array(uint64_t{1} << 63));
  EXPECT_EQ(Literal(int64_t{1} << 40).to_array(DType::kFloat32), Array(1099511627776.f));
}

TEST(Shape, HasNoDimensionsBeyondItsRank) {
  Shape shape{2, 3};
  EXPECT_EQ(shape.dim(-2), 2);
  EXPECT_THROW((void)shape.dim(2), IndexError);
  EXPECT_THROW((void)shape.dim(-3), IndexError);
  EXPECT_THROW((void)Shape().dim(0), IndexError);
  EXPECT_THROW((void)Shape::unknown_rank().dim(-1), IndexError);
  EXPECT_THROW(shape.set_dim(2, 1), IndexError);
  EXPECT_THROW(shape.set_dim(0, -2), ValueError);
  EXPECT_EQ(shape, (Shape{2, 3}));
  EXPECT_THROW(Shape::of_rank(-1), ValueError);
  EXPECT_THROW(Shape::of_rank(int64_t{1} << 32), ValueError);
  EXPECT_EQ(Shape::of_rank(2), (Shape{Shape::kUnknownDim, Shape::kUnknownDim}));
}

TEST(Shape, KnowsRanksAndDimensions) {
  const Shape shape{2, Shape::kUnknownDim, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.dim(-1), 4);
  EXPECT_FALSE(shape.is_fully_defined());
  EXPECT_EQ(shape.num_elements(), -1);
  EXPECT_EQ(shape.to_string(), "[2,?,4]");
  EXPECT_EQ(shape.to_tuple_string(), "(2, ?, 4)");
  EXPECT_EQ(Shape{5}.to_tuple_string(), "(5,)");
  EXPECT_EQ(Shape().num_elements(), 1);
  const int64_t large = int64_t{1} << 62;
  EXPECT_EQ((Shape{large, 4}).num_elements(), std::numeric_limits<int64_t>::max());  // 0 if it wrapped around
  EXPECT_EQ((Shape{large, 4, 0}).num_elements(), 0);
  EXPECT_EQ(Shape::unknown_rank().to_string(), "<unknown>");
  EXPECT_THROW((Shape{-2}), ValueError);
  EXPECT_THROW(Shape(std::vector<int64_t>(255, 1)), ValueError);
}

TEST(Shape, CopiesAndMovesHighRanks) {
  const Shape nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
  Shape copy = nine;
  Shape moved = std::move(copy);
  EXPECT_EQ(moved, nine);
  copy = moved;
  EXPECT_EQ(copy, nine);
  moved = Shape{1};
  EXPECT_EQ(moved.rank(), 1);
  moved = std::move(copy);
  EXPECT_EQ(moved.dim(8), 9);
  const Shape& self = moved;
  moved = self;
  EXPECT_EQ(moved, nine);
}

TEST(Shape, TakesDimensionsOneByOne) {
  Shape shape;
  std::vector<int64_t> dims;
  while (shape.rank() < Shape::kMaxRank) {
    dims.push_back(shape.rank());
    shape.push_back(shape.rank());
    ASSERT_EQ(std::vector(shape.begin(), shape.end()), dims);
  }
  EXPECT_THROW(shape.push_back(1), ValueError);
  EXPECT_EQ(std::vector(shape.begin(), shape.end()), dims);
  Shape short_one{1};
  EXPECT_THROW(short_one.push_back(-2), ValueError);
  EXPECT_EQ(short_one, Shape{1});
  Shape unknown = Shape::unknown_rank();
  unknown.push_back(3);
  EXPECT_EQ(unknown, Shape{3});
}

TEST(Shape, MergesWhatBothKnow) {
  EXPECT_EQ((Shape{2, -1}).merge_with(Shape{-1, 3}), (Shape{2, 3}));
  EXPECT_EQ(Shape::unknown_rank().merge_with(Shape{2}), Shape{2});
  EXPECT_FALSE((Shape{2}).is_compatible_with(Shape{2, 2}));
  try {
    (void)Shape{2}.merge_with(Shape{3});
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_EQ(error.message(), "Shapes (2,) and (3,) are not compatible");
  }
  EXPECT_EQ((Shape{1}).concatenate(Shape{2, 3}), (Shape{1, 2, 3}));
}

TEST(DTypes, HaveTensorFlowsNumbersAndNames) {
  EXPECT_EQ(static_cast<int>(DType::kFloat32), 1);
  EXPECT_EQ(static_cast<int>(DType::kFloat16), 19);
  EXPECT_EQ(static_cast<int>(ref_dtype(DType::kFloat32)), 101);
  EXPECT_EQ(dtype_name(ref_dtype(DType::kInt64)), "int64_ref");
  EXPECT_EQ(dtype_kernel_name(DType::kFloat64), "double");
  EXPECT_EQ(dtype_from_name("bfloat16"), DType::kBfloat16);
  EXPECT_EQ(dtype_from_name("float32_ref"), ref_dtype(DType::kFloat32));
  EXPECT_EQ(dtype_from_name("nothing"), DType::kInvalid);
  EXPECT_EQ(dtype_name(static_cast<DType>(99)), "<invalid dtype 99>");
  EXPECT_EQ(dtype_size(DType::kComplex128), 16u);
}

TEST(Errors, HaveAClassForEachCode) {
  EXPECT_EQ(code_name(Code::kInvalidArgument), "INVALID_ARGUMENT");
  for (int code = 1; code <= 16; ++code) {
    try {
      errors::throw_error(static_cast<Code>(code), "text", "node");
    } catch (const errors::OpError& error) {
      EXPECT_EQ(static_cast<int>(error.code()), code);
      EXPECT_EQ(error.message(), "text");
      EXPECT_EQ(error.node_name(), "node");
    }
  }
  EXPECT_THROW(errors::throw_error(Code::kDataLoss, ""), errors::DataLossError);
  EXPECT_THROW(errors::throw_error(Code::kOk, ""), errors::InternalError);
}

}  // namespace
}  // namespace flowray
