#pragma once
/// Strings, and values shown as text.

#include "graph/op_schema.h"

namespace flowray::ops {

/// All ops of the files in this folder.
void register_text_family(graph::OpTable& table);

// The share of each file; register.cpp calls them.

/// Assert, Print, PrintV2, CheckNumerics, Timestamp.
void register_debugging_ops(graph::OpTable& table);
/// StaticRegexFullMatch, RegexFullMatch, StaticRegexReplace, RegexReplace.
void register_regex_ops(graph::OpTable& table);
/// StringJoin, StringFormat, AsString, StringToNumber,
/// StringLower, StringUpper, StringStrip, StringLength.
void register_string_ops(graph::OpTable& table);
/// DecodeRaw, DecodeBase64, EncodeBase64.
void register_string_bytes_ops(graph::OpTable& table);
/// UnsortedSegmentJoin, StringNGrams.
void register_string_group_ops(graph::OpTable& table);
/// StringToHashBucket, StringToHashBucketFast, StringToHashBucketStrong.
void register_string_hash_ops(graph::OpTable& table);
/// StringSplit, StringSplitV2, Substr, ReduceJoin.
void register_string_split_ops(graph::OpTable& table);
/// SerializeTensor, ParseTensor.
void register_tensor_bytes_ops(graph::OpTable& table);

}  // namespace flowray::ops
