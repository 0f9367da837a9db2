#pragma once
/// The list of op families: each file of this room exports one function that adds its ops to a table.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops that Flowray has; made on first use.
const graph::OpTable& op_table();

}  // namespace flowray::ops
