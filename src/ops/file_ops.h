#pragma once
/// What ops write into files and messages: what each file of the family adds to the table.

#include "graph/op_schema.h"

namespace flowray::ops {

/// SaveV2, RestoreV2, MergeV2Checkpoints, ShardedFilename.
void register_checkpoint_ops(graph::OpTable& table);

}  // namespace flowray::ops
