#pragma once
/// Sends the containers and wrappers of the standard library.

#include <flowray/ray/codec.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::ray {

namespace internal {

/// Sent as msgpack's binary.
template <typename T>
inline constexpr bool kIsByte =
    std::is_same_v<T, std::byte> || std::is_same_v<T, uint8_t> || std::is_same_v<T, char>;

/// Long runs of these are sent as an Array is: outside of the stream, copied as a block.
template <typename T>
inline constexpr bool kIsPacked =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && !kIsByte<T> && Element<T>;
/// From this many elements on; a short list is smaller and as fast.
inline constexpr size_t kPackedFrom = 32;

/// Whether T itself may be sent as nil, so that an optional T needs a mark of its own.
template <typename T>
inline constexpr bool kMayBeNil = std::is_same_v<T, std::monostate>;
template <typename T>
inline constexpr bool kMayBeNil<std::optional<T>> = true;
template <typename T>
inline constexpr bool kMayBeNil<std::shared_ptr<T>> = true;
template <typename T, typename D>
inline constexpr bool kMayBeNil<std::unique_ptr<T, D>> = true;

/// How many items to make room for when `count` are announced. An item may be much larger than its bytes, and
/// the count may be damaged: beyond this the container grows with what is really read.
template <typename T>
constexpr size_t room_for(size_t count) {
  return std::min(count, 1 + 65536 / sizeof(T));
}

template <typename T>
void encode_items(Encoder& out, const T& items) {
  out.begin_list(items.size());
  for (const auto& item : items) encode(out, item);
}

template <typename T>
T decode_items(Decoder& in) {
  T items;
  for (size_t left = in.read_list(); left > 0; --left)
    items.insert(items.end(), decode<typename T::value_type>(in));
  return items;
}

template <typename T>
void encode_pairs(Encoder& out, const T& map) {
  out.begin_map(map.size());
  for (const auto& [key, value] : map) {
    encode(out, key);
    encode(out, value);
  }
}

template <typename T>
T decode_pairs(Decoder& in) {
  T map;
  for (size_t left = in.read_map(); left > 0; --left) {
    auto key = decode<typename T::key_type>(in);
    map.emplace_hint(map.end(), std::move(key), decode<typename T::mapped_type>(in));
  }
  return map;
}

/// Items that lie in a row: std::vector and std::array.
template <typename T>
void encode_row(Encoder& out, const T* items, size_t count) {
  if constexpr (kIsByte<T>) {
    out.write_binary(std::as_bytes(std::span(items, count)));
    return;
  } else if constexpr (kIsPacked<T>) {
    if (count >= kPackedFrom) return out.write_elements(kDTypeOf<T>, items, count);
  }
  out.begin_list(count);
  for (size_t i = 0; i < count; ++i) encode(out, items[i]);
}

/// The row's elements if it was packed; else an Array without value.
template <typename T>
Array decode_packed(Decoder& in) {
  if (!in.next_is_array()) return Array();
  Array packed = in.read_array();
  if (packed.dtype() != kDTypeOf<T> || packed.rank() != 1) {
    throw TypeError("A value cannot be read: a list of " + dtype_name(kDTypeOf<T>) +
                    " was expected and an Array of " + dtype_name(packed.dtype()) +
                    packed.shape().to_string() + " found.");
  }
  return packed;
}

[[noreturn]] void throw_wrong_length(size_t expected, size_t found);

}  // namespace internal

template <typename T, typename A>
struct Codec<std::vector<T, A>> {
  using Vector = std::vector<T, A>;
  static void encode(Encoder& out, const Vector& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out.begin_list(value.size());
      for (const bool item : value) out.write_bool(item);
    } else {
      internal::encode_row(out, value.data(), value.size());
    }
  }
  static Vector decode(Decoder& in) {
    if constexpr (internal::kIsByte<T>) {
      const auto bytes = in.read_binary();
      const T* begin = reinterpret_cast<const T*>(bytes.data());
      return Vector(begin, begin + bytes.size());
    } else if constexpr (internal::kIsPacked<T>) {
      if (const Array packed = internal::decode_packed<T>(in); packed.has_value()) {
        const auto items = packed.span<T>();
        return Vector(items.begin(), items.end());
      }
    }
    Vector items;
    const size_t count = in.read_list();
    items.reserve(internal::room_for<T>(count));
    for (size_t i = 0; i < count; ++i) items.push_back(ray::decode<T>(in));
    return items;
  }
};

template <typename T, size_t N>
struct Codec<std::array<T, N>> {
  using Row = std::array<T, N>;
  static void encode(Encoder& out, const Row& value) { internal::encode_row(out, value.data(), N); }
  static Row decode(Decoder& in) {
    if constexpr (internal::kIsByte<T>) {
      const auto bytes = in.read_binary();
      if (bytes.size() != N) internal::throw_wrong_length(N, bytes.size());
      return copy(bytes.data());
    } else if constexpr (internal::kIsPacked<T> && N >= internal::kPackedFrom) {
      const Array packed = internal::decode_packed<T>(in);
      if (packed.size() != static_cast<int64_t>(N))
        internal::throw_wrong_length(N, static_cast<size_t>(packed.size()));
      return copy(packed.raw_data());
    } else {
      in.read_list_of(N, "a std::array");
      return read(in, std::make_index_sequence<N>());
    }
  }

 private:
  static Row copy(const void* bytes) {
    Row row;
    if constexpr (N > 0) std::memcpy(row.data(), bytes, sizeof(T) * N);
    return row;
  }
  template <size_t... I>
  static Row read(Decoder& in, std::index_sequence<I...>) {
    // Braces: from left to right.
    return Row{((void)I, ray::decode<T>(in))...};
  }
};

/// Lists and sets.
template <typename T>
struct ItemsCodec {
  /// Writes a list of the items.
  static void encode(Encoder& out, const T& value) { internal::encode_items(out, value); }
  /// Reads a list of items.
  static T decode(Decoder& in) { return internal::decode_items<T>(in); }
};
template <typename T, typename A>
struct Codec<std::deque<T, A>> : ItemsCodec<std::deque<T, A>> {};
template <typename T, typename A>
struct Codec<std::list<T, A>> : ItemsCodec<std::list<T, A>> {};
template <typename T, typename C, typename A>
struct Codec<std::set<T, C, A>> : ItemsCodec<std::set<T, C, A>> {};
template <typename T, typename C, typename A>
struct Codec<std::multiset<T, C, A>> : ItemsCodec<std::multiset<T, C, A>> {};
template <typename T, typename H, typename E, typename A>
struct Codec<std::unordered_set<T, H, E, A>> : ItemsCodec<std::unordered_set<T, H, E, A>> {};

/// Maps.
template <typename T>
struct PairsCodec {
  /// Writes a map of keys and values.
  static void encode(Encoder& out, const T& value) { internal::encode_pairs(out, value); }
  /// Reads a map of keys and values.
  static T decode(Decoder& in) { return internal::decode_pairs<T>(in); }
};
template <typename K, typename V, typename C, typename A>
struct Codec<std::map<K, V, C, A>> : PairsCodec<std::map<K, V, C, A>> {};
template <typename K, typename V, typename C, typename A>
struct Codec<std::multimap<K, V, C, A>> : PairsCodec<std::multimap<K, V, C, A>> {};
template <typename K, typename V, typename H, typename E, typename A>
struct Codec<std::unordered_map<K, V, H, E, A>> : PairsCodec<std::unordered_map<K, V, H, E, A>> {};

template <typename A, typename B>
struct Codec<std::pair<A, B>> {
  static void encode(Encoder& out, const std::pair<A, B>& value) {
    out.begin_list(2);
    ray::encode(out, value.first);
    ray::encode(out, value.second);
  }
  static std::pair<A, B> decode(Decoder& in) {
    in.read_list_of(2, "a std::pair");
    auto first = ray::decode<A>(in);
    return {std::move(first), ray::decode<B>(in)};
  }
};

template <typename... T>
struct Codec<std::tuple<T...>> {
  static void encode(Encoder& out, const std::tuple<T...>& value) {
    out.begin_list(sizeof...(T));
    std::apply([&](const T&... items) { (ray::encode(out, items), ...); }, value);
  }
  static std::tuple<T...> decode(Decoder& in) {
    in.read_list_of(sizeof...(T), "a std::tuple");
    return std::tuple<T...>{ray::decode<T>(in)...};  // braces: from left to right
  }
};

template <typename T>
struct Codec<std::optional<T>> {
  static void encode(Encoder& out, const std::optional<T>& value) {
    if constexpr (internal::kMayBeNil<T>) out.begin_list(value ? 1 : 0);
    if (value) {
      ray::encode(out, *value);
    } else if constexpr (!internal::kMayBeNil<T>) {
      out.write_nil();
    }
  }
  static std::optional<T> decode(Decoder& in) {
    if constexpr (internal::kMayBeNil<T>) {
      const size_t count = in.read_list();
      if (count > 1) internal::throw_wrong_length(1, count);
      if (count == 0) return std::nullopt;
    } else if (in.next_is_nil()) {
      in.read_nil();
      return std::nullopt;
    }
    return std::optional<T>(ray::decode<T>(in));
  }
};

template <>
struct Codec<std::monostate> {
  /// Writes nil.
  static void encode(Encoder& out, std::monostate) { out.write_nil(); }
  /// Reads nil.
  static std::monostate decode(Decoder& in) {
    in.read_nil();
    return {};
  }
};

/// A list of the alternative's index and its value.
template <typename... T>
struct Codec<std::variant<T...>> {
  using Variant = std::variant<T...>;
  static void encode(Encoder& out, const Variant& value) {
    out.begin_list(2);
    out.write_unsigned(value.index());
    std::visit([&out](const auto& held) { ray::encode(out, held); }, value);
  }
  static Variant decode(Decoder& in) {
    in.read_list_of(2, "a std::variant");
    const uint64_t index = in.read_unsigned(sizeof...(T) - 1);
    return read(in, index, std::index_sequence_for<T...>());
  }

 private:
  template <size_t I>
  static Variant read_one(Decoder& in) {
    return Variant(std::in_place_index<I>, ray::decode<std::variant_alternative_t<I, Variant>>(in));
  }
  template <size_t... I>
  static Variant read(Decoder& in, uint64_t index, std::index_sequence<I...>) {
    using Read = Variant (*)(Decoder&);
    static constexpr Read kReads[] = {read_one<I>...};
    return kReads[index](in);
  }
};

/// A smart pointer is sent as what it points at, or nil. What two pointers share is sent twice.
template <typename P, typename T>
struct PointerCodec {
  /// Writes the value pointed at, or nil for a null pointer.
  static void encode(Encoder& out, const P& value) {
    if constexpr (internal::kMayBeNil<T>) out.begin_list(value ? 1 : 0);
    if (value) {
      ray::encode(out, *value);
    } else if constexpr (!internal::kMayBeNil<T>) {
      out.write_nil();
    }
  }
  /// Reads a value that the pointer then owns, or nil.
  static P decode(Decoder& in) {
    if constexpr (internal::kMayBeNil<T>) {
      const size_t count = in.read_list();
      if (count > 1) internal::throw_wrong_length(1, count);
      if (count == 0) return nullptr;
    } else if (in.next_is_nil()) {
      in.read_nil();
      return nullptr;
    }
    return P(std::make_unique<T>(ray::decode<T>(in)));
  }
};
template <typename T>
struct Codec<std::shared_ptr<T>> : PointerCodec<std::shared_ptr<T>, std::remove_const_t<T>> {};
template <typename T>
struct Codec<std::unique_ptr<T>> : PointerCodec<std::unique_ptr<T>, std::remove_const_t<T>> {};

}  // namespace flowray::ray

#pragma GCC visibility pop
