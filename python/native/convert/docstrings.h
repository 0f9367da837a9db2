#pragma once
/// What the public headers say of functions, classes and methods, for docstrings.

#include <string_view>

namespace flowray::python {

/// The comment above a declaration below flowray::tf, such as "nn.relu" or "FIFOQueue";
/// null where there is none.
const char* docstring_of(std::string_view name);

}  // namespace flowray::python
