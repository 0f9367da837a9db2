#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <flowray/ray/encoding.h>
#include <fmt/format.h>

#include "core/buffer.h"
#include "core/truth_values.h"
#include "ray/values/value.h"

namespace flowray::ray {

using internal::Extension;
using internal::Item;

namespace {

template <typename T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// The bytes of `count` elements of `size_bytes`; false if no such array can exist.
bool array_bytes(const Shape& shape, size_t size_bytes, uint64_t& bytes) {
  uint64_t count = 1;
  bool empty = false;
  for (int64_t dim : shape) {
    if (dim == 0) empty = true;
    if (!empty && __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count)) return false;
    if (count > INT64_MAX) return false;
  }
  if (empty) count = 0;
  return !__builtin_mul_overflow(count, static_cast<uint64_t>(size_bytes), &bytes);
}

/// Kernels check indices, and count what a mask selects, before they use them: they must not change in
/// between, as they could where another process can write.
bool may_be_indices(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kInt64 || dtype == DType::kBool;
}

void release_keeper(void* keeper) { release(static_cast<Buffer*>(keeper)); }

}  // namespace

Decoder::Decoder(const internal::ValueView& value) : value_(value) {
  const ValueParts parts = value_parts(value.bytes);
  begin_ = cursor_ = parts.stream.data();
  end_ = begin_ + parts.stream.size();
  refs_ = parts.refs;
  array_table_ = parts.array_table;
  num_refs_ = parts.num_refs;
  num_arrays_ = parts.num_arrays;
}

void Decoder::fail(std::string_view what) const {
  throw errors::DataLossError("A value cannot be read: " + std::string(what) + " at byte " +
                              std::to_string(cursor_ - begin_) + " of " + std::to_string(end_ - begin_) +
                              ". It was damaged, or written by another version of the program.");
}

void Decoder::fail_type(const char* expected, const Head& found) const {
  static constexpr const char* kNames[] = {"nil",
                                           "a bool",
                                           "an unsigned integer",
                                           "a negative integer",
                                           "a float",
                                           "a double",
                                           "a string",
                                           "binary data",
                                           "a list",
                                           "a map",
                                           "an extension value"};
  const char* name = kNames[static_cast<int>(found.kind)];
  if (found.kind == Kind::kExtension) {
    switch (found.extension) {
      case Extension::kArray:
        name = "an Array";
        break;
      case Extension::kStrings:
        name = "an Array of strings";
        break;
      case Extension::kObjectRef:
        name = "an ObjectRef";
        break;
      case Extension::kActor:
        name = "an ActorHandle";
        break;
      case Extension::kArgument:
        name = "a reference to an argument";
        break;
      case Extension::kTuple:
        name = "a tuple of Python's";
        break;
      case Extension::kPickled:
        name = "a pickled object of Python's";
        break;
    }
  }
  throw TypeError(std::string("A value cannot be read: ") + expected + " was expected and " + name +
                  " found at byte " + std::to_string(found.begin - begin_) + " of " +
                  std::to_string(end_ - begin_) +
                  ". Is the ObjectRef's type that of the value, and are both sides the same program?");
}

inline std::span<const std::byte> Decoder::take(uint64_t bytes) {
  if (bytes > static_cast<uint64_t>(end_ - cursor_)) fail("it ends too early");
  const std::byte* taken = cursor_;
  cursor_ += bytes;
  return {taken, static_cast<size_t>(bytes)};
}

inline uint64_t Decoder::take_big_endian(int bytes) {
  const std::byte* from = take(static_cast<uint64_t>(bytes)).data();
  uint64_t value = 0;
  for (int i = 0; i < bytes; ++i) value = value << 8 | std::to_integer<uint64_t>(from[i]);
  return value;
}

Decoder::Head Decoder::read_head() {
  Head head{Kind::kNil, Extension{}, 0, cursor_};
  const auto as = [&](Kind kind, uint64_t bits) {
    head.kind = kind;
    head.bits = bits;
    return head;
  };
  const auto extension = [&](uint64_t bytes) {
    head.extension = static_cast<Extension>(take(1)[0]);
    return as(Kind::kExtension, bytes);
  };
  const auto negative = [&](int bytes) {
    const uint64_t bits = take_big_endian(bytes);
    const int shift = 64 - 8 * bytes;
    const auto value = static_cast<int64_t>(bits << shift) >> shift;
    return as(value < 0 ? Kind::kNegative : Kind::kUnsigned, static_cast<uint64_t>(value));
  };
  const auto marker = std::to_integer<uint8_t>(take(1)[0]);
  if (marker < 0x80) return as(Kind::kUnsigned, marker);
  if (marker < 0x90) return as(Kind::kMap, marker & 0x0F);
  if (marker < 0xA0) return as(Kind::kList, marker & 0x0F);
  if (marker < 0xC0) return as(Kind::kString, marker & 0x1F);
  if (marker >= 0xE0)
    return as(Kind::kNegative, static_cast<uint64_t>(static_cast<int64_t>(static_cast<int8_t>(marker))));
  switch (marker) {
    case 0xC0:
      return head;
    case 0xC2:
      return as(Kind::kBool, 0);
    case 0xC3:
      return as(Kind::kBool, 1);
    case 0xC4:
      return as(Kind::kBinary, take_big_endian(1));
    case 0xC5:
      return as(Kind::kBinary, take_big_endian(2));
    case 0xC6:
      return as(Kind::kBinary, take_big_endian(4));
    case 0xC7:
      return extension(take_big_endian(1));
    case 0xC8:
      return extension(take_big_endian(2));
    case 0xC9:
      return extension(take_big_endian(4));
    case 0xCA:
      return as(Kind::kFloat, take_big_endian(4));
    case 0xCB:
      return as(Kind::kDouble, take_big_endian(8));
    case 0xCC:
      return as(Kind::kUnsigned, take_big_endian(1));
    case 0xCD:
      return as(Kind::kUnsigned, take_big_endian(2));
    case 0xCE:
      return as(Kind::kUnsigned, take_big_endian(4));
    case 0xCF:
      return as(Kind::kUnsigned, take_big_endian(8));
    case 0xD0:
      return negative(1);
    case 0xD1:
      return negative(2);
    case 0xD2:
      return negative(4);
    case 0xD3:
      return negative(8);
    case 0xD4:
      return extension(1);
    case 0xD5:
      return extension(2);
    case 0xD6:
      return extension(4);
    case 0xD7:
      return extension(8);
    case 0xD8:
      return extension(16);
    case 0xD9:
      return as(Kind::kString, take_big_endian(1));
    case 0xDA:
      return as(Kind::kString, take_big_endian(2));
    case 0xDB:
      return as(Kind::kString, take_big_endian(4));
    case 0xDC:
      return as(Kind::kList, take_big_endian(2));
    case 0xDD:
      return as(Kind::kList, take_big_endian(4));
    case 0xDE:
      return as(Kind::kMap, take_big_endian(2));
    case 0xDF:
      return as(Kind::kMap, take_big_endian(4));
    default:
      break;
  }
  cursor_ = head.begin;
  fail("there is no msgpack value");
}

bool Decoder::next_is_nil() const noexcept { return cursor_ != end_ && *cursor_ == std::byte{0xC0}; }

bool Decoder::next_is_binary() const noexcept {
  return cursor_ != end_ && *cursor_ >= std::byte{0xC4} && *cursor_ <= std::byte{0xC6};
}

std::optional<Extension> Decoder::next_extension() const noexcept {
  if (cursor_ == end_) return std::nullopt;
  // Where the type stands behind the marker.
  size_t at = 0;
  switch (std::to_integer<uint8_t>(*cursor_)) {
    case 0xD4:
    case 0xD5:
    case 0xD6:
    case 0xD7:
    case 0xD8:
      at = 1;
      break;
    case 0xC7:
      at = 2;
      break;
    case 0xC8:
      at = 3;
      break;
    case 0xC9:
      at = 5;
      break;
    default:
      return std::nullopt;
  }
  if (at >= static_cast<size_t>(end_ - cursor_)) return std::nullopt;
  return static_cast<Extension>(cursor_[at]);
}

bool Decoder::next_is_extension(Extension type) const noexcept { return next_extension() == type; }

Item Decoder::next_item() const noexcept {
  if (cursor_ == end_) return Item::kNone;
  if (const auto extension = next_extension()) {
    switch (*extension) {
      case Extension::kArray:
      case Extension::kStrings:
        return Item::kArray;
      case Extension::kObjectRef:
        return Item::kObjectRef;
      case Extension::kActor:
        return Item::kActor;
      case Extension::kArgument:
        return Item::kArgument;
      case Extension::kTuple:
        return Item::kTuple;
      case Extension::kPickled:
        return Item::kPickled;
    }
    return Item::kNone;
  }
  const auto marker = std::to_integer<uint8_t>(*cursor_);
  if (marker < 0x80 || marker >= 0xE0) return Item::kInteger;
  if (marker < 0x90) return Item::kMap;
  if (marker < 0xA0) return Item::kList;
  if (marker < 0xC0) return Item::kString;
  if (marker == 0xC0) return Item::kNil;
  if (marker == 0xC2 || marker == 0xC3) return Item::kBool;
  if (marker >= 0xC4 && marker <= 0xC6) return Item::kBinary;
  if (marker == 0xCA || marker == 0xCB) return Item::kFloat;
  if (marker >= 0xCC && marker <= 0xD3) return Item::kInteger;
  if (marker >= 0xD9 && marker <= 0xDB) return Item::kString;
  if (marker == 0xDC || marker == 0xDD) return Item::kList;
  return marker == 0xDE || marker == 0xDF ? Item::kMap : Item::kNone;
}

uint32_t Decoder::read_mark(Extension mark) {
  const auto bytes = read_extension(mark, mark == Extension::kTuple ? "a tuple" : "a pickled object");
  Body body{bytes.data(), bytes.data() + bytes.size()};
  const auto count = static_cast<uint32_t>(read_little_endian(body, 4));
  if (count > static_cast<uint64_t>(end_ - cursor_)) fail("there are more items than bytes");
  return count;
}

bool Decoder::next_is_array() const noexcept {
  return next_is_extension(Extension::kArray) || next_is_extension(Extension::kStrings);
}

void Decoder::read_nil() {
  const Head head = read_head();
  if (head.kind != Kind::kNil) fail_type("nil", head);
}

bool Decoder::read_bool() {
  const Head head = read_head();
  if (head.kind != Kind::kBool) fail_type("a bool", head);
  return head.bits != 0;
}

int64_t Decoder::read_signed(int64_t lowest, int64_t highest) {
  const Head head = read_head();
  if (head.kind != Kind::kUnsigned && head.kind != Kind::kNegative) fail_type("an integer", head);
  const auto value = static_cast<int64_t>(head.bits);
  const bool too_large = head.kind == Kind::kUnsigned && head.bits > static_cast<uint64_t>(INT64_MAX);
  if (too_large || value < lowest || value > highest) {
    throw ValueError("A value cannot be read: the integer " +
                     (too_large ? std::to_string(head.bits) : std::to_string(value)) + " is not in [" +
                     std::to_string(lowest) + ", " + std::to_string(highest) +
                     "], what the type asked for holds.");
  }
  return value;
}

uint64_t Decoder::read_unsigned(uint64_t highest) {
  const Head head = read_head();
  if (head.kind != Kind::kUnsigned && head.kind != Kind::kNegative) fail_type("an integer", head);
  if (head.kind == Kind::kNegative || head.bits > highest) {
    throw ValueError("A value cannot be read: the integer " +
                     (head.kind == Kind::kNegative ? std::to_string(static_cast<int64_t>(head.bits))
                                                   : std::to_string(head.bits)) +
                     " is not in [0, " + std::to_string(highest) + "], what the type asked for holds.");
  }
  return head.bits;
}

double Decoder::read_double() {
  const Head head = read_head();
  switch (head.kind) {
    case Kind::kDouble:
      return std::bit_cast<double>(head.bits);
    case Kind::kFloat:
      return std::bit_cast<float>(static_cast<uint32_t>(head.bits));
    case Kind::kUnsigned:
      return static_cast<double>(head.bits);
    case Kind::kNegative:
      return static_cast<double>(static_cast<int64_t>(head.bits));
    default:
      fail_type("a floating-point number", head);
  }
}

float Decoder::read_float() {
  const Head head = read_head();
  switch (head.kind) {
    case Kind::kFloat:
      return std::bit_cast<float>(static_cast<uint32_t>(head.bits));
    case Kind::kDouble: {
      const double value = std::bit_cast<double>(head.bits);
      if (std::abs(value) > std::numeric_limits<float>::max() && !std::isinf(value)) {
        throw ValueError(fmt::format(
            "A value cannot be read: the number {} is larger than what the type asked for, float, holds.",
            value));
      }
      return static_cast<float>(value);
    }
    case Kind::kUnsigned:
      return static_cast<float>(head.bits);
    case Kind::kNegative:
      return static_cast<float>(static_cast<int64_t>(head.bits));
    default:
      fail_type("a floating-point number", head);
  }
}

std::string_view Decoder::read_string() {
  const Head head = read_head();
  if (head.kind != Kind::kString) fail_type("a string", head);
  const auto bytes = take(head.bits);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::span<const std::byte> Decoder::read_binary() {
  const Head head = read_head();
  if (head.kind != Kind::kBinary) fail_type("binary data", head);
  return take(head.bits);
}

size_t Decoder::read_list() {
  if (next_is_extension(Extension::kTuple)) return read_mark(Extension::kTuple);
  const Head head = read_head();
  if (head.kind != Kind::kList) fail_type("a list", head);
  if (head.bits > static_cast<uint64_t>(end_ - cursor_)) fail("a list has more items than there are bytes");
  return static_cast<size_t>(head.bits);
}

void Decoder::read_list_of(size_t count, const char* what) {
  const size_t found = read_list();
  if (found != count) {
    throw TypeError("A value cannot be read: " + std::string(what) + " has " + std::to_string(count) +
                    " items, and " + std::to_string(found) + " were sent. Are both sides the same program?");
  }
}

size_t Decoder::read_map() {
  const Head head = read_head();
  if (head.kind != Kind::kMap) fail_type("a map", head);
  if (head.bits > static_cast<uint64_t>(end_ - cursor_) / 2)
    fail("a map has more items than there are bytes");
  return static_cast<size_t>(head.bits);
}

std::span<const std::byte> Decoder::read_extension(Extension type, const char* expected) {
  const Head head = read_head();
  if (head.kind != Kind::kExtension || head.extension != type) fail_type(expected, head);
  return take(head.bits);
}

uint64_t Decoder::read_little_endian(Body& body, int bytes) const {
  if (body.end - body.cursor < bytes) fail("an item ends too early");
  uint64_t value = 0;
  std::memcpy(&value, body.cursor, static_cast<size_t>(bytes));
  body.cursor += bytes;
  return value;
}

Shape Decoder::read_dims(Body& body, int rank) const {
  if (rank > Shape::kMaxRank) fail("an array's rank is too large");
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const auto dim = static_cast<int64_t>(read_little_endian(body, 8));
    if (dim < 0) fail("an array's dimension is negative");
    shape.push_back(dim);
  }
  return shape;
}

Array Decoder::read_array(Reading reading) {
  if (next_is_extension(Extension::kStrings))
    return read_strings(read_extension(Extension::kStrings, "an Array"));
  const auto bytes = read_extension(Extension::kArray, "an Array");
  Body body{bytes.data(), bytes.data() + bytes.size()};
  const auto index = static_cast<uint32_t>(read_little_endian(body, 4));
  const auto dtype = static_cast<DType>(read_little_endian(body, 1));
  const Shape shape = read_dims(body, static_cast<int>(read_little_endian(body, 1)));
  if (body.cursor != body.end) fail("an array's head is too long");
  if (index == internal::kNoIndex && dtype == DType::kInvalid && shape.rank() == 0) return Array();
  return make_array(index, dtype, shape, reading);
}

Array Decoder::make_array(uint32_t index, DType dtype, const Shape& shape, Reading reading) const {
  if (index >= num_arrays_) fail("an array's index is too large");
  if (dtype_size(dtype) == 0 || !is_trivial(dtype)) fail("an array's dtype is invalid");
  const auto offset = load<uint64_t>(array_table_ + 16 * size_t{index});
  const auto size = load<uint64_t>(array_table_ + 16 * size_t{index} + 8);
  uint64_t expected = 0;
  if (!array_bytes(shape, dtype_size(dtype), expected) || expected != size)
    fail("an array's shape and size differ");
  // value_parts() has seen that, but the process that wrote the value may have written there again since.
  if (offset > value_.bytes.size() || size > value_.bytes.size() - offset)
    fail("an array lies outside of it");
  const std::byte* elements = value_.bytes.data() + offset;
  const bool aligned = reinterpret_cast<uintptr_t>(elements) % kArrayAlignment == 0;
  const bool may_share = reading == Reading::kInPlace || !may_be_indices(dtype);
  if (value_.in_place && value_.buffer != nullptr && aligned && may_share) {
    // The memory may be read by other processes too: the buffer is read-only.
    void* data = const_cast<std::byte*>(elements);
    BufferRef keeper = BufferRef::share(value_.buffer);
    BufferRef buffer = Buffer::adopt(data, static_cast<size_t>(size), release_keeper, keeper.get(), false);
    static_cast<void>(keeper.leave());
    return Array::wrap(buffer.leave(), data, dtype, shape);
  }
  Array array = Array::uninitialized(dtype, shape);
  if (size > 0) {
    std::memcpy(array.mutable_raw_data(), elements, static_cast<size_t>(size));
    make_truth_values(dtype, array.mutable_raw_data(), static_cast<size_t>(size));
  }
  return array;
}

Array Decoder::read_strings(std::span<const std::byte> bytes) const {
  Body body{bytes.data(), bytes.data() + bytes.size()};
  const Shape shape = read_dims(body, static_cast<int>(read_little_endian(body, 1)));
  uint64_t length_bytes = 0;
  // Each string has at least its length here, so no more are made than were sent.
  if (!array_bytes(shape, 4, length_bytes) || length_bytes > static_cast<uint64_t>(body.end - body.cursor)) {
    fail("an array has more strings than there are bytes");
  }
  Array array(DType::kString, shape);
  auto* strings = array.mutable_data<std::string>();
  for (int64_t i = 0; i < array.size(); ++i) {
    const uint64_t length = read_little_endian(body, 4);
    if (length > static_cast<uint64_t>(body.end - body.cursor)) fail("a string ends too early");
    strings[i].assign(reinterpret_cast<const char*>(body.cursor), static_cast<size_t>(length));
    body.cursor += length;
  }
  if (body.cursor != body.end) fail("an array of strings is too long");
  return array;
}

internal::ObjectHandle* Decoder::read_ref() {
  const auto bytes = read_extension(Extension::kObjectRef, "an ObjectRef");
  if (bytes.size() != 4) fail("a reference has the wrong size");
  const auto index = load<uint32_t>(bytes.data());
  if (index == internal::kNoIndex) return nullptr;
  return internal::backend().adopt(nested_ref(index));
}

ObjectId Decoder::nested_ref(uint32_t index) const {
  if (index >= num_refs_) fail("a reference's index is too large");
  const ObjectId id{load<uint64_t>(refs_ + 8 * size_t{index})};
  if (!id) fail("a reference has no object");
  return id;
}

ActorId Decoder::read_actor() { return read_actor_share().id; }

Decoder::ReadActor Decoder::read_actor_share() {
  const auto bytes = read_extension(Extension::kActor, "an ActorHandle");
  if (bytes.size() == 8) return {ActorId{load<uint64_t>(bytes.data())}};
  if (bytes.size() != 4) fail("an actor has the wrong size");
  const ObjectId id = nested_ref(load<uint32_t>(bytes.data()));
  return {ActorId{id.value}, internal::backend().adopt(id)};
}

bool Decoder::try_argument_ref(uint32_t& index) {
  if (!next_is_extension(Extension::kArgument)) return false;
  const auto bytes = read_extension(Extension::kArgument, "a reference to an argument");
  if (bytes.size() != 4) fail("a reference has the wrong size");
  index = load<uint32_t>(bytes.data());
  return true;
}

void Decoder::finish() const {
  if (cursor_ != end_) fail("there is more than the type asked for holds");
}

void Decoder::enter() {
  if (++depth_ > internal::kMaxDepth) fail("structs lie too deep in each other");
}

}  // namespace flowray::ray
