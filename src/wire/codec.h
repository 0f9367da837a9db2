#pragma once
/// Reading and writing of messages by their field lists (wire/message.h). Only the files that instantiate
/// decode() and encode() for their messages include this.

#include "wire/message.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>
#include <type_traits>

namespace flowray::wire::codec {

static_assert(std::endian::native == std::endian::little, "numbers of fixed size are copied as they are");

using WireType = protozero::pbf_wire_type;
constexpr int kMaxDepth = 100;  // protobuf's limit too; deeper ones could exhaust the stack

template <class T>
concept Message = requires { T::fields(); };
template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};
template <class T>
struct IsMap : std::false_type {};
template <class K, class V>
struct IsMap<Map<K, V>> : std::true_type {};
template <class T>
struct IsBox : std::false_type {};
template <class T>
struct IsBox<Box<T>> : std::true_type {};
template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};
template <class T>
concept StringLike = std::is_base_of_v<Bytes, T>;
template <class T>
concept FixedSize = std::is_floating_point_v<T> || std::is_same_v<T, Fixed32> || std::is_same_v<T, Fixed64>;
template <class T>
concept Varint = std::is_integral_v<T> || std::is_enum_v<T>;
template <class T>
concept Number = FixedSize<T> || Varint<T>;

template <class F>
void for_each_field(const auto& fields, F&& visit) {
  std::apply([&](const auto&... each) { (visit(each), ...); }, fields);
}

template <class T>
constexpr WireType wire_type() {
  if constexpr (Varint<T>)
    return WireType::varint;
  else if constexpr (FixedSize<T>)
    return sizeof(T) == 4 ? WireType::fixed32 : WireType::fixed64;
  else
    return WireType::length_delimited;
}

template <Varint T>
constexpr uint64_t to_varint(T value) {
  if constexpr (std::is_enum_v<T>)
    return to_varint(static_cast<std::underlying_type_t<T>>(value));
  else if constexpr (std::is_signed_v<T>)
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  else
    return static_cast<uint64_t>(value);
}
template <Varint T>
constexpr T from_varint(uint64_t value) {
  if constexpr (std::is_same_v<T, bool>)
    return value != 0;
  else
    return static_cast<T>(value);
}

// ---- reading

inline std::string_view view_of(protozero::data_view view) { return {view.data(), view.size()}; }

template <Message M>
void read_message(M& message, std::string_view bytes, int depth);

template <class T>
void read_value(protozero::pbf_reader& reader, T& value, int depth) {
  if constexpr (std::is_floating_point_v<T>) {
    value = sizeof(T) == 4 ? static_cast<T>(reader.get_float()) : static_cast<T>(reader.get_double());
  } else if constexpr (std::is_same_v<T, Fixed32>) {
    value.value = reader.get_fixed32();
  } else if constexpr (std::is_same_v<T, Fixed64>) {
    value.value = reader.get_fixed64();
  } else if constexpr (Varint<T>) {
    value = from_varint<T>(reader.get_uint64());
  } else if constexpr (StringLike<T>) {
    value = T::borrow(view_of(reader.get_view()));
  } else if constexpr (IsBox<T>::value) {
    read_message(value.make(), view_of(reader.get_view()), depth + 1);
  } else if constexpr (IsOptional<T>::value) {
    if (!value.has_value()) value.emplace();
    read_message(*value, view_of(reader.get_view()), depth + 1);
  } else {
    read_message(value, view_of(reader.get_view()), depth + 1);
  }
}

template <Number T>
void read_packed(std::string_view bytes, std::vector<T>& values) {
  if constexpr (FixedSize<T>) {
    if (bytes.size() % sizeof(T) != 0) throw protozero::invalid_length_exception{};
    const size_t old_size = values.size();
    values.resize(old_size + bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data() + old_size, bytes.data(), bytes.size());
  } else {
    const char* next = bytes.data();
    const char* end = next + bytes.size();
    while (next != end) values.push_back(from_varint<T>(protozero::decode_varint(&next, end)));
  }
}

/// An entry of a map is a message of two fields; others in it are dropped, as by protobuf.
template <class K, class V>
void read_entry(std::pair<K, V>& item, std::string_view bytes, int depth) {
  if (depth > kMaxDepth) throw errors::DataLossError("the message is nested too deeply");
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    if (reader.tag() == 1 && reader.wire_type() == wire_type<K>()) {
      read_value(reader, item.first, depth);
    } else if (reader.tag() == 2 && reader.wire_type() == wire_type<V>()) {
      read_value(reader, item.second, depth);
    } else {
      reader.skip();
    }
  }
}

/// Room for the fields of one number that stand in a row here, so that a list does not move while it grows.
template <class T>
void make_room(const protozero::pbf_reader& reader, std::vector<T>& items) {
  if (!items.empty()) return;
  protozero::pbf_reader rest = reader;
  const uint32_t number = rest.tag();
  size_t count = 0;
  do {
    ++count;
    rest.skip();
  } while (rest.next() && rest.tag() == number);
  items.reserve(count);
}

/// Whether the field was read; one that comes as another type than it should is unknown, as in protobuf.
template <class T>
bool read_field(protozero::pbf_reader& reader, T& value, int depth) {
  if constexpr (IsMap<T>::value) {
    if (reader.wire_type() != WireType::length_delimited) return false;
    make_room(reader, value.items);
    read_entry(value.items.emplace_back(), view_of(reader.get_view()), depth + 1);
    return true;
  } else if constexpr (IsVector<T>::value) {
    using Item = typename T::value_type;
    if constexpr (Number<Item>) {
      if (reader.wire_type() == WireType::length_delimited) {
        read_packed(view_of(reader.get_view()), value);
        return true;
      }
    }
    if (reader.wire_type() != wire_type<Item>()) return false;
    if constexpr (Number<Item>) {
      Item item{};
      read_value(reader, item, depth);
      value.push_back(item);
    } else {
      make_room(reader, value);
      read_value(reader, value.emplace_back(), depth);
    }
    return true;
  } else {
    if (reader.wire_type() != wire_type<T>()) return false;
    read_value(reader, value, depth);
    return true;
  }
}

template <class M, class T>
bool read_field(protozero::pbf_reader& reader, const Field<M, T>& field, M& message, int depth) {
  return read_field(reader, message.*field.member, depth);
}
template <size_t kIndex, class M, class V>
bool read_field(protozero::pbf_reader& reader, const Choice<kIndex, M, V>& choice, M& message, int depth) {
  using T = std::variant_alternative_t<kIndex, V>;
  if (reader.wire_type() != wire_type<T>()) return false;
  V& value = message.*choice.member;
  if (value.index() != kIndex) value.template emplace<kIndex>();
  read_value(reader, std::get<kIndex>(value), depth);
  return true;
}

/// Each key once, in order.
template <Message M>
void sort_maps(M& message) {
  for_each_field(M::fields(), [&](const auto& field) {
    if constexpr (IsMap<std::remove_reference_t<decltype(message.*field.member)>>::value) {
      (message.*field.member).sort();
    }
  });
}

template <Message M>
bool read_known_field(protozero::pbf_reader& reader, M& message, int depth) {
  const uint32_t number = reader.tag();
  bool read = false;
  std::apply(
      [&](const auto&... each) {
        (void)((each.number == number ? (read = read_field(reader, each, message, depth), true) : false) ||
               ...);
      },
      M::fields());
  return read;
}

template <Message M>
void read_message(M& message, std::string_view bytes, int depth) {
  if (depth > kMaxDepth) throw errors::DataLossError("the message is nested too deeply");
  protozero::pbf_reader reader(bytes.data(), bytes.size());
  while (true) {
    const char* begin = reader.data().data();
    if (!reader.next()) break;
    if (read_known_field(reader, message, depth)) continue;
    reader.skip();
    message.unknown.append(begin, reader.data().data());
  }
  sort_maps(message);
}

// ---- sizes: a first pass notes the size of every message, in the order in which the second one writes them

using Sizes = std::vector<size_t>;

template <Message M>
size_t measure_message(const M& message, Sizes& sizes);

inline size_t varint_size(uint64_t value) { return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7; }
inline size_t tag_size(uint32_t number) { return varint_size(static_cast<uint64_t>(number) << 3); }
inline size_t with_length(size_t size) { return varint_size(size) + size; }

/// What a Box or std::optional holds; an empty one stands for a message without fields.
template <class T>
const auto& message_in(const T& holder) {
  static const std::remove_cvref_t<decltype(*holder)> kEmpty{};
  return holder ? *holder : kEmpty;
}

/// Without its tag; messages and strings with their length.
template <class T>
size_t measure_value(const T& value, Sizes& sizes) {
  if constexpr (FixedSize<T>)
    return sizeof(T);
  else if constexpr (Varint<T>)
    return varint_size(to_varint(value));
  else if constexpr (StringLike<T>)
    return with_length(value.size());
  else if constexpr (Message<T>)
    return with_length(measure_message(value, sizes));
  else
    return with_length(measure_message(message_in(value), sizes));
}

template <class T>
bool is_absent(const T& value) {
  if constexpr (IsVector<T>::value || IsMap<T>::value || StringLike<T>)
    return value.empty();
  else if constexpr (IsBox<T>::value || IsOptional<T>::value)
    return !value;
  // -0.0 is a value of its own.
  else if constexpr (std::is_same_v<T, float>)
    return std::bit_cast<uint32_t>(value) == 0;
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<uint64_t>(value) == 0;
  else if constexpr (Number<T>)
    return value == T{};
  else
    return false;
}

template <Number T>
size_t packed_size(const std::vector<T>& values) {
  if constexpr (FixedSize<T>) return values.size() * sizeof(T);
  size_t size = 0;
  if constexpr (Varint<T>) {
    for (const T value : values) size += varint_size(to_varint(value));
  }
  return size;
}

/// With its tag.
template <class T>
size_t measure_field(uint32_t number, const T& value, Sizes& sizes) {
  size_t size = 0;
  if constexpr (IsMap<T>::value) {
    for (const auto& [key, item] : value) {
      const size_t place = sizes.size();
      sizes.push_back(0);
      const size_t entry = 2 + measure_value(key, sizes) + measure_value(item, sizes);
      sizes[place] = entry;
      size += tag_size(number) + with_length(entry);
    }
  } else if constexpr (IsVector<T>::value) {
    if constexpr (Number<typename T::value_type>) {
      const size_t packed = packed_size(value);
      sizes.push_back(packed);
      return tag_size(number) + with_length(packed);
    } else {
      for (const auto& item : value) size += tag_size(number) + measure_value(item, sizes);
    }
  } else {
    size = tag_size(number) + measure_value(value, sizes);
  }
  return size;
}

/// Calls visit(number, name, value) for each field that is there.
template <Message M, class Visit>
void for_each_present(const M& message, Visit&& visit) {
  const auto visit_field = [&]<class T>(const Field<M, T>& field) {
    const T& value = message.*field.member;
    if (!is_absent(value)) visit(field.number, field.name, value);
  };
  const auto visit_choice = [&]<size_t kIndex, class V>(const Choice<kIndex, M, V>& choice) {
    const V& value = message.*choice.member;
    if (value.index() == kIndex) visit(choice.number, choice.name, *std::get_if<kIndex>(&value));
  };
  for_each_field(M::fields(), [&](const auto& each) {
    if constexpr (requires { visit_field(each); })
      visit_field(each);
    else
      visit_choice(each);
  });
}

template <Message M>
size_t measure_message(const M& message, Sizes& sizes) {
  const size_t place = sizes.size();
  sizes.push_back(0);
  size_t size = message.unknown.size();
  for_each_present(message, [&](uint32_t number, std::string_view, const auto& value) {
    size += measure_field(number, value, sizes);
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
    if (pieces_ == nullptr || bytes.size() < borrow_from_bytes_) return raw(bytes.data(), bytes.size());
    end_piece();
    pieces_->push_back(bytes);
  }
  void end_piece() {
    if (next_ != piece_begin_) pieces_->emplace_back(piece_begin_, static_cast<size_t>(next_ - piece_begin_));
    piece_begin_ = next_;
  }
  size_t next_size() { return *size_++; }

 private:
  char* next_;
  char* piece_begin_;
  const size_t* size_;
  size_t borrow_from_bytes_;
  std::vector<std::string_view>* pieces_;
};

template <Message M>
void write_message(const M& message, Writer& out);

template <class T>
void write_value(const T& value, Writer& out) {
  if constexpr (FixedSize<T>) {
    out.raw(&value, sizeof(T));
  } else if constexpr (Varint<T>) {
    out.varint(to_varint(value));
  } else if constexpr (StringLike<T>) {
    out.varint(value.size());
    out.content(value);
  } else if constexpr (Message<T>) {
    write_message(value, out);
  } else {
    write_message(message_in(value), out);
  }
}

template <class T>
void write_field(uint32_t number, const T& value, Writer& out) {
  if constexpr (IsMap<T>::value) {
    for (const auto& [key, item] : value) {
      out.tag(number, WireType::length_delimited);
      out.varint(out.next_size());
      out.tag(1, wire_type<std::remove_cvref_t<decltype(key)>>());
      write_value(key, out);
      out.tag(2, wire_type<std::remove_cvref_t<decltype(item)>>());
      write_value(item, out);
    }
  } else if constexpr (IsVector<T>::value) {
    using Item = typename T::value_type;
    if constexpr (Number<Item>) {
      out.tag(number, WireType::length_delimited);
      out.varint(out.next_size());
      if constexpr (FixedSize<Item>) {
        out.raw(value.data(), value.size() * sizeof(Item));
      } else {
        for (const Item item : value) out.varint(to_varint(item));
      }
    } else {
      for (const Item& item : value) {
        out.tag(number, wire_type<Item>());
        write_value(item, out);
      }
    }
  } else {
    out.tag(number, wire_type<T>());
    write_value(value, out);
  }
}

template <Message M>
void write_fields(const M& message, Writer& out) {
  for_each_present(message, [&](uint32_t number, std::string_view, const auto& value) {
    write_field(number, value, out);
  });
  out.raw(message.unknown.data(), message.unknown.size());
}
template <Message M>
void write_message(const M& message, Writer& out) {
  out.varint(out.next_size());
  write_fields(message, out);
}

void check_size(std::string_view type, size_t size_bytes);

}  // namespace flowray::wire::codec

namespace flowray::wire {

template <class M>
M decode(std::string_view bytes) {
  const auto fail = [&](const char* reason) {
    return errors::DataLossError(fmt::format("Error parsing message with type '{}': {}\nIt has {} bytes.",
                                             M::kType, reason, bytes.size()));
  };
  M message;
  try {
    codec::read_message(message, bytes, 0);
  } catch (const protozero::exception& error) {
    throw fail(error.what());
  } catch (const errors::DataLossError& error) {
    throw fail(error.what());
  }
  return message;
}

template <class M>
std::string encode(const M& message) {
  codec::Sizes sizes;
  const size_t size = codec::measure_message(message, sizes);
  codec::check_size(M::kType, size);
  std::string bytes(size, '\0');
  codec::Writer out(bytes.data(), sizes, 0, nullptr);
  out.next_size();
  codec::write_fields(message, out);
  return bytes;
}

template <class M>
EncodedPieces encode_pieces(const M& message, size_t borrow_from_bytes) {
  codec::Sizes sizes;
  EncodedPieces encoded;
  encoded.size_bytes = codec::measure_message(message, sizes);
  codec::check_size(M::kType, encoded.size_bytes);
  // As large as if nothing were borrowed; what is not written is never touched.
  encoded.small.reset(new char[encoded.size_bytes]);
  codec::Writer out(encoded.small.get(), sizes, borrow_from_bytes, &encoded.pieces);
  out.next_size();
  codec::write_fields(message, out);
  out.end_piece();
  return encoded;
}

}  // namespace flowray::wire
