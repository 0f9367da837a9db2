#pragma once
/// Waiting for values from Python: without the interpreter's lock, and ended by ^C in a driver.

#include "native/ray/codec.h"

namespace flowray::python {

/// Waits for the value; raises the error that it is.
nb::object value_of(const Ref& ref);
/// Whether this process runs calls for a driver.
bool is_worker();

}  // namespace flowray::python
