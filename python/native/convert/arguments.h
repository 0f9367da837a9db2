#pragma once
/// The arguments of a Python function as a table, and what each of them fills in C++.

#include "native/convert/convert.h"

#include <array>
#include <vector>

namespace flowray::python {

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

/// In nanobind's words. An argument without default has one that is null.
inline auto spelled(const Argument& argument) {
  return decltype("x"_a = nb::none())(nb::arg(argument.name).none(), nb::object(argument.value));
}

}  // namespace flowray::python
