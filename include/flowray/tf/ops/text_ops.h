#pragma once
/// Functions of single ops: strings. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

struct AsStringOptions {
  int64_t precision = -1;
  bool scientific = false;
  bool shortest = false;
  int64_t width = -1;
  std::string fill = {};
  /// Of the node; empty: "AsString".
  std::string name = {};
};
/// input:T -> output:string
inline Tensor AsString(const Input& input, const AsStringOptions& options = {}) {
  const Operation op = internal::make("AsString", options.name, {input},
                                      {{"precision", options.precision},
                                       {"scientific", options.scientific},
                                       {"shortest", options.shortest},
                                       {"width", options.width},
                                       {"fill", options.fill}},
                                      {});
  return internal::output(op, 0);
}

struct AssertOptions {
  int64_t summarize = 3;
  /// Of the node; empty: "Assert".
  std::string name = {};
};
/// condition:bool, data:[T] ->
inline Operation Assert(const Input& condition, const List<Input>& data, const AssertOptions& options = {}) {
  const Operation op = internal::make("Assert", options.name, {condition, data.items()},
                                      {{"summarize", options.summarize}}, {});
  return op;
}

/// tensor:T -> output:T
inline Tensor CheckNumerics(const Input& tensor, const std::string& message, const NameOption& options = {}) {
  const Operation op = internal::make("CheckNumerics", options.name, {tensor}, {{"message", message}}, {});
  return internal::output(op, 0);
}

/// tensor:T -> output:T
inline Tensor CheckNumericsV2(const Input& tensor, const std::string& message,
                              const NameOption& options = {}) {
  const Operation op = internal::make("CheckNumericsV2", options.name, {tensor}, {{"message", message}}, {});
  return internal::output(op, 0);
}

/// input:string -> output:string
inline Tensor DecodeBase64(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("DecodeBase64", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

struct DecodeRawOptions {
  bool little_endian = true;
  /// Of the node; empty: "DecodeRaw".
  std::string name = {};
};
/// bytes:string -> output:out_type
/// `out_type`: the dtype of `output`. One of float16, float32, float64, int32, uint16, uint8, int16, int8,
/// int64, complex64, complex128, bool, bfloat16.
inline Tensor DecodeRaw(const Input& bytes, DType out_type, const DecodeRawOptions& options = {}) {
  const Operation op = internal::make("DecodeRaw", options.name, {bytes},
                                      {{"out_type", out_type}, {"little_endian", options.little_endian}}, {});
  return internal::output(op, 0);
}

struct EncodeBase64Options {
  bool pad = false;
  /// Of the node; empty: "EncodeBase64".
  std::string name = {};
};
/// input:string -> output:string
inline Tensor EncodeBase64(const Input& input, const EncodeBase64Options& options = {}) {
  const Operation op = internal::make("EncodeBase64", options.name, {input}, {{"pad", options.pad}}, {});
  return internal::output(op, 0);
}

/// serialized:string -> output:out_type
/// `out_type`: the dtype of `output`.
inline Tensor ParseTensor(const Input& serialized, DType out_type, const NameOption& options = {}) {
  const Operation op =
      internal::make("ParseTensor", options.name, {serialized}, {{"out_type", out_type}}, {});
  return internal::output(op, 0);
}

struct PrintOptions {
  std::string message = {};
  int64_t first_n = -1;
  int64_t summarize = 3;
  /// Of the node; empty: "Print".
  std::string name = {};
};
/// input:T, data:[U] -> output:T
inline Tensor Print(const Input& input, const List<Input>& data, const PrintOptions& options = {}) {
  const Operation op = internal::make(
      "Print", options.name, {input, data.items()},
      {{"message", options.message}, {"first_n", options.first_n}, {"summarize", options.summarize}}, {});
  return internal::output(op, 0);
}

struct PrintV2Options {
  std::string output_stream = "stderr";
  std::string end = "\n";
  /// Of the node; empty: "PrintV2".
  std::string name = {};
};
/// input:string ->
inline Operation PrintV2(const Input& input, const PrintV2Options& options = {}) {
  const Operation op = internal::make("PrintV2", options.name, {input},
                                      {{"output_stream", options.output_stream}, {"end", options.end}}, {});
  return op;
}

struct ReduceJoinOptions {
  bool keep_dims = false;
  std::string separator = {};
  /// Of the node; empty: "ReduceJoin".
  std::string name = {};
};
/// inputs:string, reduction_indices:int32 -> output:string
inline Tensor ReduceJoin(const Input& inputs, const Input& reduction_indices,
                         const ReduceJoinOptions& options = {}) {
  const Operation op =
      internal::make("ReduceJoin", options.name, {inputs, reduction_indices},
                     {{"keep_dims", options.keep_dims}, {"separator", options.separator}}, {});
  return internal::output(op, 0);
}

/// input:string, pattern:string -> output:bool
inline Tensor RegexFullMatch(const Input& input, const Input& pattern, const NameOption& options = {}) {
  const Operation op = internal::make("RegexFullMatch", options.name, {input, pattern}, {}, {});
  return internal::output(op, 0);
}

struct RegexReplaceOptions {
  bool replace_global = true;
  /// Of the node; empty: "RegexReplace".
  std::string name = {};
};
/// input:string, pattern:string, rewrite:string -> output:string
inline Tensor RegexReplace(const Input& input, const Input& pattern, const Input& rewrite,
                           const RegexReplaceOptions& options = {}) {
  const Operation op = internal::make("RegexReplace", options.name, {input, pattern, rewrite},
                                      {{"replace_global", options.replace_global}}, {});
  return internal::output(op, 0);
}

/// tensor:T -> serialized:string
inline Tensor SerializeTensor(const Input& tensor, const NameOption& options = {}) {
  const Operation op = internal::make("SerializeTensor", options.name, {tensor}, {}, {});
  return internal::output(op, 0);
}

/// input:string -> output:bool
inline Tensor StaticRegexFullMatch(const Input& input, const std::string& pattern,
                                   const NameOption& options = {}) {
  const Operation op =
      internal::make("StaticRegexFullMatch", options.name, {input}, {{"pattern", pattern}}, {});
  return internal::output(op, 0);
}

struct StaticRegexReplaceOptions {
  bool replace_global = true;
  /// Of the node; empty: "StaticRegexReplace".
  std::string name = {};
};
/// input:string -> output:string
inline Tensor StaticRegexReplace(const Input& input, const std::string& pattern, const std::string& rewrite,
                                 const StaticRegexReplaceOptions& options = {}) {
  const Operation op = internal::make(
      "StaticRegexReplace", options.name, {input},
      {{"pattern", pattern}, {"rewrite", rewrite}, {"replace_global", options.replace_global}}, {});
  return internal::output(op, 0);
}

struct StringFormatOptions {
  std::string template_ = "%s";
  std::string placeholder = "%s";
  int64_t summarize = 3;
  /// Of the node; empty: "StringFormat".
  std::string name = {};
};
/// inputs:[T] -> output:string
inline Tensor StringFormat(const List<Input>& inputs, const StringFormatOptions& options = {}) {
  const Operation op = internal::make("StringFormat", options.name, {inputs.items()},
                                      {{"template", options.template_},
                                       {"placeholder", options.placeholder},
                                       {"summarize", options.summarize}},
                                      {});
  return internal::output(op, 0);
}

struct StringJoinOptions {
  std::string separator = {};
  /// Of the node; empty: "StringJoin".
  std::string name = {};
};
/// inputs:N*string -> output:string
inline Tensor StringJoin(const List<Input>& inputs, const StringJoinOptions& options = {}) {
  const Operation op =
      internal::make("StringJoin", options.name, {inputs.items()}, {{"separator", options.separator}}, {});
  return internal::output(op, 0);
}

struct StringLengthOptions {
  /// One of "BYTE", "UTF8_CHAR".
  std::string unit = "BYTE";
  /// Of the node; empty: "StringLength".
  std::string name = {};
};
/// input:string -> output:int32
inline Tensor StringLength(const Input& input, const StringLengthOptions& options = {}) {
  const Operation op = internal::make("StringLength", options.name, {input}, {{"unit", options.unit}}, {});
  return internal::output(op, 0);
}

struct StringLowerOptions {
  std::string encoding = {};
  /// Of the node; empty: "StringLower".
  std::string name = {};
};
/// input:string -> output:string
inline Tensor StringLower(const Input& input, const StringLowerOptions& options = {}) {
  const Operation op =
      internal::make("StringLower", options.name, {input}, {{"encoding", options.encoding}}, {});
  return internal::output(op, 0);
}

/// What StringNGrams gives.
struct StringNGramsResult {
  Tensor ngrams;
  Tensor ngrams_splits;
};
/// data:string, data_splits:Tsplits -> ngrams:string, ngrams_splits:Tsplits
inline StringNGramsResult StringNGrams(const Input& data, const Input& data_splits,
                                       const std::string& separator, const std::vector<int64_t>& ngram_widths,
                                       const std::string& left_pad, const std::string& right_pad,
                                       int64_t pad_width, bool preserve_short_sequences,
                                       const NameOption& options = {}) {
  const Operation op = internal::make("StringNGrams", options.name, {data, data_splits},
                                      {{"separator", separator},
                                       {"ngram_widths", ngram_widths},
                                       {"left_pad", left_pad},
                                       {"right_pad", right_pad},
                                       {"pad_width", pad_width},
                                       {"preserve_short_sequences", preserve_short_sequences}},
                                      {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What StringSplit gives.
struct StringSplitResult {
  Tensor indices;
  Tensor values;
  Tensor shape;
};
struct StringSplitOptions {
  bool skip_empty = true;
  /// Of the node; empty: "StringSplit".
  std::string name = {};
};
/// input:string, delimiter:string -> indices:int64, values:string, shape:int64
inline StringSplitResult StringSplit(const Input& input, const Input& delimiter,
                                     const StringSplitOptions& options = {}) {
  const Operation op = internal::make("StringSplit", options.name, {input, delimiter},
                                      {{"skip_empty", options.skip_empty}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// What StringSplitV2 gives.
struct StringSplitV2Result {
  Tensor indices;
  Tensor values;
  Tensor shape;
};
struct StringSplitV2Options {
  int64_t maxsplit = -1;
  /// Of the node; empty: "StringSplitV2".
  std::string name = {};
};
/// input:string, sep:string -> indices:int64, values:string, shape:int64
inline StringSplitV2Result StringSplitV2(const Input& input, const Input& sep,
                                         const StringSplitV2Options& options = {}) {
  const Operation op =
      internal::make("StringSplitV2", options.name, {input, sep}, {{"maxsplit", options.maxsplit}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

/// input:string -> output:string
inline Tensor StringStrip(const Input& input, const NameOption& options = {}) {
  const Operation op = internal::make("StringStrip", options.name, {input}, {}, {});
  return internal::output(op, 0);
}

/// string_tensor:string -> output:int64
/// `num_buckets`: at least 1.
inline Tensor StringToHashBucket(const Input& string_tensor, int64_t num_buckets,
                                 const NameOption& options = {}) {
  const Operation op =
      internal::make("StringToHashBucket", options.name, {string_tensor}, {{"num_buckets", num_buckets}}, {});
  return internal::output(op, 0);
}

/// input:string -> output:int64
/// `num_buckets`: at least 1.
inline Tensor StringToHashBucketFast(const Input& input, int64_t num_buckets,
                                     const NameOption& options = {}) {
  const Operation op =
      internal::make("StringToHashBucketFast", options.name, {input}, {{"num_buckets", num_buckets}}, {});
  return internal::output(op, 0);
}

/// input:string -> output:int64
/// `num_buckets`: at least 1.
inline Tensor StringToHashBucketStrong(const Input& input, int64_t num_buckets,
                                       const std::vector<int64_t>& key, const NameOption& options = {}) {
  const Operation op = internal::make("StringToHashBucketStrong", options.name, {input},
                                      {{"num_buckets", num_buckets}, {"key", key}}, {});
  return internal::output(op, 0);
}

struct StringToNumberOptions {
  /// The dtype of `output`. One of float32, float64, int32, int64, uint32, uint64.
  DType out_type = DType::kFloat32;
  /// Of the node; empty: "StringToNumber".
  std::string name = {};
};
/// string_tensor:string -> output:out_type
inline Tensor StringToNumber(const Input& string_tensor, const StringToNumberOptions& options = {}) {
  const Operation op =
      internal::make("StringToNumber", options.name, {string_tensor}, {{"out_type", options.out_type}}, {});
  return internal::output(op, 0);
}

struct StringUpperOptions {
  std::string encoding = {};
  /// Of the node; empty: "StringUpper".
  std::string name = {};
};
/// input:string -> output:string
inline Tensor StringUpper(const Input& input, const StringUpperOptions& options = {}) {
  const Operation op =
      internal::make("StringUpper", options.name, {input}, {{"encoding", options.encoding}}, {});
  return internal::output(op, 0);
}

struct SubstrOptions {
  /// One of "BYTE", "UTF8_CHAR".
  std::string unit = "BYTE";
  /// Of the node; empty: "Substr".
  std::string name = {};
};
/// input:string, pos:T, len:T -> output:string
inline Tensor Substr(const Input& input, const Input& pos, const Input& len,
                     const SubstrOptions& options = {}) {
  const Operation op =
      internal::make("Substr", options.name, {input, pos, len}, {{"unit", options.unit}}, {});
  return internal::output(op, 0);
}

/// -> ts:float64
inline Tensor Timestamp(const NameOption& options = {}, Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("Timestamp", options.name, {}, {}, where);
  return internal::output(op, 0);
}

struct UnsortedSegmentJoinOptions {
  std::string separator = {};
  /// Of the node; empty: "UnsortedSegmentJoin".
  std::string name = {};
};
/// inputs:string, segment_ids:Tindices, num_segments:Tnumsegments -> output:string
inline Tensor UnsortedSegmentJoin(const Input& inputs, const Input& segment_ids, const Input& num_segments,
                                  const UnsortedSegmentJoinOptions& options = {}) {
  const Operation op =
      internal::make("UnsortedSegmentJoin", options.name, {inputs, segment_ids, num_segments},
                     {{"separator", options.separator}}, {});
  return internal::output(op, 0);
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
