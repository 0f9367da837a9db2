#include <flowray/errors.h>
#include <flowray/tf/example.h>

#include "files/decompress.h"
#include "files/file_contents.h"
#include "files/file_error.h"
#include "files/record.h"
#include "wire/example.h"

#include <cerrno>
#include <fstream>

namespace flowray::tf::train {
namespace {

std::string written(const Feature& feature) {
  if (const auto* bytes = feature.bytes_list()) return wire::written_feature(*bytes);
  if (const auto* floats = feature.float_list()) return wire::written_feature(*floats);
  if (const auto* integers = feature.int64_list()) return wire::written_feature(*integers);
  return {};
}

Feature read(const wire::Feature& feature) {
  using Kind = wire::Feature::Kind;
  switch (feature.kind) {
    case Kind::kBytes: {
      const std::vector<std::string_view> values = feature.bytes();
      return Feature(Feature::BytesList(values.begin(), values.end()));
    }
    case Kind::kFloats:
      return Feature(feature.floats());
    case Kind::kIntegers:
      return Feature(feature.integers());
    default:
      return {};
  }
}

}  // namespace

std::string Example::serialize_to_string() const {
  std::map<std::string, std::string> parts;
  for (const auto& [name, feature] : features) parts[name] = written(feature);
  return wire::written_example(parts);
}

Example Example::from_string(std::string_view bytes) {
  Example example;
  for (const auto& [name, feature] : wire::read_example(bytes))
    example.features[std::string(name)] = read(feature);
  return example;
}

}  // namespace flowray::tf::train

namespace flowray::tf::io {

struct TFRecordWriter::State {
  std::filesystem::path path;
  std::ofstream file = {};

  void check() {
    if (!file) files::throw_file_error(path, errno == 0 ? EIO : errno);
  }
};

TFRecordWriter::TFRecordWriter(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {
  errno = 0;
  state_->file.open(path, std::ios::binary | std::ios::trunc);
  state_->check();
}

TFRecordWriter::~TFRecordWriter() = default;

void TFRecordWriter::write(std::string_view record) {
  if (!state_->file.is_open())
    throw errors::FailedPreconditionError("Writer not initialized or previously closed");
  std::string framed;
  files::append_record(framed, record);
  errno = 0;
  state_->file.write(framed.data(), static_cast<std::streamsize>(framed.size()));
  state_->check();
}

void TFRecordWriter::flush() {
  if (!state_->file.is_open())
    throw errors::FailedPreconditionError("Writer not initialized or previously closed");
  errno = 0;
  state_->file.flush();
  state_->check();
}

void TFRecordWriter::close() {
  if (!state_->file.is_open()) return;
  errno = 0;
  state_->file.close();
  state_->check();
}

std::vector<std::string> tf_records(const std::filesystem::path& path) {
  std::string bytes = files::read_file(path.string(), files::FileAccess::all());
  if (bytes.starts_with("\x1f\x8b")) bytes = files::decompressed(std::move(bytes), "GZIP", 0);
  std::vector<std::string> records;
  files::RecordReader reader(bytes);
  while (const auto record = reader.next()) records.emplace_back(*record);
  return records;
}

}  // namespace flowray::tf::io
