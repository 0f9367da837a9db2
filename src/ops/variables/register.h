#pragma once
/// Variables, their rows, and the updates of training.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_variables_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// ScatterAdd, ..., ResourceScatterAdd, ...: rows of variables.
void register_scatter_ops(graph::OpTable& table);
/// VariableV2, Assign, ...; VarHandleOp, ReadVariableOp, AssignVariableOp, ...
void register_state_ops(graph::OpTable& table);
/// ApplyGradientDescent, ResourceApplyGradientDescent, ...
void register_training_ops(graph::OpTable& table);

}  // namespace flowray::ops
