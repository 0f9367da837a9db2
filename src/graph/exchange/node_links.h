#pragma once
/// Attributes that name other nodes of the graph, before whose names import puts its prefix, or functions of
/// its library.

#include <string_view>

namespace flowray::graph {

/// Nodes to stand with, as "loc:@NAME".
inline constexpr std::string_view kColocation = "_class";
/// Of an extension (engine/step/extended_calls.h): the calls whose results it gives too.
inline constexpr std::string_view kExtendedCalls = "_extends_call";
/// Of a SymbolicGradient: the function of the library that is the gradient of the one which it names.
inline constexpr std::string_view kGradientFunction = "_gradient_function";

}  // namespace flowray::graph
