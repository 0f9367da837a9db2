#pragma once
/// Attributes that name other nodes of the graph: import puts its prefix before the names.

#include <string_view>

namespace flowray::graph {

/// Nodes to stand with, as "loc:@NAME".
inline constexpr std::string_view kColocation = "_class";
/// Of an extension (engine/step/extended_calls.h): the calls whose results it gives too.
inline constexpr std::string_view kExtendedCalls = "_extends_call";

}  // namespace flowray::graph
