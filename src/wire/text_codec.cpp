#include "wire/text_codec.h"

#include "wire/text_format.h"
#include "wire/text_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace flowray::wire::codec {
namespace {

// ---- writing

template <class T>
std::string printed_number(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_enum_v<T>)
    return enum_name(value);
  else if constexpr (std::is_same_v<T, Fixed32> || std::is_same_v<T, Fixed64>)
    return std::to_string(value.value);
  else if constexpr (std::is_floating_point_v<T>)
    return text_format_number(value);
  else
    return std::to_string(value);
}

/// The text of a value that is not a message.
std::string printed(Kind kind, const void* value) {
  if (kind == Kind::kText) return text_format_string(*static_cast<const Text*>(value), true);
  if (kind == Kind::kBytes) return text_format_string(*static_cast<const Bytes*>(value), false);
  return visit_number(kind, [&]<class T>() {
    T number;
    std::memcpy(&number, value, sizeof(T));  // a member may be an enum of as many bytes
    return printed_number(number);
  });
}

void write_text(const void* message, const MessageTable& table, TextFormatWriter& out);

void write_value(const FieldTable& field, const void* value, TextFormatWriter& out) {
  if (field.kind != Kind::kMessage) return out.scalar(field.name, printed(field.kind, value));
  out.open(field.name);
  write_text(value, *field.message, out);
  out.close();
}

bool key_is_less(const FieldTable& key, const void* a, const void* b) {
  const void* left = member_of(a, key);
  const void* right = member_of(b, key);
  if (key.kind == Kind::kText) return *static_cast<const Text*>(left) < *static_cast<const Text*>(right);
  return visit_number(key.kind, [&]<class T>() {
    if constexpr (std::is_integral_v<T>)
      return *static_cast<const T*>(left) < *static_cast<const T*>(right);
    else
      return false;  // protobuf has no such keys
  });
}

/// The entries by rising key; of equal keys the last stands. A program may have added them in any order.
void write_map(const FieldTable& field, const void* member, TextFormatWriter& out) {
  const std::span<const std::byte> items = field.items(member);
  std::vector<const void*> entries;
  for (size_t at = 0; at < items.size(); at += field.item_size_bytes) entries.push_back(items.data() + at);
  const FieldTable& key = field.message->fields[0];
  const auto less = [&](const void* a, const void* b) { return key_is_less(key, a, b); };
  std::stable_sort(entries.begin(), entries.end(), less);
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i + 1 == entries.size() || less(entries[i], entries[i + 1])) write_value(field, entries[i], out);
  }
}

void write_list(const FieldTable& field, const void* member, TextFormatWriter& out) {
  if (is_number(field.kind)) {
    return visit_number(field.kind, [&]<class T>() {
      for (const T value : *static_cast<const std::vector<T>*>(member))
        out.scalar(field.name, printed_number(value));
    });
  }
  const std::span<const std::byte> items = field.items(member);
  for (size_t at = 0; at < items.size(); at += field.item_size_bytes)
    write_value(field, items.data() + at, out);
}

/// Calls visit(field, member) for each field that is written. A variant is asked once for all its choices.
template <class Visit>
void for_each_present(const void* message, const MessageTable& table, Visit&& visit) {
  const void* variant = nullptr;
  size_t chosen = 0;
  for (const FieldTable& field : table.fields) {
    const void* member = member_of(message, field);
    if (field.form == Form::kChoice) {
      if (member != variant) chosen = field.chosen(member);
      variant = member;
      if (chosen == field.alternative) visit(field, member);
    } else if (table.is_entry || !is_absent(field, member)) {
      visit(field, member);
    }
  }
}

void write_text(const void* message, const MessageTable& table, TextFormatWriter& out) {
  for_each_present(message, table, [&](const FieldTable& field, const void* member) {
    switch (field.form) {
      case Form::kPlain:
        write_value(field, member, out);
        break;
      case Form::kHeld:
      case Form::kChoice:
        write_value(field, field.find(member), out);
        break;
      case Form::kList:
        write_list(field, member, out);
        break;
      case Form::kMap:
        write_map(field, member, out);
        break;
    }
  });
}

// ---- reading

void read_text(void* message, const MessageTable& table, TextFormatReader& in, char end, int depth);

template <class T>
T read_number(TextFormatReader& in) {
  if constexpr (std::is_same_v<T, bool>)
    return in.boolean();
  else if constexpr (std::is_same_v<T, DType>)
    return in.dtype();
  else if constexpr (std::is_same_v<T, Fixed32>)
    return {in.integer<uint32_t>()};
  else if constexpr (std::is_same_v<T, Fixed64>)
    return {in.integer<uint64_t>()};
  else if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(in.real());
  else
    return in.integer<T>();
}

/// A number, a string, or a message in braces.
void read_value(const FieldTable& field, void* value, TextFormatReader& in, int depth) {
  if (field.kind == Kind::kText) {
    *static_cast<Text*>(value) = Text(in.string());
  } else if (field.kind == Kind::kBytes) {
    *static_cast<Bytes*>(value) = Bytes(in.string());
  } else if (field.kind == Kind::kMessage) {
    const bool angle = in.take('<');
    if (!angle) in.expect('{');
    read_text(value, *field.message, in, angle ? '>' : '}', depth + 1);
  } else {
    visit_number(field.kind, [&]<class T>() {
      const T number = read_number<T>(in);
      std::memcpy(value, &number, sizeof(T));
    });
  }
}

void read_item(const FieldTable& field, void* member, TextFormatReader& in, int depth) {
  switch (field.form) {
    case Form::kPlain:
      return read_value(field, member, in, depth);
    case Form::kHeld:
    case Form::kChoice:
      return read_value(field, field.make(member), in, depth);
    case Form::kList:
    case Form::kMap:
      break;
  }
  if (!is_number(field.kind)) return read_value(field, field.append(member, 0), in, depth);
  visit_number(field.kind,
               [&]<class T>() { static_cast<std::vector<T>*>(member)->push_back(read_number<T>(in)); });
}

/// What follows a field's name: `: 1`, `{ ... }` or, of a repeated one, `: [1, 2]`.
void read_field(const FieldTable& field, void* member, TextFormatReader& in, int depth) {
  const bool colon = in.take(':');
  if (field.kind != Kind::kMessage && !colon) in.expect(':');
  const bool is_list = field.form == Form::kList || field.form == Form::kMap;
  if (!is_list || !in.take('[')) return read_item(field, member, in, depth);
  while (!in.take(']')) {
    read_item(field, member, in, depth);
    if (!in.next_is(']')) in.expect(',');
  }
}

/// Fields up to `end`; up to the end of the text where it is 0.
void read_text(void* message, const MessageTable& table, TextFormatReader& in, char end, int depth) {
  if (depth > kMaxDepth) in.fail("The message is nested too deeply.");
  while (end == 0 ? !in.at_end() : !in.take(end)) {
    if (in.at_end()) in.fail(fmt::format("Expected \"{}\".", end));
    const std::string_view name = in.name();
    const auto field = std::find_if(table.fields.begin(), table.fields.end(),
                                    [&](const FieldTable& each) { return each.name == name; });
    if (field == table.fields.end()) in.fail(fmt::format("Message type has no field named \"{}\".", name));
    read_field(*field, member_of(message, *field), in, depth);
    if (!in.take(',')) in.take(';');
  }
  sort_maps(message, table);
}

}  // namespace

std::string to_text(const void* message, const MessageTable& table) {
  TextFormatWriter out;
  write_text(message, table, out);
  return out.take();
}

void from_text(void* message, const MessageTable& table, std::string_view text) {
  TextFormatReader in(text);
  read_text(message, table, in, 0, 0);
}

}  // namespace flowray::wire::codec
