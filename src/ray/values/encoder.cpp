#include <bit>
#include <cstring>
#include <utility>

#include <flowray/ray/encoding.h>

#include "core/thread_owned.h"

namespace flowray::ray {

using internal::Extension;
using internal::ObjectHandle;

namespace {

constexpr size_t kFirstBytes = 512;
/// What clear() keeps; a value beyond it is rare enough to pay for its memory.
constexpr size_t kKeptBytes = size_t{1} << 20;

template <typename T>
std::byte* write_little_endian(std::byte* out, T value) {
  static_assert(std::endian::native == std::endian::little, "the format is little endian");
  std::memcpy(out, &value, sizeof value);
  return out + sizeof value;
}

}  // namespace

Encoder::~Encoder() { clear(); }

void Encoder::clear() noexcept {
  if (!arrays_.empty()) arrays_.clear();
  for (ObjectHandle* handle : nested_refs_) handle->release();
  for (ObjectHandle* handle : argument_refs_) handle->release();
  nested_refs_.clear();
  argument_refs_.clear();
  depth_ = 0;
  is_error_ = false;
  cursor_ = begin_.get();
  if (static_cast<size_t>(end_ - cursor_) > kKeptBytes) {
    begin_.reset();
    cursor_ = end_ = nullptr;
  }
}

void Encoder::grow(size_t bytes) {
  const size_t used = static_cast<size_t>(cursor_ - begin_.get());
  const size_t capacity = static_cast<size_t>(end_ - begin_.get());
  // The head of a value counts the stream in 32 bits.
  if (bytes > UINT32_MAX - used) {
    throw ValueError("A value of more than 4 GB outside of arrays cannot be sent; put its bulk into Arrays.");
  }
  const size_t wanted = std::max({kFirstBytes, 2 * capacity, used + bytes});
  std::unique_ptr<std::byte[]> larger(new std::byte[wanted]);
  if (used > 0) std::memcpy(larger.get(), begin_.get(), used);
  begin_ = std::move(larger);
  cursor_ = begin_.get() + used;
  end_ = begin_.get() + wanted;
}

inline std::byte* Encoder::reserve(size_t bytes) {
  if (static_cast<size_t>(end_ - cursor_) < bytes) [[unlikely]] {
    grow(bytes);
  }
  return cursor_;
}

inline void Encoder::put(uint8_t byte) {
  *reserve(1) = std::byte{byte};
  ++cursor_;
}

void Encoder::put_big_endian(uint8_t marker, uint64_t value, int bytes) {
  std::byte* out = reserve(9);
  out[0] = std::byte{marker};
  const uint64_t swapped = __builtin_bswap64(value) >> (64 - 8 * bytes);
  std::memcpy(out + 1, &swapped, sizeof swapped);
  cursor_ += 1 + bytes;
}

void Encoder::write_nil() { put(0xC0); }
void Encoder::write_bool(bool value) { put(value ? 0xC3 : 0xC2); }

void Encoder::write_unsigned(uint64_t value) {
  if (value < 0x80) return put(static_cast<uint8_t>(value));
  if (value <= UINT8_MAX) return put_big_endian(0xCC, value, 1);
  if (value <= UINT16_MAX) return put_big_endian(0xCD, value, 2);
  if (value <= UINT32_MAX) return put_big_endian(0xCE, value, 4);
  put_big_endian(0xCF, value, 8);
}

void Encoder::write_signed(int64_t value) {
  if (value >= 0) return write_unsigned(static_cast<uint64_t>(value));
  if (value >= -32) return put(static_cast<uint8_t>(value));
  const auto bits = static_cast<uint64_t>(value);
  if (value >= INT8_MIN) return put_big_endian(0xD0, bits, 1);
  if (value >= INT16_MIN) return put_big_endian(0xD1, bits, 2);
  if (value >= INT32_MIN) return put_big_endian(0xD2, bits, 4);
  put_big_endian(0xD3, bits, 8);
}

void Encoder::write_float(float value) { put_big_endian(0xCA, std::bit_cast<uint32_t>(value), 4); }
void Encoder::write_double(double value) { put_big_endian(0xCB, std::bit_cast<uint64_t>(value), 8); }

void Encoder::write_string(std::string_view value) {
  const size_t size = value.size();
  if (size < 32) {
    put(static_cast<uint8_t>(0xA0 | size));
  } else if (size <= UINT8_MAX) {
    put_big_endian(0xD9, size, 1);
  } else if (size <= UINT16_MAX) {
    put_big_endian(0xDA, size, 2);
  } else {
    reserve(size + 5);  // refuses more than 4 GB
    put_big_endian(0xDB, size, 4);
  }
  if (size == 0) return;
  std::memcpy(reserve(size), value.data(), size);
  cursor_ += size;
}

void Encoder::write_binary(std::span<const std::byte> value) {
  const size_t size = value.size();
  if (size <= UINT8_MAX) {
    put_big_endian(0xC4, size, 1);
  } else if (size <= UINT16_MAX) {
    put_big_endian(0xC5, size, 2);
  } else {
    reserve(size + 5);  // refuses more than 4 GB
    put_big_endian(0xC6, size, 4);
  }
  if (size == 0) return;
  std::memcpy(reserve(size), value.data(), size);
  cursor_ += size;
}

void Encoder::begin_list(size_t count) {
  if (count < 16) return put(static_cast<uint8_t>(0x90 | count));
  if (count <= UINT16_MAX) return put_big_endian(0xDC, count, 2);
  reserve(count);  // an item is at least one byte: refuses more than 4 GB
  put_big_endian(0xDD, count, 4);
}

void Encoder::begin_map(size_t count) {
  if (count < 16) return put(static_cast<uint8_t>(0x80 | count));
  if (count <= UINT16_MAX) return put_big_endian(0xDE, count, 2);
  reserve(count);
  put_big_endian(0xDF, count, 4);
}

void Encoder::begin_extension(Extension type, size_t bytes) {
  switch (bytes) {
    case 4:
      put(0xD6);
      break;
    case 8:
      put(0xD7);
      break;
    case 16:
      put(0xD8);
      break;
    default:
      if (bytes <= UINT8_MAX) {
        put_big_endian(0xC7, bytes, 1);
      } else if (bytes <= UINT16_MAX) {
        put_big_endian(0xC8, bytes, 2);
      } else {
        reserve(bytes + 6);  // refuses more than 4 GB
        put_big_endian(0xC9, bytes, 4);
      }
  }
  put(static_cast<uint8_t>(type));
}

void Encoder::write_array_head(const Array& array, uint32_t index) {
  const int rank = array.rank();
  const size_t bytes = 6 + 8 * static_cast<size_t>(rank);
  begin_extension(Extension::kArray, bytes);
  std::byte* out = reserve(bytes);
  out = write_little_endian(out, index);
  out = write_little_endian(out, static_cast<uint8_t>(array.dtype()));
  out = write_little_endian(out, static_cast<uint8_t>(rank));
  for (int64_t dim : array.shape()) out = write_little_endian(out, dim);
  cursor_ = out;
}

void Encoder::write_array(const Array& array) {
  if (!array.has_value()) return write_array_head(array, internal::kNoIndex);
  if (array.dtype() == DType::kString) return write_strings(array);
  arrays_.push_back(array);
  write_array_head(array, static_cast<uint32_t>(arrays_.size() - 1));
}

void Encoder::write_elements(DType dtype, const void* elements, size_t count) {
  Array array = Array::uninitialized(dtype, {static_cast<int64_t>(count)});
  if (count > 0) std::memcpy(array.mutable_raw_data(), elements, array.size_bytes());
  write_array(array);
}

void Encoder::write_strings(const Array& array) {
  const auto strings = array.span<std::string>();
  const int rank = array.rank();
  size_t bytes = 1 + 8 * static_cast<size_t>(rank) + 4 * strings.size();
  for (const std::string& text : strings) bytes += text.size();
  reserve(bytes + 6);
  begin_extension(Extension::kStrings, bytes);
  std::byte* out = reserve(bytes);
  out = write_little_endian(out, static_cast<uint8_t>(rank));
  for (int64_t dim : array.shape()) out = write_little_endian(out, dim);
  for (const std::string& text : strings) {
    out = write_little_endian(out, static_cast<uint32_t>(text.size()));
    if (!text.empty()) std::memcpy(out, text.data(), text.size());
    out += text.size();
  }
  cursor_ = out;
}

void Encoder::write_index(Extension type, uint32_t index) {
  begin_extension(type, 4);
  write_little_endian(reserve(4), index);
  cursor_ += 4;
}

uint32_t Encoder::hold(ObjectHandle* handle, std::vector<ObjectHandle*>& held) {
  held.push_back(handle);
  handle->retain();
  return static_cast<uint32_t>(held.size() - 1);
}

void Encoder::write_ref(ObjectHandle* handle) {
  write_index(Extension::kObjectRef, handle == nullptr ? internal::kNoIndex : hold(handle, nested_refs_));
}

void Encoder::argument_ref(ObjectHandle* handle) {
  write_index(Extension::kArgument, hold(handle, argument_refs_));
}

void Encoder::write_actor(ActorId actor) {
  begin_extension(Extension::kActor, 8);
  write_little_endian(reserve(8), actor.value);
  cursor_ += 8;
}

void Encoder::write_actor(ObjectHandle* share) { write_index(Extension::kActor, hold(share, nested_refs_)); }

void Encoder::enter() {
  if (++depth_ > internal::kMaxDepth) {
    throw ValueError("A value is nested deeper than " + std::to_string(internal::kMaxDepth) +
                     " structs; do its pointers form a circle? Send long chains as a list.");
  }
}

namespace internal {
namespace {
struct ThreadsEncoder {
  Encoder encoder;
  bool in_use = false;
};
ThreadsEncoder& threads_encoder() { return ThreadOwned<ThreadsEncoder>::get(); }
}  // namespace

EncoderLease::EncoderLease() {
  ThreadsEncoder& own = threads_encoder();
  is_threads_own_ = !own.in_use;
  if (is_threads_own_) {
    own.in_use = true;
    encoder_ = &own.encoder;
  } else {
    encoder_ = std::make_unique<Encoder>().release();
  }
}

EncoderLease::~EncoderLease() {
  if (is_threads_own_) {
    encoder_->clear();
    threads_encoder().in_use = false;
  } else {
    delete encoder_;
  }
}

}  // namespace internal
}  // namespace flowray::ray
