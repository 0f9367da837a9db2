#pragma once
/// custom_getter of variable scopes.

#include "native/convert/convert.h"

#include <fmt/format.h>

#include <utility>

namespace flowray::python {

/// On its way to tf.get_variable: a custom getter's value that is not a variable. A layer that asked for one
/// ends with these words.
struct NoVariable : TypeError {
  explicit NoVariable(nb::object object)
      : TypeError(fmt::format("A layer wants a variable, but the custom getter gave {}.\n"
                              "Only tf.get_variable gives on what is not a variable.",
                              nb::repr(object).c_str())),
        given(std::move(object)) {}
  nb::object given;
};

void bind_custom_getters(nb::module_& m);

}  // namespace flowray::python
