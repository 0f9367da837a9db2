#pragma once
/// The list of op families: each folder of this room has a register.h with one function that adds its ops to
/// a table. Which comes first does not matter: the table is by name.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops that Flowray has; made on first use.
const graph::OpTable& op_table();

}  // namespace flowray::ops
