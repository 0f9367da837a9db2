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

size_t encoded_size_bytes(const Encoder& value) noexcept {
  size_t bytes = head_bytes(value);
  for (const Array& array : value.arrays()) bytes = align_up(bytes) + array.size_bytes();
  return bytes;
}

void write_value(const Encoder& value, std::byte* out) noexcept {
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
  const size_t head = head_bytes(value);
  const Header header{kValueMagic, static_cast<uint32_t>(value.stream().size()), 0, 1};
  const ArrayEntry entry{room, value.arrays()[0].size_bytes()};
  std::memcpy(out, &header, sizeof header);
  std::memcpy(out + sizeof header, &entry, sizeof entry);
  std::memcpy(out + sizeof header + sizeof entry, value.stream().data(), value.stream().size());
  std::memset(out + head, 0, room - head);
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
