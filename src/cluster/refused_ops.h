#pragma once
/// Ops that a graph may have in the process that made it, and not in one that it was sent to.

#include "graph/op_schema.h"
#include "wire/graph_def.h"

namespace flowray::cluster {

/// Throws errors::NotFoundError, as for an op that is not there, if a node of `graph_def` or of a function of
/// its library calls a function of the program by its name (PyFunc, EagerPyFunc):
/// a client could name another's.
void refuse_calls_of_program(const wire::GraphDef& graph_def, const graph::OpTable& ops);

}  // namespace flowray::cluster
