#pragma once
/// Conversions that a C++ type chooses: `kFrom<T>` makes a T of Python's object, `give_result` an object of a
/// result, and FLOWRAY_FIELDS lists those fields of a struct that Python has, too.

#include "native/convert/convert.h"

#include <tuple>
#include <type_traits>

namespace flowray::python {

// ---- from Python: what converts an object to a parameter's type. A type of its own adds a specialisation.

template <class T>
inline constexpr auto kFrom = nullptr;
template <>
inline constexpr auto kFrom<nb::handle> = +[](nb::handle object) { return object; };
template <>
inline constexpr auto kFrom<tf::Input> = &as_input;
template <>
inline constexpr auto kFrom<tf::OptionalInput> = &as_optional_input;
template <>
inline constexpr auto kFrom<std::vector<tf::Input>> = &as_inputs;
template <class Item>
inline constexpr auto kFrom<tf::List<Item>> =
    +[](nb::handle object) { return tf::List<Item>(kFrom<std::vector<Item>>(object), tf::Input::Where()); };
template <>
inline constexpr auto kFrom<std::optional<std::vector<tf::Input>>> = +[](nb::handle object) {
  return object.is_none() ? std::optional<std::vector<tf::Input>>() : as_inputs(object);
};
template <>
inline constexpr auto kFrom<tf::Tensor> =
    +[](nb::handle object) { return tf::convert_to_tensor(as_input(object)); };
template <>
inline constexpr auto kFrom<std::vector<tf::Tensor>> = &as_tensors;
template <>
inline constexpr auto kFrom<tf::Initializer> = &as_initializer;
template <>
inline constexpr auto kFrom<DType> = &as_dtype;
template <>
inline constexpr auto kFrom<Shape> = &as_shape;
template <>
inline constexpr auto kFrom<std::optional<Shape>> =
    +[](nb::handle object) { return object.is_none() ? std::optional<Shape>() : as_shape(object); };
template <>
inline constexpr auto kFrom<std::string> = &as_text;
template <>
inline constexpr auto kFrom<std::vector<std::string>> = &as_texts;
template <>
inline constexpr auto kFrom<bool> = &as_bool;
template <>
inline constexpr auto kFrom<std::optional<bool>> =
    +[](nb::handle object) { return object.is_none() ? std::optional<bool>() : as_bool(object); };
template <>
inline constexpr auto kFrom<int64_t> = &as_int;
template <>
inline constexpr auto kFrom<int> = +[](nb::handle object) { return static_cast<int>(as_int(object)); };
template <>
inline constexpr auto kFrom<std::optional<int64_t>> = &as_optional_int;
template <>
inline constexpr auto kFrom<std::vector<int64_t>> = &as_ints;
template <>
inline constexpr auto kFrom<double> = &as_float;
template <>
inline constexpr auto kFrom<float> = +[](nb::handle object) { return static_cast<float>(as_float(object)); };
/// None: none.
std::vector<double> as_floats(nb::handle object);
template <>
inline constexpr auto kFrom<std::vector<double>> = &as_floats;
template <>
inline constexpr auto kFrom<std::optional<double>> =
    +[](nb::handle object) { return object.is_none() ? std::optional<double>() : as_float(object); };
template <>
inline constexpr auto kFrom<std::vector<DType>> = &as_dtypes;
template <>
inline constexpr auto kFrom<std::vector<Shape>> = &as_shapes;
/// None is not a variable, and not its value.
tf::Variable as_variable(nb::handle object);
template <>
inline constexpr auto kFrom<tf::Variable> = &as_variable;
/// None: none.
std::vector<tf::Variable> as_variables(nb::handle list);
template <>
inline constexpr auto kFrom<std::vector<tf::Variable>> = &as_variables;
template <>
inline constexpr auto kFrom<std::optional<std::vector<tf::Variable>>> = +[](nb::handle list) {
  return list.is_none() ? std::optional<std::vector<tf::Variable>>() : as_variables(list);
};

// ---- fields: those of a struct that Python has, too, in Python's order. Of results they are what a
// tuple holds.

template <class Struct, class Member>
struct Field {
  using Type = Member;
  const char* name;
  Member Struct::* member;
};

template <class Struct>
inline constexpr auto kFields = nullptr;
template <class Struct>
inline constexpr bool kHasFields = !std::is_null_pointer_v<std::remove_const_t<decltype(kFields<Struct>)>>;

// The preprocessor goes through a list by expanding a macro that names itself again.
#define FLOWRAY_EXPAND(...) \
  FLOWRAY_EXPAND_4(FLOWRAY_EXPAND_4(FLOWRAY_EXPAND_4(FLOWRAY_EXPAND_4(__VA_ARGS__))))
#define FLOWRAY_EXPAND_4(...) \
  FLOWRAY_EXPAND_1(FLOWRAY_EXPAND_1(FLOWRAY_EXPAND_1(FLOWRAY_EXPAND_1(__VA_ARGS__))))
#define FLOWRAY_EXPAND_1(...) __VA_ARGS__
#define FLOWRAY_NOTHING ()
#define FLOWRAY_FIELD(Struct, member, ...)                    \
  ::flowray::python::Field<Struct, decltype(Struct::member)>{ \
      #member, &Struct::member} __VA_OPT__(, FLOWRAY_FIELD_AGAIN FLOWRAY_NOTHING(Struct, __VA_ARGS__))
#define FLOWRAY_FIELD_AGAIN() FLOWRAY_FIELD
/// In the namespace flowray::python.
#define FLOWRAY_FIELDS(Struct, ...) \
  template <>                       \
  inline constexpr auto kFields<Struct> = std::tuple(FLOWRAY_EXPAND(FLOWRAY_FIELD(Struct, __VA_ARGS__)));

FLOWRAY_FIELDS(tf::NameOption, name)

// ---- to Python

/// A struct of results is a tuple, several results are a list.
template <class Result>
auto give_result(const Result& result);
template <class Result>
auto give_result(const std::vector<Result>& results) {
  nb::list list;
  for (const Result& result : results) list.append(give_result(result));
  return list;
}
template <class Result>
auto give_result(const Result& result) {
  if constexpr (std::is_base_of_v<nb::object, Result>) {
    return result;
  } else if constexpr (std::is_same_v<Result, DType>) {
    return dtype_object(result);
  } else if constexpr (kHasFields<Result>) {
    const auto give_all = [&](const auto&... field) {
      return nb::make_tuple(give_result(result.*field.member)...);
    };
    return std::apply(give_all, kFields<Result>);
  } else if constexpr (std::is_same_v<Result, tf::Tensor> || std::is_same_v<Result, tf::Operation>) {
    return give(result);
  } else {
    return nb::cast(result);
  }
}

/// The result of a call, which may have none.
template <class Call>
auto give_result_of(const Call& call) {
  if constexpr (!std::is_void_v<decltype(call())>) {
    return give_result(call());
  } else {
    call();
  }
}

/// The number or text that an input is in the program; None for others.
nb::object python_value(const tf::Input& input);

/// What Python shows as the default of a field that has this value.
template <class T>
nb::object default_object(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_floating_point_v<T> || std::is_integral_v<T>) {
    return nb::cast(value);
  } else if constexpr (std::is_enum_v<T> && !std::is_same_v<T, DType>) {
    return nb::cast(static_cast<int>(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.empty() ? nb::none() : nb::object(nb::str(value.c_str()));
  } else if constexpr (std::is_same_v<T, tf::Input>) {
    return python_value(value);
  } else {
    return nb::none();
  }
}

}  // namespace flowray::python
