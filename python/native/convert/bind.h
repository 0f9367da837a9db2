#pragma once
/// Functions of the language as functions of Python, from tables:
///
///     FLOWRAY_FIELDS(image::Rot90Options, k, name)
///     bind(m, "rot90", &image::rot90, {"image"});
///
/// gives rot90(image, k=1, name=None). Each argument is converted by the type of the C++ parameter or field
/// that it fills (`kFrom`), so that what does not fit is told in TensorFlow's words; defaults are those that
/// the struct of options has. Where Python's arguments stand in another order, or there are more of them, all
/// are listed: the name of a field fills that field, the others fill the parameters in their order.

#include "native/convert/convert.h"

#include <array>
#include <cstring>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <variant>

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
inline constexpr auto kFrom<std::optional<tf::Input>> =
    +[](nb::handle object) { return object.is_none() ? std::optional<tf::Input>() : as_input(object); };
template <>
inline constexpr auto kFrom<std::vector<tf::Input>> = &as_inputs;
template <>
inline constexpr auto kFrom<std::optional<std::vector<tf::Input>>> = +[](nb::handle object) {
  return object.is_none() ? std::optional<std::vector<tf::Input>>() : as_inputs(object);
};
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

/// A struct of results is a tuple.
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
  } else {
    return give(result);
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

// ---- arguments

/// An argument of a Python function that is listed.
struct Argument {
  enum class Role { kValue, kIgnored, kOlderName };

  Argument(const char* argument) : name(argument) {}  // NOLINT: implicit, so that a list is of names
  /// With a default that is not the struct's. Where it is None, None stands for what the struct has.
  template <class Default>
  Argument(const char* argument, const Default& value) : name(argument), value(nb::cast(value)) {}

  const char* name;
  nb::object value = {};
  Role role = Role::kValue;
  /// The field that it fills where that has another name.
  const char* field = nullptr;
  /// Of an older name: the argument's name.
  const char* of = nullptr;
  /// Of an older name: a ValueError where both are given.
  bool refuses_both = false;
  bool is_required = false;
  /// None stands for what the struct has, whatever the default.
  bool none_is_default = false;
  /// None is converted, and does not stand for what the struct has.
  bool none_is_value = false;
  /// Throws where a value is none for the function, before any is converted.
  void (*check)(nb::handle value) = nullptr;
  /// Of a field that is a text: what converts it, where that is not as_text.
  std::string (*text)(nb::handle value) = nullptr;
};

/// Without default.
Argument required(Argument argument);
/// None stands for what the struct has, too.
Argument or_none(Argument argument);
/// Whose field has another name.
Argument fills(Argument argument, const char* field);
/// None is a value, too, of a field whose default Python has as None.
Argument none_too(Argument argument);
Argument checked(Argument argument, void (*check)(nb::handle value));
Argument text(Argument argument, std::string (*convert)(nb::handle value));
/// What TensorFlow's function takes and nothing here depends on.
template <class Default>
Argument ignored(const char* name, const Default& value) {
  Argument argument(name, value);
  argument.role = Argument::Role::kIgnored;
  return argument;
}
inline Argument ignored(const char* name) { return ignored(name, nb::none()); }
/// Stands for `of` where that is None.
Argument older(const char* name, const char* of);
/// The same, but both together are a ValueError.
Argument either(const char* name, const char* of);

// ---- bound functions

template <class Function>
struct Signature : Signature<decltype(&Function::operator())> {};
template <class Result, class... Parameters>
struct Signature<Result (*)(Parameters...)> {
  using Types = std::tuple<std::decay_t<Parameters>...>;
};
template <class Function, class Result, class... Parameters>
struct Signature<Result (Function::*)(Parameters...) const> {
  using Types = std::tuple<std::decay_t<Parameters>...>;
};

/// Of a function's types: the parameters that Python's arguments fill, and the struct of options behind them,
/// which is std::monostate where there is none. A place in the program (Input::Where) is none in Python.
template <class Types>
struct Split {
  static constexpr size_t kAll = std::tuple_size_v<Types>;
  template <size_t I>
  using At = std::tuple_element_t<I, Types>;
  static constexpr bool kHasWhere = [] {
    if constexpr (kAll == 0)
      return false;
    else
      return std::is_same_v<At<kAll - 1>, tf::Input::Where>;
  }();
  static constexpr size_t kWithOptions = kAll - (kHasWhere ? 1 : 0);
  static constexpr bool kHasOptions = [] {
    if constexpr (kWithOptions == 0)
      return false;
    else
      return kHasFields<At<kWithOptions - 1>>;
  }();
  static constexpr size_t kParameters = kWithOptions - (kHasOptions ? 1 : 0);
  using Options = typename decltype([] {
    if constexpr (kHasOptions)
      return std::type_identity<At<kWithOptions - 1>>();
    else
      return std::type_identity<std::monostate>();
  }())::type;
  static constexpr size_t kNumFields = [] {
    if constexpr (kHasOptions)
      return std::tuple_size_v<std::remove_const_t<decltype(kFields<Options>)>>;
    else
      return size_t{0};
  }();
};

/// Which argument fills what, by number.
struct Places {
  static constexpr size_t kMost = 16;
  static constexpr int8_t kNone = -1;
  std::array<int8_t, kMost> parameters;
  std::array<int8_t, kMost> fields;
  /// Of a field: None stands for what the struct has.
  std::array<bool, kMost> none_is_default = {};
  /// Of a field that is a text and converted in a way of its own, else null.
  std::array<std::string (*)(nb::handle), kMost> texts = {};
  struct Older {
    int8_t argument;
    int8_t of;
    const char* name;
    /// The older name where both together are refused, else null.
    const char* refused;
  };
  std::vector<Older> older = {};
  struct Check {
    int8_t argument;
    void (*check)(nb::handle value);
  };
  std::vector<Check> checks = {};
};

/// Finds the places of `arguments` and sets those defaults that are the struct's. `fields` and `defaults` are
/// the struct's. Throws std::logic_error for a table that fits no parameter.
Places find_places(const char* function, std::vector<Argument>& arguments, size_t num_parameters,
                   const std::vector<const char*>& fields, const std::vector<nb::object>& defaults);
/// Puts what older names were given in its place, and carries out the checks.
void prepare(const Places& places, nb::handle* given);

/// Calls a function with arguments of these types, made of Python's objects.
template <class Types>
struct Caller {
  using Parts = Split<Types>;
  Places places;

  template <class Function>
  auto call(nb::handle* given, const Function& function) const {
    prepare(places, given);
    return call(given, function, std::make_index_sequence<Parts::kParameters>());
  }

 private:
  template <class Function, size_t... P>
  auto call(const nb::handle* given, const Function& function, std::index_sequence<P...>) const {
    // Braces: the arguments are converted from left to right.
    const std::tuple<typename Parts::template At<P>...> values{
        kFrom<typename Parts::template At<P>>(given[places.parameters[P]])...};
    if constexpr (Parts::kHasOptions && Parts::kHasWhere) {
      return function(std::get<P>(values)..., options_of(given), tf::Input::Where());
    } else if constexpr (Parts::kHasOptions) {
      return function(std::get<P>(values)..., options_of(given));
    } else {
      return function(std::get<P>(values)...);
    }
  }

  typename Parts::Options options_of(const nb::handle* given) const {
    typename Parts::Options options{};
    size_t i = 0;
    const auto fill = [&](const auto& field) {
      using Type = typename std::remove_cvref_t<decltype(field)>::Type;
      const size_t at = i++;
      const int8_t place = places.fields[at];
      if (place == Places::kNone || (places.none_is_default[at] && given[place].is_none())) return;
      if constexpr (std::is_same_v<Type, std::string>) {
        options.*field.member = (places.texts[at] == nullptr ? &as_text : places.texts[at])(given[place]);
      } else {
        options.*field.member = kFrom<Type>(given[place]);
      }
    };
    std::apply([&](const auto&... field) { (fill(field), ...); }, kFields<typename Parts::Options>);
    return options;
  }
};

/// nb::handle, for each number.
template <size_t>
using Handle = nb::handle;

template <class Function, class Indices>
struct Bound;
template <class Function, size_t... I>
struct Bound<Function, std::index_sequence<I...>> {
  Function function;
  Caller<typename Signature<Function>::Types> caller;

  auto operator()(Handle<I>... objects) const {
    std::array<nb::handle, sizeof...(I) + 1> given = {objects..., nb::handle()};
    return give_result(caller.call(given.data(), function));
  }
};

template <class Class, class Types, class Indices>
struct BoundConstructor;
template <class Class, class Types, size_t... I>
struct BoundConstructor<Class, Types, std::index_sequence<I...>> {
  Caller<Types> caller;

  void operator()(Class* self, Handle<I>... objects) const {
    std::array<nb::handle, sizeof...(I) + 1> given = {objects..., nb::handle()};
    caller.call(given.data(), [self](const auto&... values) { new (self) Class(values...); });
  }
};

template <class Types>
Caller<Types> caller_of(const char* name, std::vector<Argument>& arguments) {
  using Parts = Split<Types>;
  std::vector<const char*> fields;
  std::vector<nb::object> defaults;
  if constexpr (Parts::kHasOptions) {
    const typename Parts::Options options{};
    const auto add = [&](const auto& field) {
      fields.push_back(field.name);
      defaults.push_back(default_object(options.*field.member));
    };
    std::apply([&](const auto&... field) { (add(field), ...); }, kFields<typename Parts::Options>);
  }
  return {find_places(name, arguments, Parts::kParameters, fields, defaults)};
}

/// In nanobind's words. An argument without default has one that is null.
inline auto spelled(const Argument& argument) {
  return decltype("x"_a = nb::none())(nb::arg(argument.name).none(), nb::object(argument.value));
}

template <size_t N, class Types>
constexpr size_t kNumArguments = N == Split<Types>::kParameters ? N + Split<Types>::kNumFields : N;

/// `function`: of the language, or one that adapts it. `arguments`: those of its parameters, behind which its
/// options' fields follow; or all.
template <class Function, size_t N>
void bind(nb::module_& m, const char* name, Function function, const Argument (&arguments)[N],
          const char* document = nullptr) {
  using Types = typename Signature<Function>::Types;
  std::vector<Argument> all(arguments, arguments + N);
  const Caller<Types> caller = caller_of<Types>(name, all);
  const auto define = [&]<size_t... I>(std::index_sequence<I...> indices) {
    const Bound<Function, decltype(indices)> bound{function, caller};
    if (document == nullptr) {
      m.def(name, bound, spelled(all[I])...);
    } else {
      m.def(name, bound, spelled(all[I])..., document);
    }
  };
  define(std::make_index_sequence<kNumArguments<N, Types>>());
}

/// The constructor of a class that takes these types.
template <class Class, class... Types, size_t N, class Bases>
void bind_constructor(nb::class_<Class, Bases>& type, const Argument (&arguments)[N]) {
  using Tuple = std::tuple<Types...>;
  std::vector<Argument> all(arguments, arguments + N);
  const Caller<Tuple> caller = caller_of<Tuple>("__init__", all);
  const auto define = [&]<size_t... I>(std::index_sequence<I...> indices) {
    type.def("__init__", BoundConstructor<Class, Tuple, decltype(indices)>{caller}, spelled(all[I])...);
  };
  define(std::make_index_sequence<kNumArguments<N, Tuple>>());
}

}  // namespace flowray::python
