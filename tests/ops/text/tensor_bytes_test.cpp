#include "ops/array_testing.h"

namespace flowray::testing {
namespace {

/// A TensorProto of int32 [2] with tensor_content 1, 2, as protobuf writes it.
const std::string kOneAndTwo("\x08\x03\x12\x04\x12\x02\x08\x02\x22\x08\x01\0\0\0\x02\0\0\0", 18);

TEST(SerializeTensor, WritesTensorFlowsMessage) {
  EXPECT_EQ(run_op("SerializeTensor", {Array(std::vector<int32_t>{1, 2})}), Array(kOneAndTwo));
}

TEST(ParseTensor, ReadsWhatWasWritten) {
  EXPECT_EQ(run_op("ParseTensor", {Array(kOneAndTwo)}, {{"out_type", DType::kInt32}}),
            Array(std::vector<int32_t>{1, 2}));
  const Array words(std::vector<std::string>{"a", "", "b c"});
  EXPECT_EQ(run_op("ParseTensor", {run_op("SerializeTensor", {words})}, {{"out_type", DType::kString}}),
            words);
}

TEST(ParseTensor, RefusesDamageAndOtherTypes) {
  for (const std::string& bytes : {std::string("no message"), kOneAndTwo.substr(0, 12), std::string()}) {
    EXPECT_THROW(run_op("ParseTensor", {Array(bytes)}, {{"out_type", DType::kInt32}}), errors::OpError);
  }
  EXPECT_THROW(run_op("ParseTensor", {Array(kOneAndTwo)}, {{"out_type", DType::kFloat32}}),
               errors::InvalidArgumentError);
}

}  // namespace
}  // namespace flowray::testing
