#pragma once
/// What programs read their data with: strings taken apart, files, tables, readers, images, datasets. What
/// each file of the family adds to the table.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All of the below.
void register_data_ops(graph::OpTable& table);

/// StringSplit, StringSplitV2, Substr, ReduceJoin.
void register_string_split_ops(graph::OpTable& table);
/// StringToHashBucket, StringToHashBucketFast, StringToHashBucketStrong.
void register_string_hash_ops(graph::OpTable& table);
/// DecodeRaw, DecodeBase64, EncodeBase64.
void register_string_bytes_ops(graph::OpTable& table);
/// DecodeCSV.
void register_decode_csv_ops(graph::OpTable& table);
/// ParseExample, ParseExampleV2.
void register_parse_example_ops(graph::OpTable& table);
/// Conditional accumulators and what is done with them.
void register_accumulator_ops(graph::OpTable& table);
/// HashTable, MutableHashTable and what is done with them.
void register_lookup_table_ops(graph::OpTable& table);
/// Datasets and iterators; also in dataset.h, dataset_iterator.h.
void register_dataset_source_ops(graph::OpTable& table);
void register_dataset_ops(graph::OpTable& table);
void register_dataset_batch_ops(graph::OpTable& table);
void register_dataset_function_ops(graph::OpTable& table);
void register_dataset_iterator_ops(graph::OpTable& table);
/// PyFunc, EagerPyFunc.
void register_python_function_ops(graph::OpTable& table);
/// Readers and what is done with them.
void register_reader_ops(graph::OpTable& table);
/// DecodeImage and one for each format, DecodeAndCropJpeg, EncodeJpeg, EncodePng, ExtractJpegShape.
void register_image_codec_ops(graph::OpTable& table);
/// ReadFile, WriteFile, MatchingFiles.
void register_file_contents_ops(graph::OpTable& table);

}  // namespace flowray::ops
