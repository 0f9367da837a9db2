#pragma once
/// Functions of datasets that keep something beside what they give.

#include "graph/exchange/function_library.h"
#include "graph/op_schema.h"

#include <string>

namespace flowray::ops {

/// The first op with a state that a function runs, or those that it calls do: RandomUniform. Empty where
/// there is none. Lookups in tables, assertions and ops that make datasets do not count. `attr`: an AttrValue
/// message that names the function.
std::string stateful_op_of(const std::string& attr, const graph::FunctionLibrary& library,
                           const graph::OpTable& ops);

}  // namespace flowray::ops
