#pragma once
/// Functions of a Python process that steps call.

#include <flowray/array.h>

#include <string>
#include <string_view>
#include <vector>

namespace flowray::ops {

/// Calls the function that is registered as `token`. Throws errors::OpError for what it raises, and where
/// there is none.
using PythonFunctionCaller = std::vector<Array> (*)(const std::string& token,
                                                    const std::vector<Array>& inputs);

/// Whether nodes of that op call such functions.
bool calls_python(std::string_view op);

/// Set once, by the Python door; without it there are no such functions.
void set_python_function_caller(PythonFunctionCaller caller);

}  // namespace flowray::ops
