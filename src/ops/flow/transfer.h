#pragma once

#include "graph/op_schema.h"

namespace flowray::ops {

/// _Send, _Recv, _HostSend, _HostRecv.
void register_transfer_ops(graph::OpTable& table);

}  // namespace flowray::ops
