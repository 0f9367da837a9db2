#pragma once
/// The error for an op that is not registered, or not for graphs from this sender.

#include "graph/op_schema.h"
#include "wire/graph_def.h"

#include <span>
#include <string_view>

namespace flowray::graph {

/// Throws errors::NotFoundError "Op type not registered 'OP' in binary running on HOST. ...". The lines after
/// it say which node it is, which of `nodes` (those of its graph or function) take what it gives, and which
/// ops have names near to its, or `advice` where that is better.
[[noreturn]] void throw_unknown_op(const wire::NodeDef& node, std::span<const wire::NodeDef> nodes,
                                   const OpTable& ops, std::string_view advice = {});

}  // namespace flowray::graph
