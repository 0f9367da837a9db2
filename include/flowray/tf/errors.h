#pragma once
/// tf.errors: one class for each of TensorFlow's codes, and what Python raises as builtin exceptions.

#include <flowray/errors.h>

#pragma GCC visibility push(default)

namespace flowray::tf {

namespace errors = ::flowray::errors;
using ::flowray::AssertionError;
using ::flowray::Error;
using ::flowray::IndexError;
using ::flowray::KeyError;
using ::flowray::RuntimeError;
using ::flowray::TypeError;
using ::flowray::ValueError;

}  // namespace flowray::tf

#pragma GCC visibility pop
