#pragma once
/// tf.lookup: tables that turn keys into values, from lists, from vocabulary files, and such as change.
///
///     const std::vector<int64_t> numbers{0, 1};
///     tf::lookup::StaticHashTable table(tf::lookup::KeyValueTensorInitializer({"a", "b"}, numbers), -1);
///     tf::Tensor ids = table.lookup(words);
///     session.run(tf::tables_initializer());

#include <flowray/tf/input.h>
#include <flowray/tf/sparse_tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::tf::lookup {

// ---- what a table is filled from

/// What fills a table.
class TableInitializer {
 public:
  /// The dtype of the keys.
  DType key_dtype() const;
  /// The dtype of the values.
  DType value_dtype() const;
  /// The operation that fills the table, which is in the collection TABLE_INITIALIZERS.
  Operation initialize(const Tensor& resource_handle) const;

 protected:
  struct State;
  explicit TableInitializer(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  friend class StaticHashTable;
  std::shared_ptr<const State> state_;
};

struct KeyValueTensorInitializerOptions {
  /// Left out: that of the keys.
  DType key_dtype = DType::kInvalid;
  /// Left out: that of the values.
  DType value_dtype = DType::kInvalid;
  /// The name of the scope of the operation that fills the table.
  std::string name = "key_value_init";
};
/// Keys and values from two vectors.
class KeyValueTensorInitializer : public TableInitializer {
 public:
  /// `keys` and `values` have one length.
  KeyValueTensorInitializer(const Input& keys, const Input& values,
                            const KeyValueTensorInitializerOptions& options = {});
};

/// In place of a column of a text file.
struct TextFileIndex {
  /// The whole line.
  static constexpr int64_t WHOLE_LINE = -2;
  /// Its number, an int64.
  static constexpr int64_t LINE_NUMBER = -1;
};

struct TextFileInitializerOptions {
  /// So many lines are read, and there must be as many; left out: all.
  std::optional<int64_t> vocab_size = std::nullopt;
  /// Between columns.
  std::string delimiter = "\t";
  /// The name of the scope of the operation that fills the table.
  std::string name = "text_file_init";
  /// Added to each value.
  int64_t value_index_offset = 0;
};
/// Keys and values from columns of a text file, or TextFileIndex. Throws ValueError for no name, columns that
/// cannot be, and dtypes that do not fit them.
class TextFileInitializer : public TableInitializer {
 public:
  /// Columns are counted from 0, the dtypes are those that they are read as.
  TextFileInitializer(const Input& filename, DType key_dtype, int64_t key_index, DType value_dtype,
                      int64_t value_index, const TextFileInitializerOptions& options = {});
};

// ---- tables

/// How words that are in no table get their numbers.
struct HasherSpec {
  /// "fasthash", "stronghash" or "legacy".
  std::string hasher = "fasthash";
  /// Of "stronghash".
  std::array<int64_t, 2> key = {};
};
/// By SipHash with a key of two numbers.
inline HasherSpec StrongHashSpec(int64_t key0, int64_t key1) { return {"stronghash", {key0, key1}}; }

/// A table that keys are looked up in. A cheap handle.
class LookupTable {
 public:
  using Where = Input::Where;

  /// The dtype of the keys.
  DType key_dtype() const;
  /// The dtype of the values.
  DType value_dtype() const;
  /// The table itself, for other operations; none for buckets without a table.
  const Tensor& resource_handle() const;
  /// The last part of the table's name.
  const std::string& name() const;
  /// The operation that fills it; tf::tables_initializer runs those of all tables.
  Operation initializer(Where where = Where::current()) const;
  /// How many keys there are, with buckets: and buckets.
  Tensor size(const NameOption& options = {}, Where where = Where::current()) const;
  /// The values of keys; the default, or the number of a bucket, of those that are not there. Throws
  /// TypeError for keys of another dtype.
  Tensor lookup(const Input& keys, const NameOption& options = {}) const;
  /// The same in the places of the keys.
  SparseTensor lookup(const SparseInput& keys, const NameOption& options = {}) const;

 protected:
  struct State;
  explicit LookupTable(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  const State& state() const { return *state_; }

 private:
  friend class IdTableWithHashBuckets;
  std::shared_ptr<const State> state_;
};

/// Keys and their values.
struct ExportedTable {
  /// The keys, in no order.
  Tensor keys;
  /// Of each key its value.
  Tensor values;
};

/// A table that is filled by its initializer, and then stays as it is.
class StaticHashTable : public LookupTable {
 public:
  /// `default_value` is a scalar: the value of keys that are not there.
  StaticHashTable(const TableInitializer& initializer, const Input& default_value,
                  const NameOption& options = {});
  /// All keys and values. (TensorFlow's `export`: a word of C++.)
  ExportedTable export_all(const NameOption& options = {}, Where where = Where::current()) const;
};

struct IdTableWithHashBucketsOptions {
  /// How words get a bucket.
  HasherSpec hasher_spec = {};
  /// What the scopes of its nodes begin with; empty: the table's name, or "hash_bucket".
  std::string name = {};
  /// Of keys; left out: the table's.
  DType key_dtype = DType::kInvalid;
};
/// Numbers of a table's keys, and behind them those of buckets for all others.
class IdTableWithHashBuckets : public LookupTable {
 public:
  /// The values of the table are int64. Throws TypeError for other dtypes.
  IdTableWithHashBuckets(const LookupTable& table, int64_t num_oov_buckets,
                         const IdTableWithHashBucketsOptions& options = {}, Where where = Where::current());
  /// Of no table: buckets alone, one at least (ValueError).
  explicit IdTableWithHashBuckets(int64_t num_oov_buckets, const IdTableWithHashBucketsOptions& options = {},
                                  Where where = Where::current());
};

struct StaticVocabularyTableOptions {
  /// Of keys; left out: the initializer's.
  DType lookup_key_dtype = DType::kInvalid;
  /// What the scopes of its nodes begin with; empty: the table's name.
  std::string name = {};
};
/// Numbers of words: those of the initializer, and buckets for all others, one at least (ValueError).
class StaticVocabularyTable : public IdTableWithHashBuckets {
 public:
  /// The initializer's values are int64 (TypeError).
  StaticVocabularyTable(const TableInitializer& initializer, int64_t num_oov_buckets,
                        const StaticVocabularyTableOptions& options = {}, Where where = Where::current());
};

/// A table that steps insert into and remove from. Checkpoints do not have it.
class MutableHashTable {
 public:
  using Where = Input::Where;
  /// `default_value` is a scalar: the value of keys that are not there. Throws ValueError for another.
  MutableHashTable(DType key_dtype, DType value_dtype, const Input& default_value,
                   const NameOption& options = {});
  /// The table itself, for other operations.
  const Tensor& resource_handle() const { return handle_; }
  /// The last part of its name.
  std::string name() const;
  /// How many keys there are.
  Tensor size(const NameOption& options = {}, Where where = Where::current()) const;
  /// The values of keys; the default of those that are not there.
  Tensor lookup(const Input& keys, const NameOption& options = {}) const;
  /// Gives keys their values.
  Operation insert(const Input& keys, const Input& values, const NameOption& options = {}) const;
  /// Takes keys away.
  Operation remove(const Input& keys, const NameOption& options = {}) const;
  /// All keys and values. (TensorFlow's `export`: a word of C++.)
  ExportedTable export_all(const NameOption& options = {}, Where where = Where::current()) const;

 private:
  DType key_dtype_;
  DType value_dtype_;
  Tensor default_value_;
  Tensor handle_;
};

// ---- tf.contrib.lookup's functions

struct IndexTableFromFileOptions {
  /// Buckets for words that are not there; 0: they have the default value.
  int64_t num_oov_buckets = 0;
  /// So many lines are read; left out: all.
  std::optional<int64_t> vocab_size = std::nullopt;
  /// Of words that are not there, where there are no buckets.
  int64_t default_value = -1;
  /// How words get a bucket.
  HasherSpec hasher_spec = {};
  /// string, or an integer's.
  DType key_dtype = DType::kString;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// Which column has the words.
  int64_t key_column_index = TextFileIndex::WHOLE_LINE;
  /// Which one has their numbers.
  int64_t value_column_index = TextFileIndex::LINE_NUMBER;
  /// Between columns.
  std::string delimiter = "\t";
};
/// The numbers of a file's lines by what they say.
LookupTable index_table_from_file(const Input& vocabulary_file,
                                  const IndexTableFromFileOptions& options = {});

struct IndexTableFromTensorOptions {
  /// Buckets for words that are not there; 0: they have the default value.
  int64_t num_oov_buckets = 0;
  /// Of words that are not there, where there are no buckets.
  int64_t default_value = -1;
  /// How words get a bucket.
  HasherSpec hasher_spec = {};
  /// string, or an integer's.
  DType dtype = DType::kString;
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The places of a list's words by the words.
LookupTable index_table_from_tensor(const Input& vocabulary_list,
                                    const IndexTableFromTensorOptions& options = {});

struct IndexToStringTableFromFileOptions {
  /// So many lines are read; left out: all.
  std::optional<int64_t> vocab_size = std::nullopt;
  /// Of numbers that are not there.
  std::string default_value = "UNK";
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
  /// Which column has the numbers.
  int64_t key_column_index = TextFileIndex::LINE_NUMBER;
  /// Which one has the words.
  int64_t value_column_index = TextFileIndex::WHOLE_LINE;
  /// Between columns.
  std::string delimiter = "\t";
};
/// The lines of a file by their numbers.
LookupTable index_to_string_table_from_file(const Input& vocabulary_file,
                                            const IndexToStringTableFromFileOptions& options = {});

struct IndexToStringTableFromTensorOptions {
  /// Of numbers that are not there.
  std::string default_value = "UNK";
  /// The name of the scope of its nodes; empty: the function's own.
  std::string name = {};
};
/// The words of a list by their places.
LookupTable index_to_string_table_from_tensor(const Input& vocabulary_list,
                                              const IndexToStringTableFromTensorOptions& options = {});

}  // namespace flowray::tf::lookup

#pragma GCC visibility pop
