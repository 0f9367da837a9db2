#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/lookup.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "tf/build/collections.h"
#include "tf/build/composite.h"
#include "tf/build/function_graph.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/sparse/sparse_parts.h"

#include <fmt/format.h>

#include <functional>
#include <random>

namespace flowray::tf::lookup {

// ---- what a table is filled from

struct TableInitializer::State {
  DType key_dtype;
  DType value_dtype;
  /// Sessions that share variables share tables of one name; empty: nobody else's.
  std::string shared_name;
  std::function<Operation(const Tensor&)> fill;
};

DType TableInitializer::key_dtype() const { return state_->key_dtype; }
DType TableInitializer::value_dtype() const { return state_->value_dtype; }
Operation TableInitializer::initialize(const Tensor& resource_handle) const {
  const Operation filled = state_->fill(resource_handle);
  internal::collections_of(filled.node()->graph()).add(internal::kTableInitializers, filled.node());
  return filled;
}

namespace {

std::string dtype_text(DType dtype) { return fmt::format("<dtype: '{}'>", dtype_name(dtype)); }

Operation operation_of(const OpCall& call) { return Operation(apply_op_node(call)); }

bool is_text(DType dtype) { return dtype == DType::kString; }

/// A column that is the whole line or its number.
void check_column(const char* word, int64_t index, DType dtype) {
  const bool is_key = std::string_view(word) == "key";
  if (index < TextFileIndex::WHOLE_LINE) {
    throw ValueError(
        fmt::format("`{}_index` should be >= -2, received: {}{}", word, index, is_key ? "." : ""));
  }
  if (index == TextFileIndex::LINE_NUMBER && dtype != DType::kInt64) {
    throw ValueError(fmt::format("`{0}_dtype` must be int64 {1} `{0}_index` {2}-1, received: {3}", word,
                                 is_key ? "if" : "for", is_key ? "is " : "", dtype_text(dtype)));
  }
  if (index == TextFileIndex::WHOLE_LINE && !is_integer(dtype) && !is_text(dtype)) {
    throw ValueError(
        fmt::format("`{0}_dtype` should be either integer or string for `{0}_index` -2, received: {1}", word,
                    dtype_text(dtype)));
  }
}

/// The name of a file that is written in the program; empty for a tensor.
std::string file_text(const Input& filename) {
  if (filename.tensor() != nullptr) return {};
  const Array value =
      filename.array() != nullptr ? *filename.array() : filename.literal()->to_array(DType::kString);
  return value.item<std::string>();
}

std::string shared_name_of(const Input& filename, int64_t key_index, int64_t value_index,
                           const TextFileInitializerOptions& options) {
  std::string name =
      "hash_table_" + (filename.tensor() != nullptr ? tensor_text(*filename.tensor()) : file_text(filename));
  if (options.vocab_size) name += fmt::format("_{}", *options.vocab_size);
  name += fmt::format("_{}_{}", key_index, value_index);
  if (options.value_index_offset != 0) name += fmt::format("_{}", options.value_index_offset);
  return name;
}

/// The name of a table that no other step shares.
std::string name_of_its_own() {
  std::random_device random;
  return fmt::format("hash_table_{:08x}-{:08x}-{:08x}-{:08x}", random(), random(), random(), random());
}

}  // namespace

KeyValueTensorInitializer::KeyValueTensorInitializer(const Input& keys, const Input& values,
                                                     const KeyValueTensorInitializerOptions& options)
    : TableInitializer([&] {
        const CallScope call({{"keys", keys}, {"values", values}});
        const Tensor of_keys = to_tensor(call.graph(), keys, "keys", options.key_dtype);
        const Tensor of_values = to_tensor(call.graph(), values, "values", options.value_dtype);
        const auto fill = [of_keys, of_values, name = options.name](const Tensor& handle) {
          const Composite scope({{"handle", Input(handle)}}, name, "key_value_init", {});
          return operation_of({.op = "LookupTableImportV2", .args = {handle, of_keys, of_values}});
        };
        return std::make_shared<const State>(
            State{base_dtype(of_keys.dtype()), base_dtype(of_values.dtype()), "", fill});
      }()) {}

TextFileInitializer::TextFileInitializer(const Input& filename, DType key_dtype, int64_t key_index,
                                         DType value_dtype, int64_t value_index,
                                         const TextFileInitializerOptions& options)
    : TableInitializer([&] {
        const CallScope call({{"filename", filename}});
        if (filename.tensor() == nullptr && file_text(filename).empty())
          throw ValueError("`filename` argument required for tf.lookup.TextFileInitializer");
        check_column("key", key_index, key_dtype);
        check_column("value", value_index, value_dtype);
        if (options.vocab_size && *options.vocab_size <= 0)
          throw ValueError(fmt::format("`vocab_size` should be > 0, received: {}", *options.vocab_size));
        Tensor path;
        {
          const DeviceGuard on_cpu = device("CPU");
          path = to_tensor(call.graph(), filename, "asset_path", DType::kString);
        }
        const auto fill = [=](const Tensor& handle) {
          const Composite scope({{"handle", Input(handle)}}, options.name, "text_file_init", {});
          const Operation filled = operation_of({.op = "InitializeTableFromTextFileV2",
                                                 .args = {handle, path},
                                                 .attrs = {{"key_index", key_index},
                                                           {"value_index", value_index},
                                                           {"vocab_size", options.vocab_size.value_or(-1)},
                                                           {"delimiter", options.delimiter},
                                                           {"offset", options.value_index_offset}}});
          if (path.op().type() == "Const")
            internal::collections_of(handle.node()->graph()).add("asset_filepaths", path.node());
          return filled;
        };
        return std::make_shared<const State>(
            State{key_dtype, value_dtype, shared_name_of(filename, key_index, value_index, options), fill});
      }()) {}

// ---- tables

/// A table of one's own, or the numbers of another and of buckets.
struct LookupTable::State {
  DType key_dtype = DType::kInvalid;
  DType value_dtype = DType::kInvalid;
  std::string name = {};
  Tensor handle = {};  // none for buckets without a table
  Tensor default_value = {};
  Operation initializer = {};
  std::shared_ptr<const State> table = nullptr;  // of numbers and buckets
  bool has_buckets = false;
  int64_t num_oov_buckets = 0;
  HasherSpec hasher_spec = {};
  Graph graph = get_default_graph();

  graph::Graph& graph_here() const { return FunctionGraph::graph_for(*graph.get()); }
  Tensor size(const std::string& scope_name, Where where) const;
  Tensor lookup(const Tensor& keys, const std::string& scope_name, Where where) const;
  Tensor id_or_bucket(const Tensor& keys, const std::string& scope_name, Where where) const;
};

namespace {

/// A table that a function makes is the program's: each call of the function reads and changes the same.
Tensor make_handle(const OpCall& call) {
  const GraphScope in_program(&FunctionGraph::program_graph());
  return apply_op(call);
}

std::string last_part(const std::string& name) { return name.substr(name.rfind('/') + 1); }

void check_keys(DType given, DType wanted) {
  if (base_dtype(given) == wanted) return;
  throw TypeError(fmt::format("Dtype of argument `keys` must be {}, received: {}", dtype_text(wanted),
                              dtype_text(given)));
}

Tensor bucket_of(const Tensor& values, int64_t count, const HasherSpec& spec) {
  const Tensor words =
      is_text(base_dtype(values.dtype())) ? values : apply_op({.op = "AsString", .args = {values}});
  graph::Attrs attrs{{"num_buckets", count}};
  std::string_view op = "StringToHashBucketFast";
  if (spec.hasher == "legacy") op = "StringToHashBucket";
  if (spec.hasher == "stronghash") {
    op = "StringToHashBucketStrong";
    attrs = {{"num_buckets", count}, {"key", std::vector<int64_t>(spec.key.begin(), spec.key.end())}};
  }
  return apply_op({.op = op, .name = "hash_bucket", .args = {words}, .attrs = attrs});
}

void check_hasher(const HasherSpec& spec) {
  if (spec.hasher == "fasthash" || spec.hasher == "legacy" || spec.hasher == "stronghash") return;
  throw ValueError(fmt::format("Found unknown hasher {} in `hasher_spec`", spec.hasher));
}

}  // namespace

Tensor LookupTable::State::size(const std::string& scope_name, Where where) const {
  const Composite scope(graph_here(), scope_name, name + "_Size", where);
  if (!has_buckets) return apply_op({.op = "LookupTableSizeV2", .args = {handle}});
  const Tensor of_table =
      table != nullptr ? table->size({}, where) : constant(int64_t{0}, {.dtype = DType::kInt64});
  return of_table + num_oov_buckets;
}

Tensor LookupTable::State::lookup(const Tensor& keys, const std::string& scope_name, Where where) const {
  check_keys(keys.dtype(), key_dtype);
  if (has_buckets) return id_or_bucket(keys, scope_name, where);
  Tensor values;
  {
    const Composite scope(graph_here(), scope_name, name + "_Lookup", where);
    values = apply_op({.op = "LookupTableFindV2", .args = {handle, keys, default_value}});
  }
  values.set_shape(keys.shape());
  return values;
}

Tensor LookupTable::State::id_or_bucket(const Tensor& keys, const std::string& scope_name,
                                        Where where) const {
  const bool casts = table != nullptr && table->key_dtype == DType::kInt64;
  const Tensor values = casts ? cast(keys, DType::kInt64) : keys;
  if (num_oov_buckets == 0) return table->lookup(values, scope_name, where);
  const Composite scope(graph_here(), scope_name, name + "_Lookup", where);
  const Tensor bucket = bucket_of(values, num_oov_buckets, hasher_spec);
  if (table == nullptr) return bucket;
  const Tensor ids = table->lookup(values, {}, where);
  const Tensor size = table->size({}, where);
  const Tensor behind = add(bucket, size);
  const Tensor is_known = not_equal(ids, table->default_value);
  return where_v2(is_known, ids, behind);
}

DType LookupTable::key_dtype() const { return state_->key_dtype; }
DType LookupTable::value_dtype() const { return state_->value_dtype; }
const Tensor& LookupTable::resource_handle() const { return state_->handle; }
const std::string& LookupTable::name() const { return state_->name; }

Operation LookupTable::initializer(Where where) const {
  if (state_->initializer.has_value()) return state_->initializer;
  const Composite scope(state_->graph_here(), {}, "init", where);
  return no_op();
}

Tensor LookupTable::size(const NameOption& options, Where where) const {
  const CallScope call(state_->graph_here(), where);
  return state_->size(options.name, where);
}

Tensor LookupTable::lookup(const Input& keys, const NameOption& options) const {
  const CallScope call({{"keys", keys}});
  const bool is_written = keys.tensor() == nullptr;
  const Tensor tensor =
      to_tensor(call.graph(), keys, "keys", is_written ? state_->key_dtype : DType::kInvalid);
  return state_->lookup(tensor, options.name, keys.where());
}

SparseTensor LookupTable::lookup(const SparseInput& keys, const NameOption& options) const {
  check_sparse_set(keys, "keys");
  const CallScope call({{"keys", Input(keys.values())}}, keys.where());
  return {keys.indices(), state_->lookup(keys.values(), options.name, keys.where()), keys.dense_shape()};
}

StaticHashTable::StaticHashTable(const TableInitializer& initializer, const Input& default_value,
                                 const NameOption& options)
    : LookupTable([&] {
        const CallScope call({{"default_value", default_value}});
        State state{.key_dtype = initializer.key_dtype(), .value_dtype = initializer.value_dtype()};

        state.default_value = to_tensor(call.graph(), default_value, "Const", state.value_dtype);
        (void)state.default_value.shape().merge_with({});
        const std::string& shared = initializer.state_->shared_name;
        state.handle = make_handle({.op = "HashTableV2",
                                    .name = options.name.empty() ? "hash_table" : options.name,
                                    .attrs = {{"key_dtype", state.key_dtype},
                                              {"value_dtype", state.value_dtype},
                                              {"shared_name", shared.empty() ? name_of_its_own() : shared}}});
        state.name = last_part(state.handle.op().name());
        state.initializer = initializer.initialize(state.handle);
        return std::make_shared<const State>(std::move(state));
      }()) {}

ExportedTable StaticHashTable::export_all(const NameOption& options, Where where) const {
  const Composite scope(state().graph_here(), options.name, name() + "_Export", where);
  const std::vector<Tensor> parts =
      outputs_of({.op = "LookupTableExportV2",
                  .args = {state().handle},
                  .attrs = {{"Tkeys", state().key_dtype}, {"Tvalues", state().value_dtype}}});
  Tensor values = parts[1];
  values.set_shape(parts[0].shape().concatenate(state().default_value.shape()));
  return {parts[0], values};
}

namespace {

std::string without_slash(std::string name) {
  while (name.ends_with('/')) name.pop_back();
  return name;
}

void check_id_dtypes(DType table_keys, DType keys, DType values) {
  if (table_keys != DType::kInt64 && !is_text(table_keys)) {
    throw TypeError(fmt::format("Invalid `key_dtype`, expected one of (tf.int64, tf.string), received {}.",
                                dtype_text(keys)));
  }
  if (is_integer(table_keys) != is_integer(keys)) {
    throw TypeError(fmt::format("Invalid `key dtype`, expected {} but got {}.",
                                is_integer(keys) ? "integer" : "non-integer", dtype_text(table_keys)));
  }
  if (values != DType::kInt64) {
    throw TypeError(fmt::format("Invalid `value_dtype`: expected int64 but got {}.", dtype_text(values)));
  }
}

void check_key_dtype(DType dtype) {
  if (is_integer(dtype) || is_text(dtype)) return;
  throw TypeError(fmt::format("Invalid `key_dtype`, expected integer or string, got {}.", dtype_text(dtype)));
}

}  // namespace

IdTableWithHashBuckets::IdTableWithHashBuckets(const LookupTable& table, int64_t num_oov_buckets,
                                               const IdTableWithHashBucketsOptions& options, Where where)
    : LookupTable([&] {
        const ErrorLine errors(where);
        const State& of = *table.state_;
        const DType keys = options.key_dtype == DType::kInvalid ? of.key_dtype : options.key_dtype;
        check_id_dtypes(of.key_dtype, keys, of.value_dtype);
        check_key_dtype(keys);
        check_hasher(options.hasher_spec);
        const std::string asked = without_slash(options.name);
        return std::make_shared<const State>(State{.key_dtype = keys,
                                                   .value_dtype = DType::kInt64,
                                                   .name = last_part(asked.empty() ? of.name : asked),
                                                   .handle = of.handle,
                                                   .default_value = of.default_value,
                                                   .initializer = of.initializer,
                                                   .table = table.state_,
                                                   .has_buckets = true,
                                                   .num_oov_buckets = num_oov_buckets,
                                                   .hasher_spec = options.hasher_spec,
                                                   .graph = of.graph});
      }()) {}

IdTableWithHashBuckets::IdTableWithHashBuckets(int64_t num_oov_buckets,
                                               const IdTableWithHashBucketsOptions& options, Where where)
    : LookupTable([&] {
        const ErrorLine errors(where);
        if (num_oov_buckets <= 0) throw ValueError("`oov_buckets` must be > 0 if no `table` is supplied.");
        const DType keys = options.key_dtype == DType::kInvalid ? DType::kString : options.key_dtype;
        check_key_dtype(keys);
        check_hasher(options.hasher_spec);
        const std::string asked = without_slash(options.name);
        return std::make_shared<const State>(State{.key_dtype = keys,
                                                   .value_dtype = DType::kInt64,
                                                   .name = asked.empty() ? "hash_bucket" : last_part(asked),
                                                   .has_buckets = true,
                                                   .num_oov_buckets = num_oov_buckets,
                                                   .hasher_spec = options.hasher_spec});
      }()) {}

namespace {

StaticHashTable words_of(const TableInitializer& initializer, int64_t num_oov_buckets, Input::Where where) {
  const ErrorLine errors(where);
  if (num_oov_buckets <= 0) throw ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.");
  if (initializer.value_dtype() != DType::kInt64) {
    throw TypeError(fmt::format("Invalid `value_dtype`, expected {} but got {}.", dtype_text(DType::kInt64),
                                dtype_text(initializer.value_dtype())));
  }
  return {initializer, Input(int64_t{-1}, where)};
}

}  // namespace

StaticVocabularyTable::StaticVocabularyTable(const TableInitializer& initializer, int64_t num_oov_buckets,
                                             const StaticVocabularyTableOptions& options, Where where)
    : IdTableWithHashBuckets(words_of(initializer, num_oov_buckets, where), num_oov_buckets,
                             {.name = options.name, .key_dtype = options.lookup_key_dtype}, where) {}

// ---- tables that change

MutableHashTable::MutableHashTable(DType key_dtype, DType value_dtype, const Input& default_value,
                                   const NameOption& options)
    : key_dtype_(key_dtype), value_dtype_(value_dtype) {
  const CallScope call({{"default_value", default_value}});
  default_value_ = to_tensor(call.graph(), default_value, "Const", value_dtype);
  const TensorShape& shape = default_value_.shape();
  if (!shape.has_rank() || shape.rank() != 0) {
    throw ValueError(
        fmt::format("A MutableHashTable has one value for each key here, and default_value has shape {}",
                    shape.to_tuple_string()));
  }
  handle_ = make_handle(
      {.op = "MutableHashTableV2",
       .name = options.name.empty() ? "MutableHashTable" : options.name,
       .attrs = {{"use_node_name_sharing", false}, {"key_dtype", key_dtype}, {"value_dtype", value_dtype}}});
}

std::string MutableHashTable::name() const { return last_part(handle_.op().name()); }

Tensor MutableHashTable::size(const NameOption& options, Where where) const {
  graph::Graph& graph = FunctionGraph::graph_for(handle_.node()->graph());
  const Composite scope(graph, options.name, name() + "_Size", where);
  const ColocationGuard with(&graph, colocation_groups(*handle_.node()));
  return apply_op({.op = "LookupTableSizeV2", .args = {handle_}});
}

Tensor MutableHashTable::lookup(const Input& keys, const NameOption& options) const {
  Composite scope({{"keys", keys}}, options.name, name() + "_lookup_table_find", keys.where());
  const Tensor wanted = scope.convert(keys, "keys", key_dtype_);
  const ColocationGuard with(&scope.graph(), colocation_groups(*handle_.node()));
  return apply_op({.op = "LookupTableFindV2", .args = {handle_, wanted, default_value_}});
}

Operation MutableHashTable::insert(const Input& keys, const Input& values, const NameOption& options) const {
  Composite scope({{"keys", keys}, {"values", values}}, options.name, name() + "_lookup_table_insert",
                  keys.where());
  const Tensor of_keys = scope.convert(keys, "keys", key_dtype_);
  const Tensor of_values = scope.convert(values, "values", value_dtype_);
  const ColocationGuard with(&scope.graph(), colocation_groups(*handle_.node()));
  return operation_of({.op = "LookupTableInsertV2", .args = {handle_, of_keys, of_values}});
}

Operation MutableHashTable::remove(const Input& keys, const NameOption& options) const {
  const CallScope call({{"keys", keys}});
  const bool is_written = keys.tensor() == nullptr;
  const Tensor tensor = to_tensor(call.graph(), keys, "keys", is_written ? key_dtype_ : DType::kInvalid);
  check_keys(tensor.dtype(), key_dtype_);
  const Composite scope(call.graph(), options.name, name() + "_lookup_table_remove", keys.where());
  return operation_of({.op = "LookupTableRemoveV2", .args = {handle_, tensor}});
}

ExportedTable MutableHashTable::export_all(const NameOption& options, Where where) const {
  graph::Graph& graph = FunctionGraph::graph_for(handle_.node()->graph());
  const Composite scope(graph, options.name, name() + "_lookup_table_export_values", where);
  const ColocationGuard with(&graph, colocation_groups(*handle_.node()));
  const std::vector<Tensor> parts = outputs_of({.op = "LookupTableExportV2",
                                                .args = {handle_},
                                                .attrs = {{"Tkeys", key_dtype_}, {"Tvalues", value_dtype_}}});
  return {parts[0], parts[1]};
}

// ---- tf.contrib.lookup's functions

namespace {

void check_file(const Input& vocabulary_file) {
  if (vocabulary_file.tensor() == nullptr && file_text(vocabulary_file).empty())
    throw ValueError("`vocabulary_file` must be specified and must not be empty.");
}

LookupTable with_buckets(const LookupTable& table, int64_t num_oov_buckets, const HasherSpec& spec,
                         DType key_dtype, Input::Where where) {
  if (num_oov_buckets == 0) return table;
  return IdTableWithHashBuckets(table, num_oov_buckets, {.hasher_spec = spec, .key_dtype = key_dtype}, where);
}

}  // namespace

LookupTable index_table_from_file(const Input& vocabulary_file, const IndexTableFromFileOptions& options) {
  const CallScope call({{"vocabulary_file", vocabulary_file}});
  check_file(vocabulary_file);
  if (options.num_oov_buckets < 0) {
    throw ValueError(
        fmt::format("num_oov_buckets must be greater or equal than 0, got {}.", options.num_oov_buckets));
  }
  if (options.vocab_size && *options.vocab_size < 1) {
    throw ValueError(fmt::format("`vocab_size` must be greater than 0, got {} for vocabulary_file: {}.",
                                 *options.vocab_size, file_text(vocabulary_file)));
  }
  if (!is_integer(options.key_dtype) && !is_text(options.key_dtype))
    throw TypeError("Dtype for `keys` should be either integer or string.");
  const Composite scope(call.graph(), options.name, "string_to_index", vocabulary_file.where());
  std::optional<LookupTable> table;
  {
    const Composite inner(call.graph(), {}, "hash_table", vocabulary_file.where());
    const TextFileInitializer lines(
        vocabulary_file, is_integer(options.key_dtype) ? DType::kInt64 : options.key_dtype,
        options.key_column_index, DType::kInt64, options.value_column_index,
        {.vocab_size = options.vocab_size, .delimiter = options.delimiter, .name = "table_init"});
    table = StaticHashTable(lines, Input(options.default_value, vocabulary_file.where()));
  }
  return with_buckets(*table, options.num_oov_buckets, options.hasher_spec, options.key_dtype,
                      vocabulary_file.where());
}

LookupTable index_table_from_tensor(const Input& vocabulary_list,
                                    const IndexTableFromTensorOptions& options) {
  const CallScope call({{"vocabulary_list", vocabulary_list}});
  if (options.num_oov_buckets < 0) {
    throw ValueError(
        fmt::format("`num_oov_buckets` must be greater or equal than 0, got {}.", options.num_oov_buckets));
  }
  if (!is_integer(options.dtype) && !is_text(options.dtype))
    throw TypeError("`dtype` must either be integer or string.");
  Composite scope(call.graph(), options.name, "string_to_index", vocabulary_list.where());
  const Tensor keys = scope.convert(vocabulary_list, "Const");
  const DType given = base_dtype(keys.dtype());
  if (is_integer(given) != is_integer(options.dtype)) {
    throw ValueError(fmt::format("Invalid `dtype`: Expected {}, got {}.",
                                 is_integer(options.dtype) ? "integer" : "non-integer", dtype_text(given)));
  }
  if (!is_integer(options.dtype) && given != options.dtype) {
    throw ValueError(
        fmt::format("Invalid `dtype`: Expected {}, got {}.", dtype_text(options.dtype), dtype_text(given)));
  }
  const Tensor places = range(size(keys));
  const Tensor values = cast(places, DType::kInt64);
  std::optional<LookupTable> table;
  {
    const Composite inner(call.graph(), {}, "hash_table", vocabulary_list.where());
    const Tensor table_keys = is_integer(given) ? cast(keys, DType::kInt64) : keys;
    const KeyValueTensorInitializer pairs(table_keys, values, {.name = "table_init"});
    table = StaticHashTable(pairs, Input(options.default_value, vocabulary_list.where()));
  }
  return with_buckets(*table, options.num_oov_buckets, options.hasher_spec, options.dtype,
                      vocabulary_list.where());
}

LookupTable index_to_string_table_from_file(const Input& vocabulary_file,
                                            const IndexToStringTableFromFileOptions& options) {
  const CallScope call({{"vocabulary_file", vocabulary_file}});
  check_file(vocabulary_file);
  if (options.vocab_size && *options.vocab_size < 1)
    throw ValueError(fmt::format("`vocab_size` must be greater than 0, got {}.", *options.vocab_size));
  const Composite scope(call.graph(), options.name, "index_to_string", vocabulary_file.where());
  const TextFileInitializer lines(
      vocabulary_file, DType::kInt64, options.key_column_index, DType::kString, options.value_column_index,
      {.vocab_size = options.vocab_size, .delimiter = options.delimiter, .name = "table_init"});
  return StaticHashTable(lines, Input(options.default_value.c_str(), vocabulary_file.where()));
}

LookupTable index_to_string_table_from_tensor(const Input& vocabulary_list,
                                              const IndexToStringTableFromTensorOptions& options) {
  Composite scope({{"vocabulary_list", vocabulary_list}}, options.name, "index_to_string",
                  vocabulary_list.where());
  const Tensor words = scope.convert(vocabulary_list, "Const", DType::kString);
  const Tensor places = range(size(words));
  const Tensor keys = cast(places, DType::kInt64);
  const KeyValueTensorInitializer pairs(keys, words, {.name = "table_init"});
  return StaticHashTable(pairs, Input(options.default_value.c_str(), vocabulary_list.where()));
}

}  // namespace flowray::tf::lookup
