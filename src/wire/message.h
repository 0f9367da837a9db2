#pragma once
/// How TensorFlow's messages are written down here, and the functions that read and write them.
///
/// A message is a plain struct whose static `fields()` lists its fields once, by rising number; reading,
/// writing and the text form all follow that list. The C++ type of a member decides its encoding:
///
///     int32_t int64_t uint32_t uint64_t bool float double   as the type of that name (varint or fixed)
///     an enum                                               its number; unknown ones are kept
///     Fixed32, Fixed64                                      fixed32, fixed64
///     Text, Bytes                                           string, bytes: borrowed when read (wire/bytes.h)
///     std::optional<M>, Box<M>                              a message that may be absent; Box for a large
///                                                           or recursive M
///     std::vector<T>                                        repeated; numbers are written packed and read
///                                                           either way
///     Map<K, V>                                             a map, sorted by key
///     choice<I>(number, name, &M::variant)                  alternative I of a oneof, a std::variant
///
/// Fields that are not listed are kept as raw bytes in `unknown` and written after the others.

#include "wire/bytes.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace flowray::wire {

/// One listed field.
template <class M, class T>
struct Field {
  uint32_t number;
  std::string_view name;
  T M::* member;
};
template <class M, class T>
constexpr Field<M, T> field(uint32_t number, std::string_view name, T M::* member) {
  return {number, name, member};
}

/// One alternative of a oneof.
template <size_t kIndex, class M, class V>
struct Choice {
  uint32_t number;
  std::string_view name;
  V M::* member;
};
template <size_t kIndex, class M, class V>
constexpr Choice<kIndex, M, V> choice(uint32_t number, std::string_view name, V M::* member) {
  return {number, name, member};
}

/// A value on the heap that copies like a value. Null by default; `make()` makes the value first.
template <class T>
class Box {
 public:
  Box() noexcept = default;
  Box(T value) : value_(std::make_unique<T>(std::move(value))) {}  // NOLINT: implicit, as the value itself
  Box(const Box& other) : value_(other.value_ == nullptr ? nullptr : std::make_unique<T>(*other.value_)) {}
  Box(Box&&) noexcept = default;
  Box& operator=(const Box& other) {
    *this = Box(other);
    return *this;
  }
  Box& operator=(Box&&) noexcept = default;
  ~Box() = default;

  explicit operator bool() const noexcept { return value_ != nullptr; }
  /// The value, made if there is none yet.
  T& make() {
    if (value_ == nullptr) value_ = std::make_unique<T>();
    return *value_;
  }
  const T* get() const noexcept { return value_.get(); }
  const T& operator*() const noexcept { return *value_; }
  const T* operator->() const noexcept { return value_.get(); }
  T& operator*() noexcept { return *value_; }
  T* operator->() noexcept { return value_.get(); }

 private:
  std::unique_ptr<T> value_;
};

/// An unsigned number that is always 4 bytes.
struct Fixed32 {
  uint32_t value = 0;
  bool operator==(const Fixed32&) const = default;
};

/// An unsigned number that is always 8 bytes.
struct Fixed64 {
  uint64_t value = 0;
  bool operator==(const Fixed64&) const = default;
};

/// A map. A message that was read has it sorted by key, each key once (the last one wins, as in protobuf).
template <class K, class V>
struct Map {
  using Item = std::pair<K, V>;
  std::vector<Item> items;

  auto begin() const { return items.begin(); }
  auto end() const { return items.end(); }
  size_t size() const { return items.size(); }
  bool empty() const { return items.empty(); }
  /// Null if there is none.
  template <class Key>
  const V* find(const Key& key) const {
    for (const Item& item : items) {
      if (item.first == key) return &item.second;
    }
    return nullptr;
  }
  /// Adds an item; the caller adds each key once.
  V& add(K key, V value = {}) {
    items.emplace_back(std::move(key), std::move(value));
    return items.back().second;
  }
  void sort() {
    const auto less = [](const Item& a, const Item& b) { return a.first < b.first; };
    const auto not_rising = [](const Item& a, const Item& b) { return !(a.first < b.first); };
    if (std::adjacent_find(items.begin(), items.end(), not_rising) == items.end()) return;
    std::stable_sort(items.begin(), items.end(), less);
    // Of equal keys the last stands: seen from behind it is the first.
    const auto same = [](const Item& a, const Item& b) { return a.first == b.first; };
    items.erase(items.begin(), std::unique(items.rbegin(), items.rend(), same).base());
  }
};

// Defined in wire/codec.h and wire/text_codec.h, and instantiated beside each message.

/// Reads a message; `bytes` must outlive it, because texts and tensor contents are borrowed. Throws
/// DataLossError "Error parsing message with type 'tensorflow.GraphDef': ..." for malformed bytes.
template <class M>
M decode(std::string_view bytes);

/// The message in protobuf's encoding. Throws InvalidArgumentError for more than 2 GiB, which protobuf
/// cannot read.
template <class M>
std::string encode(const M& message);

/// A message as a row of pieces, whose large contents are borrowed from the message instead of copied: it
/// must outlive them.
struct EncodedPieces {
  std::vector<std::unique_ptr<char[]>> chunks;  // everything that is not borrowed
  std::vector<std::string_view> pieces;
  size_t size_bytes = 0;
};
/// As encode(), of any size; contents of at least `borrow_from_bytes` become pieces of their own.
template <class M>
EncodedPieces encode_pieces(const M& message, size_t borrow_from_bytes = 16384);

/// Protobuf's text form, as Python's text_format.MessageToString writes it. Unknown fields are left out,
/// as there.
template <class M>
std::string to_text_format(const M& message);

/// Reads that text form; nothing is borrowed. Throws InvalidArgumentError "LINE:COLUMN : ..." for any other
/// text, unknown fields included.
template <class M>
M from_text_format(std::string_view text);

}  // namespace flowray::wire
