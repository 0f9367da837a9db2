#pragma once
/// What a program's own functions make tensors of (tf.register_tensor_conversion_function).

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace flowray::python {

/// Has `function` asked about each argument except tensors, variables, numbers and texts: it gives a tensor,
/// or None.
void set_own_conversion(nb::object function);

/// What it gives; no object where there is no such function, or it gives None.
nb::object own_conversion_of(nb::handle object);

}  // namespace flowray::python
