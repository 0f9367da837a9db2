// What TensorFlow's C++ makes of a TensorProto, and its Python of an array.

#include "wire/tensor_value.h"
#include "wire/recorded_messages.h"

#include <flowray/errors.h>

#include <gtest/gtest.h>

namespace flowray::wire {
namespace {

using testing::from_hexadecimal;
using testing::Json;
using testing::to_hexadecimal;

void expect_value(const Json& recorded, const Array& array) {
  std::vector<int64_t> dims;
  for (const Json& dim : recorded.at("shape").items) dims.push_back(dim.integer());
  EXPECT_EQ(static_cast<int64_t>(array.dtype()), recorded.at("dtype").integer());
  ASSERT_EQ(array.shape(), Shape(dims));
  if (recorded.has("strings")) {
    for (size_t i = 0; i < recorded.at("strings").items.size(); ++i) {
      EXPECT_EQ(to_hexadecimal(array.data<std::string>()[i]), recorded.at("strings").items[i].text);
    }
    return;
  }
  const std::string bytes(static_cast<const char*>(array.raw_data()), array.size_bytes());
  EXPECT_EQ(to_hexadecimal(bytes), recorded.at("bytes").text);
}

TEST(TensorValue, IsReadAsTensorFlowReadsIt) {
  for (const auto& [name, recorded] : recorded_messages().at("tensors").members) {
    SCOPED_TRACE(name);
    const std::string bytes = from_hexadecimal(recorded.at("proto").text);
    const TensorProto proto = decode<TensorProto>(bytes);
    if (!recorded.has("error")) {
      expect_value(recorded, to_array(proto));
      continue;
    }
    ASSERT_EQ(recorded.at("error").text, "InvalidArgumentError");
    try {
      to_array(proto);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const errors::InvalidArgumentError& error) {
      EXPECT_TRUE(error.message().starts_with("Cannot parse tensor from proto: dtype: ")) << error.message();
    }
  }
}

Array array_of(const std::string& text) { return to_array(from_text_format<TensorProto>(text)); }

TEST(TensorValue, OfTextsHasTheVeryBytesOfThem) {
  const std::string two = "dtype: DT_STRING tensor_shape { dim { size: 2 } } tensor_content: ";
  EXPECT_EQ(array_of(two + R"("\001\002abb")"), Array(std::vector<std::string>{"a", "bb"}));
  for (const std::string content : {R"("\001\002abbc")", R"("\001\002ab")", R"("\001")", R"("\001\200")"})
    EXPECT_THROW(array_of(two + content), errors::InvalidArgumentError) << content;
}

TEST(TensorValue, OfNumbersHasTheVeryBytesOfThem) {
  const std::string two = "dtype: DT_INT16 tensor_shape { dim { size: 2 } } tensor_content: ";
  EXPECT_EQ(array_of(two + "'abcd'"), Array(std::vector<int16_t>{0x6261, 0x6463}));
  for (const std::string content : {"'a'", "'ab'", "'abc'", "'abcde'", "'abcdef'"})
    EXPECT_THROW(array_of(two + content), errors::InvalidArgumentError) << content;
}

TEST(TensorValue, OfAShapeThatCannotBeIsRefused) {
  const auto shape_of = [](const std::string& dims) {
    return to_shape(*from_text_format<TensorProto>("tensor_shape { " + dims + " }").tensor_shape);
  };
  EXPECT_EQ(shape_of("dim { size: -1 } dim { size: 4 }"), (Shape{-1, 4}));
  for (const std::string dims : {"dim { size: -2 }", "dim { size: 4 } dim { size: -9223372036854775808 }",
                                 "dim { size: 4294967296 } dim { size: 4294967296 }"})
    EXPECT_THROW(shape_of(dims), errors::InvalidArgumentError) << dims;
}

TEST(TensorValue, OfATypeWithoutElementsIsUnimplemented) {
  TensorProto proto;
  proto.dtype = DType::kResource;
  EXPECT_THROW(to_array(proto), errors::UnimplementedError);
}

void expect_constant(const std::string& name, const Array& array) {
  const TensorProto proto = to_tensor_proto(array, TensorForm::kConstant);
  EXPECT_EQ(to_hexadecimal(encode(proto)), recorded_messages().at("constants").at(name).text) << name;
  EXPECT_EQ(to_array(proto), array) << name;
  EXPECT_EQ(to_array(to_tensor_proto(array, TensorForm::kBorrowed)), array) << name;
}

TEST(TensorValue, AsAConstantIsThePythonMessage) {
  const auto list = [](auto... values) { return Array(std::vector{values...}); };
  using Complex = std::complex<float>;
  expect_constant("float_scalar", 1.5f);
  expect_constant("float_list", list(1.0f, 2.0f));
  expect_constant("float_one_in_a_list", list(3.0f).reshape({1, 1}));
  expect_constant("nothing", Array(DType::kFloat32, {0, 2}));
  expect_constant("int64_scalar", int64_t{-3});
  expect_constant("int32_list", list(1, 2, 3));
  expect_constant("uint8_list", list(uint8_t{1}, uint8_t{255}));
  expect_constant("uint16_list", list(uint16_t{1}, uint16_t{65535}));
  expect_constant("uint32_scalar", ~uint32_t{0});
  expect_constant("uint64_list", list(uint64_t{1}, ~uint64_t{0}));
  expect_constant("bool_list", list(true, false));
  expect_constant("half_list", list(float16(1), float16(-2)));
  expect_constant("bfloat16_list", list(bfloat16(1), bfloat16(-2)));
  expect_constant("double_scalar", 0.1);
  expect_constant("complex_list", list(Complex(1, 2), Complex(-0.0f, -3)));
  expect_constant("complex128_scalar", std::complex<double>(1, -1));
  expect_constant("string_scalar", std::string("x\xff"));
  expect_constant("string_list", list(std::string("a"), std::string()));
}

TEST(TensorValue, OfManyEqualElementsIsOneElement) {
  const Array ones = Array::full(DType::kFloat32, {8, 8}, 1.0f);
  const TensorProto proto = to_tensor_proto(ones, TensorForm::kConstant);
  EXPECT_EQ(proto.float_val, std::vector<float>{1.0f});
  EXPECT_TRUE(proto.tensor_content.empty());
  EXPECT_EQ(to_array(proto), ones);
}

TEST(TensorValue, BorrowsTheElementsOfAnArray) {
  const Array array({1.0f, 2.0f});
  EXPECT_EQ(to_tensor_proto(array, TensorForm::kBorrowed).tensor_content.view().data(), array.raw_data());
}

TEST(TensorValue, OfAShapeKeepsWhatIsUnknown) {
  for (const Shape& shape : {Shape({2, -1}), Shape(), Shape::unknown_rank()}) {
    EXPECT_EQ(to_shape(to_shape_proto(shape)), shape);
  }
}

TEST(TensorValue, SharesLargeContentsThatLieAsTheirElementsMust) {
  constexpr size_t kElements = 4096;
  const auto bytes = std::make_shared<std::vector<float>>(kElements + 1, 2.5f);
  const auto content_at = [&](size_t offset, DType dtype, int64_t count) {
    TensorProto proto;
    proto.dtype = dtype;
    proto.tensor_shape = to_shape_proto({count});
    const auto size = static_cast<size_t>(count) * dtype_size(dtype);
    proto.tensor_content = Bytes::borrow({reinterpret_cast<const char*>(bytes->data()) + offset, size});
    return proto;
  };
  {
    const Array shared = to_array(content_at(4, DType::kFloat32, kElements), bytes);
    EXPECT_EQ(shared.raw_data(), bytes->data() + 1);
    EXPECT_EQ(bytes.use_count(), 2);
    Array written = shared;
    written.mutable_data<float>()[0] = 7;
    EXPECT_EQ((*bytes)[1], 2.5f);
    EXPECT_EQ(shared, Array::full(DType::kFloat32, {kElements}, 2.5f));
  }
  EXPECT_EQ(bytes.use_count(), 1);
  EXPECT_NE(to_array(content_at(1, DType::kUint16, kElements), bytes).raw_data(), bytes->data());
  const Array truths = to_array(content_at(2, DType::kBool, kElements), bytes);  // 0x20, 0x40, 0, 0, ...
  EXPECT_EQ(static_cast<const char*>(truths.raw_data())[0], 1);
  EXPECT_EQ(bytes.use_count(), 1);
  EXPECT_THROW(to_array(content_at(0, DType::kResource, kElements), bytes), errors::UnimplementedError);
  TensorProto short_one = content_at(0, DType::kFloat32, kElements);
  short_one.tensor_shape = to_shape_proto({kElements + 1});
  EXPECT_THROW(to_array(short_one, bytes), errors::InvalidArgumentError);
}

}  // namespace
}  // namespace flowray::wire
