#pragma once
/// The name that stands before what a worker prints, where the driver shows it.

#include <string_view>

namespace flowray::python {

/// In a worker, before its first call.
void begin_output();
/// A task begins; its output has this name from now on. All with the interpreter's lock.
void name_output(std::string_view name);
/// The same, at once: for an actor that says what it is called.
void name_output_for_good(std::string_view name);

}  // namespace flowray::python
