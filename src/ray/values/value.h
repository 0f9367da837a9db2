#pragma once
/// The form in which a value lies in a message or in the object store:
///
///     u32 magic      "frv1", or "fre1" for an error
///     u32 stream_bytes
///     u32 num_refs
///     u32 num_arrays
///     u64 ref[num_refs]                      ids of the objects that are referred to inside of the value
///     { u64 offset, u64 bytes }[num_arrays]  where the arrays' elements lie, from the beginning of the value
///     stream                                 msgpack, see encoding.h
///     elements of each array                 64-byte aligned from the beginning of the value; zeros between
///
/// All numbers are little endian. Readers check every one of them against the size of the value.
///
/// A list of one item with one large array, such as the arguments of a call that has one, is written so that
/// its item is a value as well, with a head of its own between the list's and the array: a function that
/// returns its argument gives it back where it lies (same_value_in).

#include <flowray/ray/encoding.h>
#include <flowray/ray/errors.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/buffer.h"

namespace flowray::ray {

/// What the elements of arrays are aligned to; values in the store must begin at such an address to be read
/// in place.
inline constexpr size_t kArrayAlignment = 64;

/// Bytes that write_value() fills.
size_t encoded_size_bytes(const Encoder& value) noexcept;
/// Writes the value; the elements of its arrays are copied here, once.
void write_value(const Encoder& value, std::byte* out) noexcept;
/// The value in memory of its own.
BufferRef value_bytes(const Encoder& value);
/// A value in such memory, which it shares: its arrays are read in place.
internal::ValueView view_of_bytes(const BufferRef& bytes);
/// Whether the value is one array, and a head of at most `room` bytes, a multiple of 64, before it.
bool is_array_behind(const Encoder& value, size_t room) noexcept;
/// Writes all of such a value but the array, which lies already `room` bytes behind `out`.
void write_head_before_array(const Encoder& value, std::byte* out, size_t room) noexcept;

/// What is copied faster than it is lent.
inline constexpr size_t kLeastLentBytes = size_t{64} << 10;
/// From where on to its end `lender`, a value, is the same as `value`, which has one large array that lies in
/// the lender; nothing: it is another one.
std::optional<size_t> same_value_in(std::span<const std::byte> lender, const Encoder& value) noexcept;

/// The head of a value, checked: where its parts lie.
struct ValueParts {
  bool is_error = false;
  uint32_t num_refs = 0;
  uint32_t num_arrays = 0;
  const std::byte* refs = nullptr;
  const std::byte* array_table = nullptr;
  std::span<const std::byte> stream;
  size_t array_begin = 0;  ///< the lowest offset that elements may have
};
/// Throws errors::DataLossError for bytes that are not a value.
ValueParts value_parts(std::span<const std::byte> value);

/// The objects that a value refers to, found without decoding it.
std::vector<ObjectId> nested_object_ids(std::span<const std::byte> value);
/// Whether the value is an error. False for bytes that are not a value.
bool is_error_value(std::span<const std::byte> value) noexcept;

/// Makes `out` (cleared first) an error value.
void encode_error(Encoder& out, ErrorKind kind, const RemoteFailure& failure);
/// The exception that is being handled now, thrown by the function `function` in this process, as an error
/// value. A RayTaskException keeps its first cause; `function` is added to its stack.
void encode_current_exception(Encoder& out, std::string_view function);
/// Throws the exception that the error value stands for.
[[noreturn]] void throw_error(const internal::ValueView& value);
/// The same, taken apart.
struct DecodedError {
  ErrorKind kind;
  RemoteFailure failure;
};
DecodedError decode_error(const internal::ValueView& value);
/// What the message() of that exception is.
std::string text_of(const DecodedError& error);

}  // namespace flowray::ray
