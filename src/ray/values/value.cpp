#include "ray/values/value.h"

#include <cstring>

namespace flowray::ray {

namespace {

constexpr uint32_t kValueMagic = 0x31767266;  // "frv1"
constexpr uint32_t kErrorMagic = 0x31657266;  // "fre1"

struct Header {
  uint32_t magic;
  uint32_t stream_bytes;
  uint32_t num_refs;
  uint32_t num_arrays;
};
static_assert(sizeof(Header) == 16);

struct ArrayEntry {
  uint64_t offset;
  uint64_t bytes;
};

constexpr size_t align_up(size_t bytes) { return (bytes + kArrayAlignment - 1) & ~(kArrayAlignment - 1); }

size_t head_bytes(const Encoder& value) {
  return sizeof(Header) + sizeof(uint64_t) * value.nested_refs().size() +
         sizeof(ArrayEntry) * value.arrays().size() + value.stream().size();
}

[[noreturn]] void throw_damaged(const std::string& what, size_t bytes) {
  throw errors::DataLossError("A value of " + std::to_string(bytes) + " bytes cannot be read: " + what +
                              ". It was damaged, or written by another version of Flowray.");
}

}  // namespace

namespace {

/// Room for the head of a list of one item, and for the item's own.
constexpr size_t kHeadRoom = 128;
constexpr std::byte kListOfOne{0x91};

bool is_one_large_array(const Encoder& value) noexcept {
  return value.arrays().size() == 1 && value.arrays()[0].size_bytes() >= kLeastLentBytes &&
         is_array_behind(value, kHeadRoom);
}

/// Whether its item is a value as well.
bool has_inner_value(const Encoder& value) noexcept {
  return is_one_large_array(value) && value.stream()[0] == kListOfOne;
}

/// Of a value with one array, `room` bytes behind `out`.
void write_head(std::span<const std::byte> stream, size_t array_bytes, std::byte* out, size_t room) noexcept {
  const Header header{kValueMagic, static_cast<uint32_t>(stream.size()), 0, 1};
  const ArrayEntry entry{room, array_bytes};
  std::memcpy(out, &header, sizeof header);
  std::memcpy(out + sizeof header, &entry, sizeof entry);
  std::memcpy(out + sizeof header + sizeof entry, stream.data(), stream.size());
  const size_t head = sizeof header + sizeof entry + stream.size();
  std::memset(out + head, 0, room - head);
}

}  // namespace

size_t encoded_size_bytes(const Encoder& value) noexcept {
  if (has_inner_value(value)) return 2 * kHeadRoom + value.arrays()[0].size_bytes();
  size_t bytes = head_bytes(value);
  for (const Array& array : value.arrays()) bytes = align_up(bytes) + array.size_bytes();
  return bytes;
}

void write_value(const Encoder& value, std::byte* out) noexcept {
  if (has_inner_value(value)) {
    const Array& array = value.arrays()[0];
    write_head(value.stream(), array.size_bytes(), out, 2 * kHeadRoom);
    write_head(value.stream().subspan(1), array.size_bytes(), out + kHeadRoom, kHeadRoom);
    std::memcpy(out + 2 * kHeadRoom, array.raw_data(), array.size_bytes());
    return;
  }
  auto append_to_head = [next = out](const void* bytes, size_t count) mutable {
    if (count > 0) std::memcpy(next, bytes, count);
    next += count;
  };
  const Header header{
      value.is_error() ? kErrorMagic : kValueMagic, static_cast<uint32_t>(value.stream().size()),
      static_cast<uint32_t>(value.nested_refs().size()), static_cast<uint32_t>(value.arrays().size())};
  append_to_head(&header, sizeof header);
  for (const internal::ObjectHandle* handle : value.nested_refs()) {
    const uint64_t id = handle->id().value;
    append_to_head(&id, sizeof id);
  }
  size_t end = head_bytes(value);
  for (const Array& array : value.arrays()) {
    const ArrayEntry entry{align_up(end), array.size_bytes()};
    append_to_head(&entry, sizeof entry);
    end = entry.offset + entry.bytes;
  }
  append_to_head(value.stream().data(), value.stream().size());
  if (value.arrays().empty()) return;
  end = head_bytes(value);
  for (const Array& array : value.arrays()) {
    std::memset(out + end, 0, align_up(end) - end);
    end = align_up(end);
    if (array.size_bytes() > 0) std::memcpy(out + end, array.raw_data(), array.size_bytes());
    end += array.size_bytes();
  }
}

BufferRef value_bytes(const Encoder& value) {
  BufferRef bytes = Buffer::allocate(encoded_size_bytes(value));
  write_value(value, bytes->data());
  return bytes;
}

internal::ValueView view_of_bytes(const BufferRef& bytes) {
  internal::ValueView view;
  view.bytes = {bytes->data(), bytes->size_bytes()};
  view.buffer = BufferRef(bytes).leave();
  view.in_place = true;
  view.is_error = is_error_value(view.bytes);
  return view;
}

bool is_array_behind(const Encoder& value, size_t room) noexcept {
  return value.arrays().size() == 1 && value.nested_refs().empty() && !value.is_error() &&
         head_bytes(value) <= room;
}

void write_head_before_array(const Encoder& value, std::byte* out, size_t room) noexcept {
  const size_t array_bytes = value.arrays()[0].size_bytes();
  write_head(value.stream(), array_bytes, out, room);
  if (has_inner_value(value) && room >= 2 * kHeadRoom)
    write_head(value.stream().subspan(1), array_bytes, out + room - kHeadRoom, kHeadRoom);
}

std::optional<size_t> same_value_in(std::span<const std::byte> lender, const Encoder& value) noexcept {
  if (!is_one_large_array(value)) return std::nullopt;
  const Array& array = value.arrays()[0];
  const auto begin = reinterpret_cast<uintptr_t>(lender.data());
  const auto elements = reinterpret_cast<uintptr_t>(array.raw_data());
  if (elements < begin || elements - begin > lender.size()) return std::nullopt;
  const size_t at = elements - begin;
  if (array.size_bytes() != lender.size() - at || at % kArrayAlignment != 0) return std::nullopt;
  const auto begins_at = [&](size_t offset) {
    const size_t room = at - offset;
    if (head_bytes(value) > room) return false;
    const Header header{kValueMagic, static_cast<uint32_t>(value.stream().size()), 0, 1};
    const ArrayEntry entry{room, array.size_bytes()};
    const std::byte* const head = lender.data() + offset;
    return std::memcmp(head, &header, sizeof header) == 0 &&
           std::memcmp(head + sizeof header, &entry, sizeof entry) == 0 &&
           std::memcmp(head + sizeof header + sizeof entry, value.stream().data(), value.stream().size()) ==
               0;
  };
  if (at >= kHeadRoom && begins_at(at - kHeadRoom)) return at - kHeadRoom;
  return begins_at(0) ? std::optional<size_t>(0) : std::nullopt;
}

ValueParts value_parts(std::span<const std::byte> value) {
  Header header;
  if (value.size() < sizeof header) throw_damaged("it is shorter than its head", value.size());
  std::memcpy(&header, value.data(), sizeof header);
  if (header.magic != kValueMagic && header.magic != kErrorMagic) {
    throw_damaged("it does not begin as values do", value.size());
  }
  const uint64_t refs_at = sizeof header;
  const uint64_t table_at = refs_at + sizeof(uint64_t) * uint64_t{header.num_refs};
  const uint64_t stream_at = table_at + sizeof(ArrayEntry) * uint64_t{header.num_arrays};
  const uint64_t head_end = stream_at + header.stream_bytes;
  if (head_end > value.size()) throw_damaged("its head tells of more than there is", value.size());
  for (uint32_t i = 0; i < header.num_arrays; ++i) {
    ArrayEntry entry;
    std::memcpy(&entry, value.data() + table_at + sizeof entry * size_t{i}, sizeof entry);
    const bool inside = entry.offset <= value.size() && entry.bytes <= value.size() - entry.offset;
    if (!inside || entry.offset < head_end || entry.offset % kArrayAlignment != 0) {
      throw_damaged("array " + std::to_string(i) + " lies outside of it", value.size());
    }
  }
  ValueParts parts;
  parts.is_error = header.magic == kErrorMagic;
  parts.num_refs = header.num_refs;
  parts.num_arrays = header.num_arrays;
  parts.refs = value.data() + refs_at;
  parts.array_table = value.data() + table_at;
  parts.stream = value.subspan(static_cast<size_t>(stream_at), header.stream_bytes);
  parts.array_begin = static_cast<size_t>(head_end);
  return parts;
}

std::vector<ObjectId> nested_object_ids(std::span<const std::byte> value) {
  const ValueParts parts = value_parts(value);
  std::vector<ObjectId> ids(parts.num_refs);
  for (uint32_t i = 0; i < parts.num_refs; ++i) {
    std::memcpy(&ids[i].value, parts.refs + sizeof(uint64_t) * size_t{i}, sizeof(uint64_t));
  }
  return ids;
}

bool is_error_value(std::span<const std::byte> value) noexcept {
  uint32_t magic = 0;
  if (value.size() < sizeof(Header)) return false;
  std::memcpy(&magic, value.data(), sizeof magic);
  return magic == kErrorMagic;
}

}  // namespace flowray::ray
