#pragma once
/// Arguments that functions of tf.nn share.

#include "native/convert/convert.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <vector>

namespace flowray::python {

/// "SAME" or "VALID"; TypeError for what is not a string.
std::string padding_of(nb::handle padding);
/// One dimension or a list of them.
std::vector<int64_t> axes_of(nb::handle axes);

}  // namespace flowray::python
