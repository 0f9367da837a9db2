#pragma once
/// tf.train.Example, the record of data sets, and files of records.
///
///     tf::io::TFRecordWriter writer("train.tfrecord");
///     writer.write(tf::train::Example{{{"image", {0.5, 1.0}}, {"label", 3}}}.serialize_to_string());
///     writer.close();

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#pragma GCC visibility push(default)

namespace flowray::tf::train {

/// tf.train.Feature: a list of bytes, of floats or of integers, or none at all.
class Feature {
 public:
  using BytesList = std::vector<std::string>;
  using FloatList = std::vector<float>;
  using Int64List = std::vector<int64_t>;

  /// A feature with none of the lists.
  Feature() = default;
  Feature(BytesList values) : list_(std::move(values)) {}  // NOLINT: implicit, all of these
  Feature(FloatList values) : list_(std::move(values)) {}
  Feature(Int64List values) : list_(std::move(values)) {}
  Feature(std::string value) : list_(BytesList{std::move(value)}) {}
  Feature(const char* value) : Feature(std::string(value)) {}
  /// A list in braces of numbers, {1, 2} or {0.5, 1.5}, or a number alone.
  template <std::integral T>
  Feature(std::initializer_list<T> values) : list_(Int64List(values.begin(), values.end())) {}
  template <std::floating_point T>
  Feature(std::initializer_list<T> values) : list_(FloatList(values.begin(), values.end())) {}
  Feature(std::initializer_list<const char*> values) : list_(BytesList(values.begin(), values.end())) {}
  template <std::integral T>
  Feature(T value) : list_(Int64List{static_cast<int64_t>(value)}) {}
  template <std::floating_point T>
  Feature(T value) : list_(FloatList{static_cast<float>(value)}) {}

  /// Its bytes; null for a list of another kind.
  const BytesList* bytes_list() const { return std::get_if<BytesList>(&list_); }
  /// Its floats; null for a list of another kind.
  const FloatList* float_list() const { return std::get_if<FloatList>(&list_); }
  /// Its integers; null for a list of another kind.
  const Int64List* int64_list() const { return std::get_if<Int64List>(&list_); }
  /// Whether there is a list.
  bool has_value() const { return list_.index() != 0; }
  /// The same kind, and the same values.
  bool operator==(const Feature&) const = default;

 private:
  std::variant<std::monostate, BytesList, FloatList, Int64List> list_;
};

/// tf.train.Example: features by their names.
struct Example {
  /// What it says.
  std::map<std::string, Feature> features = {};

  /// The message as bytes, in the order of the names.
  std::string serialize_to_string() const;
  /// The other way round. Throws errors::DataLossError for bytes that are not such a message.
  static Example from_string(std::string_view bytes);
  bool operator==(const Example&) const = default;
};

}  // namespace flowray::tf::train

namespace flowray::tf::io {

/// tf.io.TFRecordWriter: writes a file of records, which readers and tf::data read. What is written stands in
/// the file after flush() or close(). Throws the errors:: class of the system's error.
class TFRecordWriter {
 public:
  /// Begins the file anew.
  explicit TFRecordWriter(const std::filesystem::path& path);
  TFRecordWriter(const TFRecordWriter&) = delete;
  TFRecordWriter& operator=(const TFRecordWriter&) = delete;
  /// Closes, without an error.
  ~TFRecordWriter();
  /// Adds a record. Throws errors::FailedPreconditionError where it is closed.
  void write(std::string_view record);
  /// Hands all that was written to the system.
  void flush();
  /// The end of the file. A second call does nothing.
  void close();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// tf.io.tf_record_iterator: the records of a file, of an uncompressed one as of one that was compressed by
/// gzip. Throws errors::NotFoundError, and errors::DataLossError for a damaged file.
std::vector<std::string> tf_records(const std::filesystem::path& path);

}  // namespace flowray::tf::io

#pragma GCC visibility pop
