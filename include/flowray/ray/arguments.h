#pragma once
/// The arguments of a call: encoded where it is made, checked against the function at compile time, and
/// decoded where the function runs. Programs do not use this header directly.

#include <flowray/ray/object_ref.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::ray {

/// The arguments of one call, where the function runs. All that were passed by value are one encoded list; in
/// it the others are marked, and each has a value of its own.
class Arguments {
 public:
  /// `references`: the values of the arguments that are references, in the order of Encoder::argument_refs().
  /// None of them may be an error. Both must outlive this.
  Arguments(const internal::ValueView& values, std::span<const internal::ValueView> references)
      : decoder_(values), references_(references) {}

  /// Throws TypeError if the call was made with another number of arguments.
  void expect(size_t count) { decoder_.read_list_of(count, "the list of the function's arguments"); }
  /// How many there are; for functions that take any number.
  size_t count() { return decoder_.read_list(); }
  /// The next argument, read as a T. Throws TypeError where it is something else.
  template <typename T>
  T next() {
    uint32_t index = 0;
    if (!decoder_.try_argument_ref(index)) return decode<T>(decoder_);
    return decode_value<T>(reference(index));
  }
  /// Throws if there is another argument.
  void finish() const { decoder_.finish(); }

 private:
  const internal::ValueView& reference(uint32_t index) const;

  Decoder decoder_;
  std::span<const internal::ValueView> references_;
};

namespace internal {

template <typename T>
inline constexpr bool kIsRef = false;
template <typename T>
inline constexpr bool kIsRef<ObjectRef<T>> = true;

/// Numbers that a reference may change into when it is read: never from floating point to integers, nor from
/// or to bool.
template <typename From, typename To>
inline constexpr bool kNumberFits =
    std::is_arithmetic_v<From> && std::is_arithmetic_v<To> && !std::is_same_v<From, bool> &&
    !std::is_same_v<To, bool> && (std::is_integral_v<From> || std::is_floating_point_v<To>);

/// Whether the value of an ObjectRef<From> can be read as a To: what is stored is what a From looks like when
/// it is sent.
template <typename From, typename To>
inline constexpr bool kReadableAs = std::is_same_v<From, To> || kNumberFits<From, To>;
template <typename From, typename To>
inline constexpr bool kReadableAs<From, std::optional<To>> =
    std::is_same_v<From, std::optional<To>> || (std::is_same_v<From, To> && !kMayBeNil<To>);

template <typename Parameter, typename Referred>
void encode_reference(Encoder& out, const ObjectRef<Referred>& argument) {
  if constexpr (kIsRef<Parameter>) {
    static_assert(std::is_same_v<Parameter, ObjectRef<Referred>>,
                  "Remote(): the function takes an ObjectRef to another type than the one passed");
    out.write_ref(argument.handle());
  } else {
    static_assert(!std::is_void_v<Referred>,
                  "Remote(): an ObjectRef<void> has no value that could be passed");
    static_assert(kReadableAs<Referred, Parameter>,
                  "Remote(): the value that the ObjectRef refers to is not of the parameter's type");
    out.argument_ref(require_handle(argument));
  }
}

/// Which argument of which call, for messages.
struct ArgumentPlace {
  const CallOptions& call;
  size_t index;
  size_t count;
};

/// A type of numbers, for messages; of floating-point ones `lowest` and `highest` count for nothing.
struct NumberType {
  const std::type_info& type;
  bool is_integer;
  int64_t lowest;
  uint64_t highest;
};

[[noreturn]] void throw_does_not_fit(const ArgumentPlace& place, const NumberType& to, int64_t number);
[[noreturn]] void throw_does_not_fit(const ArgumentPlace& place, const NumberType& to, uint64_t number);
[[noreturn]] void throw_does_not_fit(const ArgumentPlace& place, const NumberType& to, double number);

/// Whether the number is one of To's; floating-point types may round it, not make it infinite.
template <typename To, typename From>
bool fits(From number) {
  using Limits = std::numeric_limits<To>;
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    // Promoted: cmp_less takes no characters and bools.
    return !std::cmp_less(+number, +Limits::min()) && !std::cmp_greater(+number, +Limits::max());
  } else if constexpr (std::is_integral_v<To>) {
    const From lowest = static_cast<From>(Limits::min());
    const From above = std::ldexp(From{1}, Limits::digits);
    return number >= lowest && number < above && std::equal_to<>()(std::trunc(number), number);
  } else if constexpr (std::is_floating_point_v<From> && (sizeof(From) > sizeof(To))) {
    return std::isinf(number) || !(std::abs(number) > static_cast<From>(Limits::max()));
  } else {
    return true;
  }
}

template <typename To, typename From>
void require_number_fits(const ArgumentPlace& place, From number) {
  if constexpr (std::is_enum_v<From>) {
    require_number_fits<To>(place, static_cast<std::underlying_type_t<From>>(number));
  } else if constexpr (!std::is_same_v<To, From>) {
    if (fits<To>(number)) return;
    using Limits = std::numeric_limits<To>;
    constexpr bool kIsInteger = std::is_integral_v<To>;
    NumberType to{typeid(To), kIsInteger, 0, 0};
    if constexpr (kIsInteger) {
      to.lowest = static_cast<int64_t>(Limits::min());
      to.highest = static_cast<uint64_t>(Limits::max());
    }
    if constexpr (std::is_floating_point_v<From>) {
      throw_does_not_fit(place, to, static_cast<double>(number));
    } else if constexpr (std::is_signed_v<From>) {
      throw_does_not_fit(place, to, static_cast<int64_t>(number));
    } else {
      throw_does_not_fit(place, to, static_cast<uint64_t>(number));
    }
  }
}

template <typename T>
inline constexpr bool kIsNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// Whether what converts from a From to a To is a number, or holds some. Nothing is done for others.
template <typename To, typename From>
struct NumbersIn {
  static void require_fit(const ArgumentPlace& place, const From& value) {
    if constexpr (std::is_arithmetic_v<To> && kIsNumber<From>) require_number_fits<To>(place, value);
  }
};
template <typename To, typename From>
struct NumbersIn<std::optional<To>, From> {
  static void require_fit(const ArgumentPlace& place, const From& value) {
    NumbersIn<To, From>::require_fit(place, value);
  }
};
template <typename To, typename From>
struct NumbersIn<std::optional<To>, std::optional<From>> {
  static void require_fit(const ArgumentPlace& place, const std::optional<From>& value) {
    if (value) NumbersIn<To, From>::require_fit(place, *value);
  }
};
template <typename To, typename From>
struct NumbersIn<std::complex<To>, From> {
  static void require_fit(const ArgumentPlace& place, const From& value) {
    NumbersIn<To, From>::require_fit(place, value);
  }
};
template <typename A, typename B, typename C, typename D>
struct NumbersIn<std::pair<A, B>, std::pair<C, D>> {
  static void require_fit(const ArgumentPlace& place, const std::pair<C, D>& value) {
    NumbersIn<A, C>::require_fit(place, value.first);
    NumbersIn<B, D>::require_fit(place, value.second);
  }
};
template <typename... To, typename... From>
  requires(sizeof...(To) == sizeof...(From))
struct NumbersIn<std::tuple<To...>, std::tuple<From...>> {
  static void require_fit(const ArgumentPlace& place, const std::tuple<From...>& value) {
    std::apply([&](const From&... items) { (NumbersIn<To, From>::require_fit(place, items), ...); }, value);
  }
};

/// One argument for a parameter declared as `Declared`.
template <typename Declared, typename Argument>
void encode_argument(Encoder& out, const ArgumentPlace& place, Argument&& argument) {
  using Parameter = std::remove_cvref_t<Declared>;
  using Passed = std::remove_cvref_t<Argument>;
  if constexpr (kIsOfGraph<std::remove_cvref_t<std::remove_pointer_t<Passed>>>) {
    require_sendable<Passed>();
  } else if constexpr (!can_be_sent<Parameter>()) {
    require_sendable<Parameter>();
  } else if constexpr (kIsRef<Passed>) {
    encode_reference<Parameter>(out, argument);
  } else if constexpr (std::is_same_v<Parameter, Passed>) {
    encode(out, argument);
  } else if constexpr (std::is_same_v<Parameter, std::string> &&
                       std::is_convertible_v<Argument, std::string_view>) {
    out.write_string(argument);
  } else if constexpr (std::is_convertible_v<Argument, Parameter>) {
    NumbersIn<Parameter, Passed>::require_fit(place, argument);
    encode(out, static_cast<Parameter>(std::forward<Argument>(argument)));
  } else {
    static_assert(std::is_convertible_v<Argument, Parameter>,
                  "Remote(): an argument cannot be converted to the type of the function's parameter");
  }
}

template <typename... T>
struct TypeList {
  static constexpr size_t kSize = sizeof...(T);
};

template <typename... Declared, typename... Argument>
void encode_each(Encoder& out, const CallOptions& call, TypeList<Declared...>, Argument&&... arguments) {
  out.begin_list(sizeof...(Declared));
  [[maybe_unused]] ArgumentPlace place{call, 0, sizeof...(Declared)};
  ((encode_argument<Declared>(out, place, std::forward<Argument>(arguments)), ++place.index), ...);
}

/// Throws ValueError for a number that the parameter's type does not hold.
template <typename Parameters, typename... Argument>
void encode_arguments(Encoder& out, const CallOptions& call, Argument&&... arguments) {
  static_assert(
      Parameters::kSize == sizeof...(Argument),
      "Remote(): the number of arguments is not that of the function's parameters, of which all are "
      "given: a function pointer has no default arguments");
  if constexpr (Parameters::kSize == sizeof...(Argument)) {
    encode_each(out, call, Parameters(), std::forward<Argument>(arguments)...);
  }
}

}  // namespace internal
}  // namespace flowray::ray

#pragma GCC visibility pop
