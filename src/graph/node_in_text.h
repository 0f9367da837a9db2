#pragma once
/// Errors whose text names the node in the middle: shape functions and kernels do not know it.

#include <string_view>

namespace flowray::graph {

/// Stands in an error's text for the node's name, until rethrow_with_node() (graph/kernel/evaluate.h) puts
/// it in.
inline constexpr std::string_view kNodeInText = "{{its name}}";

}  // namespace flowray::graph
