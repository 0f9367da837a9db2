#pragma once

#include <flowray/ray/containers.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/buffer.h"
#include "ray/values/value.h"

namespace flowray::ray {

/// A value in memory, as a message or the store would hold it.
class EncodedValue {
 public:
  explicit EncodedValue(const Encoder& encoder) : buffer_(Buffer::allocate(encoded_size_bytes(encoder))) {
    // So that a byte that write_value() forgets is seen.
    std::memset(buffer_->data(), 0xAB, buffer_->size_bytes());
    write_value(encoder, buffer_->data());
  }
  explicit EncodedValue(const std::vector<std::byte>& bytes) : buffer_(Buffer::allocate(bytes.size())) {
    if (!bytes.empty()) std::memcpy(buffer_->data(), bytes.data(), bytes.size());
  }
  template <typename T>
  static EncodedValue of(const T& value) {
    Encoder encoder;
    encode(encoder, value);
    return EncodedValue(encoder);
  }

  std::vector<std::byte> bytes() const { return {buffer_->data(), buffer_->data() + buffer_->size_bytes()}; }
  Buffer& buffer() const { return *buffer_; }

  internal::ValueView view(bool in_place = false) const {
    internal::ValueView view;
    view.bytes = {buffer_->data(), buffer_->size_bytes()};
    view.buffer = BufferRef(buffer_).leave();
    view.in_place = in_place;
    view.is_error = is_error_value(view.bytes);
    return view;
  }
  template <typename T>
  T decode(bool in_place = false) const {
    return decode_value<T>(view(in_place));
  }

 private:
  BufferRef buffer_;
};

template <typename T>
T round_trip(const T& value) {
  return EncodedValue::of(value).template decode<T>();
}

/// The msgpack bytes of a value.
template <typename T>
std::vector<int> stream_of(const T& value) {
  Encoder encoder;
  encode(encoder, value);
  std::vector<int> bytes;
  for (const std::byte byte : encoder.stream()) bytes.push_back(std::to_integer<int>(byte));
  return bytes;
}

}  // namespace flowray::ray
