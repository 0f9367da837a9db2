#pragma once
/// Attributes that name other nodes of the graph, before whose names import puts its prefix, or functions of
/// its library.

#include <string_view>

namespace flowray::graph {

/// Nodes to stand with, as "loc:@NAME".
inline constexpr std::string_view kColocation = "_class";
/// Attribute of an extension (engine/step/extended_calls.h): the calls whose results it gives, too.
inline constexpr std::string_view kExtendedCalls = "_extends_call";
/// Attribute of a SymbolicGradient: the library's function that is the gradient of the one it names.
inline constexpr std::string_view kGradientFunction = "_gradient_function";

}  // namespace flowray::graph
