#pragma once
/// Writing of messages in protobuf's text form by their field lists. Included where to_text_format() is
/// instantiated.

#include "wire/codec.h"
#include "wire/text_format.h"
#include "wire/text_reader.h"

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

// ---- reading

template <Message M>
void read_text(M& message, TextFormatReader& in, char end, int depth);

/// A number, a string, or a message in braces.
template <class T>
void read_text_value(T& value, TextFormatReader& in, int depth) {
  if constexpr (std::is_same_v<T, bool>)
    value = in.boolean();
  else if constexpr (std::is_same_v<T, DType>)
    value = in.dtype();
  else if constexpr (std::is_enum_v<T>)
    value = static_cast<T>(in.integer<int32_t>());
  else if constexpr (std::is_same_v<T, Fixed64>)
    value.value = in.integer<uint64_t>();
  else if constexpr (std::is_integral_v<T>)
    value = in.integer<T>();
  else if constexpr (std::is_floating_point_v<T>)
    value = static_cast<T>(in.real());
  else if constexpr (StringLike<T>)
    value = T(in.string());
  else if constexpr (IsBox<T>::value)
    read_text_value(value.make(), in, depth);
  else if constexpr (IsOptional<T>::value)
    read_text_value(value.has_value() ? *value : value.emplace(), in, depth);
  else {
    const bool angle = in.take('<');
    if (!angle) in.expect('{');
    read_text(value, in, angle ? '>' : '}', depth + 1);
  }
}

template <class T>
constexpr bool is_text_message() {
  if constexpr (IsVector<T>::value)
    return is_text_message<typename T::value_type>();
  else
    return !Number<T> && !StringLike<T>;
}

template <class K, class V>
struct MapEntry {
  K key{};
  V value{};
  static constexpr auto fields() {
    return std::tuple(field(1, "key", &MapEntry::key), field(2, "value", &MapEntry::value));
  }
};

template <class T>
void read_text_item(T& value, TextFormatReader& in, int depth) {
  if constexpr (IsMap<T>::value) {
    MapEntry<decltype(T::Item::first), decltype(T::Item::second)> entry;
    read_text_value(entry, in, depth);
    value.items.emplace_back(std::move(entry.key), std::move(entry.value));
  } else if constexpr (IsVector<T>::value) {
    typename T::value_type item{};
    read_text_value(item, in, depth);
    value.push_back(std::move(item));
  } else {
    read_text_value(value, in, depth);
  }
}

/// What follows a field's name: `: 1`, `{ ... }` or, of a repeated one, `: [1, 2]`.
template <class T>
void read_text_field(T& value, TextFormatReader& in, int depth) {
  const bool colon = in.take(':');
  if constexpr (!is_text_message<T>()) {
    if (!colon) in.expect(':');
  }
  if constexpr (IsMap<T>::value || IsVector<T>::value) {
    if (in.take('[')) {
      while (!in.take(']')) {
        read_text_item(value, in, depth);
        if (!in.next_is(']')) in.expect(',');
      }
      return;
    }
  }
  read_text_item(value, in, depth);
}

template <class M, class T>
void read_text_field(const Field<M, T>& field, M& message, TextFormatReader& in, int depth) {
  read_text_field(message.*field.member, in, depth);
}
template <size_t kIndex, class M, class V>
void read_text_field(const Choice<kIndex, M, V>& choice, M& message, TextFormatReader& in, int depth) {
  V& value = message.*choice.member;
  if (value.index() != kIndex) value.template emplace<kIndex>();
  read_text_field(std::get<kIndex>(value), in, depth);
}

/// Fields up to `end`; up to the end of the text where it is 0.
template <Message M>
void read_text(M& message, TextFormatReader& in, char end, int depth) {
  if (depth > kMaxDepth) in.fail("The message is nested too deeply.");
  while (end == 0 ? !in.at_end() : !in.take(end)) {
    if (in.at_end()) in.fail(fmt::format("Expected \"{}\".", end));
    const std::string_view name = in.name();
    const auto read_if_named = [&](const auto& field) {
      if (field.name != name) return false;
      read_text_field(field, message, in, depth);
      return true;
    };
    const bool known =
        std::apply([&](const auto&... each) { return (read_if_named(each) || ...); }, M::fields());
    if (!known) in.fail(fmt::format("Message type has no field named \"{}\".", name));
    if (!in.take(',')) in.take(';');
  }
  sort_maps(message);
}

}  // namespace flowray::wire::codec

namespace flowray::wire {

template <class M>
std::string to_text_format(const M& message) {
  TextFormatWriter out;
  codec::write_text(message, out);
  return out.take();
}

template <class M>
M from_text_format(std::string_view text) {
  TextFormatReader in(text);
  M message;
  codec::read_text(message, in, 0, 0);
  return message;
}

}  // namespace flowray::wire
