#pragma once
/// The field list of a message (wire/message.h) as a table, from which one reader and one writer serve all
/// messages (wire/codec.cpp, wire/text_codec.cpp). Only what depends on a member's C++ type is compiled for
/// each message: where the member lies, and how a list grows or an absent message is made.

#include "wire/message.h"

#include <flowray/dtype.h>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace flowray::wire {
struct TensorProto;
struct TensorShapeProto;
struct GraphDef;
struct AttrValue;
struct NodeDef;
struct ConfigProto;
struct RunOptions;
struct CallableOptions;
struct RunMetadata;
struct DeviceAttributes;
}  // namespace flowray::wire

namespace flowray::wire::codec {

/// What a field holds, or one item of it.
enum class Kind : uint8_t {
  kBool,
  kInt32,  // enums, too
  kInt64,
  kUint32,
  kUint64,
  kDType,
  kFloat,
  kDouble,
  kFixed32,
  kFixed64,
  kText,
  kBytes,
  kMessage
};
constexpr bool is_number(Kind kind) { return kind < Kind::kText; }

/// How it holds it.
enum class Form : uint8_t {
  kPlain,  // as a member
  kHeld,   // in a Box or std::optional
  kChoice,
  kList,
  kMap  // a list of entries: messages of two fields
};

struct MessageTable;

struct FieldTable {
  uint32_t number = 0;
  Kind kind = Kind::kMessage;
  Form form = Form::kPlain;
  /// kChoice: the alternative of the variant, and how many rows right before this one are the ones below it.
  uint8_t alternative = 0;
  uint8_t num_alternatives_before = 0;
  uint32_t offset = 0;  // of the member in its message
  /// Of a list or map: one that nothing was added to is three words of 0, so that one which is such needs
  /// no further question.
  bool starts_blank = false;
  uint32_t item_size_bytes = 0;           // of lists and maps of anything but numbers
  const MessageTable* message = nullptr;  // of kMessage

  // kHeld and kChoice: what is held; null if it is absent. Of a choice, if another alternative is there.
  const void* (*find)(const void* member) = nullptr;
  /// The same, made where it is absent; of a choice, in place of another alternative.
  void* (*make)(void* member) = nullptr;
  /// kChoice: the alternative that the member has now.
  size_t (*chosen)(const void* member) = nullptr;

  // Lists and maps of anything but numbers.
  std::span<const std::byte> (*items)(const void* member) = nullptr;
  /// A new item at the end; a first one makes room for as many as `room`.
  void* (*append)(void* member, size_t room) = nullptr;
  /// For a map: leaves each key once, in order.
  void (*sort)(void* member) = nullptr;

  std::string_view name;
};

struct MessageTable {
  std::span<const FieldTable> fields;
  /// Where the bytes of fields that are not listed are kept. An entry of a map drops them, as protobuf does.
  size_t unknown_offset = 0;
  /// An entry of a map: both fields are written, whatever they hold.
  bool is_entry = false;
  bool has_maps = false;
};

/// The type that is read and written for a member of type T, and what the table has to say of T.
template <class T>
struct MemberType {
  using Item = T;
  static constexpr Form kForm = Form::kPlain;
};
template <class T>
struct HolderType {
  using Item = T;
  static constexpr Form kForm = Form::kHeld;
};
template <class T>
struct MemberType<Box<T>> : HolderType<T> {
  static T& make(Box<T>& box) { return box.make(); }
};
template <class T>
struct MemberType<std::optional<T>> : HolderType<T> {
  static T& make(std::optional<T>& value) { return value.has_value() ? *value : value.emplace(); }
};
template <class T>
struct MemberType<std::vector<T>> {
  using Item = T;
  static constexpr Form kForm = Form::kList;
  static std::vector<T>& list(std::vector<T>& member) { return member; }
  static const std::vector<T>& list(const std::vector<T>& member) { return member; }
};
template <class K, class V>
struct MemberType<Map<K, V>> {
  using Item = std::pair<K, V>;
  static constexpr Form kForm = Form::kMap;
  static std::vector<Item>& list(Map<K, V>& member) { return member.items; }
  static const std::vector<Item>& list(const Map<K, V>& member) { return member.items; }
};

template <class T>
constexpr Kind kind_of() {
  if constexpr (std::is_same_v<T, bool>)
    return Kind::kBool;
  else if constexpr (std::is_same_v<T, DType>)
    return Kind::kDType;
  else if constexpr (std::is_enum_v<T>)
    return kind_of<std::underlying_type_t<T>>();
  else if constexpr (std::is_same_v<T, int32_t>)
    return Kind::kInt32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return Kind::kInt64;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return Kind::kUint32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return Kind::kUint64;
  else if constexpr (std::is_same_v<T, float>)
    return Kind::kFloat;
  else if constexpr (std::is_same_v<T, double>)
    return Kind::kDouble;
  else if constexpr (std::is_same_v<T, Fixed32>)
    return Kind::kFixed32;
  else if constexpr (std::is_same_v<T, Fixed64>)
    return Kind::kFixed64;
  else if constexpr (std::is_same_v<T, Text>)
    return Kind::kText;
  else if constexpr (std::is_same_v<T, Bytes>)
    return Kind::kBytes;
  else
    return Kind::kMessage;
}

constexpr size_t kBlankBytes = 3 * sizeof(uintptr_t);
inline bool is_blank(const void* member) {
  uintptr_t first = 0, second = 0, third = 0;
  std::memcpy(&first, member, sizeof(first));
  std::memcpy(&second, static_cast<const std::byte*>(member) + sizeof(first), sizeof(second));
  std::memcpy(&third, static_cast<const std::byte*>(member) + 2 * sizeof(first), sizeof(third));
  return (first | second | third) == 0;
}

/// Whether `row` is the next alternative of the variant that `before` is one of.
inline bool follows_in_variant(const FieldTable& before, const FieldTable& row) {
  return before.form == Form::kChoice && row.form == Form::kChoice && before.offset == row.offset &&
         before.alternative + 1 == row.alternative;
}

/// The table of M and those of the messages in it, filled unless that was done or is under way: messages may
/// contain themselves. Its callers take turns.
template <class M>
const MessageTable* fill_table();

/// How far `member` lies behind the beginning of `object`, which contains it.
inline uint32_t offset_in(const void* object, const void* member) {
  return static_cast<uint32_t>(static_cast<const std::byte*>(member) - static_cast<const std::byte*>(object));
}

/// The row of an item of type T, whatever holds it.
template <class T>
[[gnu::cold]] FieldTable row(uint32_t number, std::string_view name, Form form, uint32_t offset) {
  FieldTable table{.number = number, .kind = kind_of<T>(), .form = form, .offset = offset, .name = name};
  if constexpr (kind_of<T>() == Kind::kMessage) table.message = fill_table<T>();
  return table;
}

template <class T>
[[gnu::cold]] void describe_list(FieldTable& table) {
  using Item = typename MemberType<T>::Item;
  table.append = [](void* member, size_t room) -> void* {
    auto& list = MemberType<T>::list(*static_cast<T*>(member));
    if (list.empty()) list.reserve(room);
    return &list.emplace_back();
  };
  table.items = [](const void* member) {
    return std::as_bytes(std::span(MemberType<T>::list(*static_cast<const T*>(member))));
  };
  table.item_size_bytes = sizeof(Item);
  if constexpr (MemberType<T>::kForm == Form::kMap)
    table.sort = [](void* member) { static_cast<T*>(member)->sort(); };
}

template <class M, class T>
[[gnu::cold]] FieldTable describe(const M& message, const Field<M, T>& field) {
  using Type = MemberType<T>;
  using Item = typename Type::Item;
  const T& member = message.*field.member;
  FieldTable table = row<Item>(field.number, field.name, Type::kForm, offset_in(&message, &member));
  if constexpr (Type::kForm == Form::kHeld) {
    table.find = [](const void* held) -> const void* {
      const T& holder = *static_cast<const T*>(held);
      return holder ? &*holder : nullptr;
    };
    table.make = [](void* held) -> void* { return &Type::make(*static_cast<T*>(held)); };
  } else if constexpr (Type::kForm == Form::kMap || Type::kForm == Form::kList) {
    table.starts_blank = sizeof(T) == kBlankBytes && is_blank(&member);
    if constexpr (kind_of<Item>() >= Kind::kText) describe_list<T>(table);
  }
  return table;
}

/// An alternative that is a null Box is there, as a message without fields.
template <size_t kIndex, class M, class V>
[[gnu::cold]] FieldTable describe(const M& message, const Choice<kIndex, M, V>& choice) {
  using T = std::variant_alternative_t<kIndex, V>;
  using Item = typename MemberType<T>::Item;
  FieldTable table =
      row<Item>(choice.number, choice.name, Form::kChoice, offset_in(&message, &(message.*choice.member)));
  table.alternative = kIndex;
  table.chosen = [](const void* member) { return static_cast<const V*>(member)->index(); };
  table.find = [](const void* member) -> const void* {
    const T* value = std::get_if<kIndex>(static_cast<const V*>(member));
    if constexpr (MemberType<T>::kForm == Form::kHeld) {
      if (value == nullptr) return nullptr;
      if (*value) return &**value;
      static const Item kEmpty{};
      return &kEmpty;
    } else {
      return value;
    }
  };
  table.make = [](void* member) -> void* {
    V& variant = *static_cast<V*>(member);
    if (variant.index() != kIndex) variant.template emplace<kIndex>();
    T& value = *std::get_if<kIndex>(&variant);
    if constexpr (MemberType<T>::kForm == Form::kHeld)
      return &MemberType<T>::make(value);
    else
      return &value;
  };
  return table;
}

/// The rows of a message, and of a map's entries. Made once each, so for size: `cold` keeps the compiler from
/// spending its time on them.
template <class M>
struct Rows {
  static constexpr size_t kCount = std::tuple_size_v<decltype(M::fields())>;

  [[gnu::cold, gnu::noinline]] static void fill(FieldTable* rows, MessageTable& table) {
    const M message{};
    table.unknown_offset = offset_in(&message, &message.unknown);
    FieldTable* next = rows;
    std::apply([&](const auto&... each) { ((*next++ = describe(message, each)), ...); }, M::fields());
    for (size_t i = 0; i < kCount; ++i) {
      table.has_maps = table.has_maps || rows[i].form == Form::kMap;
      if (i != 0 && follows_in_variant(rows[i - 1], rows[i]))
        rows[i].num_alternatives_before = rows[i - 1].num_alternatives_before + 1;
    }
  }
};
template <class K, class V>
struct Rows<std::pair<K, V>> {
  static constexpr size_t kCount = 2;

  [[gnu::cold, gnu::noinline]] static void fill(FieldTable* rows, MessageTable& table) {
    const std::pair<K, V> entry{};
    table.is_entry = true;
    rows[0] = row<K>(1, "key", Form::kPlain, offset_in(&entry, &entry.first));
    rows[1] = row<V>(2, "value", Form::kPlain, offset_in(&entry, &entry.second));
  }
};

template <class M>
const MessageTable* fill_table() {
  static constinit std::array<FieldTable, Rows<M>::kCount> rows{};
  static constinit MessageTable table;
  static constinit bool begun = false;
  if (!std::exchange(begun, true)) {
    table.fields = rows;
    Rows<M>::fill(rows.data(), table);
  }
  return &table;
}

/// What `fill` gives, which is called while no other thread fills tables.
const MessageTable* filled_table(const MessageTable* (*fill)());

template <class M>
const MessageTable& table_of() {
  static const MessageTable* const kTable = filled_table(fill_table<M>);
  return *kTable;
}

// Messages that lie in those of other files: each file's tables are compiled there only.
extern template const MessageTable* fill_table<TensorProto>();
extern template const MessageTable* fill_table<TensorShapeProto>();
extern template const MessageTable* fill_table<GraphDef>();
extern template const MessageTable* fill_table<AttrValue>();
extern template const MessageTable* fill_table<NodeDef>();
extern template const MessageTable* fill_table<ConfigProto>();
extern template const MessageTable* fill_table<RunOptions>();
extern template const MessageTable* fill_table<CallableOptions>();
extern template const MessageTable* fill_table<RunMetadata>();
extern template const MessageTable* fill_table<DeviceAttributes>();

}  // namespace flowray::wire::codec
