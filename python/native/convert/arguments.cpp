#include "native/convert/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace flowray::python {
namespace {

int8_t place_of(const std::vector<Argument>& arguments, const char* name) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (std::strcmp(arguments[i].name, name) == 0) return static_cast<int8_t>(i);
  }
  return Places::kNone;
}

[[noreturn]] void throw_wrong_table(const std::string& function, const char* what) {
  throw std::logic_error(fmt::format("The table of {}'s arguments: {}", function, what));
}

}  // namespace

Argument required(Argument argument) {
  argument.value = {};
  argument.is_required = true;
  return argument;
}

Argument or_none(Argument argument) {
  argument.none_is_default = true;
  return argument;
}

Argument fills(Argument argument, const char* field) {
  argument.field = field;
  return argument;
}

Argument none_too(Argument argument) {
  argument.none_is_value = true;
  return argument;
}

Argument checked(Argument argument, void (*check)(nb::handle value)) {
  argument.check = check;
  return argument;
}

Argument ignored(Argument argument) {
  argument.role = Argument::Role::kIgnored;
  return argument;
}

Argument refused(Argument argument) {
  argument.role = Argument::Role::kRefused;
  return argument;
}

Argument older(const char* name, const char* of) {
  Argument argument(name, nb::none());
  argument.role = Argument::Role::kOlderName;
  argument.of = of;
  return argument;
}

Argument either(const char* name, const char* of) {
  Argument argument = older(name, of);
  argument.refuses_both = true;
  return argument;
}

std::string path_of(nb::handle scope, const char* name) {
  const bool is_class = PyType_Check(scope.ptr()) != 0;
  std::string path = as_text(nb::object(scope.attr(is_class ? "__module__" : "__name__")));
  path.erase(0, std::strlen("flowray._native"));
  if (is_class) path += "." + as_text(nb::object(scope.attr("__name__")));
  if (name != nullptr) path.append(".").append(name);
  return path.substr(1);
}

Places find_places(const std::string& function, std::vector<Argument>& arguments,
                   const std::vector<Slot>& slots) {
  std::vector<size_t> parameters;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].name == nullptr) parameters.push_back(i);
  }
  if (arguments.size() == parameters.size()) {
    for (const Slot& slot : slots) {
      if (slot.name != nullptr) arguments.emplace_back(slot.name);
    }
  }
  if (std::max(arguments.size(), slots.size()) > Places::kMost) throw_wrong_table(function, "too many");
  Places places;
  places.arguments.fill(Places::kNone);
  size_t parameter = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Argument& argument = arguments[i];
    const int8_t place = static_cast<int8_t>(i);
    if (argument.check != nullptr) places.checks.push_back({place, argument.check});
    if (argument.role == Argument::Role::kIgnored) continue;
    if (argument.role == Argument::Role::kRefused) {
      places.refused.push_back({place, argument.name, "tf." + function});
      continue;
    }
    if (argument.role == Argument::Role::kOlderName) {
      const char* const both = argument.refuses_both ? argument.name : nullptr;
      places.older.push_back({place, place_of(arguments, argument.of), argument.of, both});
      continue;
    }
    const char* const name = argument.field == nullptr ? argument.name : argument.field;
    size_t slot = 0;
    while (slot < slots.size() && (slots[slot].name == nullptr || std::strcmp(slots[slot].name, name) != 0))
      ++slot;
    const bool is_field = slot < slots.size();
    if (!is_field) {
      if (parameter == parameters.size()) throw_wrong_table(function, argument.name);
      slot = parameters[parameter++];
    }
    places.arguments[slot] = place;
    if (argument.convert != nullptr) {
      if (*argument.converts_to != *slots[slot].type) throw_wrong_table(function, argument.name);
      places.converts.resize(arguments.size());
      places.converts[i] = argument.convert;
    }
    if (!is_field) continue;
    if (!argument.value.is_valid() && !argument.is_required) argument.value = slots[slot].value;
    const bool is_none = argument.value.is_valid() && argument.value.is_none();
    places.none_is_default[slot] = (is_none && !argument.none_is_value) || argument.none_is_default;
  }
  if (parameter != parameters.size()) throw_wrong_table(function, "too few");
  return places;
}

void prepare(const Places& places, nb::handle* given) {
  for (const Places::Refused& refused : places.refused)
    refuse(given[refused.argument], refused.function.c_str(), refused.name);
  for (const Places::Older& older : places.older) {
    if (given[older.argument].is_none()) continue;
    if (given[older.of].is_none()) {
      given[older.of] = given[older.argument];
    } else if (older.refused != nullptr) {
      throw ValueError(fmt::format("Cannot specify both '{}' and '{}'.", older.refused, older.name));
    }
  }
  for (const Places::Check& check : places.checks) check.check(given[check.argument]);
}

}  // namespace flowray::python
