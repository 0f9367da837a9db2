#pragma once
/// Branches, loops, functions, lists, stacks, transfers between devices.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_flow_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

void register_control_flow_ops(graph::OpTable& table);
void register_functional_ops(graph::OpTable& table);
void register_optional_ops(graph::OpTable& table);
/// PyFunc, EagerPyFunc.
void register_program_function_ops(graph::OpTable& table);
void register_stack_ops(graph::OpTable& table);
void register_tensor_array_ops(graph::OpTable& table);
void register_tensor_list_ops(graph::OpTable& table);
/// _Send, _Recv, _HostSend, _HostRecv.
void register_transfer_ops(graph::OpTable& table);

}  // namespace flowray::ops
