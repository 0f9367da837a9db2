#pragma once

#include <flowray/ray/python.h>

#include <optional>

namespace flowray::ray {

/// Python's functions are not registered: their ids tell what is to be done, and the arguments of a call
/// which function it is. The id that `key` stands for: the runtime counts calls by it.
FunctionId python_function_id(internal::PythonCall kind, uint64_t key);
/// Nothing for a C++ function.
std::optional<internal::PythonCall> python_call_of(FunctionId function);

}  // namespace flowray::ray
