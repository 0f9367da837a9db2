#pragma once
// What a server may answer to bytes that may be anything.

#include "cluster/transport.h"

#include <flowray/errors.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace flowray::cluster {

/// Takes a varint off; none where there is no whole one of at most ten bytes.
inline std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (int shift = 0; shift < 70 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7F) << (shift % 64);
    if (byte < 0x80) return value;
  }
  return {};
}

/// Whether no message of any kind can have these bytes: its fields end too early, or have a type that does
/// not exist. By protobuf's encoding, and by nothing of ours; what lies in a field is not looked at.
inline bool is_no_message(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto tag = take_varint(bytes);
    if (!tag) return true;
    size_t size = 0;
    switch (*tag & 7) {
      case 0:
        if (!take_varint(bytes)) return true;
        break;
      case 1:
        size = 8;
        break;
      case 2: {
        const auto length = take_varint(bytes);
        if (!length || *length > bytes.size()) return true;
        size = static_cast<size_t>(*length);
        break;
      }
      case 5:
        size = 4;
        break;
      case 3:
      case 4:
        return false;  // a group, which is as long as it says
      default:
        return true;
    }
    if (size > bytes.size()) return true;
    bytes.remove_prefix(size);
  }
  return false;
}

/// An answer, or an error that is the client's: of a kind that says what it did wrong, with words. What is
/// no message is INTERNAL, as gRPC has it, a value of another type than its placeholder's, too, as
/// TensorFlow has it, and nothing else is: the server is never at fault, nor at a loss.
inline void expect_answer_or_fault_of_client(const Status& status, std::string_view request) {
  const bool is_unparsed = status.text.starts_with("Unable to parse request");
  if (is_no_message(request)) {
    ASSERT_TRUE(is_unparsed) << status.code << ": " << status.text << "\n"
                             << ::testing::PrintToString(std::string(request));
  }
  if (is_unparsed) {
    ASSERT_EQ(status.code, static_cast<int>(Code::kInternal));
    return;
  }
  switch (static_cast<Code>(status.code)) {
    case Code::kOk:
      return;
    case Code::kCancelled:
    case Code::kInvalidArgument:
    case Code::kDeadlineExceeded:
    case Code::kNotFound:
    case Code::kAlreadyExists:
    case Code::kResourceExhausted:
    case Code::kFailedPrecondition:
    case Code::kAborted:
    case Code::kOutOfRange:
    case Code::kUnimplemented:
      ASSERT_FALSE(status.text.empty()) << "code " << status.code << " without a word";
      return;
    case Code::kInternal:
      ASSERT_NE(status.text.find(" does not match declared output type "), std::string::npos) << status.text;
      return;
    default:
      FAIL() << "code " << status.code << " is not the client's fault: " << status.text;
  }
}

}  // namespace flowray::cluster
