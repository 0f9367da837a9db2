#pragma once
/// Functions of single ops: queues, tables and readers. Written by scripts/generate-ops: do not edit.

#include <flowray/tf/ops/raw_op.h>

#pragma GCC visibility push(default)

namespace flowray::tf::raw_ops {

/// handle:ref string, local_step:int64, gradient:dtype ->
inline Operation AccumulatorApplyGradient(const Input& handle, const Input& local_step, const Input& gradient,
                                          const NameOption& options = {}) {
  const Operation op =
      internal::make("AccumulatorApplyGradient", options.name, {handle, local_step, gradient}, {}, {});
  return op;
}

/// handle:ref string -> num_accumulated:int32
inline Tensor AccumulatorNumAccumulated(const Input& handle, const NameOption& options = {}) {
  const Operation op = internal::make("AccumulatorNumAccumulated", options.name, {handle}, {}, {});
  return internal::output(op, 0);
}

/// handle:ref string, new_global_step:int64 ->
inline Operation AccumulatorSetGlobalStep(const Input& handle, const Input& new_global_step,
                                          const NameOption& options = {}) {
  const Operation op =
      internal::make("AccumulatorSetGlobalStep", options.name, {handle, new_global_step}, {}, {});
  return op;
}

/// handle:ref string, num_required:int32 -> average:dtype
/// `dtype`: the dtype of `average`. One of float32, float64, int32, uint8, int16, int8, complex64, int64,
/// qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64.
inline Tensor AccumulatorTakeGradient(const Input& handle, const Input& num_required, DType dtype,
                                      const NameOption& options = {}) {
  const Operation op =
      internal::make("AccumulatorTakeGradient", options.name, {handle, num_required}, {{"dtype", dtype}}, {});
  return internal::output(op, 0);
}

struct ConditionalAccumulatorOptions {
  std::string container = {};
  std::string shared_name = {};
  /// One of "MEAN", "SUM".
  std::string reduction_type = "MEAN";
  /// Of the node; empty: "ConditionalAccumulator".
  std::string name = {};
};
/// -> handle:ref string
/// `dtype`: one of float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32,
/// bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64.
inline Tensor ConditionalAccumulator(DType dtype, const TensorShape& shape,
                                     const ConditionalAccumulatorOptions& options = {},
                                     Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("ConditionalAccumulator", options.name, {},
                                      {{"dtype", dtype},
                                       {"shape", shape},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name},
                                       {"reduction_type", options.reduction_type}},
                                      where);
  return internal::output(op, 0);
}

struct FIFOQueueOptions {
  std::vector<TensorShape> shapes = {};
  int64_t capacity = -1;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "FIFOQueue".
  std::string name = {};
};
/// -> handle:ref string
/// `component_types`: at least 1 items.
inline Tensor FIFOQueue(const std::vector<DType>& component_types, const FIFOQueueOptions& options = {},
                        Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("FIFOQueue", options.name, {},
                                      {{"component_types", component_types},
                                       {"shapes", options.shapes},
                                       {"capacity", options.capacity},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct FIFOQueueV2Options {
  std::vector<TensorShape> shapes = {};
  int64_t capacity = -1;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "FIFOQueueV2".
  std::string name = {};
};
/// -> handle:resource
/// `component_types`: at least 1 items.
inline Tensor FIFOQueueV2(const std::vector<DType>& component_types, const FIFOQueueV2Options& options = {},
                          Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("FIFOQueueV2", options.name, {},
                                      {{"component_types", component_types},
                                       {"shapes", options.shapes},
                                       {"capacity", options.capacity},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct FixedLengthRecordReaderOptions {
  int64_t header_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t hop_bytes = 0;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "FixedLengthRecordReader".
  std::string name = {};
};
/// -> reader_handle:ref string
inline Tensor FixedLengthRecordReader(int64_t record_bytes,
                                      const FixedLengthRecordReaderOptions& options = {},
                                      Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("FixedLengthRecordReader", options.name, {},
                                      {{"record_bytes", record_bytes},
                                       {"header_bytes", options.header_bytes},
                                       {"footer_bytes", options.footer_bytes},
                                       {"hop_bytes", options.hop_bytes},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct FixedLengthRecordReaderV2Options {
  int64_t header_bytes = 0;
  int64_t footer_bytes = 0;
  int64_t hop_bytes = 0;
  std::string container = {};
  std::string shared_name = {};
  std::string encoding = {};
  /// Of the node; empty: "FixedLengthRecordReaderV2".
  std::string name = {};
};
/// -> reader_handle:resource
inline Tensor FixedLengthRecordReaderV2(int64_t record_bytes,
                                        const FixedLengthRecordReaderV2Options& options = {},
                                        Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("FixedLengthRecordReaderV2", options.name, {},
                                      {{"record_bytes", record_bytes},
                                       {"header_bytes", options.header_bytes},
                                       {"footer_bytes", options.footer_bytes},
                                       {"hop_bytes", options.hop_bytes},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name},
                                       {"encoding", options.encoding}},
                                      where);
  return internal::output(op, 0);
}

struct HashTableOptions {
  std::string container = {};
  std::string shared_name = {};
  bool use_node_name_sharing = false;
  /// Of the node; empty: "HashTable".
  std::string name = {};
};
/// -> table_handle:ref string
inline Tensor HashTable(DType key_dtype, DType value_dtype, const HashTableOptions& options = {},
                        Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("HashTable", options.name, {},
                                      {{"key_dtype", key_dtype},
                                       {"value_dtype", value_dtype},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name},
                                       {"use_node_name_sharing", options.use_node_name_sharing}},
                                      where);
  return internal::output(op, 0);
}

struct HashTableV2Options {
  std::string container = {};
  std::string shared_name = {};
  bool use_node_name_sharing = false;
  /// Of the node; empty: "HashTableV2".
  std::string name = {};
};
/// -> table_handle:resource
inline Tensor HashTableV2(DType key_dtype, DType value_dtype, const HashTableV2Options& options = {},
                          Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("HashTableV2", options.name, {},
                                      {{"key_dtype", key_dtype},
                                       {"value_dtype", value_dtype},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name},
                                       {"use_node_name_sharing", options.use_node_name_sharing}},
                                      where);
  return internal::output(op, 0);
}

struct IdentityReaderV2Options {
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "IdentityReaderV2".
  std::string name = {};
};
/// -> reader_handle:resource
inline Tensor IdentityReaderV2(const IdentityReaderV2Options& options = {},
                               Input::Where where = Input::Where::current()) {
  const Operation op =
      internal::make("IdentityReaderV2", options.name, {},
                     {{"container", options.container}, {"shared_name", options.shared_name}}, where);
  return internal::output(op, 0);
}

struct InitializeTableFromTextFileOptions {
  /// At least -1.
  int64_t vocab_size = -1;
  std::string delimiter = "\t";
  int64_t offset = 0;
  /// Of the node; empty: "InitializeTableFromTextFile".
  std::string name = {};
};
/// table_handle:ref string, filename:string ->
/// `key_index`: at least -2.
/// `value_index`: at least -2.
inline Operation InitializeTableFromTextFile(const Input& table_handle, const Input& filename,
                                             int64_t key_index, int64_t value_index,
                                             const InitializeTableFromTextFileOptions& options = {}) {
  const Operation op = internal::make("InitializeTableFromTextFile", options.name, {table_handle, filename},
                                      {{"key_index", key_index},
                                       {"value_index", value_index},
                                       {"vocab_size", options.vocab_size},
                                       {"delimiter", options.delimiter},
                                       {"offset", options.offset}},
                                      {});
  return op;
}

struct InitializeTableFromTextFileV2Options {
  /// At least -1.
  int64_t vocab_size = -1;
  std::string delimiter = "\t";
  int64_t offset = 0;
  /// Of the node; empty: "InitializeTableFromTextFileV2".
  std::string name = {};
};
/// table_handle:resource, filename:string ->
/// `key_index`: at least -2.
/// `value_index`: at least -2.
inline Operation InitializeTableFromTextFileV2(const Input& table_handle, const Input& filename,
                                               int64_t key_index, int64_t value_index,
                                               const InitializeTableFromTextFileV2Options& options = {}) {
  const Operation op = internal::make("InitializeTableFromTextFileV2", options.name, {table_handle, filename},
                                      {{"key_index", key_index},
                                       {"value_index", value_index},
                                       {"vocab_size", options.vocab_size},
                                       {"delimiter", options.delimiter},
                                       {"offset", options.offset}},
                                      {});
  return op;
}

/// table_handle:resource, keys:Tkey, values:Tval ->
inline Operation InitializeTableV2(const Input& table_handle, const Input& keys, const Input& values,
                                   const NameOption& options = {}) {
  const Operation op =
      internal::make("InitializeTableV2", options.name, {table_handle, keys, values}, {}, {});
  return op;
}

/// What LookupTableExportV2 gives.
struct LookupTableExportV2Result {
  Tensor keys;
  Tensor values;
};
/// table_handle:resource -> keys:Tkeys, values:Tvalues
/// `Tkeys`: the dtype of `keys`.
/// `Tvalues`: the dtype of `values`.
inline LookupTableExportV2Result LookupTableExportV2(const Input& table_handle, DType Tkeys, DType Tvalues,
                                                     const NameOption& options = {}) {
  const Operation op = internal::make("LookupTableExportV2", options.name, {table_handle},
                                      {{"Tkeys", Tkeys}, {"Tvalues", Tvalues}}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// table_handle:ref string, keys:Tin, default_value:Tout -> values:Tout
inline Tensor LookupTableFind(const Input& table_handle, const Input& keys, const Input& default_value,
                              const NameOption& options = {}) {
  const Operation op =
      internal::make("LookupTableFind", options.name, {table_handle, keys, default_value}, {}, {});
  return internal::output(op, 0);
}

/// table_handle:resource, keys:Tin, default_value:Tout -> values:Tout
inline Tensor LookupTableFindV2(const Input& table_handle, const Input& keys, const Input& default_value,
                                const NameOption& options = {}) {
  const Operation op =
      internal::make("LookupTableFindV2", options.name, {table_handle, keys, default_value}, {}, {});
  return internal::output(op, 0);
}

/// table_handle:resource, keys:Tin, values:Tout ->
inline Operation LookupTableImportV2(const Input& table_handle, const Input& keys, const Input& values,
                                     const NameOption& options = {}) {
  const Operation op =
      internal::make("LookupTableImportV2", options.name, {table_handle, keys, values}, {}, {});
  return op;
}

/// table_handle:resource, keys:Tin, values:Tout ->
inline Operation LookupTableInsertV2(const Input& table_handle, const Input& keys, const Input& values,
                                     const NameOption& options = {}) {
  const Operation op =
      internal::make("LookupTableInsertV2", options.name, {table_handle, keys, values}, {}, {});
  return op;
}

/// table_handle:resource, keys:Tin ->
inline Operation LookupTableRemoveV2(const Input& table_handle, const Input& keys,
                                     const NameOption& options = {}) {
  const Operation op = internal::make("LookupTableRemoveV2", options.name, {table_handle, keys}, {}, {});
  return op;
}

/// table_handle:ref string -> size:int64
inline Tensor LookupTableSize(const Input& table_handle, const NameOption& options = {}) {
  const Operation op = internal::make("LookupTableSize", options.name, {table_handle}, {}, {});
  return internal::output(op, 0);
}

/// table_handle:resource -> size:int64
inline Tensor LookupTableSizeV2(const Input& table_handle, const NameOption& options = {}) {
  const Operation op = internal::make("LookupTableSizeV2", options.name, {table_handle}, {}, {});
  return internal::output(op, 0);
}

struct MutableHashTableV2Options {
  std::string container = {};
  std::string shared_name = {};
  bool use_node_name_sharing = false;
  /// Of the node; empty: "MutableHashTableV2".
  std::string name = {};
};
/// -> table_handle:resource
inline Tensor MutableHashTableV2(DType key_dtype, DType value_dtype,
                                 const MutableHashTableV2Options& options = {},
                                 Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("MutableHashTableV2", options.name, {},
                                      {{"key_dtype", key_dtype},
                                       {"value_dtype", value_dtype},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name},
                                       {"use_node_name_sharing", options.use_node_name_sharing}},
                                      where);
  return internal::output(op, 0);
}

struct PaddingFIFOQueueOptions {
  std::vector<TensorShape> shapes = {};
  int64_t capacity = -1;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "PaddingFIFOQueue".
  std::string name = {};
};
/// -> handle:ref string
/// `component_types`: at least 1 items.
inline Tensor PaddingFIFOQueue(const std::vector<DType>& component_types,
                               const PaddingFIFOQueueOptions& options = {},
                               Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("PaddingFIFOQueue", options.name, {},
                                      {{"component_types", component_types},
                                       {"shapes", options.shapes},
                                       {"capacity", options.capacity},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct PaddingFIFOQueueV2Options {
  std::vector<TensorShape> shapes = {};
  int64_t capacity = -1;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "PaddingFIFOQueueV2".
  std::string name = {};
};
/// -> handle:resource
/// `component_types`: at least 1 items.
inline Tensor PaddingFIFOQueueV2(const std::vector<DType>& component_types,
                                 const PaddingFIFOQueueV2Options& options = {},
                                 Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("PaddingFIFOQueueV2", options.name, {},
                                      {{"component_types", component_types},
                                       {"shapes", options.shapes},
                                       {"capacity", options.capacity},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct PriorityQueueOptions {
  std::vector<DType> component_types = {};
  int64_t capacity = -1;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "PriorityQueue".
  std::string name = {};
};
/// -> handle:ref string
inline Tensor PriorityQueue(const std::vector<TensorShape>& shapes, const PriorityQueueOptions& options = {},
                            Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("PriorityQueue", options.name, {},
                                      {{"shapes", shapes},
                                       {"component_types", options.component_types},
                                       {"capacity", options.capacity},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct PriorityQueueV2Options {
  std::vector<DType> component_types = {};
  int64_t capacity = -1;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "PriorityQueueV2".
  std::string name = {};
};
/// -> handle:resource
inline Tensor PriorityQueueV2(const std::vector<TensorShape>& shapes,
                              const PriorityQueueV2Options& options = {},
                              Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("PriorityQueueV2", options.name, {},
                                      {{"shapes", shapes},
                                       {"component_types", options.component_types},
                                       {"capacity", options.capacity},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct QueueCloseOptions {
  bool cancel_pending_enqueues = false;
  /// Of the node; empty: "QueueClose".
  std::string name = {};
};
/// handle:ref string ->
inline Operation QueueClose(const Input& handle, const QueueCloseOptions& options = {}) {
  const Operation op = internal::make("QueueClose", options.name, {handle},
                                      {{"cancel_pending_enqueues", options.cancel_pending_enqueues}}, {});
  return op;
}

struct QueueCloseV2Options {
  bool cancel_pending_enqueues = false;
  /// Of the node; empty: "QueueCloseV2".
  std::string name = {};
};
/// handle:resource ->
inline Operation QueueCloseV2(const Input& handle, const QueueCloseV2Options& options = {}) {
  const Operation op = internal::make("QueueCloseV2", options.name, {handle},
                                      {{"cancel_pending_enqueues", options.cancel_pending_enqueues}}, {});
  return op;
}

struct QueueDequeueOptions {
  int64_t timeout_ms = -1;
  /// Of the node; empty: "QueueDequeue".
  std::string name = {};
};
/// handle:ref string -> components:[component_types]
/// `component_types`: the dtypes of `components`. At least 1 items.
inline std::vector<Tensor> QueueDequeue(const Input& handle, const std::vector<DType>& component_types,
                                        const QueueDequeueOptions& options = {}) {
  const Operation op =
      internal::make("QueueDequeue", options.name, {handle},
                     {{"component_types", component_types}, {"timeout_ms", options.timeout_ms}}, {});
  return internal::outputs(op, 0);
}

struct QueueDequeueManyOptions {
  int64_t timeout_ms = -1;
  /// Of the node; empty: "QueueDequeueMany".
  std::string name = {};
};
/// handle:ref string, n:int32 -> components:[component_types]
/// `component_types`: the dtypes of `components`. At least 1 items.
inline std::vector<Tensor> QueueDequeueMany(const Input& handle, const Input& n,
                                            const std::vector<DType>& component_types,
                                            const QueueDequeueManyOptions& options = {}) {
  const Operation op =
      internal::make("QueueDequeueMany", options.name, {handle, n},
                     {{"component_types", component_types}, {"timeout_ms", options.timeout_ms}}, {});
  return internal::outputs(op, 0);
}

struct QueueDequeueManyV2Options {
  int64_t timeout_ms = -1;
  /// Of the node; empty: "QueueDequeueManyV2".
  std::string name = {};
};
/// handle:resource, n:int32 -> components:[component_types]
/// `component_types`: the dtypes of `components`. At least 1 items.
inline std::vector<Tensor> QueueDequeueManyV2(const Input& handle, const Input& n,
                                              const std::vector<DType>& component_types,
                                              const QueueDequeueManyV2Options& options = {}) {
  const Operation op =
      internal::make("QueueDequeueManyV2", options.name, {handle, n},
                     {{"component_types", component_types}, {"timeout_ms", options.timeout_ms}}, {});
  return internal::outputs(op, 0);
}

struct QueueDequeueUpToOptions {
  int64_t timeout_ms = -1;
  /// Of the node; empty: "QueueDequeueUpTo".
  std::string name = {};
};
/// handle:ref string, n:int32 -> components:[component_types]
/// `component_types`: the dtypes of `components`. At least 1 items.
inline std::vector<Tensor> QueueDequeueUpTo(const Input& handle, const Input& n,
                                            const std::vector<DType>& component_types,
                                            const QueueDequeueUpToOptions& options = {}) {
  const Operation op =
      internal::make("QueueDequeueUpTo", options.name, {handle, n},
                     {{"component_types", component_types}, {"timeout_ms", options.timeout_ms}}, {});
  return internal::outputs(op, 0);
}

struct QueueDequeueUpToV2Options {
  int64_t timeout_ms = -1;
  /// Of the node; empty: "QueueDequeueUpToV2".
  std::string name = {};
};
/// handle:resource, n:int32 -> components:[component_types]
/// `component_types`: the dtypes of `components`. At least 1 items.
inline std::vector<Tensor> QueueDequeueUpToV2(const Input& handle, const Input& n,
                                              const std::vector<DType>& component_types,
                                              const QueueDequeueUpToV2Options& options = {}) {
  const Operation op =
      internal::make("QueueDequeueUpToV2", options.name, {handle, n},
                     {{"component_types", component_types}, {"timeout_ms", options.timeout_ms}}, {});
  return internal::outputs(op, 0);
}

struct QueueDequeueV2Options {
  int64_t timeout_ms = -1;
  /// Of the node; empty: "QueueDequeueV2".
  std::string name = {};
};
/// handle:resource -> components:[component_types]
/// `component_types`: the dtypes of `components`. At least 1 items.
inline std::vector<Tensor> QueueDequeueV2(const Input& handle, const std::vector<DType>& component_types,
                                          const QueueDequeueV2Options& options = {}) {
  const Operation op =
      internal::make("QueueDequeueV2", options.name, {handle},
                     {{"component_types", component_types}, {"timeout_ms", options.timeout_ms}}, {});
  return internal::outputs(op, 0);
}

struct QueueEnqueueOptions {
  int64_t timeout_ms = -1;
  /// Of the node; empty: "QueueEnqueue".
  std::string name = {};
};
/// handle:ref string, components:[Tcomponents] ->
inline Operation QueueEnqueue(const Input& handle, const List<Input>& components,
                              const QueueEnqueueOptions& options = {}) {
  const Operation op = internal::make("QueueEnqueue", options.name, {handle, components.items()},
                                      {{"timeout_ms", options.timeout_ms}}, {});
  return op;
}

struct QueueEnqueueManyOptions {
  int64_t timeout_ms = -1;
  /// Of the node; empty: "QueueEnqueueMany".
  std::string name = {};
};
/// handle:ref string, components:[Tcomponents] ->
inline Operation QueueEnqueueMany(const Input& handle, const List<Input>& components,
                                  const QueueEnqueueManyOptions& options = {}) {
  const Operation op = internal::make("QueueEnqueueMany", options.name, {handle, components.items()},
                                      {{"timeout_ms", options.timeout_ms}}, {});
  return op;
}

struct QueueEnqueueManyV2Options {
  int64_t timeout_ms = -1;
  /// Of the node; empty: "QueueEnqueueManyV2".
  std::string name = {};
};
/// handle:resource, components:[Tcomponents] ->
inline Operation QueueEnqueueManyV2(const Input& handle, const List<Input>& components,
                                    const QueueEnqueueManyV2Options& options = {}) {
  const Operation op = internal::make("QueueEnqueueManyV2", options.name, {handle, components.items()},
                                      {{"timeout_ms", options.timeout_ms}}, {});
  return op;
}

struct QueueEnqueueV2Options {
  int64_t timeout_ms = -1;
  /// Of the node; empty: "QueueEnqueueV2".
  std::string name = {};
};
/// handle:resource, components:[Tcomponents] ->
inline Operation QueueEnqueueV2(const Input& handle, const List<Input>& components,
                                const QueueEnqueueV2Options& options = {}) {
  const Operation op = internal::make("QueueEnqueueV2", options.name, {handle, components.items()},
                                      {{"timeout_ms", options.timeout_ms}}, {});
  return op;
}

/// handle:ref string -> is_closed:bool
inline Tensor QueueIsClosed(const Input& handle, const NameOption& options = {}) {
  const Operation op = internal::make("QueueIsClosed", options.name, {handle}, {}, {});
  return internal::output(op, 0);
}

/// handle:resource -> is_closed:bool
inline Tensor QueueIsClosedV2(const Input& handle, const NameOption& options = {}) {
  const Operation op = internal::make("QueueIsClosedV2", options.name, {handle}, {}, {});
  return internal::output(op, 0);
}

/// handle:ref string -> size:int32
inline Tensor QueueSize(const Input& handle, const NameOption& options = {}) {
  const Operation op = internal::make("QueueSize", options.name, {handle}, {}, {});
  return internal::output(op, 0);
}

/// handle:resource -> size:int32
inline Tensor QueueSizeV2(const Input& handle, const NameOption& options = {}) {
  const Operation op = internal::make("QueueSizeV2", options.name, {handle}, {}, {});
  return internal::output(op, 0);
}

struct RandomShuffleQueueOptions {
  std::vector<TensorShape> shapes = {};
  int64_t capacity = -1;
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "RandomShuffleQueue".
  std::string name = {};
};
/// -> handle:ref string
/// `component_types`: at least 1 items.
inline Tensor RandomShuffleQueue(const std::vector<DType>& component_types,
                                 const RandomShuffleQueueOptions& options = {},
                                 Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("RandomShuffleQueue", options.name, {},
                                      {{"component_types", component_types},
                                       {"shapes", options.shapes},
                                       {"capacity", options.capacity},
                                       {"min_after_dequeue", options.min_after_dequeue},
                                       {"seed", options.seed},
                                       {"seed2", options.seed2},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct RandomShuffleQueueV2Options {
  std::vector<TensorShape> shapes = {};
  int64_t capacity = -1;
  int64_t min_after_dequeue = 0;
  int64_t seed = 0;
  int64_t seed2 = 0;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "RandomShuffleQueueV2".
  std::string name = {};
};
/// -> handle:resource
/// `component_types`: at least 1 items.
inline Tensor RandomShuffleQueueV2(const std::vector<DType>& component_types,
                                   const RandomShuffleQueueV2Options& options = {},
                                   Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("RandomShuffleQueueV2", options.name, {},
                                      {{"component_types", component_types},
                                       {"shapes", options.shapes},
                                       {"capacity", options.capacity},
                                       {"min_after_dequeue", options.min_after_dequeue},
                                       {"seed", options.seed},
                                       {"seed2", options.seed2},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

/// reader_handle:resource -> records_produced:int64
inline Tensor ReaderNumRecordsProducedV2(const Input& reader_handle, const NameOption& options = {}) {
  const Operation op = internal::make("ReaderNumRecordsProducedV2", options.name, {reader_handle}, {}, {});
  return internal::output(op, 0);
}

/// reader_handle:resource -> units_completed:int64
inline Tensor ReaderNumWorkUnitsCompletedV2(const Input& reader_handle, const NameOption& options = {}) {
  const Operation op = internal::make("ReaderNumWorkUnitsCompletedV2", options.name, {reader_handle}, {}, {});
  return internal::output(op, 0);
}

/// What ReaderRead gives.
struct ReaderReadResult {
  Tensor key;
  Tensor value;
};
/// reader_handle:ref string, queue_handle:ref string -> key:string, value:string
inline ReaderReadResult ReaderRead(const Input& reader_handle, const Input& queue_handle,
                                   const NameOption& options = {}) {
  const Operation op = internal::make("ReaderRead", options.name, {reader_handle, queue_handle}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What ReaderReadUpToV2 gives.
struct ReaderReadUpToV2Result {
  Tensor keys;
  Tensor values;
};
/// reader_handle:resource, queue_handle:resource, num_records:int64 -> keys:string, values:string
inline ReaderReadUpToV2Result ReaderReadUpToV2(const Input& reader_handle, const Input& queue_handle,
                                               const Input& num_records, const NameOption& options = {}) {
  const Operation op =
      internal::make("ReaderReadUpToV2", options.name, {reader_handle, queue_handle, num_records}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// What ReaderReadV2 gives.
struct ReaderReadV2Result {
  Tensor key;
  Tensor value;
};
/// reader_handle:resource, queue_handle:resource -> key:string, value:string
inline ReaderReadV2Result ReaderReadV2(const Input& reader_handle, const Input& queue_handle,
                                       const NameOption& options = {}) {
  const Operation op = internal::make("ReaderReadV2", options.name, {reader_handle, queue_handle}, {}, {});
  return {internal::output(op, 0), internal::output(op, 1)};
}

/// reader_handle:resource ->
inline Operation ReaderResetV2(const Input& reader_handle, const NameOption& options = {}) {
  const Operation op = internal::make("ReaderResetV2", options.name, {reader_handle}, {}, {});
  return op;
}

/// handle:resource, local_step:int64, gradient:dtype ->
inline Operation ResourceAccumulatorApplyGradient(const Input& handle, const Input& local_step,
                                                  const Input& gradient, const NameOption& options = {}) {
  const Operation op = internal::make("ResourceAccumulatorApplyGradient", options.name,
                                      {handle, local_step, gradient}, {}, {});
  return op;
}

/// handle:resource -> num_accumulated:int32
inline Tensor ResourceAccumulatorNumAccumulated(const Input& handle, const NameOption& options = {}) {
  const Operation op = internal::make("ResourceAccumulatorNumAccumulated", options.name, {handle}, {}, {});
  return internal::output(op, 0);
}

/// handle:resource, new_global_step:int64 ->
inline Operation ResourceAccumulatorSetGlobalStep(const Input& handle, const Input& new_global_step,
                                                  const NameOption& options = {}) {
  const Operation op =
      internal::make("ResourceAccumulatorSetGlobalStep", options.name, {handle, new_global_step}, {}, {});
  return op;
}

/// handle:resource, num_required:int32 -> average:dtype
/// `dtype`: the dtype of `average`. One of float32, float64, int32, uint8, int16, int8, complex64, int64,
/// qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64.
inline Tensor ResourceAccumulatorTakeGradient(const Input& handle, const Input& num_required, DType dtype,
                                              const NameOption& options = {}) {
  const Operation op = internal::make("ResourceAccumulatorTakeGradient", options.name, {handle, num_required},
                                      {{"dtype", dtype}}, {});
  return internal::output(op, 0);
}

struct ResourceConditionalAccumulatorOptions {
  std::string container = {};
  std::string shared_name = {};
  /// One of "MEAN", "SUM".
  std::string reduction_type = "MEAN";
  /// Of the node; empty: "ResourceConditionalAccumulator".
  std::string name = {};
};
/// -> handle:resource
/// `dtype`: one of float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32,
/// bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64.
inline Tensor ResourceConditionalAccumulator(DType dtype, const TensorShape& shape,
                                             const ResourceConditionalAccumulatorOptions& options = {},
                                             Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("ResourceConditionalAccumulator", options.name, {},
                                      {{"dtype", dtype},
                                       {"shape", shape},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name},
                                       {"reduction_type", options.reduction_type}},
                                      where);
  return internal::output(op, 0);
}

/// handle:ref string, local_step:int64, gradient_indices:int64, gradient_values:dtype,
/// gradient_shape:int64 ->
inline Operation SparseAccumulatorApplyGradient(const Input& handle, const Input& local_step,
                                                const Input& gradient_indices, const Input& gradient_values,
                                                const Input& gradient_shape, bool has_known_shape,
                                                const NameOption& options = {}) {
  const Operation op = internal::make("SparseAccumulatorApplyGradient", options.name,
                                      {handle, local_step, gradient_indices, gradient_values, gradient_shape},
                                      {{"has_known_shape", has_known_shape}}, {});
  return op;
}

/// What SparseAccumulatorTakeGradient gives.
struct SparseAccumulatorTakeGradientResult {
  Tensor indices;
  Tensor values;
  Tensor shape;
};
/// handle:ref string, num_required:int32 -> indices:int64, values:dtype, shape:int64
/// `dtype`: the dtype of `values`. One of float32, float64, int32, uint8, int16, int8, complex64, int64,
/// qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64.
inline SparseAccumulatorTakeGradientResult SparseAccumulatorTakeGradient(const Input& handle,
                                                                         const Input& num_required,
                                                                         DType dtype,
                                                                         const NameOption& options = {}) {
  const Operation op = internal::make("SparseAccumulatorTakeGradient", options.name, {handle, num_required},
                                      {{"dtype", dtype}}, {});
  return {internal::output(op, 0), internal::output(op, 1), internal::output(op, 2)};
}

struct SparseConditionalAccumulatorOptions {
  std::string container = {};
  std::string shared_name = {};
  /// One of "MEAN", "SUM".
  std::string reduction_type = "MEAN";
  /// Of the node; empty: "SparseConditionalAccumulator".
  std::string name = {};
};
/// -> handle:ref string
/// `dtype`: one of float32, float64, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32,
/// bfloat16, qint16, quint16, uint16, complex128, float16, uint32, uint64.
inline Tensor SparseConditionalAccumulator(DType dtype, const TensorShape& shape,
                                           const SparseConditionalAccumulatorOptions& options = {},
                                           Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("SparseConditionalAccumulator", options.name, {},
                                      {{"dtype", dtype},
                                       {"shape", shape},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name},
                                       {"reduction_type", options.reduction_type}},
                                      where);
  return internal::output(op, 0);
}

struct TFRecordReaderOptions {
  std::string container = {};
  std::string shared_name = {};
  std::string compression_type = {};
  /// Of the node; empty: "TFRecordReader".
  std::string name = {};
};
/// -> reader_handle:ref string
inline Tensor TFRecordReader(const TFRecordReaderOptions& options = {},
                             Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("TFRecordReader", options.name, {},
                                      {{"container", options.container},
                                       {"shared_name", options.shared_name},
                                       {"compression_type", options.compression_type}},
                                      where);
  return internal::output(op, 0);
}

struct TFRecordReaderV2Options {
  std::string container = {};
  std::string shared_name = {};
  std::string compression_type = {};
  /// Of the node; empty: "TFRecordReaderV2".
  std::string name = {};
};
/// -> reader_handle:resource
inline Tensor TFRecordReaderV2(const TFRecordReaderV2Options& options = {},
                               Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("TFRecordReaderV2", options.name, {},
                                      {{"container", options.container},
                                       {"shared_name", options.shared_name},
                                       {"compression_type", options.compression_type}},
                                      where);
  return internal::output(op, 0);
}

struct TextLineReaderOptions {
  int64_t skip_header_lines = 0;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "TextLineReader".
  std::string name = {};
};
/// -> reader_handle:ref string
inline Tensor TextLineReader(const TextLineReaderOptions& options = {},
                             Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("TextLineReader", options.name, {},
                                      {{"skip_header_lines", options.skip_header_lines},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct TextLineReaderV2Options {
  int64_t skip_header_lines = 0;
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "TextLineReaderV2".
  std::string name = {};
};
/// -> reader_handle:resource
inline Tensor TextLineReaderV2(const TextLineReaderV2Options& options = {},
                               Input::Where where = Input::Where::current()) {
  const Operation op = internal::make("TextLineReaderV2", options.name, {},
                                      {{"skip_header_lines", options.skip_header_lines},
                                       {"container", options.container},
                                       {"shared_name", options.shared_name}},
                                      where);
  return internal::output(op, 0);
}

struct WholeFileReaderOptions {
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "WholeFileReader".
  std::string name = {};
};
/// -> reader_handle:ref string
inline Tensor WholeFileReader(const WholeFileReaderOptions& options = {},
                              Input::Where where = Input::Where::current()) {
  const Operation op =
      internal::make("WholeFileReader", options.name, {},
                     {{"container", options.container}, {"shared_name", options.shared_name}}, where);
  return internal::output(op, 0);
}

struct WholeFileReaderV2Options {
  std::string container = {};
  std::string shared_name = {};
  /// Of the node; empty: "WholeFileReaderV2".
  std::string name = {};
};
/// -> reader_handle:resource
inline Tensor WholeFileReaderV2(const WholeFileReaderV2Options& options = {},
                                Input::Where where = Input::Where::current()) {
  const Operation op =
      internal::make("WholeFileReaderV2", options.name, {},
                     {{"container", options.container}, {"shared_name", options.shared_name}}, where);
  return internal::output(op, 0);
}

}  // namespace flowray::tf::raw_ops

#pragma GCC visibility pop
