#include "wire/codec.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <limits>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

namespace flowray::wire::codec {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers of fixed size are copied as they are");

using WireType = protozero::pbf_wire_type;

constexpr bool is_number(Kind kind) { return kind < Kind::kText; }
constexpr bool is_varint(Kind kind) { return kind < Kind::kFloat; }

constexpr size_t number_size(Kind kind) {
  switch (kind) {
    case Kind::kBool:
      return 1;
    case Kind::kInt64:
    case Kind::kUint64:
    case Kind::kDouble:
    case Kind::kFixed64:
      return 8;
    default:
      return 4;
  }
}

constexpr WireType wire_type(Kind kind) {
  if (is_varint(kind)) return WireType::varint;
  if (!is_number(kind)) return WireType::length_delimited;
  return number_size(kind) == 4 ? WireType::fixed32 : WireType::fixed64;
}

/// Copied in and out, for a member may be an enum.
template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <class T>
void store(void* to, T value) {
  std::memcpy(to, &value, sizeof(T));
}

/// What an item of a kind that is encoded as a varint becomes: negative numbers have all 64 bits.
uint64_t varint_of(Kind kind, const void* value) {
  switch (kind) {
    case Kind::kBool:
      return load<bool>(value) ? 1 : 0;
    case Kind::kInt32:
    case Kind::kDType:
      return static_cast<uint64_t>(static_cast<int64_t>(load<int32_t>(value)));
    case Kind::kUint32:
      return load<uint32_t>(value);
    default:
      return load<uint64_t>(value);
  }
}

/// As varint_of, for lists.
template <class T>
constexpr bool kIsVarint = std::is_integral_v<T> || std::is_enum_v<T>;
template <class T>
uint64_t to_varint(T value) {
  if constexpr (std::is_enum_v<T>)
    return to_varint(static_cast<std::underlying_type_t<T>>(value));
  else if constexpr (std::is_signed_v<T>)
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  else
    return static_cast<uint64_t>(value);
}
template <class T>
T from_varint(uint64_t value) {
  if constexpr (std::is_same_v<T, bool>)
    return value != 0;
  else
    return static_cast<T>(value);
}

template <class T>
std::vector<T>& list_of(void* member) {
  return *static_cast<std::vector<T>*>(member);
}
template <class T>
const std::vector<T>& list_of(const void* member) {
  return *static_cast<const std::vector<T>*>(member);
}

std::string_view text_of(Kind kind, const void* value) {
  return kind == Kind::kText ? static_cast<const Text*>(value)->view()
                             : static_cast<const Bytes*>(value)->view();
}

// ---- reading

std::string_view view_of(protozero::data_view view) { return {view.data(), view.size()}; }

void read_message(void* message, const MessageTable& table, std::string_view bytes, int depth);

void read_value(protozero::pbf_reader& reader, const FieldTable& field, void* value, int depth) {
  switch (field.kind) {
    case Kind::kBool:
      return store<bool>(value, reader.get_uint64() != 0);
    case Kind::kInt32:
    case Kind::kUint32:
    case Kind::kDType:
      return store<uint32_t>(value, static_cast<uint32_t>(reader.get_uint64()));
    case Kind::kInt64:
    case Kind::kUint64:
      return store<uint64_t>(value, reader.get_uint64());
    case Kind::kFloat:
    case Kind::kFixed32:
      return store<uint32_t>(value, reader.get_fixed32());
    case Kind::kDouble:
    case Kind::kFixed64:
      return store<uint64_t>(value, reader.get_fixed64());
    case Kind::kText:
      *static_cast<Text*>(value) = Text::borrow(view_of(reader.get_view()));
      return;
    case Kind::kBytes:
      *static_cast<Bytes*>(value) = Bytes::borrow(view_of(reader.get_view()));
      return;
    case Kind::kMessage:
      return read_message(value, field.message(), view_of(reader.get_view()), depth + 1);
  }
}

template <class T>
void read_packed(std::string_view bytes, std::vector<T>& values) {
  if constexpr (kIsVarint<T>) {
    const char* next = bytes.data();
    const char* end = next + bytes.size();
    while (next != end) values.push_back(from_varint<T>(protozero::decode_varint(&next, end)));
  } else {
    if (bytes.size() % sizeof(T) != 0) throw protozero::invalid_length_exception{};
    const size_t old_size = values.size();
    values.resize(old_size + bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data() + old_size, bytes.data(), bytes.size());
  }
}

/// Numbers come packed or one by one.
bool read_numbers(protozero::pbf_reader& reader, const FieldTable& field, void* member) {
  const bool packed = reader.wire_type() == WireType::length_delimited;
  if (!packed && reader.wire_type() != wire_type(field.kind)) return false;
  visit_number(field.kind, [&]<class T>() {
    std::vector<T>& values = list_of<T>(member);
    if (packed) return read_packed(view_of(reader.get_view()), values);
    T value{};
    read_value(reader, field, &value, 0);
    values.push_back(value);
  });
  return true;
}

/// How many fields of one number stand in a row here.
size_t count_in_row(const protozero::pbf_reader& reader) {
  protozero::pbf_reader rest = reader;
  const uint32_t number = rest.tag();
  size_t count = 0;
  do {
    ++count;
    rest.skip();
  } while (rest.next() && rest.tag() == number);
  return count;
}

/// Whether the field was read; one that comes as another type than it should is unknown, as in protobuf.
bool read_field(protozero::pbf_reader& reader, const FieldTable& field, void* message, int depth) {
  void* value = member_of(message, field);
  const bool is_list = field.form == Form::kList || field.form == Form::kMap;
  if (is_list && is_number(field.kind)) return read_numbers(reader, field, value);
  if (reader.wire_type() != wire_type(field.kind)) return false;
  if (is_list) {
    // With room for all that come, the list does not move while it grows.
    value = field.append(value, field.items(value).empty() ? count_in_row(reader) : 0);
  } else if (field.form != Form::kPlain) {
    value = field.make(value);
  }
  read_value(reader, field, value, depth);
  return true;
}

void read_message(void* message, const MessageTable& table, std::string_view bytes, int depth) {
  if (depth > kMaxDepth) throw errors::DataLossError("the message is nested too deeply");
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  const FieldTable* const first = table.fields.data();
  const FieldTable* const last = first + table.fields.size();
  const FieldTable* next =
      first;  // fields come by rising number: the search goes on where the last one ended
  while (true) {
    const char* begin = reader.data().data();
    if (!reader.next()) break;
    const uint32_t number = reader.tag();
    if (next == last || next->number > number) next = first;
    while (next != last && next->number < number) ++next;
    if (next != last && next->number == number && read_field(reader, *next, message, depth)) continue;
    reader.skip();
    if (table.is_entry) continue;
    auto* unknown = reinterpret_cast<std::string*>(static_cast<std::byte*>(message) + table.unknown_offset);
    unknown->append(begin, reader.data().data());
  }
  sort_maps(message, table);
}

// ---- sizes: a first pass notes the size of every message, in the order in which the second one writes them

using Sizes = std::vector<size_t>;

size_t measure_message(const void* message, const MessageTable& table, Sizes& sizes);

size_t varint_size(uint64_t value) { return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7; }
size_t tag_size(uint32_t number) { return varint_size(static_cast<uint64_t>(number) << 3); }
size_t with_length(size_t size) { return varint_size(size) + size; }

const std::string& unknown_of(const void* message, const MessageTable& table) {
  return *reinterpret_cast<const std::string*>(static_cast<const std::byte*>(message) + table.unknown_offset);
}

/// Without its tag; messages and strings with their length.
size_t measure_value(const FieldTable& field, const void* value, Sizes& sizes) {
  if (field.kind == Kind::kMessage) return with_length(measure_message(value, field.message(), sizes));
  if (!is_number(field.kind)) return with_length(text_of(field.kind, value).size());
  return is_varint(field.kind) ? varint_size(varint_of(field.kind, value)) : number_size(field.kind);
}

size_t packed_size(Kind kind, const void* member) {
  return visit_number(kind, [&]<class T>() {
    const std::vector<T>& values = list_of<T>(member);
    if constexpr (!kIsVarint<T>) return values.size() * sizeof(T);
    size_t size = 0;
    if constexpr (kIsVarint<T>) {
      for (const T value : values) size += varint_size(to_varint(value));
    }
    return size;
  });
}

/// Calls visit(value) for what a field that is there holds: each item of a list, but numbers all at once.
template <class Visit>
void for_each_value(const FieldTable& field, const void* member, Visit&& visit) {
  if (field.items != nullptr) {
    const std::span<const std::byte> items = field.items(member);
    for (size_t at = 0; at < items.size(); at += field.item_size_bytes) visit(items.data() + at);
  } else {
    visit(field.find != nullptr ? field.find(member) : member);
  }
}

/// With its tag.
size_t measure_field(const FieldTable& field, const void* member, Sizes& sizes) {
  if (field.form == Form::kList && is_number(field.kind)) {
    const size_t packed = packed_size(field.kind, member);
    sizes.push_back(packed);
    return tag_size(field.number) + with_length(packed);
  }
  size_t size = 0;
  for_each_value(field, member, [&](const void* value) {
    size += tag_size(field.number) + measure_value(field, value, sizes);
  });
  return size;
}

size_t measure_message(const void* message, const MessageTable& table, Sizes& sizes) {
  const size_t place = sizes.size();
  sizes.push_back(0);
  size_t size = table.is_entry ? 0 : unknown_of(message, table).size();
  for_each_present(message, table, [&](const FieldTable& field, const void* member) {
    size += measure_field(field, member, sizes);
  });
  sizes[place] = size;
  return size;
}

// ---- writing

/// Writes into a buffer that is large enough; large contents may become pieces of their own instead.
class Writer {
 public:
  Writer(char* buffer, const Sizes& sizes, size_t borrow_from_bytes, std::vector<std::string_view>* pieces)
      : next_(buffer),
        piece_begin_(buffer),
        size_(sizes.data()),
        borrow_from_bytes_(borrow_from_bytes),
        pieces_(pieces) {}

  void fields(const void* message, const MessageTable& table) {
    for_each_present(message, table,
                     [&](const FieldTable& each, const void* member) { field(each, member); });
    if (table.is_entry) return;
    const std::string& unknown = unknown_of(message, table);
    raw(unknown.data(), unknown.size());
  }
  void end_piece() {
    if (next_ != piece_begin_) pieces_->emplace_back(piece_begin_, static_cast<size_t>(next_ - piece_begin_));
    piece_begin_ = next_;
  }
  size_t next_size() { return *size_++; }

 private:
  void varint(uint64_t value) {
    while (value >= 0x80) {
      *next_++ = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    *next_++ = static_cast<char>(value);
  }
  void tag(uint32_t number, WireType type) {
    varint(static_cast<uint64_t>(number) << 3 | static_cast<uint64_t>(type));
  }
  void raw(const void* data, size_t size) {
    if (size != 0) std::memcpy(next_, data, size);
    next_ += size;
  }
  void content(std::string_view bytes) {
    varint(bytes.size());
    if (pieces_ == nullptr || bytes.size() < borrow_from_bytes_) return raw(bytes.data(), bytes.size());
    end_piece();
    pieces_->push_back(bytes);
  }
  void value(const FieldTable& field, const void* value) {
    if (field.kind == Kind::kMessage) {
      varint(next_size());
      fields(value, field.message());
    } else if (!is_number(field.kind)) {
      content(text_of(field.kind, value));
    } else if (is_varint(field.kind)) {
      varint(varint_of(field.kind, value));
    } else {
      raw(value, number_size(field.kind));
    }
  }
  void numbers(const FieldTable& field, const void* member) {
    tag(field.number, WireType::length_delimited);
    varint(next_size());
    visit_number(field.kind, [&]<class T>() {
      const std::vector<T>& values = list_of<T>(member);
      if constexpr (kIsVarint<T>) {
        for (const T value : values) varint(to_varint(value));
      } else {
        raw(values.data(), values.size() * sizeof(T));
      }
    });
  }
  void field(const FieldTable& field, const void* member) {
    if (field.form == Form::kList && is_number(field.kind)) return numbers(field, member);
    for_each_value(field, member, [&](const void* item) {
      tag(field.number, wire_type(field.kind));
      value(field, item);
    });
  }

  char* next_;
  char* piece_begin_;
  const size_t* size_;
  size_t borrow_from_bytes_;
  std::vector<std::string_view>* pieces_;
};

void check_size(std::string_view type, size_t size_bytes) {
  constexpr auto kLimit = static_cast<size_t>(std::numeric_limits<int32_t>::max());
  if (size_bytes <= kLimit) return;
  throw errors::InvalidArgumentError(fmt::format(
      "Cannot serialize protocol buffer of type {} as the serialized size ({} bytes) would be larger than "
      "the "
      "limit ({} bytes)\nFeed large values, or keep them in variables that are saved on their own.",
      type, size_bytes, kLimit));
}

}  // namespace

bool is_absent(const FieldTable& field, const void* member) {
  switch (field.form) {
    case Form::kHeld:
    case Form::kChoice:
      return field.find(member) == nullptr;
    case Form::kList:
      if (is_number(field.kind))
        return visit_number(field.kind, [&]<class T>() { return list_of<T>(member).empty(); });
      [[fallthrough]];
    case Form::kMap:
      return field.items(member).empty();
    case Form::kPlain:
      break;
  }
  if (field.kind == Kind::kMessage) return false;
  if (!is_number(field.kind)) return text_of(field.kind, member).empty();
  switch (number_size(field.kind)) {
    case 1:
      return load<uint8_t>(member) == 0;
    case 4:
      return load<uint32_t>(member) == 0;
    default:
      return load<uint64_t>(member) == 0;
  }
}

void sort_maps(void* message, const MessageTable& table) {
  if (!table.has_maps) return;
  for (const FieldTable& field : table.fields) {
    if (field.form == Form::kMap) field.sort(member_of(message, field));
  }
}

void decode_into(void* message, const MessageTable& table, std::string_view type, std::string_view bytes) {
  const auto fail = [&](const char* reason) {
    return errors::DataLossError(fmt::format("Error parsing message with type '{}': {}\nIt has {} bytes.",
                                             type, reason, bytes.size()));
  };
  try {
    read_message(message, table, bytes, 0);
  } catch (const protozero::exception& error) {
    throw fail(error.what());
  } catch (const errors::DataLossError& error) {
    throw fail(error.what());
  }
}

std::string encode(const ConstMessage& message) {
  Sizes sizes;
  const size_t size = measure_message(message.data, message.table, sizes);
  check_size(message.type, size);
  std::string bytes(size, '\0');
  Writer out(bytes.data(), sizes, 0, nullptr);
  out.next_size();
  out.fields(message.data, message.table);
  return bytes;
}

EncodedPieces encode_pieces(const ConstMessage& message, size_t borrow_from_bytes) {
  Sizes sizes;
  EncodedPieces encoded;
  encoded.size_bytes = measure_message(message.data, message.table, sizes);
  check_size(message.type, encoded.size_bytes);
  // As large as if nothing were borrowed; what is not written is never touched.
  encoded.small.reset(new char[encoded.size_bytes]);
  Writer out(encoded.small.get(), sizes, borrow_from_bytes, &encoded.pieces);
  out.next_size();
  out.fields(message.data, message.table);
  out.end_piece();
  return encoded;
}

}  // namespace flowray::wire::codec
