// Where walks were, as bytes: what was written is read, and nothing else is.
#include "ops/elements/saved_walk.h"

#include "wire/tensor_value.h"
#include "wire/variant_proto.h"

#include <flowray/errors.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace flowray::ops {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& f, Code code) {
  try {
    f();
  } catch (const errors::OpError& error) {
    EXPECT_EQ(error.code(), code) << error.message();
    return error.message();
  }
  return "nothing";
}

SavedWalk::Parts some_parts() {
  return {{"at", {Array(int64_t{3})}},
          {"elements", {Array(std::vector<int64_t>{1, 1, 0}), Array({1.5f, 2.5f})}},
          {"none", {}}};
}

/// A message with these tensors.
std::string message_of(const std::vector<Array>& tensors, const char* type = "flowray::SavedWalk") {
  wire::VariantTensorDataProto message;
  message.type_name = type;
  for (const Array& tensor : tensors)
    message.tensors.push_back(wire::to_tensor_proto(tensor, wire::TensorForm::kBorrowed));
  return wire::encode(message);
}

TEST(SavedWalk, ComesBackFromItsBytes) {
  const Array value = saved_walk_value(some_parts());
  EXPECT_EQ(value.shape(), Shape{1});
  const Array read = decoded_variant(encoded_variant(value));
  EXPECT_EQ(saved_walk_of(read).parts(), some_parts());
}

TEST(SavedWalk, IsReadFromNoOtherVariant) {
  EXPECT_THAT(error_of([] { (void)saved_walk_of(graph::empty_variant()); }, Code::kInternal),
              HasSubstr("Expected a variant tensor of type IteratorStateVariant"));
  EXPECT_THAT(error_of([] { (void)encoded_variant(graph::empty_variant()); }, Code::kUnimplemented),
              HasSubstr("is not written here"));
  EXPECT_THAT(
      error_of([] { (void)decoded_variant(message_of({}, "tensorflow::Iterator")); }, Code::kInternal),
      HasSubstr("Could not decode variant with type_name: \"tensorflow::Iterator\""));
}

TEST(SavedWalk, ThatIsDamagedIsDataLoss) {
  const Array names(std::vector<std::string>{"a", "b"});
  const Array twice(std::vector<std::string>{"a", "a"});
  const auto counts = [](int64_t a, int64_t b) { return Array(std::vector<int64_t>{a, b}); };
  const Array value(int64_t{1});
  const std::vector<std::vector<Array>> all = {
      {},
      {names},
      {names, names},
      {counts(0, 0), counts(0, 0)},
      {names, Array(std::vector<int64_t>{1}), value},
      {twice, counts(0, 1), value},
      {names, counts(1, 1), value},
      {names, counts(1, -1), value},
      {names, counts(int64_t{1} << 62, 1), value},
      {names, counts(0, 0), value},
  };
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_THAT(error_of([&] { (void)decoded_variant(message_of(all[i])); }, Code::kDataLoss),
                HasSubstr("The saved state of an iterator is damaged"))
        << i;
  }
  const std::string bytes = encoded_variant(saved_walk_value(some_parts()));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW((void)decoded_variant(bytes.substr(0, size)), errors::OpError) << size;
}

}  // namespace
}  // namespace flowray::ops
