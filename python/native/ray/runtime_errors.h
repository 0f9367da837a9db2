#pragma once
/// The runtime's errors as the exceptions of flowray.ray.exceptions.

#include "native/convert/convert.h"

#include <flowray/ray/backend.h>

namespace flowray::python {

/// Raises the exception that an error value stands for.
[[noreturn]] void raise_error_value(const ray::internal::ValueView& error);
/// A GetTimeoutError.
[[noreturn]] void raise_timeout();
/// Throws what a worker sends for the Python exception that was caught.
[[noreturn]] void throw_remote_failure(nb::python_error& error, nb::handle function_name);

}  // namespace flowray::python
