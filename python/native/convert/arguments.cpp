#include "native/convert/arguments.h"

#include <fmt/format.h>

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

[[noreturn]] void throw_wrong_table(const char* function, const char* what) {
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

Argument text(Argument argument, std::string (*convert)(nb::handle value)) {
  argument.text = convert;
  return argument;
}

Argument checked(Argument argument, void (*check)(nb::handle value)) {
  argument.check = check;
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

Places find_places(const char* function, std::vector<Argument>& arguments, size_t num_parameters,
                   const std::vector<const char*>& fields, const std::vector<nb::object>& defaults) {
  if (arguments.size() == num_parameters) arguments.insert(arguments.end(), fields.begin(), fields.end());
  Places places;
  places.fields.fill(Places::kNone);
  size_t parameter = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Argument& argument = arguments[i];
    const int8_t place = static_cast<int8_t>(i);
    if (argument.check != nullptr) places.checks.push_back({place, argument.check});
    if (argument.role == Argument::Role::kIgnored) continue;
    if (argument.role == Argument::Role::kOlderName) {
      const char* const both = argument.refuses_both ? argument.name : nullptr;
      places.older.push_back({place, place_of(arguments, argument.of), argument.of, both});
      continue;
    }
    const char* const name = argument.field == nullptr ? argument.name : argument.field;
    size_t field = 0;
    while (field < fields.size() && std::strcmp(fields[field], name) != 0) ++field;
    if (field == fields.size()) {
      if (parameter == num_parameters) throw_wrong_table(function, argument.name);
      places.parameters[parameter++] = place;
      continue;
    }
    places.fields[field] = place;
    if (!argument.value.is_valid() && !argument.is_required) argument.value = defaults[field];
    const bool is_none = argument.value.is_valid() && argument.value.is_none();
    places.none_is_default[field] = (is_none && !argument.none_is_value) || argument.none_is_default;
    places.texts[field] = argument.text;
  }
  if (parameter != num_parameters) throw_wrong_table(function, "too few");
  return places;
}

void prepare(const Places& places, nb::handle* given) {
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
