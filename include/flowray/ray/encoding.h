#pragma once
/// How values become bytes and back: msgpack (https://github.com/msgpack/msgpack/blob/master/spec.md) for everything but
/// the elements of arrays, which lie beside it, 64-byte aligned, and are read in place.

#include <flowray/array.h>
#include <flowray/ray/backend.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace flowray::ray {

/// Collects one value, or the arguments of one call. Can be cleared and used again without allocating.
class Encoder {
 public:
  Encoder();
  ~Encoder();
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  void clear();

  void write_nil();
  void write_bool(bool value);
  void write_signed(int64_t value);
  void write_unsigned(uint64_t value);
  void write_float(float value);
  void write_double(double value);
  void write_string(std::string_view value);
  void write_binary(std::span<const std::byte> value);
  /// `count` items follow.
  void begin_list(size_t count);
  /// `count` pairs of key and value follow.
  void begin_map(size_t count);
  /// The array's elements are shared until the value is written, not copied.
  void write_array(const Array& array);
  /// A reference inside of a value: stays a reference when it is read.
  void write_ref(internal::ObjectHandle* handle);
  /// An argument that is a reference: the function gets its value. Only between arguments.
  void argument_ref(internal::ObjectHandle* handle);

  /// For runtimes: what was collected. ...
};
}  // namespace flowray::ray
