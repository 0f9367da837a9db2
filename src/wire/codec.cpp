#include "wire/codec.h"

#include "core/mutex.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>
#include <utility>

#include "wire/next_field.h"

namespace flowray::wire::codec {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers of fixed size are copied as they are");

using WireType = protozero::pbf_wire_type;

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

/// Does what varint_of does, for lists.
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

size_t varint_size(uint64_t value) { return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7; }

std::string_view text_of(Kind kind, const void* value) {
  return kind == Kind::kText ? static_cast<const Text*>(value)->view()
                             : static_cast<const Bytes*>(value)->view();
}

/// Whether a member that is not a list has the value that is not written. -0.0 is a value of its own.
bool is_default(Kind kind, const void* member) {
  if (kind == Kind::kMessage) return false;
  if (!is_number(kind)) return text_of(kind, member).empty();
  switch (number_size(kind)) {
    case 1:
      return load<uint8_t>(member) == 0;
    case 4:
      return load<uint32_t>(member) == 0;
    default:
      return load<uint64_t>(member) == 0;
  }
}

// ---- reading

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
      *static_cast<Text*>(value) = Text::borrow(take_view(reader));
      return;
    case Kind::kBytes:
      *static_cast<Bytes*>(value) = Bytes::borrow(take_view(reader));
      return;
    case Kind::kMessage:
      return read_message(value, *field.message, take_view(reader), depth + 1);
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
    if (packed) return read_packed(take_view(reader), values);
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
    skip_field(rest);
  } while (next_field(rest) && rest.tag() == number);
  return count;
}

/// Whether the field was read; one that comes as another type than it should is unknown, as in protobuf.
/// `goes_on`: the field before it was of the same number.
bool read_field(protozero::pbf_reader& reader, const FieldTable& field, bool goes_on, void* message,
                int depth) {
  void* value = member_of(message, field);
  const bool is_list = field.form == Form::kList || field.form == Form::kMap;
  if (is_list && is_number(field.kind)) return read_numbers(reader, field, value);
  if (reader.wire_type() != wire_type(field.kind)) return false;
  if (is_list) {
    // With room for all that come, the list does not move while it grows.
    value = field.append(value, goes_on ? 0 : count_in_row(reader));
  } else if (field.form != Form::kPlain) {
    value = field.make(value);
  }
  read_value(reader, field, value, depth);
  return true;
}

/// Null where the number is not listed.
const FieldTable* find_row(const MessageTable& table, uint32_t number) {
  const std::span<const FieldTable> rows = table.fields;
  if (rows.empty()) return nullptr;
  const size_t place = number - rows.front().number;  // in a list without gaps; huge below it
  if (place < rows.size() && rows[place].number == number) [[likely]]
    return &rows[place];
  const auto row = std::ranges::find(rows, number, &FieldTable::number);
  return row == rows.end() ? nullptr : &*row;
}

void read_message(void* message, const MessageTable& table, std::string_view bytes, int depth) {
  if (depth > kMaxDepth) throw errors::DataLossError("the message is nested too deeply");
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  uint32_t number_before = 0;
  while (true) {
    const char* begin = reader.data().data();
    if (!next_field(reader)) break;
    const uint32_t number = reader.tag();
    const bool goes_on = number == std::exchange(number_before, number);
    const FieldTable* field = find_row(table, number);
    if (field != nullptr && read_field(reader, *field, goes_on, message, depth)) continue;
    skip_field(reader);
    if (table.is_entry) continue;
    auto* unknown = reinterpret_cast<std::string*>(static_cast<std::byte*>(message) + table.unknown_offset);
    unknown->append(begin, reader.data().data());
  }
  sort_maps(message, table);
}

// ---- writing

const std::string& unknown_of(const void* message, const MessageTable& table) {
  return *reinterpret_cast<const std::string*>(static_cast<const std::byte*>(message) + table.unknown_offset);
}

/// Writes from the end to the beginning: when the length of a message is written, what it is the length of
/// stands behind it already, and nothing is measured before. Large contents may become pieces of their own.
class Writer {
 public:
  /// `buffer` is written to first.
  Writer(std::span<char> buffer, size_t borrow_from_bytes)
      : begin_(buffer.data()),
        next_(begin_ + buffer.size()),
        piece_end_(next_),
        borrow_from_bytes_(borrow_from_bytes) {}

  void fields(const void* message, const MessageTable& table) {
    if (!table.is_entry) {
      const std::string& unknown = unknown_of(message, table);
      raw(unknown.data(), unknown.size());
    }
    for (size_t i = table.fields.size(); i != 0;) {
      const FieldTable& each = table.fields[--i];
      const void* member = member_of(message, each);
      if (each.form == Form::kChoice) {
        choice(each, member);
        i -= each.num_alternatives_before;
      } else {
        field(each, member, table.is_entry);
      }
    }
  }

  size_t size_bytes() const { return ended_bytes_ + static_cast<size_t>(piece_end_ - next_); }

  /// What was written. `buffer` has to be kept as long.
  EncodedPieces take() {
    end_piece();
    std::reverse(encoded_.pieces.begin(), encoded_.pieces.end());
    encoded_.size_bytes = ended_bytes_;
    return std::move(encoded_);
  }

 private:
  /// Chunks grow with the message, but stay below what malloc asks the system for each time.
  static constexpr size_t kMaxChunkBytes = 64 * 1024;

  char* claim(size_t count) {
    if (count > static_cast<size_t>(next_ - begin_)) [[unlikely]]
      add_chunk(count);
    return next_ -= count;
  }
  [[gnu::noinline]] void add_chunk(size_t count) {
    end_piece();
    const size_t size = std::max(count, std::min(2 * size_bytes() + 1024, kMaxChunkBytes));
    begin_ = encoded_.chunks.emplace_back(new char[size]).get();
    next_ = piece_end_ = begin_ + size;
  }
  void end_piece() {
    const auto size = static_cast<size_t>(piece_end_ - next_);
    if (size != 0) encoded_.pieces.emplace_back(next_, size);
    ended_bytes_ += size;
    piece_end_ = next_;
  }

  void raw(const void* data, size_t size) {
    if (size != 0) std::memcpy(claim(size), data, size);
  }
  void varint(uint64_t value) {
    if (value < 0x80) [[likely]] {
      *claim(1) = static_cast<char>(value);
    } else {
      protozero::add_varint_to_buffer(claim(varint_size(value)), value);
    }
  }
  void tag(const FieldTable& field, WireType type) {
    varint(static_cast<uint64_t>(field.number) << 3 | static_cast<uint64_t>(type));
  }
  void content(std::string_view bytes) {
    if (bytes.size() < borrow_from_bytes_) {
      raw(bytes.data(), bytes.size());
    } else {
      end_piece();
      encoded_.pieces.push_back(bytes);
      ended_bytes_ += bytes.size();
    }
    varint(bytes.size());
  }
  void value(const FieldTable& field, const void* value) {
    if (field.kind == Kind::kMessage) {
      const size_t behind = size_bytes();
      fields(value, *field.message);
      varint(size_bytes() - behind);
    } else if (!is_number(field.kind)) {
      content(text_of(field.kind, value));
    } else if (is_varint(field.kind)) {
      varint(varint_of(field.kind, value));
    } else {
      raw(value, number_size(field.kind));
    }
    tag(field, wire_type(field.kind));
  }
  void numbers(const FieldTable& field, const void* member) {
    visit_number(field.kind, [&]<class T>() {
      const std::vector<T>& values = list_of<T>(member);
      if (values.empty()) return;
      const size_t behind = size_bytes();
      if constexpr (kIsVarint<T>) {
        for (size_t i = values.size(); i-- > 0;) varint(to_varint(static_cast<T>(values[i])));
      } else {
        raw(values.data(), values.size() * sizeof(T));
      }
      varint(size_bytes() - behind);
      tag(field, WireType::length_delimited);
    });
  }
  void choice(const FieldTable& last, const void* member) {
    const size_t down = last.alternative - last.chosen(member);  // huge, where a later one is chosen
    if (down > last.num_alternatives_before) return;
    const FieldTable& field = *(&last - down);
    value(field, field.find(member));
  }
  void field(const FieldTable& field, const void* member, bool even_if_absent) {
    switch (field.form) {
      case Form::kHeld:
        if (const void* held = field.find(member); held != nullptr) value(field, held);
        return;
      case Form::kList:
      case Form::kMap: {
        if (field.starts_blank && is_blank(member)) return;
        if (is_number(field.kind)) return numbers(field, member);
        const std::span<const std::byte> items = field.items(member);
        for (size_t at = items.size(); at != 0;) value(field, items.data() + (at -= field.item_size_bytes));
        return;
      }
      default:
        if (even_if_absent || !is_default(field.kind, member)) value(field, member);
    }
  }

  char* begin_;  // of the chunk that is written to
  char* next_;   // what is written begins here
  char* piece_end_;
  size_t ended_bytes_ = 0;  // of the pieces
  const size_t borrow_from_bytes_;
  EncodedPieces encoded_;  // from behind
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
  return is_default(field.kind, member);
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
  constexpr size_t kBorrowedBytes = 1024;  // copied once then
  char buffer[1024];
  Writer out(buffer, kBorrowedBytes);
  out.fields(message.data, message.table);
  check_size(message.type, out.size_bytes());
  const EncodedPieces encoded = out.take();
  std::string bytes;
  bytes.reserve(encoded.size_bytes);
  for (const std::string_view piece : encoded.pieces) bytes += piece;
  return bytes;
}

EncodedPieces encode_pieces(const ConstMessage& message, size_t borrow_from_bytes) {
  Writer out({}, borrow_from_bytes);
  out.fields(message.data, message.table);
  return out.take();
}

const MessageTable* filled_table(const MessageTable* (*fill)()) {
  static Mutex mutex;
  const MutexLock lock(mutex);
  return fill();
}

}  // namespace flowray::wire::codec
