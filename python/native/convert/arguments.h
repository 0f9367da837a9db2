#pragma once
/// The arguments of a Python function as a table, and what each of them fills in C++.

#include "native/convert/convert.h"

#include <array>
#include <functional>
#include <memory>
#include <typeinfo>
#include <vector>

namespace flowray::python {

/// An argument of a Python function that is listed.
struct Argument {
  enum class Role { kValue, kIgnored, kRefused, kOlderName };

  Argument(const char* argument) : name(argument) {}  // NOLINT: implicit, so that a list is of names
  /// With a default that is not the struct's. Where it is None, None stands for what the struct has.
  template <class Default>
  Argument(const char* argument, const Default& value) : name(argument), value(nb::cast(value)) {}

  const char* name;
  nb::object value = {};
  Role role = Role::kValue;
  /// The field that it fills where that has another name.
  const char* field = nullptr;
  /// For an argument under its older name: the name that it has now.
  const char* of = nullptr;
  /// For an argument under its older name: giving it under both names is a ValueError.
  bool refuses_both = false;
  bool is_required = false;
  /// None stands for what the struct has, whatever the default.
  bool none_is_default = false;
  /// None is converted, and does not stand for what the struct has.
  bool none_is_value = false;
  /// Throws where a value cannot be an argument of the function, before any is converted.
  void (*check)(nb::handle value) = nullptr;
  /// A std::function<T(nb::handle)> that converts it where its type does not say how, and T.
  std::shared_ptr<const void> convert = nullptr;
  const std::type_info* converts_to = nullptr;
};

/// The argument, which the caller has to give.
Argument required(Argument argument);
/// The argument, for which None means the struct's default.
Argument or_none(Argument argument);
/// The argument, which fills the field `field` of the struct.
Argument fills(Argument argument, const char* field);
/// The argument, for which None is a value of its own: Python has it as the default.
Argument none_too(Argument argument);
Argument checked(Argument argument, void (*check)(nb::handle value));
/// `convert` makes of Python's object exactly the type that the argument fills.
template <class Convert>
Argument converted(Argument argument, Convert convert) {
  using Type = decltype(convert(nb::handle()));
  argument.convert = std::make_shared<const std::function<Type(nb::handle)>>(std::move(convert));
  argument.converts_to = &typeid(Type);
  return argument;
}
/// What TensorFlow's function takes and nothing here depends on.
Argument ignored(Argument argument);
inline Argument ignored(const char* name) { return ignored({name, nb::none()}); }
template <class Default>
Argument ignored(const char* name, const Default& value) {
  return ignored(Argument(name, value));
}
/// What TensorFlow's function takes and the language lacks:
/// an UnimplementedError where it asks for something.
Argument refused(Argument argument);
inline Argument refused(const char* name) { return refused({name, nb::none()}); }
/// Stands for `of` where that is None.
Argument older(const char* name, const char* of);
/// The same, but both together are a ValueError.
Argument either(const char* name, const char* of);

/// What arguments fill: a parameter, or a field of a parameter that is a struct of options.
struct Slot {
  /// A field's; null for a parameter.
  const char* name;
  /// A field's.
  nb::object value;
  const std::type_info* type;
};

/// Which argument fills what, by number.
struct Places {
  static constexpr size_t kMost = 24;
  static constexpr int8_t kNone = -1;
  /// The argument of each slot.
  std::array<int8_t, kMost> arguments;
  /// For each slot: whether None means the struct's default.
  std::array<bool, kMost> none_is_default = {};
  /// What converts each argument (see Argument), or null; empty where all are null.
  std::vector<std::shared_ptr<const void>> converts = {};
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
  struct Refused {
    int8_t argument;
    const char* name;
    /// The function's name in errors: "tf.layers.dense".
    std::string function;
  };
  std::vector<Refused> refused = {};
};

/// What is below the native module, as programs write it: "nn.relu" for relu of flowray._native.nn,
/// "Variable" for the class of that name.
std::string path_of(nb::handle scope, const char* name);

/// Finds the places of `arguments`, behind which the fields follow where there are just those of the
/// parameters, and sets those defaults that are the structs'. Throws std::logic_error for a table that does
/// not fit the slots.
Places find_places(const std::string& function, std::vector<Argument>& arguments,
                   const std::vector<Slot>& slots);
/// Puts what older names were given in its place, and carries out the checks.
void prepare(const Places& places, nb::handle* given);

/// In nanobind's words. An argument without default has one that is null.
inline auto spelled(const Argument& argument) {
  return decltype("x"_a = nb::none())(nb::arg(argument.name).none(), nb::object(argument.value));
}

}  // namespace flowray::python
