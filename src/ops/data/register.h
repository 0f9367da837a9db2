#pragma once
/// Datasets, their iterators, and the records they read.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_data_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// CSVDataset, CSVDatasetV2.
void register_csv_dataset_ops(graph::OpTable& table);
void register_dataset_batch_ops(graph::OpTable& table);
/// CacheDataset, CacheDatasetV2.
void register_dataset_cache_ops(graph::OpTable& table);
/// DirectedInterleaveDataset, RandomDataset.
void register_dataset_choice_ops(graph::OpTable& table);
void register_dataset_function_ops(graph::OpTable& table);
void register_dataset_group_ops(graph::OpTable& table);
void register_dataset_iterator_ops(graph::OpTable& table);
void register_dataset_ops(graph::OpTable& table);
/// ShuffleDataset, ShuffleDatasetV2, ShuffleDatasetV3.
void register_dataset_shuffle_ops(graph::OpTable& table);
/// Tensors, ranges, files and generators as datasets.
void register_dataset_source_ops(graph::OpTable& table);
/// DecodeCSV.
void register_decode_csv_ops(graph::OpTable& table);
/// ParseExample, ParseExampleV2.
void register_parse_example_ops(graph::OpTable& table);

}  // namespace flowray::ops
