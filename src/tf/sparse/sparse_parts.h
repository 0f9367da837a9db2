#pragma once
/// What functions of sparse tensors share.

#include <flowray/tf/sparse_tensor.h>

#include "tf/build/apply_op.h"

#include <string_view>
#include <vector>

namespace flowray::tf {

/// Throws ValueError for one that stands for none, and names it.
void check_sparse_set(const SparseTensor& tensor, std::string_view argument);

/// The node of one op, as its outputs.
inline std::vector<Tensor> outputs_of(const OpCall& call) { return Operation(apply_op_node(call)).outputs(); }

}  // namespace flowray::tf
