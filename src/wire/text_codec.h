#pragma once
/// Writing of messages in protobuf's text form by their field lists. Included where to_text_format() is
/// instantiated.

#include "wire/codec.h"
#include "wire/text_format.h"

namespace flowray::wire::codec {

template <Message M>
void write_text(const M& message, TextFormatWriter& out);

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_enum_v<T>)
    return enum_name(value);
  else if constexpr (std::is_same_v<T, Fixed64>)
    return std::to_string(value.value);
  else if constexpr (std::is_integral_v<T>)
    return std::to_string(value);
  else if constexpr (std::is_floating_point_v<T>)
    return text_format_number(value);
  else
    return text_format_string(value, std::is_same_v<T, Text>);
}

template <class T>
void write_text_value(std::string_view name, const T& value, TextFormatWriter& out) {
  if constexpr (Number<T> || StringLike<T>) {
    out.scalar(name, text_of(value));
  } else {
    out.open(name);
    if constexpr (Message<T>)
      write_text(value, out);
    else
      write_text(message_in(value), out);
    out.close();
  }
}

template <class T>
void write_text_field(std::string_view name, const T& value, TextFormatWriter& out) {
  if constexpr (IsMap<T>::value) {
    auto sorted = value;
    sorted.sort();
    for (const auto& [key, item] : sorted) {
      out.open(name);
      write_text_value("key", key, out);
      write_text_value("value", item, out);
      out.close();
    }
  } else if constexpr (IsVector<T>::value) {
    for (const typename T::value_type& item : value) write_text_value(name, item, out);
  } else {
    write_text_value(name, value, out);
  }
}

template <Message M>
void write_text(const M& message, TextFormatWriter& out) {
  for_each_present(message, [&](uint32_t, std::string_view name, const auto& value) {
    write_text_field(name, value, out);
  });
}

}  // namespace flowray::wire::codec

namespace flowray::wire {

template <class M>
std::string to_text_format(const M& message) {
  TextFormatWriter out;
  codec::write_text(message, out);
  return out.take();
}

}  // namespace flowray::wire
