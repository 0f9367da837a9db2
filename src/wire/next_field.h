#pragma once
/// Going from field to field of a message.

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/varint.hpp>

#include <cstdint>

namespace flowray::wire {

/// reader.next() that looks at lengths, too: protozero takes the low 32 bits of one, so that 2^35 bytes
/// would be 0, and the bytes behind them fields. Throws end_of_buffer_exception for a length beyond
/// them.
inline bool next_field(protozero::pbf_reader& reader) {
  if (!reader.next()) return false;
  if (reader.wire_type() != protozero::pbf_wire_type::length_delimited) return true;
  const protozero::data_view rest = reader.data();
  if (rest.size() > 0 && static_cast<unsigned char>(*rest.data()) < 0x80) [[likely]]
    return true;
  const char* at = rest.data();
  if (protozero::decode_varint(&at, rest.data() + rest.size()) > UINT32_MAX)
    throw protozero::end_of_buffer_exception{};
  return true;
}

}  // namespace flowray::wire
