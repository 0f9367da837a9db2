#pragma once
/// Functions of single ops: datasets and parsing. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

/// What AnonymousMemoryCache gives.
struct AnonymousMemoryCacheResult {
  Tensor handle;
  Tensor deleter;
};
/// -> handle:resource, deleter:variant
inline AnonymousMemoryCacheResult AnonymousMemoryCache(const NameOption& options = {},
                                                       Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("AnonymousMemoryCache", options.name, {}, {}, where);
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What AnonymousSeedGenerator gives.
struct AnonymousSeedGeneratorResult {
  Tensor handle;
  Tensor deleter;
};
/// seed:int64, seed2:int64, reshuffle:bool -> handle:resource, deleter:variant
inline AnonymousSeedGeneratorResult AnonymousSeedGenerator(const Input& seed, const Input& seed2,
                                                           const Input& reshuffle,
                                                           const NameOption& options = {}) {
  const Operation op =
      internal::make("AnonymousSeedGenerator", options.name, {seed, seed2, reshuffle}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

struct BatchDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "BatchDataset".
  std::string name = {};
};
/// input_dataset:variant, batch_size:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor BatchDataset(const Input& input_dataset, const Input& batch_size,
                           const std::vector<DType>& output_types,
                           const std::vector<TensorShape>& output_shapes,
                           const BatchDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "BatchDataset", options.name, {input_dataset, batch_size},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct BatchDatasetV2Options {
  bool parallel_copy = false;
  std::string metadata = {};
  /// Of the node; empty: "BatchDatasetV2".
  std::string name = {};
};
/// input_dataset:variant, batch_size:int64, drop_remainder:bool -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor BatchDatasetV2(const Input& input_dataset, const Input& batch_size, const Input& drop_remainder,
                             const std::vector<DType>& output_types,
                             const std::vector<TensorShape>& output_shapes,
                             const BatchDatasetV2Options& options = {}) {
  const Operation op =
      internal::make("BatchDatasetV2", options.name, {input_dataset, batch_size, drop_remainder},
                     {{"output_types", output_types},
                      {"output_shapes", output_shapes},
                      {"parallel_copy", options.parallel_copy},
                      {"metadata", options.metadata}},
                     {});
  return internal::output(op, 0);
}

/// filenames:string, compression_type:string, buffer_size:int64, header:bool,
/// field_delim:string, use_quote_delim:bool, na_value:string, select_cols:int64,
/// record_defaults:[output_types] -> handle:variant
/// `output_shapes`: at least 1 items.
inline Tensor CSVDataset(const Input& filenames, const Input& compression_type, const Input& buffer_size,
                         const Input& header, const Input& field_delim, const Input& use_quote_delim,
                         const Input& na_value, const Input& select_cols, const List<Input>& record_defaults,
                         const std::vector<TensorShape>& output_shapes, const NameOption& options = {}) {
  const Operation op = internal::make("CSVDataset", options.name,
                                      {filenames, compression_type, buffer_size, header, field_delim,
                                       use_quote_delim, na_value, select_cols, record_defaults.items()},
                                      {{"output_shapes", output_shapes}}, {});
  return internal::output(op, 0);
}

/// filenames:string, compression_type:string, buffer_size:int64, header:bool, field_delim:string,
/// use_quote_delim:bool, na_value:string, select_cols:int64, record_defaults:[output_types],
/// exclude_cols:int64 -> handle:variant
/// `output_shapes`: at least 1 items.
inline Tensor CSVDatasetV2(const Input& filenames, const Input& compression_type, const Input& buffer_size,
                           const Input& header, const Input& field_delim, const Input& use_quote_delim,
                           const Input& na_value, const Input& select_cols,
                           const List<Input>& record_defaults, const Input& exclude_cols,
                           const std::vector<TensorShape>& output_shapes, const NameOption& options = {}) {
  const Operation op =
      internal::make("CSVDatasetV2", options.name,
                     {filenames, compression_type, buffer_size, header, field_delim, use_quote_delim,
                      na_value, select_cols, record_defaults.items(), exclude_cols},
                     {{"output_shapes", output_shapes}}, {});
  return internal::output(op, 0);
}

struct CacheDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "CacheDataset".
  std::string name = {};
};
/// input_dataset:variant, filename:string -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor CacheDataset(const Input& input_dataset, const Input& filename,
                           const std::vector<DType>& output_types,
                           const std::vector<TensorShape>& output_shapes,
                           const CacheDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "CacheDataset", options.name, {input_dataset, filename},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct CacheDatasetV2Options {
  std::string metadata = {};
  /// Of the node; empty: "CacheDatasetV2".
  std::string name = {};
};
/// input_dataset:variant, filename:string, cache:resource -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor CacheDatasetV2(const Input& input_dataset, const Input& filename, const Input& cache,
                             const std::vector<DType>& output_types,
                             const std::vector<TensorShape>& output_shapes,
                             const CacheDatasetV2Options& options = {}) {
  const Operation op = internal::make(
      "CacheDatasetV2", options.name, {input_dataset, filename, cache},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct ConcatenateDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "ConcatenateDataset".
  std::string name = {};
};
/// input_dataset:variant, another_dataset:variant -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ConcatenateDataset(const Input& input_dataset, const Input& another_dataset,
                                 const std::vector<DType>& output_types,
                                 const std::vector<TensorShape>& output_shapes,
                                 const ConcatenateDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "ConcatenateDataset", options.name, {input_dataset, another_dataset},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct DatasetCardinalityOptions {
  std::string cardinality_options = {};
  /// Of the node; empty: "DatasetCardinality".
  std::string name = {};
};
/// input_dataset:variant -> cardinality:int64
inline Tensor DatasetCardinality(const Input& input_dataset, const DatasetCardinalityOptions& options = {}) {
  const Operation op = internal::make("DatasetCardinality", options.name, {input_dataset},
                                      {{"cardinality_options", options.cardinality_options}}, {});
  return internal::output(op, 0);
}

struct DatasetToSingleElementOptions {
  std::string metadata = {};
  /// Of the node; empty: "DatasetToSingleElement".
  std::string name = {};
};
/// dataset:variant -> components:[output_types]
/// `output_types`: the dtypes of `components`. At least 1 items.
/// `output_shapes`: at least 1 items.
inline std::vector<Tensor> DatasetToSingleElement(const Input& dataset,
                                                  const std::vector<DType>& output_types,
                                                  const std::vector<TensorShape>& output_shapes,
                                                  const DatasetToSingleElementOptions& options = {}) {
  const Operation op = internal::make(
      "DatasetToSingleElement", options.name, {dataset},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::outputs(op, 0);
}

struct DecodeCSVOptions {
  std::string field_delim = ",";
  bool use_quote_delim = true;
  std::string na_value = {};
  std::vector<int64_t> select_cols = {};
  /// Of the node; empty: "DecodeCSV".
  std::string name = {};
};
/// records:string, record_defaults:[OUT_TYPE] -> output:[OUT_TYPE]
inline std::vector<Tensor> DecodeCSV(const Input& records, const List<Input>& record_defaults,
                                     const DecodeCSVOptions& options = {}) {
  const Operation op = internal::make("DecodeCSV", options.name, {records, record_defaults.items()},
                                      {{"field_delim", options.field_delim},
                                       {"use_quote_delim", options.use_quote_delim},
                                       {"na_value", options.na_value},
                                       {"select_cols", options.select_cols}},
                                      {});
  return internal::outputs(op, 0);
}

/// resource_handle:resource, serialized:variant ->
inline Operation DeserializeIterator(const Input& resource_handle, const Input& serialized,
                                     const NameOption& options = {}) {
  const Operation op =
      internal::make("DeserializeIterator", options.name, {resource_handle, serialized}, {}, {});
  return op;
}

struct DirectedInterleaveDatasetOptions {
  bool stop_on_empty_dataset = false;
  /// Of the node; empty: "DirectedInterleaveDataset".
  std::string name = {};
};
/// selector_input_dataset:variant, data_input_datasets:N*variant -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor DirectedInterleaveDataset(const Input& selector_input_dataset,
                                        const List<Input>& data_input_datasets,
                                        const std::vector<DType>& output_types,
                                        const std::vector<TensorShape>& output_shapes,
                                        const DirectedInterleaveDatasetOptions& options = {}) {
  const Operation op = internal::make("DirectedInterleaveDataset", options.name,
                                      {selector_input_dataset, data_input_datasets.items()},
                                      {{"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"stop_on_empty_dataset", options.stop_on_empty_dataset}},
                                      {});
  return internal::output(op, 0);
}

/// -> handle:resource
inline Tensor DummyMemoryCache(const NameOption& options = {}, Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("DummyMemoryCache", options.name, {}, {}, where);
  return internal::output(op, 0);
}

/// -> handle:resource
inline Tensor DummySeedGenerator(const NameOption& options = {},
                                 Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("DummySeedGenerator", options.name, {}, {}, where);
  return internal::output(op, 0);
}

struct FilterDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "FilterDataset".
  std::string name = {};
};
/// input_dataset:variant, other_arguments:[Targuments] -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor FilterDataset(const Input& input_dataset, const List<Input>& other_arguments,
                            const function::DefinedFunction& predicate,
                            const std::vector<DType>& output_types,
                            const std::vector<TensorShape>& output_shapes,
                            const FilterDatasetOptions& options = {}) {
  const Operation op = internal::make("FilterDataset", options.name, {input_dataset, other_arguments.items()},
                                      {{"predicate", predicate},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

struct FixedLengthRecordDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "FixedLengthRecordDataset".
  std::string name = {};
};
/// filenames:string, header_bytes:int64, record_bytes:int64, footer_bytes:int64, buffer_size:int64
/// -> handle:variant
inline Tensor FixedLengthRecordDataset(const Input& filenames, const Input& header_bytes,
                                       const Input& record_bytes, const Input& footer_bytes,
                                       const Input& buffer_size,
                                       const FixedLengthRecordDatasetOptions& options = {}) {
  const Operation op = internal::make("FixedLengthRecordDataset", options.name,
                                      {filenames, header_bytes, record_bytes, footer_bytes, buffer_size},
                                      {{"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct FixedLengthRecordDatasetV2Options {
  std::string metadata = {};
  /// Of the node; empty: "FixedLengthRecordDatasetV2".
  std::string name = {};
};
/// filenames:string, header_bytes:int64, record_bytes:int64, footer_bytes:int64, buffer_size:int64,
/// compression_type:string -> handle:variant
inline Tensor FixedLengthRecordDatasetV2(const Input& filenames, const Input& header_bytes,
                                         const Input& record_bytes, const Input& footer_bytes,
                                         const Input& buffer_size, const Input& compression_type,
                                         const FixedLengthRecordDatasetV2Options& options = {}) {
  const Operation op =
      internal::make("FixedLengthRecordDatasetV2", options.name,
                     {filenames, header_bytes, record_bytes, footer_bytes, buffer_size, compression_type},
                     {{"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct FlatMapDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "FlatMapDataset".
  std::string name = {};
};
/// input_dataset:variant, other_arguments:[Targuments] -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor FlatMapDataset(const Input& input_dataset, const List<Input>& other_arguments,
                             const function::DefinedFunction& f, const std::vector<DType>& output_types,
                             const std::vector<TensorShape>& output_shapes,
                             const FlatMapDatasetOptions& options = {}) {
  const Operation op =
      internal::make("FlatMapDataset", options.name, {input_dataset, other_arguments.items()},
                     {{"f", f},
                      {"output_types", output_types},
                      {"output_shapes", output_shapes},
                      {"metadata", options.metadata}},
                     {});
  return internal::output(op, 0);
}

struct GeneratorDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "GeneratorDataset".
  std::string name = {};
};
/// init_func_other_args:[Tinit_func_args], next_func_other_args:[Tnext_func_args],
/// finalize_func_other_args:[Tfinalize_func_args] -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor GeneratorDataset(
    const List<Input>& init_func_other_args, const List<Input>& next_func_other_args,
    const List<Input>& finalize_func_other_args, const function::DefinedFunction& init_func,
    const function::DefinedFunction& next_func, const function::DefinedFunction& finalize_func,
    const std::vector<DType>& output_types, const std::vector<TensorShape>& output_shapes,
    const GeneratorDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "GeneratorDataset", options.name,
      {init_func_other_args.items(), next_func_other_args.items(), finalize_func_other_args.items()},
      {{"init_func", init_func},
       {"next_func", next_func},
       {"finalize_func", finalize_func},
       {"output_types", output_types},
       {"output_shapes", output_shapes},
       {"metadata", options.metadata}},
      {});
  return internal::output(op, 0);
}

struct GroupByWindowDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "GroupByWindowDataset".
  std::string name = {};
};
/// input_dataset:variant, key_func_other_arguments:[Tkey_func_other_arguments],
/// reduce_func_other_arguments:[Treduce_func_other_arguments],
/// window_size_func_other_arguments:[Twindow_size_func_other_arguments] -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor GroupByWindowDataset(
    const Input& input_dataset, const List<Input>& key_func_other_arguments,
    const List<Input>& reduce_func_other_arguments, const List<Input>& window_size_func_other_arguments,
    const function::DefinedFunction& key_func, const function::DefinedFunction& reduce_func,
    const function::DefinedFunction& window_size_func, const std::vector<DType>& output_types,
    const std::vector<TensorShape>& output_shapes, const GroupByWindowDatasetOptions& options = {}) {
  const Operation op =
      internal::make("GroupByWindowDataset", options.name,
                     {input_dataset, key_func_other_arguments.items(), reduce_func_other_arguments.items(),
                      window_size_func_other_arguments.items()},
                     {{"key_func", key_func},
                      {"reduce_func", reduce_func},
                      {"window_size_func", window_size_func},
                      {"output_types", output_types},
                      {"output_shapes", output_shapes},
                      {"metadata", options.metadata}},
                     {});
  return internal::output(op, 0);
}

struct IgnoreErrorsDatasetOptions {
  bool log_warning = false;
  /// Of the node; empty: "IgnoreErrorsDataset".
  std::string name = {};
};
/// input_dataset:variant -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor IgnoreErrorsDataset(const Input& input_dataset, const std::vector<DType>& output_types,
                                  const std::vector<TensorShape>& output_shapes,
                                  const IgnoreErrorsDatasetOptions& options = {}) {
  const Operation op = internal::make("IgnoreErrorsDataset", options.name, {input_dataset},
                                      {{"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"log_warning", options.log_warning}},
                                      {});
  return internal::output(op, 0);
}

struct InterleaveDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "InterleaveDataset".
  std::string name = {};
};
/// input_dataset:variant, other_arguments:[Targuments], cycle_length:int64, block_length:int64
/// -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor InterleaveDataset(const Input& input_dataset, const List<Input>& other_arguments,
                                const Input& cycle_length, const Input& block_length,
                                const function::DefinedFunction& f, const std::vector<DType>& output_types,
                                const std::vector<TensorShape>& output_shapes,
                                const InterleaveDatasetOptions& options = {}) {
  const Operation op = internal::make("InterleaveDataset", options.name,
                                      {input_dataset, other_arguments.items(), cycle_length, block_length},
                                      {{"f", f},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

/// -> handle:resource
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor Iterator(const std::string& shared_name, const std::string& container,
                       const std::vector<DType>& output_types, const std::vector<TensorShape>& output_shapes,
                       const NameOption& options = {}, Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("Iterator", options.name, {},
                                      {{"shared_name", shared_name},
                                       {"container", container},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes}},
                                      where);
  return internal::output(op, 0);
}

struct IteratorFromStringHandleOptions {
  std::vector<DType> output_types = {};
  std::vector<TensorShape> output_shapes = {};
  /// Of the node; empty: "IteratorFromStringHandle".
  std::string name = {};
};
/// string_handle:string -> resource_handle:resource
inline Tensor IteratorFromStringHandle(const Input& string_handle,
                                       const IteratorFromStringHandleOptions& options = {}) {
  const Operation op =
      internal::make("IteratorFromStringHandle", options.name, {string_handle},
                     {{"output_types", options.output_types}, {"output_shapes", options.output_shapes}}, {});
  return internal::output(op, 0);
}

struct IteratorFromStringHandleV2Options {
  std::vector<DType> output_types = {};
  std::vector<TensorShape> output_shapes = {};
  /// Of the node; empty: "IteratorFromStringHandleV2".
  std::string name = {};
};
/// string_handle:string -> resource_handle:resource
inline Tensor IteratorFromStringHandleV2(const Input& string_handle,
                                         const IteratorFromStringHandleV2Options& options = {}) {
  const Operation op =
      internal::make("IteratorFromStringHandleV2", options.name, {string_handle},
                     {{"output_types", options.output_types}, {"output_shapes", options.output_shapes}}, {});
  return internal::output(op, 0);
}

/// iterator:resource -> components:[output_types]
/// `output_types`: the dtypes of `components`. At least 1 items.
/// `output_shapes`: at least 1 items.
inline std::vector<Tensor> IteratorGetNext(const Input& iterator, const std::vector<DType>& output_types,
                                           const std::vector<TensorShape>& output_shapes,
                                           const NameOption& options = {}) {
  const Operation op = internal::make("IteratorGetNext", options.name, {iterator},
                                      {{"output_types", output_types}, {"output_shapes", output_shapes}}, {});
  return internal::outputs(op, 0);
}

/// iterator:resource -> components:[output_types]
/// `output_types`: the dtypes of `components`. At least 1 items.
/// `output_shapes`: at least 1 items.
inline std::vector<Tensor> IteratorGetNextSync(const Input& iterator, const std::vector<DType>& output_types,
                                               const std::vector<TensorShape>& output_shapes,
                                               const NameOption& options = {}) {
  const Operation op = internal::make("IteratorGetNextSync", options.name, {iterator},
                                      {{"output_types", output_types}, {"output_shapes", output_shapes}}, {});
  return internal::outputs(op, 0);
}

/// resource_handle:resource -> string_handle:string
inline Tensor IteratorToStringHandle(const Input& resource_handle, const NameOption& options = {}) {
  const Operation op = internal::make("IteratorToStringHandle", options.name, {resource_handle}, {}, {});
  return internal::output(op, 0);
}

/// -> handle:resource
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor IteratorV2(const std::string& shared_name, const std::string& container,
                         const std::vector<DType>& output_types,
                         const std::vector<TensorShape>& output_shapes, const NameOption& options = {},
                         Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("IteratorV2", options.name, {},
                                      {{"shared_name", shared_name},
                                       {"container", container},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes}},
                                      where);
  return internal::output(op, 0);
}

/// dataset:variant, iterator:resource ->
inline Operation MakeIterator(const Input& dataset, const Input& iterator, const NameOption& options = {}) {
  const Operation op = internal::make("MakeIterator", options.name, {dataset, iterator}, {}, {});
  return op;
}

struct MapAndBatchDatasetOptions {
  bool preserve_cardinality = false;
  std::string metadata = {};
  /// Of the node; empty: "MapAndBatchDataset".
  std::string name = {};
};
/// input_dataset:variant, other_arguments:[Targuments], batch_size:int64, num_parallel_calls:int64,
/// drop_remainder:bool -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor MapAndBatchDataset(const Input& input_dataset, const List<Input>& other_arguments,
                                 const Input& batch_size, const Input& num_parallel_calls,
                                 const Input& drop_remainder, const function::DefinedFunction& f,
                                 const std::vector<DType>& output_types,
                                 const std::vector<TensorShape>& output_shapes,
                                 const MapAndBatchDatasetOptions& options = {}) {
  const Operation op =
      internal::make("MapAndBatchDataset", options.name,
                     {input_dataset, other_arguments.items(), batch_size, num_parallel_calls, drop_remainder},
                     {{"f", f},
                      {"output_types", output_types},
                      {"output_shapes", output_shapes},
                      {"preserve_cardinality", options.preserve_cardinality},
                      {"metadata", options.metadata}},
                     {});
  return internal::output(op, 0);
}

struct MapDatasetOptions {
  bool use_inter_op_parallelism = true;
  bool preserve_cardinality = false;
  bool force_synchronous = false;
  std::string metadata = {};
  /// Of the node; empty: "MapDataset".
  std::string name = {};
};
/// input_dataset:variant, other_arguments:[Targuments] -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor MapDataset(const Input& input_dataset, const List<Input>& other_arguments,
                         const function::DefinedFunction& f, const std::vector<DType>& output_types,
                         const std::vector<TensorShape>& output_shapes,
                         const MapDatasetOptions& options = {}) {
  const Operation op = internal::make("MapDataset", options.name, {input_dataset, other_arguments.items()},
                                      {{"f", f},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"use_inter_op_parallelism", options.use_inter_op_parallelism},
                                       {"preserve_cardinality", options.preserve_cardinality},
                                       {"force_synchronous", options.force_synchronous},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

struct ModelDatasetOptions {
  int64_t algorithm = 0;
  int64_t cpu_budget = 0;
  int64_t ram_budget = 0;
  /// Of the node; empty: "ModelDataset".
  std::string name = {};
};
/// input_dataset:variant -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ModelDataset(const Input& input_dataset, const std::vector<DType>& output_types,
                           const std::vector<TensorShape>& output_shapes,
                           const ModelDatasetOptions& options = {}) {
  const Operation op = internal::make("ModelDataset", options.name, {input_dataset},
                                      {{"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"algorithm", options.algorithm},
                                       {"cpu_budget", options.cpu_budget},
                                       {"ram_budget", options.ram_budget}},
                                      {});
  return internal::output(op, 0);
}

struct OneShotIteratorOptions {
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "OneShotIterator".
  std::string name = {};
};
/// -> handle:resource
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor OneShotIterator(const function::DefinedFunction& dataset_factory,
                              const std::vector<DType>& output_types,
                              const std::vector<TensorShape>& output_shapes,
                              const OneShotIteratorOptions& options = {},
                              Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("OneShotIterator", options.name, {},
                                      {{"dataset_factory", dataset_factory},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct OptimizeDatasetV2Options {
  std::vector<std::string> optimization_configs = {};
  /// Of the node; empty: "OptimizeDatasetV2".
  std::string name = {};
};
/// input_dataset:variant, optimizations_enabled:string, optimizations_disabled:string,
/// optimizations_default:string -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor OptimizeDatasetV2(const Input& input_dataset, const Input& optimizations_enabled,
                                const Input& optimizations_disabled, const Input& optimizations_default,
                                const std::vector<DType>& output_types,
                                const std::vector<TensorShape>& output_shapes,
                                const OptimizeDatasetV2Options& options = {}) {
  const Operation op =
      internal::make("OptimizeDatasetV2", options.name,
                     {input_dataset, optimizations_enabled, optimizations_disabled, optimizations_default},
                     {{"output_types", output_types},
                      {"output_shapes", output_shapes},
                      {"optimization_configs", options.optimization_configs}},
                     {});
  return internal::output(op, 0);
}

struct OptionsDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "OptionsDataset".
  std::string name = {};
};
/// input_dataset:variant -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor OptionsDataset(const Input& input_dataset, const std::string& serialized_options,
                             const std::vector<DType>& output_types,
                             const std::vector<TensorShape>& output_shapes,
                             const OptionsDatasetOptions& options = {}) {
  const Operation op = internal::make("OptionsDataset", options.name, {input_dataset},
                                      {{"serialized_options", serialized_options},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

struct PaddedBatchDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "PaddedBatchDataset".
  std::string name = {};
};
/// input_dataset:variant, batch_size:int64, padded_shapes:N*int64, padding_values:[Toutput_types]
/// -> handle:variant
/// `output_shapes`: at least 1 items.
inline Tensor PaddedBatchDataset(const Input& input_dataset, const Input& batch_size,
                                 const List<Input>& padded_shapes, const List<Input>& padding_values,
                                 const std::vector<TensorShape>& output_shapes,
                                 const PaddedBatchDatasetOptions& options = {}) {
  const Operation op =
      internal::make("PaddedBatchDataset", options.name,
                     {input_dataset, batch_size, padded_shapes.items(), padding_values.items()},
                     {{"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct PaddedBatchDatasetV2Options {
  bool parallel_copy = false;
  std::string metadata = {};
  /// Of the node; empty: "PaddedBatchDatasetV2".
  std::string name = {};
};
/// input_dataset:variant, batch_size:int64, padded_shapes:N*int64, padding_values:[Toutput_types],
/// drop_remainder:bool -> handle:variant
/// `output_shapes`: at least 1 items.
inline Tensor PaddedBatchDatasetV2(const Input& input_dataset, const Input& batch_size,
                                   const List<Input>& padded_shapes, const List<Input>& padding_values,
                                   const Input& drop_remainder, const std::vector<TensorShape>& output_shapes,
                                   const PaddedBatchDatasetV2Options& options = {}) {
  const Operation op = internal::make(
      "PaddedBatchDatasetV2", options.name,
      {input_dataset, batch_size, padded_shapes.items(), padding_values.items(), drop_remainder},
      {{"output_shapes", output_shapes},
       {"parallel_copy", options.parallel_copy},
       {"metadata", options.metadata}},
      {});
  return internal::output(op, 0);
}

struct ParallelInterleaveDatasetV4Options {
  std::string deterministic = "default";
  std::string metadata = {};
  /// Of the node; empty: "ParallelInterleaveDatasetV4".
  std::string name = {};
};
/// input_dataset:variant, other_arguments:[Targuments], cycle_length:int64, block_length:int64,
/// buffer_output_elements:int64, prefetch_input_elements:int64, num_parallel_calls:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ParallelInterleaveDatasetV4(const Input& input_dataset, const List<Input>& other_arguments,
                                          const Input& cycle_length, const Input& block_length,
                                          const Input& buffer_output_elements,
                                          const Input& prefetch_input_elements,
                                          const Input& num_parallel_calls, const function::DefinedFunction& f,
                                          const std::vector<DType>& output_types,
                                          const std::vector<TensorShape>& output_shapes,
                                          const ParallelInterleaveDatasetV4Options& options = {}) {
  const Operation op = internal::make("ParallelInterleaveDatasetV4", options.name,
                                      {input_dataset, other_arguments.items(), cycle_length, block_length,
                                       buffer_output_elements, prefetch_input_elements, num_parallel_calls},
                                      {{"f", f},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"deterministic", options.deterministic},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

struct ParallelMapDatasetOptions {
  bool use_inter_op_parallelism = true;
  bool sloppy = false;
  bool preserve_cardinality = false;
  std::string metadata = {};
  /// Of the node; empty: "ParallelMapDataset".
  std::string name = {};
};
/// input_dataset:variant, other_arguments:[Targuments], num_parallel_calls:int32 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ParallelMapDataset(const Input& input_dataset, const List<Input>& other_arguments,
                                 const Input& num_parallel_calls, const function::DefinedFunction& f,
                                 const std::vector<DType>& output_types,
                                 const std::vector<TensorShape>& output_shapes,
                                 const ParallelMapDatasetOptions& options = {}) {
  const Operation op = internal::make("ParallelMapDataset", options.name,
                                      {input_dataset, other_arguments.items(), num_parallel_calls},
                                      {{"f", f},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"use_inter_op_parallelism", options.use_inter_op_parallelism},
                                       {"sloppy", options.sloppy},
                                       {"preserve_cardinality", options.preserve_cardinality},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

struct ParallelMapDatasetV2Options {
  bool use_inter_op_parallelism = true;
  std::string deterministic = "default";
  bool preserve_cardinality = false;
  bool use_unbounded_threadpool = false;
  std::string metadata = {};
  /// Of the node; empty: "ParallelMapDatasetV2".
  std::string name = {};
};
/// input_dataset:variant, other_arguments:[Targuments], num_parallel_calls:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ParallelMapDatasetV2(const Input& input_dataset, const List<Input>& other_arguments,
                                   const Input& num_parallel_calls, const function::DefinedFunction& f,
                                   const std::vector<DType>& output_types,
                                   const std::vector<TensorShape>& output_shapes,
                                   const ParallelMapDatasetV2Options& options = {}) {
  const Operation op = internal::make("ParallelMapDatasetV2", options.name,
                                      {input_dataset, other_arguments.items(), num_parallel_calls},
                                      {{"f", f},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"use_inter_op_parallelism", options.use_inter_op_parallelism},
                                       {"deterministic", options.deterministic},
                                       {"preserve_cardinality", options.preserve_cardinality},
                                       {"use_unbounded_threadpool", options.use_unbounded_threadpool},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

/// What ParseExample gives.
struct ParseExampleResult {
  std::vector<Tensor> sparse_indices;
  std::vector<Tensor> sparse_values;
  std::vector<Tensor> sparse_shapes;
  std::vector<Tensor> dense_values;
};
/// serialized:string, names:string, sparse_keys:Nsparse*string, dense_keys:Ndense*string,
/// dense_defaults:[Tdense] -> sparse_indices:Nsparse*int64, sparse_values:[sparse_types],
/// sparse_shapes:Nsparse*int64, dense_values:[Tdense]
/// `sparse_types`: the dtypes of `sparse_values`. Each one of float32, int64, string.
inline ParseExampleResult ParseExample(const Input& serialized, const Input& names,
                                       const List<Input>& sparse_keys, const List<Input>& dense_keys,
                                       const List<Input>& dense_defaults,
                                       const std::vector<DType>& sparse_types,
                                       const std::vector<TensorShape>& dense_shapes,
                                       const NameOption& options = {}) {
  const Operation op =
      internal::make("ParseExample", options.name,
                     {serialized, names, sparse_keys.items(), dense_keys.items(), dense_defaults.items()},
                     {{"sparse_types", sparse_types}, {"dense_shapes", dense_shapes}}, {});
  return {internal::outputs(op, 0), internal::outputs(op, 1), internal::outputs(op, 2),
          internal::outputs(op, 3)};
}

/// What ParseExampleV2 gives.
struct ParseExampleV2Result {
  std::vector<Tensor> sparse_indices;
  std::vector<Tensor> sparse_values;
  std::vector<Tensor> sparse_shapes;
  std::vector<Tensor> dense_values;
  std::vector<Tensor> ragged_values;
  std::vector<Tensor> ragged_row_splits;
};
/// serialized:string, names:string, sparse_keys:string, dense_keys:string,
/// ragged_keys:string, dense_defaults:[Tdense] -> sparse_indices:num_sparse*int64,
/// sparse_values:[sparse_types], sparse_shapes:num_sparse*int64, dense_values:[Tdense],
/// ragged_values:[ragged_value_types], ragged_row_splits:[ragged_split_types]
/// `num_sparse`: the length of `sparse_indices` and `sparse_shapes`. At least 0.
/// `sparse_types`: the dtypes of `sparse_values`. Each one of float32, int64, string.
/// `ragged_value_types`: the dtypes of `ragged_values`. Each one of float32, int64, string.
/// `ragged_split_types`: the dtypes of `ragged_row_splits`. Each one of int32, int64.
inline ParseExampleV2Result ParseExampleV2(const Input& serialized, const Input& names,
                                           const Input& sparse_keys, const Input& dense_keys,
                                           const Input& ragged_keys, const List<Input>& dense_defaults,
                                           int64_t num_sparse, const std::vector<DType>& sparse_types,
                                           const std::vector<DType>& ragged_value_types,
                                           const std::vector<DType>& ragged_split_types,
                                           const std::vector<TensorShape>& dense_shapes,
                                           const NameOption& options = {}) {
  const Operation op =
      internal::make("ParseExampleV2", options.name,
                     {serialized, names, sparse_keys, dense_keys, ragged_keys, dense_defaults.items()},
                     {{"num_sparse", num_sparse},
                      {"sparse_types", sparse_types},
                      {"ragged_value_types", ragged_value_types},
                      {"ragged_split_types", ragged_split_types},
                      {"dense_shapes", dense_shapes}},
                     {});
  return {internal::outputs(op, 0), internal::outputs(op, 1), internal::outputs(op, 2),
          internal::outputs(op, 3), internal::outputs(op, 4), internal::outputs(op, 5)};
}

struct PrefetchDatasetOptions {
  int64_t slack_period = 0;
  bool legacy_autotune = true;
  int64_t buffer_size_min = 0;
  std::string metadata = {};
  /// Of the node; empty: "PrefetchDataset".
  std::string name = {};
};
/// input_dataset:variant, buffer_size:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor PrefetchDataset(const Input& input_dataset, const Input& buffer_size,
                              const std::vector<DType>& output_types,
                              const std::vector<TensorShape>& output_shapes,
                              const PrefetchDatasetOptions& options = {}) {
  const Operation op = internal::make("PrefetchDataset", options.name, {input_dataset, buffer_size},
                                      {{"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"slack_period", options.slack_period},
                                       {"legacy_autotune", options.legacy_autotune},
                                       {"buffer_size_min", options.buffer_size_min},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

struct RandomDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "RandomDataset".
  std::string name = {};
};
/// seed:int64, seed2:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor RandomDataset(const Input& seed, const Input& seed2, const std::vector<DType>& output_types,
                            const std::vector<TensorShape>& output_shapes,
                            const RandomDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "RandomDataset", options.name, {seed, seed2},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct RangeDatasetOptions {
  std::string metadata = {};
  bool replicate_on_split = false;
  /// Of the node; empty: "RangeDataset".
  std::string name = {};
};
/// start:int64, stop:int64, step:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor RangeDataset(const Input& start, const Input& stop, const Input& step,
                           const std::vector<DType>& output_types,
                           const std::vector<TensorShape>& output_shapes,
                           const RangeDatasetOptions& options = {}) {
  const Operation op = internal::make("RangeDataset", options.name, {start, stop, step},
                                      {{"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"metadata", options.metadata},
                                       {"replicate_on_split", options.replicate_on_split}},
                                      {});
  return internal::output(op, 0);
}

struct ReduceDatasetOptions {
  bool use_inter_op_parallelism = true;
  std::string metadata = {};
  /// Of the node; empty: "ReduceDataset".
  std::string name = {};
};
/// input_dataset:variant, initial_state:[Tstate], other_arguments:[Targuments] -> components:[output_types]
/// `output_types`: the dtypes of `components`. At least 1 items.
/// `output_shapes`: at least 1 items.
inline std::vector<Tensor> ReduceDataset(const Input& input_dataset, const List<Input>& initial_state,
                                         const List<Input>& other_arguments,
                                         const function::DefinedFunction& f,
                                         const std::vector<DType>& output_types,
                                         const std::vector<TensorShape>& output_shapes,
                                         const ReduceDatasetOptions& options = {}) {
  const Operation op = internal::make("ReduceDataset", options.name,
                                      {input_dataset, initial_state.items(), other_arguments.items()},
                                      {{"f", f},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"use_inter_op_parallelism", options.use_inter_op_parallelism},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::outputs(op, 0);
}

struct RepeatDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "RepeatDataset".
  std::string name = {};
};
/// input_dataset:variant, count:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor RepeatDataset(const Input& input_dataset, const Input& count,
                            const std::vector<DType>& output_types,
                            const std::vector<TensorShape>& output_shapes,
                            const RepeatDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "RepeatDataset", options.name, {input_dataset, count},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

/// input_dataset:variant, rewrite_name:string -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor RewriteDataset(const Input& input_dataset, const Input& rewrite_name,
                             const std::vector<DType>& output_types,
                             const std::vector<TensorShape>& output_shapes, const NameOption& options = {}) {
  const Operation op = internal::make("RewriteDataset", options.name, {input_dataset, rewrite_name},
                                      {{"output_types", output_types}, {"output_shapes", output_shapes}}, {});
  return internal::output(op, 0);
}

struct ScanDatasetOptions {
  bool preserve_cardinality = false;
  bool use_default_device = true;
  std::string metadata = {};
  /// Of the node; empty: "ScanDataset".
  std::string name = {};
};
/// input_dataset:variant, initial_state:[Tstate], other_arguments:[Targuments] -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ScanDataset(const Input& input_dataset, const List<Input>& initial_state,
                          const List<Input>& other_arguments, const function::DefinedFunction& f,
                          const std::vector<DType>& output_types,
                          const std::vector<TensorShape>& output_shapes,
                          const ScanDatasetOptions& options = {}) {
  const Operation op = internal::make("ScanDataset", options.name,
                                      {input_dataset, initial_state.items(), other_arguments.items()},
                                      {{"f", f},
                                       {"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"preserve_cardinality", options.preserve_cardinality},
                                       {"use_default_device", options.use_default_device},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

struct SerializeIteratorOptions {
  int64_t external_state_policy = 0;
  /// Of the node; empty: "SerializeIterator".
  std::string name = {};
};
/// resource_handle:resource -> serialized:variant
inline Tensor SerializeIterator(const Input& resource_handle, const SerializeIteratorOptions& options = {}) {
  const Operation op = internal::make("SerializeIterator", options.name, {resource_handle},
                                      {{"external_state_policy", options.external_state_policy}}, {});
  return internal::output(op, 0);
}

struct ShardDatasetOptions {
  bool require_non_empty = false;
  std::string metadata = {};
  /// Of the node; empty: "ShardDataset".
  std::string name = {};
};
/// input_dataset:variant, num_shards:int64, index:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ShardDataset(const Input& input_dataset, const Input& num_shards, const Input& index,
                           const std::vector<DType>& output_types,
                           const std::vector<TensorShape>& output_shapes,
                           const ShardDatasetOptions& options = {}) {
  const Operation op = internal::make("ShardDataset", options.name, {input_dataset, num_shards, index},
                                      {{"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"require_non_empty", options.require_non_empty},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

struct ShuffleDatasetOptions {
  bool reshuffle_each_iteration = true;
  std::string metadata = {};
  /// Of the node; empty: "ShuffleDataset".
  std::string name = {};
};
/// input_dataset:variant, buffer_size:int64, seed:int64, seed2:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ShuffleDataset(const Input& input_dataset, const Input& buffer_size, const Input& seed,
                             const Input& seed2, const std::vector<DType>& output_types,
                             const std::vector<TensorShape>& output_shapes,
                             const ShuffleDatasetOptions& options = {}) {
  const Operation op =
      internal::make("ShuffleDataset", options.name, {input_dataset, buffer_size, seed, seed2},
                     {{"output_types", output_types},
                      {"output_shapes", output_shapes},
                      {"reshuffle_each_iteration", options.reshuffle_each_iteration},
                      {"metadata", options.metadata}},
                     {});
  return internal::output(op, 0);
}

struct ShuffleDatasetV2Options {
  std::string metadata = {};
  /// Of the node; empty: "ShuffleDatasetV2".
  std::string name = {};
};
/// input_dataset:variant, buffer_size:int64, seed_generator:resource -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ShuffleDatasetV2(const Input& input_dataset, const Input& buffer_size,
                               const Input& seed_generator, const std::vector<DType>& output_types,
                               const std::vector<TensorShape>& output_shapes,
                               const ShuffleDatasetV2Options& options = {}) {
  const Operation op = internal::make(
      "ShuffleDatasetV2", options.name, {input_dataset, buffer_size, seed_generator},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct ShuffleDatasetV3Options {
  bool reshuffle_each_iteration = true;
  std::string metadata = {};
  /// Of the node; empty: "ShuffleDatasetV3".
  std::string name = {};
};
/// input_dataset:variant, buffer_size:int64, seed:int64, seed2:int64, seed_generator:resource
/// -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ShuffleDatasetV3(const Input& input_dataset, const Input& buffer_size, const Input& seed,
                               const Input& seed2, const Input& seed_generator,
                               const std::vector<DType>& output_types,
                               const std::vector<TensorShape>& output_shapes,
                               const ShuffleDatasetV3Options& options = {}) {
  const Operation op = internal::make("ShuffleDatasetV3", options.name,
                                      {input_dataset, buffer_size, seed, seed2, seed_generator},
                                      {{"output_types", output_types},
                                       {"output_shapes", output_shapes},
                                       {"reshuffle_each_iteration", options.reshuffle_each_iteration},
                                       {"metadata", options.metadata}},
                                      {});
  return internal::output(op, 0);
}

struct SkipDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "SkipDataset".
  std::string name = {};
};
/// input_dataset:variant, count:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor SkipDataset(const Input& input_dataset, const Input& count,
                          const std::vector<DType>& output_types,
                          const std::vector<TensorShape>& output_shapes,
                          const SkipDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "SkipDataset", options.name, {input_dataset, count},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct TFRecordDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "TFRecordDataset".
  std::string name = {};
};
/// filenames:string, compression_type:string, buffer_size:int64 -> handle:variant
inline Tensor TFRecordDataset(const Input& filenames, const Input& compression_type, const Input& buffer_size,
                              const TFRecordDatasetOptions& options = {}) {
  const Operation op =
      internal::make("TFRecordDataset", options.name, {filenames, compression_type, buffer_size},
                     {{"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct TFRecordDatasetV2Options {
  std::string metadata = {};
  /// Of the node; empty: "TFRecordDatasetV2".
  std::string name = {};
};
/// filenames:string, compression_type:string, buffer_size:int64, byte_offsets:int64 -> handle:variant
inline Tensor TFRecordDatasetV2(const Input& filenames, const Input& compression_type,
                                const Input& buffer_size, const Input& byte_offsets,
                                const TFRecordDatasetV2Options& options = {}) {
  const Operation op = internal::make("TFRecordDatasetV2", options.name,
                                      {filenames, compression_type, buffer_size, byte_offsets},
                                      {{"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct TakeDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "TakeDataset".
  std::string name = {};
};
/// input_dataset:variant, count:int64 -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor TakeDataset(const Input& input_dataset, const Input& count,
                          const std::vector<DType>& output_types,
                          const std::vector<TensorShape>& output_shapes,
                          const TakeDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "TakeDataset", options.name, {input_dataset, count},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct TakeWhileDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "TakeWhileDataset".
  std::string name = {};
};
/// input_dataset:variant, other_arguments:[Targuments] -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor TakeWhileDataset(const Input& input_dataset, const List<Input>& other_arguments,
                               const function::DefinedFunction& predicate,
                               const std::vector<DType>& output_types,
                               const std::vector<TensorShape>& output_shapes,
                               const TakeWhileDatasetOptions& options = {}) {
  const Operation op =
      internal::make("TakeWhileDataset", options.name, {input_dataset, other_arguments.items()},
                     {{"predicate", predicate},
                      {"output_types", output_types},
                      {"output_shapes", output_shapes},
                      {"metadata", options.metadata}},
                     {});
  return internal::output(op, 0);
}

struct TensorDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "TensorDataset".
  std::string name = {};
};
/// components:[Toutput_types] -> handle:variant
/// `output_shapes`: at least 1 items.
inline Tensor TensorDataset(const List<Input>& components, const std::vector<TensorShape>& output_shapes,
                            const TensorDatasetOptions& options = {}) {
  const Operation op = internal::make("TensorDataset", options.name, {components.items()},
                                      {{"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct TensorSliceDatasetOptions {
  bool is_files = false;
  std::string metadata = {};
  bool replicate_on_split = false;
  /// Of the node; empty: "TensorSliceDataset".
  std::string name = {};
};
/// components:[Toutput_types] -> handle:variant
/// `output_shapes`: at least 1 items.
inline Tensor TensorSliceDataset(const List<Input>& components, const std::vector<TensorShape>& output_shapes,
                                 const TensorSliceDatasetOptions& options = {}) {
  const Operation op = internal::make("TensorSliceDataset", options.name, {components.items()},
                                      {{"output_shapes", output_shapes},
                                       {"is_files", options.is_files},
                                       {"metadata", options.metadata},
                                       {"replicate_on_split", options.replicate_on_split}},
                                      {});
  return internal::output(op, 0);
}

struct TextLineDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "TextLineDataset".
  std::string name = {};
};
/// filenames:string, compression_type:string, buffer_size:int64 -> handle:variant
inline Tensor TextLineDataset(const Input& filenames, const Input& compression_type, const Input& buffer_size,
                              const TextLineDatasetOptions& options = {}) {
  const Operation op =
      internal::make("TextLineDataset", options.name, {filenames, compression_type, buffer_size},
                     {{"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct UnbatchDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "UnbatchDataset".
  std::string name = {};
};
/// input_dataset:variant -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor UnbatchDataset(const Input& input_dataset, const std::vector<DType>& output_types,
                             const std::vector<TensorShape>& output_shapes,
                             const UnbatchDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "UnbatchDataset", options.name, {input_dataset},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct UniqueDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "UniqueDataset".
  std::string name = {};
};
/// input_dataset:variant -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor UniqueDataset(const Input& input_dataset, const std::vector<DType>& output_types,
                            const std::vector<TensorShape>& output_shapes,
                            const UniqueDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "UniqueDataset", options.name, {input_dataset},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct WindowDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "WindowDataset".
  std::string name = {};
};
/// input_dataset:variant, size:int64, shift:int64, stride:int64, drop_remainder:bool -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor WindowDataset(const Input& input_dataset, const Input& size, const Input& shift,
                            const Input& stride, const Input& drop_remainder,
                            const std::vector<DType>& output_types,
                            const std::vector<TensorShape>& output_shapes,
                            const WindowDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "WindowDataset", options.name, {input_dataset, size, shift, stride, drop_remainder},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

struct ZipDatasetOptions {
  std::string metadata = {};
  /// Of the node; empty: "ZipDataset".
  std::string name = {};
};
/// input_datasets:N*variant -> handle:variant
/// `output_types`: at least 1 items.
/// `output_shapes`: at least 1 items.
inline Tensor ZipDataset(const List<Input>& input_datasets, const std::vector<DType>& output_types,
                         const std::vector<TensorShape>& output_shapes,
                         const ZipDatasetOptions& options = {}) {
  const Operation op = internal::make(
      "ZipDataset", options.name, {input_datasets.items()},
      {{"output_types", output_types}, {"output_shapes", output_shapes}, {"metadata", options.metadata}}, {});
  return internal::output(op, 0);
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
