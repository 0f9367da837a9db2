#pragma once
/// What is read from and written into files: contents, checkpoints, summaries.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_file_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// SaveV2, RestoreV2, MergeV2Checkpoints, ShardedFilename.
void register_checkpoint_ops(graph::OpTable& table);
/// ReadFile, WriteFile, MatchingFiles.
void register_file_contents_ops(graph::OpTable& table);
/// DecodeWav, EncodeWav.
void register_sound_file_ops(graph::OpTable& table);
/// ScalarSummary, HistogramSummary, MergeSummary, TensorSummary, TensorSummaryV2.
void register_summary_ops(graph::OpTable& table);
/// ImageSummary, AudioSummaryV2.
void register_media_summary_ops(graph::OpTable& table);

}  // namespace flowray::ops
