#pragma once
/// Reading and writing of messages by their tables (wire/message_table.h). Only the files that
/// instantiate decode() and encode() for their messages include this; the work is done in codec.cpp, once
/// for all messages.

#include "wire/message_table.h"

namespace flowray::wire::codec {

/// A message whose type is in its table.
struct ConstMessage {
  const void* data;
  const MessageTable& table;
  std::string_view type;  // "tensorflow.GraphDef"
};

/// Reads into a message that is empty so far.
void decode_into(void* message, const MessageTable& table, std::string_view type, std::string_view bytes);
std::string encode(const ConstMessage& message);
EncodedPieces encode_pieces(const ConstMessage& message, size_t borrow_from_bytes);

constexpr int kMaxDepth = 100;  // protobuf's limit too; deeper ones could exhaust the stack

// What the text form reads and writes by the same tables.

/// The member of `field` in a message.
inline void* member_of(void* message, const FieldTable& field) {
  return static_cast<std::byte*>(message) + field.offset;
}
inline const void* member_of(const void* message, const FieldTable& field) {
  return static_cast<const std::byte*>(message) + field.offset;
}

/// Whether nothing is written for a field that is not a choice.
bool is_absent(const FieldTable& field, const void* member);
/// Sorts the maps of a message that was read.
void sort_maps(void* message, const MessageTable& table);

/// Calls visit.operator()<T>() with the C++ type of a number.
template <class Visit>
auto visit_number(Kind kind, Visit&& visit) {
  switch (kind) {
    case Kind::kBool:
      return visit.template operator()<bool>();
    case Kind::kInt32:
      return visit.template operator()<int32_t>();
    case Kind::kInt64:
      return visit.template operator()<int64_t>();
    case Kind::kUint32:
      return visit.template operator()<uint32_t>();
    case Kind::kUint64:
      return visit.template operator()<uint64_t>();
    case Kind::kDType:
      return visit.template operator()<DType>();
    case Kind::kFloat:
      return visit.template operator()<float>();
    case Kind::kDouble:
      return visit.template operator()<double>();
    case Kind::kFixed32:
      return visit.template operator()<Fixed32>();
    default:
      return visit.template operator()<Fixed64>();
  }
}

}  // namespace flowray::wire::codec

namespace flowray::wire {

template <class M>
M decode(std::string_view bytes) {
  M message;
  codec::decode_into(&message, codec::table_of<M>(), M::kType, bytes);
  return message;
}

template <class M>
std::string encode(const M& message) {
  return codec::encode({&message, codec::table_of<M>(), M::kType});
}

template <class M>
EncodedPieces encode_pieces(const M& message, size_t borrow_from_bytes) {
  return codec::encode_pieces({&message, codec::table_of<M>(), M::kType}, borrow_from_bytes);
}

}  // namespace flowray::wire
