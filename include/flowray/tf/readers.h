#pragma once
/// Readers: records of files whose names come from a queue.
///
///     auto names = tf::train::string_input_producer({"a.tfrecord", "b.tfrecord"});
///     tf::TFRecordReader reader;
///     auto [key, value] = reader.read(names.queue);        // the next record in each step

#include <flowray/tf/input.h>
#include <flowray/tf/queue.h>
#include <flowray/tf/tensor.h>

#include <cstdint>
#include <string>
#include <utility>

#pragma GCC visibility push(default)

namespace flowray::tf {

/// Records with their keys: "a.tfrecord:17".
struct ReaderRecords {
  /// Where they come from: the file and the place in it, strings.
  Tensor key;
  /// The records, strings.
  Tensor value;
};

/// What all readers have. Copies stand for the same reader.
class ReaderBase {
 public:
  /// The next record in each step: two scalars. A step waits for names of files where the queue is empty; in
  /// a step errors::OutOfRangeError where the queue is closed, too.
  ReaderRecords read(const QueueBase& queue, const NameOption& options = {},
                     Input::Where where = Input::Where::current()) const;
  /// `num_records` records, or as many as are left: two vectors.
  ReaderRecords read_up_to(const QueueBase& queue, const Input& num_records,
                           const NameOption& options = {}) const;
  /// How many records the reader has given, an int64 scalar.
  Tensor num_records_produced(const NameOption& options = {},
                              Input::Where where = Input::Where::current()) const;
  /// How many files it has read to their ends, an int64 scalar.
  Tensor num_work_units_completed(const NameOption& options = {},
                                  Input::Where where = Input::Where::current()) const;
  /// Makes it as new.
  Operation reset(const NameOption& options = {}, Input::Where where = Input::Where::current()) const;
  /// The reader itself, for other operations.
  const Tensor& reader_ref() const { return reader_; }

 protected:
  explicit ReaderBase(Tensor reader) : reader_(std::move(reader)) {}

 private:
  Tensor reader_;
};

/// A record is a file.
class WholeFileReader : public ReaderBase {
 public:
  /// A reader in the default graph. Its keys are the names of files.
  explicit WholeFileReader(const NameOption& options = {}, Input::Where where = Input::Where::current());
};

struct TextLineReaderOptions {
  /// How many lines at a file's beginning are left out.
  int64_t skip_header_lines = 0;
  /// The name of its node; empty: the op's.
  std::string name = {};
};
/// A record is a line, without its end.
class TextLineReader : public ReaderBase {
 public:
  /// A reader in the default graph. Its keys are "file:line", counted from 1.
  explicit TextLineReader(const TextLineReaderOptions& options = {},
                          Input::Where where = Input::Where::current());
};

struct FixedLengthRecordReaderOptions {
  /// Bytes at a file's beginning that are left out.
  int64_t header_bytes = 0;
  /// Bytes at a file's end that are left out.
  int64_t footer_bytes = 0;
  /// Bytes from the beginning of a record to that of the next; 0: as long as a record is.
  int64_t hop_bytes = 0;
  /// "ZLIB" or "GZIP" of a compressed file; empty: of none.
  std::string encoding = {};
  /// The name of its node; empty: the op's.
  std::string name = {};
};
/// A record is so many bytes.
class FixedLengthRecordReader : public ReaderBase {
 public:
  /// `record_bytes`: the size of a record, above 0. Its keys are "file:record", counted from 0.
  explicit FixedLengthRecordReader(int64_t record_bytes, const FixedLengthRecordReaderOptions& options = {},
                                   Input::Where where = Input::Where::current());
};

struct TFRecordReaderOptions {
  /// "ZLIB" or "GZIP" of compressed files; empty: of none.
  std::string compression_type = {};
  /// The name of its node; empty: the op's.
  std::string name = {};
};
/// A record is one of a TFRecord file.
class TFRecordReader : public ReaderBase {
 public:
  /// A reader in the default graph. Its keys are "file:byte": where the record begins,
  /// in the file as it is decompressed.
  explicit TFRecordReader(const TFRecordReaderOptions& options = {},
                          Input::Where where = Input::Where::current());
};

/// A record is a name of the queue.
class IdentityReader : public ReaderBase {
 public:
  /// A reader in the default graph. Keys and records are the names.
  explicit IdentityReader(const NameOption& options = {}, Input::Where where = Input::Where::current());
};

}  // namespace flowray::tf

#pragma GCC visibility pop
