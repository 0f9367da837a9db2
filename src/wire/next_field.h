#pragma once
/// Going from field to field of a message.

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace flowray::wire {

/// reader.next() that looks at lengths, too: protozero takes the low 32 bits of one, so that 2^35 bytes
/// would be 0, and the bytes behind them fields. Throws end_of_buffer_exception for a length beyond
/// the message. Where that has more than 4 GiB, what follows is take_view() or skip_field().
inline bool next_field(protozero::pbf_reader& reader) {
  if (!reader.next()) return false;
  if (reader.wire_type() != protozero::pbf_wire_type::length_delimited) return true;
  const protozero::data_view rest = reader.data();
  if (rest.size() > 0 && static_cast<unsigned char>(*rest.data()) < 0x80) [[likely]]
    return true;
  const char* at = rest.data();
  if (protozero::decode_varint(&at, rest.data() + rest.size()) > rest.size())
    throw protozero::end_of_buffer_exception{};
  return true;
}

/// reader.get_view() of any length.
inline std::string_view take_view(protozero::pbf_reader& reader) {
  const protozero::data_view rest = reader.data();
  if (rest.size() <= UINT32_MAX) [[likely]] {
    const protozero::data_view view = reader.get_view();
    return {view.data(), view.size()};
  }
  const char* at = rest.data();
  const char* const end = at + rest.size();
  const uint64_t length = protozero::decode_varint(&at, end);
  if (length > static_cast<uint64_t>(end - at)) throw protozero::end_of_buffer_exception{};
  const char* const behind = at + length;
  reader = protozero::pbf_reader(behind, static_cast<size_t>(end - behind));
  return {at, static_cast<size_t>(length)};
}

/// reader.skip() of any length.
inline void skip_field(protozero::pbf_reader& reader) {
  if (reader.wire_type() == protozero::pbf_wire_type::length_delimited) {
    (void)take_view(reader);
  } else {
    reader.skip();
  }
}

}  // namespace flowray::wire
