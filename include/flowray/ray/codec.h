#pragma once
/// Which types can be sent, and how: `encode(encoder, value)` and `decode<T>(decoder)`.
///
/// A struct of one's own is sent by its fields:
///
///     struct Sample {
///       Array image;
///       int label = 0;
///       FLOWRAY_FIELDS(image, label);
///     };
///
/// A type that cannot be changed is sent by a specialisation:
///
///     template <>
///     struct flowray::ray::Codec<Date> {
///       static void encode(Encoder& out, const Date& date) { out.write_signed(date.days()); }
///       static Date decode(Decoder& in) { return Date(in.read_signed()); }
///     };

#include <flowray/ray/encoding.h>

#include <complex>
#include <concepts>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::tf {
class Graph;
class Operation;
class Session;
class Tensor;
class Variable;
}  // namespace flowray::tf

/// Inside of a struct or class, with all members that make its value (private ones too): lets it be sent.
/// It needs a constructor without arguments, which may be private. Members of a base class are named like
/// its own.
#define FLOWRAY_FIELDS(...)                                                \
  auto flowray_fields() noexcept { return ::std::tie(__VA_ARGS__); }       \
  auto flowray_fields() const noexcept { return ::std::tie(__VA_ARGS__); } \
  friend struct ::flowray::ray::internal::Fields

namespace flowray::ray {

/// How a T is sent; specialise it for types that have no FLOWRAY_FIELDS.
template <typename T>
struct Codec;

namespace internal {

/// Reaches the private members that FLOWRAY_FIELDS makes.
struct Fields {
  template <typename T>
  static auto of(T& value) -> decltype(value.flowray_fields()) {
    return value.flowray_fields();
  }
  template <typename T>
  static T make() {
    return T{};
  }
};

template <typename T>
concept HasFields = std::is_class_v<T> && requires(T& value) { Fields::of(value); };

template <typename T>
inline constexpr bool kIsOfGraph =
    std::is_same_v<T, tf::Graph> || std::is_same_v<T, tf::Session> || std::is_same_v<T, tf::Tensor> ||
    std::is_same_v<T, tf::Operation> || std::is_same_v<T, tf::Variable>;

template <typename T>
concept HasCodec = requires(Encoder& out, Decoder& in, const T& value) {
  Codec<T>::encode(out, value);
  { Codec<T>::decode(in) } -> std::convertible_to<T>;
};

template <typename T>
constexpr bool can_be_sent() {
  if constexpr (kIsOfGraph<std::remove_cvref_t<std::remove_pointer_t<T>>> || std::is_pointer_v<T>) {
    return false;
  } else {
    return HasCodec<T>;
  }
}

/// Says at compile time what to do about a type that cannot be sent.
template <typename T>
constexpr void require_sendable() {
  using Pointee = std::remove_cvref_t<std::remove_pointer_t<T>>;
  if constexpr (kIsOfGraph<Pointee>) {
    static_assert(!kIsOfGraph<Pointee>,
                  "a tf::Graph, Session, Tensor, Operation or Variable lives in one process and cannot be "
                  "sent to another: "
                  "send its weights instead (TensorFlowVariables::get_weights and set_weights)");
  } else if constexpr (std::is_pointer_v<T>) {
    static_assert(
        !std::is_pointer_v<T>,
        "a pointer means nothing in another process: send the value itself; a struct is sent by writing "
        "FLOWRAY_FIELDS(its, members) into it");
  } else {
    static_assert(
        HasCodec<T>,
        "this type cannot be sent to another process: write FLOWRAY_FIELDS(its, members) into the struct, or "
        "specialise flowray::ray::Codec for it");
  }
}

}  // namespace internal

/// Adds `value` to what the encoder collects.
template <typename T>
void encode(Encoder& out, const T& value) {
  internal::require_sendable<T>();
  if constexpr (internal::can_be_sent<T>()) Codec<T>::encode(out, value);
}

/// Reads a T. Throws TypeError or ValueError for another value, errors::DataLossError for damaged bytes.
template <typename T>
T decode(Decoder& in) {
  internal::require_sendable<T>();
  if constexpr (internal::can_be_sent<T>()) {
    return Codec<T>::decode(in);
  } else {
    throw TypeError("cannot be sent");  // never compiled to: the assertion above has failed
  }
}

/// All of an encoded value.
template <typename T>
T decode_value(const internal::ValueView& value) {
  Decoder in(value);
  T result = decode<T>(in);
  in.finish();
  return result;
}

// ---- numbers, text, arrays

template <>
struct Codec<bool> {
  /// Writes a bool.
  static void encode(Encoder& out, bool value) { out.write_bool(value); }
  /// Reads a bool. Throws TypeError for anything else, as all of these.
  static bool decode(Decoder& in) { return in.read_bool(); }
};

template <std::integral T>
struct Codec<T> {
  static_assert(sizeof(T) <= 8);
  using Limits = std::numeric_limits<T>;
  static void encode(Encoder& out, T value) {
    if constexpr (std::is_signed_v<T>) {
      out.write_signed(value);
    } else {
      out.write_unsigned(value);
    }
  }
  static T decode(Decoder& in) {
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(in.read_signed(Limits::min(), Limits::max()));
    } else {
      return static_cast<T>(in.read_unsigned(Limits::max()));
    }
  }
};

template <typename T>
  requires std::is_enum_v<T>
struct Codec<T> {
  using Number = std::underlying_type_t<T>;
  static void encode(Encoder& out, T value) { Codec<Number>::encode(out, static_cast<Number>(value)); }
  static T decode(Decoder& in) { return static_cast<T>(Codec<Number>::decode(in)); }
};

template <>
struct Codec<float> {
  /// Writes a float.
  static void encode(Encoder& out, float value) { out.write_float(value); }
  /// Reads a float.
  static float decode(Decoder& in) { return in.read_float(); }
};

template <>
struct Codec<double> {
  /// Writes a double.
  static void encode(Encoder& out, double value) { out.write_double(value); }
  /// Reads a double, or an integer.
  static double decode(Decoder& in) { return in.read_double(); }
};

/// float16 and bfloat16, by way of float, which holds all of them.
template <typename T>
  requires std::is_same_v<T, float16> || std::is_same_v<T, bfloat16>
struct Codec<T> {
  static void encode(Encoder& out, T value) { out.write_float(static_cast<float>(value)); }
  static T decode(Decoder& in) { return static_cast<T>(in.read_float()); }
};

template <typename T>
struct Codec<std::complex<T>> {
  static void encode(Encoder& out, const std::complex<T>& value) {
    out.begin_list(2);
    Codec<T>::encode(out, value.real());
    Codec<T>::encode(out, value.imag());
  }
  static std::complex<T> decode(Decoder& in) {
    in.read_list_of(2, "a complex number");
    const T real = Codec<T>::decode(in);
    return {real, Codec<T>::decode(in)};
  }
};

template <>
struct Codec<std::string> {
  /// Writes a text.
  static void encode(Encoder& out, std::string_view value) { out.write_string(value); }
  /// Reads a text.
  static std::string decode(Decoder& in) { return std::string(in.read_string()); }
};

template <>
struct Codec<Array> {
  /// Writes an array.
  static void encode(Encoder& out, const Array& value) { out.write_array(value); }
  /// Reads an array.
  static Array decode(Decoder& in) { return in.read_array(); }
};

/// A list of its fields.
template <internal::HasFields T>
struct Codec<T> {
  static void encode(Encoder& out, const T& value) {
    std::apply(
        [&out](const auto&... fields) {
          out.enter();
          out.begin_list(sizeof...(fields));
          (ray::encode(out, fields), ...);
          out.leave();
        },
        internal::Fields::of(value));
  }
  static T decode(Decoder& in) {
    T value = internal::Fields::make<T>();
    std::apply(
        [&in](auto&... fields) {
          in.enter();
          in.read_list_of(sizeof...(fields), "a struct");
          ((fields = ray::decode<std::remove_reference_t<decltype(fields)>>(in)), ...);
          in.leave();
        },
        internal::Fields::of(value));
    return value;
  }
};

}  // namespace flowray::ray

#pragma GCC visibility pop
