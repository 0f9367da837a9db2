#pragma once
/// Functions, methods and constructors of the language as those of Python, from tables:
///
///     FLOWRAY_FIELDS(image::Rot90Options, k, name)
///     bind(m, "rot90", &image::rot90, {"image"});
///
/// gives rot90(image, k=1, name=None). Each argument is converted by the type of the C++ parameter or field
/// that it fills (`kFrom`), so that what does not fit is told in TensorFlow's words; defaults are those that
/// the struct of options has, and the docstring is what the public header says. Where Python's arguments
/// stand in another order, or there are more of them, all are listed: the name of a field fills that field,
/// the others fill the parameters in their order.

#include "native/convert/arguments.h"
#include "native/convert/docstrings.h"
#include "native/convert/typed.h"

#include <array>
#include <cstring>
#include <functional>
#include <tuple>
#include <utility>

namespace flowray::python {

// ---- what a function takes

/// What a parameter of a type is held as while the function runs.
template <class Type>
struct Held {
  using As = Type;
};
template <>
struct Held<std::string_view> {
  using As = std::string;
};
template <class... Parameters>
using HeldTypes = std::tuple<typename Held<std::decay_t<Parameters>>::As...>;

template <class Function>
struct Signature : Signature<decltype(&Function::operator())> {};
template <class Result, class... Parameters>
struct Signature<Result (*)(Parameters...)> {
  using Types = HeldTypes<Parameters...>;
};
template <class Result, class Class, class... Parameters>
struct Signature<Result (Class::*)(Parameters...) const> {
  using Types = HeldTypes<Parameters...>;
};
template <class Result, class Class, class... Parameters>
struct Signature<Result (Class::*)(Parameters...)> {
  using Types = HeldTypes<Parameters...>;
};

/// What a method takes besides the object; of a function that stands for one the object comes first.
template <class Types>
struct Rest;
template <class Self, class... Others>
struct Rest<std::tuple<Self, Others...>> {
  using Types = std::tuple<Others...>;
};
template <class Function, bool kIsMember = std::is_member_function_pointer_v<Function>>
struct Method : Signature<Function> {};
template <class Function>
struct Method<Function, false> : Rest<typename Signature<Function>::Types> {};
template <class Function>
using MethodTypes = typename Method<Function>::Types;

template <class Type>
constexpr size_t num_slots() {
  if constexpr (kHasFields<Type>) {
    return std::tuple_size_v<std::remove_const_t<decltype(kFields<Type>)>>;
  } else {
    return 1;
  }
}

/// Calls a function with arguments of these types, made of Python's objects. A place in the program
/// (Input::Where) at their end is not an argument in Python.
template <class Types>
class Caller;
template <class... All>
class Caller<std::tuple<All...>> {
 public:
  static constexpr bool kHasWhere = (std::is_same_v<All, tf::Input::Where> || ... || false);
  static constexpr size_t kNumTypes = sizeof...(All) - (kHasWhere ? 1 : 0);
  static constexpr size_t kNumSlots = (num_slots<All>() + ... + 0) - (kHasWhere ? 1 : 0);
  static constexpr size_t kNumParameters = ((kHasFields<All> ? 0 : 1) + ... + 0) - (kHasWhere ? 1 : 0);

  /// The fields that are not listed are added to `arguments`, and the defaults that are the structs'.
  Caller(const std::string& function, std::vector<Argument>& arguments)
      : places_(find_places(function, arguments, slots(std::make_index_sequence<kNumTypes>()))) {}

  template <class Function>
  auto call(nb::handle* given, const Function& function) const {
    prepare(places_, given);
    return call(given, function, std::make_index_sequence<kNumTypes>());
  }

 private:
  template <size_t I>
  using At = std::tuple_element_t<I, std::tuple<All...>>;
  static constexpr size_t first_slot(size_t type) {
    constexpr std::array<size_t, sizeof...(All) + 1> kSlots = {num_slots<All>()..., 0};
    size_t slot = 0;
    for (size_t i = 0; i < type; ++i) slot += kSlots[i];
    return slot;
  }

  template <class Function, size_t... I>
  auto call([[maybe_unused]] const nb::handle* given, const Function& function,
            std::index_sequence<I...>) const {
    // Braces: the arguments are converted from left to right.
    const std::tuple<At<I>...> values{value<At<I>>(given, first_slot(I))...};
    if constexpr (kHasWhere) {
      return function(std::get<I>(values)..., tf::Input::Where());
    } else {
      return function(std::get<I>(values)...);
    }
  }

  template <class Type>
  Type value(const nb::handle* given, size_t slot) const {
    if constexpr (kHasFields<Type>) {
      return options<Type>(given, slot);
    } else {
      return convert<Type>(given, places_.arguments[slot]);
    }
  }

  template <class Type>
  Type convert(const nb::handle* given, int8_t argument) const {
    if (!places_.converts.empty() && places_.converts[argument] != nullptr) {
      using Convert = std::function<Type(nb::handle)>;
      return (*static_cast<const Convert*>(places_.converts[argument].get()))(given[argument]);
    }
    return kFrom<Type>(given[argument]);
  }

  template <class Options>
  Options options(const nb::handle* given, size_t slot) const {
    Options options{};
    const auto fill = [&](const auto& field) {
      const size_t at = slot++;
      const int8_t argument = places_.arguments[at];
      if (argument == Places::kNone || (places_.none_is_default[at] && given[argument].is_none())) return;
      using Type = typename std::remove_cvref_t<decltype(field)>::Type;
      options.*field.member = convert<Type>(given, argument);
    };
    std::apply([&](const auto&... field) { (fill(field), ...); }, kFields<Options>);
    return options;
  }

  template <size_t... I>
  static std::vector<Slot> slots(std::index_sequence<I...>) {
    std::vector<Slot> slots;
    (add_slots<At<I>>(slots), ...);
    return slots;
  }
  template <class Type>
  static void add_slots(std::vector<Slot>& slots) {
    if constexpr (kHasFields<Type>) {
      const Type options{};
      const auto add = [&](const auto& field) {
        using Member = typename std::remove_cvref_t<decltype(field)>::Type;
        slots.push_back({field.name, default_object(options.*field.member), &typeid(Member)});
      };
      std::apply([&](const auto&... field) { (add(field), ...); }, kFields<Type>);
    } else {
      slots.push_back({nullptr, {}, &typeid(Type)});
    }
  }

  Places places_;
};

// ---- what nanobind calls

/// nb::handle, for each number.
template <size_t>
using Handle = nb::handle;

template <class Function, class Types, class Indices>
struct Bound;
template <class Function, class Types, size_t... I>
struct Bound<Function, Types, std::index_sequence<I...>> {
  Function function;
  Caller<Types> caller;

  auto operator()(Handle<I>... objects) const {
    std::array<nb::handle, sizeof...(I) + 1> given = {objects..., nb::handle()};
    return give_result_of([&] { return caller.call(given.data(), function); });
  }
};

template <class Class, class Function, class Types, class Indices>
struct BoundMethod;
template <class Class, class Function, class Types, size_t... I>
struct BoundMethod<Class, Function, Types, std::index_sequence<I...>> {
  Function function;
  Caller<Types> caller;

  auto operator()(Class& self, Handle<I>... objects) const {
    std::array<nb::handle, sizeof...(I) + 1> given = {objects..., nb::handle()};
    return give_result_of([&] {
      return caller.call(given.data(),
                         [&](const auto&... values) { return std::invoke(function, self, values...); });
    });
  }
};

/// `make` gives what the object is made of.
template <class Class, class Make, class Types, class Indices>
struct BoundConstructor;
template <class Class, class Make, class Types, size_t... I>
struct BoundConstructor<Class, Make, Types, std::index_sequence<I...>> {
  Make make;
  Caller<Types> caller;

  void operator()(Class* self, Handle<I>... objects) const {
    std::array<nb::handle, sizeof...(I) + 1> given = {objects..., nb::handle()};
    caller.call(given.data(), [&](const auto&... values) { new (self) Class(make(values...)); });
  }
};

template <size_t N, class Types>
constexpr size_t kNumArguments = N == Caller<Types>::kNumParameters ? Caller<Types>::kNumSlots : N;

/// Defines what `make_bound` makes in a module or class. `docstring`: null for what the header says.
template <class Types, size_t N, class Scope, class MakeBound>
void define(Scope& scope, const char* name, std::vector<Argument> arguments, const char* docstring,
            const MakeBound& make_bound) {
  const std::string path = path_of(scope, std::strcmp(name, "__init__") == 0 ? nullptr : name);
  const Caller<Types> caller(path, arguments);
  if (docstring == nullptr) docstring = docstring_of(path);
  const auto define_with = [&]<size_t... I>(std::index_sequence<I...> indices) {
    const auto bound = make_bound(caller, indices);
    if (docstring == nullptr) {
      scope.def(name, bound, spelled(arguments[I])...);
    } else {
      scope.def(name, bound, spelled(arguments[I])..., docstring);
    }
  };
  define_with(std::make_index_sequence<kNumArguments<N, Types>>());
}

// ---- for tables. `arguments` are those of the parameters, behind which the fields of options follow; or
// all. Without `docstring` the public header's words are the docstring.

/// A function of the language, or one that adapts it.
template <class Function, size_t N>
void bind(nb::module_& m, const char* name, Function function, const Argument (&arguments)[N],
          const char* docstring = nullptr) {
  using Types = typename Signature<Function>::Types;
  define<Types, N>(m, name, {arguments, arguments + N}, docstring,
                   [&]<class Indices>(const Caller<Types>& caller, Indices) {
                     return Bound<Function, Types, Indices>{function, caller};
                   });
}
template <class Function>
void bind(nb::module_& m, const char* name, Function function) {
  using Types = typename Signature<Function>::Types;
  define<Types, 0>(m, name, {}, nullptr, [&]<class Indices>(const Caller<Types>& caller, Indices) {
    return Bound<Function, Types, Indices>{function, caller};
  });
}

/// A method of the language, or a function that takes the object first.
template <class Function, size_t N, class Class, class... Bases>
void bind_method(nb::class_<Class, Bases...>& type, const char* name, Function function,
                 const Argument (&arguments)[N], const char* docstring = nullptr) {
  using Types = MethodTypes<Function>;
  define<Types, N>(type, name, {arguments, arguments + N}, docstring,
                   [&]<class Indices>(const Caller<Types>& caller, Indices) {
                     return BoundMethod<Class, Function, Types, Indices>{function, caller};
                   });
}
template <class Function, class Class, class... Bases>
void bind_method(nb::class_<Class, Bases...>& type, const char* name, Function function) {
  using Types = MethodTypes<Function>;
  define<Types, 0>(type, name, {}, nullptr, [&]<class Indices>(const Caller<Types>& caller, Indices) {
    return BoundMethod<Class, Function, Types, Indices>{function, caller};
  });
}

/// A constructor; `make` gives the object, or what a constructor of one argument takes.
template <class Make, size_t N, class Class, class... Bases>
void bind_constructor(nb::class_<Class, Bases...>& type, Make make, const Argument (&arguments)[N]) {
  using Types = typename Signature<Make>::Types;
  define<Types, N>(type, "__init__", {arguments, arguments + N}, nullptr,
                   [&]<class Indices>(const Caller<Types>& caller, Indices) {
                     return BoundConstructor<Class, Make, Types, Indices>{make, caller};
                   });
}
/// The constructor that takes these types.
template <class Class, class... Types, size_t N, class... Bases>
void bind_constructor_of(nb::class_<Class, Bases...>& type, const Argument (&arguments)[N]) {
  bind_constructor(type, [](const Types&... values) { return Class(values...); }, arguments);
}

}  // namespace flowray::python
