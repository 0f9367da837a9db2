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

#include "native/convert/arguments.h"
#include "native/convert/typed.h"

#include <utility>
#include <variant>

namespace flowray::python {

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
