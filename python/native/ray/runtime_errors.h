#pragma once
/// The runtime's errors as the exceptions of flowray.ray.exceptions.

#include "native/convert/convert.h"

#include <flowray/ray/backend.h>
#include <flowray/ray/errors.h>

namespace flowray::python {

/// Raises the exception that an error value stands for.
[[noreturn]] void raise_error_value(const ray::internal::ValueView& error);
/// A GetTimeoutError.
[[noreturn]] void raise_timeout();
/// What a worker sends for a Python exception.
ray::RemoteFailure remote_failure(nb::handle exception, nb::handle function_name);

}  // namespace flowray::python
