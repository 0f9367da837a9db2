#pragma once
/// What ops write into files and messages: what each file of the family adds to the table.

#include "graph/op_schema.h"

namespace flowray::ops {

/// SaveV2, RestoreV2, MergeV2Checkpoints, ShardedFilename.
void register_checkpoint_ops(graph::OpTable& table);
/// ScalarSummary, HistogramSummary, MergeSummary, TensorSummary, TensorSummaryV2.
void register_summary_ops(graph::OpTable& table);
/// ImageSummary, AudioSummaryV2.
void register_media_summary_ops(graph::OpTable& table);

}  // namespace flowray::ops
