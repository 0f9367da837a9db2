#include "files/bundle_index.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include "files/stored_file.h"

namespace flowray::files {
namespace {

/// TensorFlow's, where LevelDB has 4 KiB: the same entries become the same bytes.
constexpr size_t kBlockBytes = 256 * 1024;

class TextFile final : public leveldb::WritableFile {
 public:
  leveldb::Status Append(const leveldb::Slice& data) override {
    text.append(data.data(), data.size());
    return leveldb::Status::OK();
  }
  leveldb::Status Close() override { return leveldb::Status::OK(); }
  leveldb::Status Flush() override { return leveldb::Status::OK(); }
  leveldb::Status Sync() override { return leveldb::Status::OK(); }

  std::string text;
};

class TableFile final : public leveldb::RandomAccessFile {
 public:
  explicit TableFile(const std::filesystem::path& path) : file_(path) {}

  leveldb::Status Read(uint64_t offset, size_t count, leveldb::Slice* result, char* scratch) const override {
    try {
      *result = {scratch, file_.read(offset, scratch, count)};
    } catch (const Error& error) {
      return leveldb::Status::IOError(error.message());
    }
    return leveldb::Status::OK();
  }

  uint64_t size() const { return file_.size(); }

 private:
  StoredFile file_;
};

/// Without the word "Corruption: " that LevelDB puts before.
std::string reason_of(const leveldb::Status& status) {
  const std::string text = status.ToString();
  constexpr std::string_view kClass = "Corruption: ";
  return text.starts_with(kClass) ? text.substr(kClass.size()) : text;
}

leveldb::Slice to_leveldb(std::string_view text) { return {text.data(), text.size()}; }
std::string_view from_leveldb(const leveldb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace

std::string encode_bundle_index(const BundleIndexEntries& entries) {
  leveldb::Options options;
  options.block_size = kBlockBytes;
  options.compression = leveldb::kNoCompression;
  TextFile file;
  leveldb::TableBuilder table(options, &file);
  for (const auto& [key, message] : entries) table.Add(to_leveldb(key), to_leveldb(message));
  const leveldb::Status status = table.Finish();
  if (!status.ok())
    throw errors::InternalError("The index of a checkpoint could not be made: " + status.ToString());
  return std::move(file.text);
}

struct BundleIndex::State {
  explicit State(const std::filesystem::path& file_path) : path(file_path), file(file_path) {}

  std::unique_ptr<leveldb::Iterator> iterate() const {
    leveldb::ReadOptions options;
    options.verify_checksums = true;
    return std::unique_ptr<leveldb::Iterator>(table->NewIterator(options));
  }

  void check(const leveldb::Iterator& iterator) const {
    const leveldb::Status status = iterator.status();
    if (status.ok()) return;
    throw errors::DataLossError(fmt::format("Unable to read file ({}). Perhaps the file is corrupt: {}",
                                            path.string(), reason_of(status)));
  }

  std::filesystem::path path;
  TableFile file;
  std::unique_ptr<leveldb::Table> table;
};

BundleIndex::BundleIndex(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {
  leveldb::Options options;
  options.paranoid_checks = true;
  leveldb::Table* table = nullptr;
  const leveldb::Status status = leveldb::Table::Open(options, &state_->file, state_->file.size(), &table);
  state_->table.reset(table);
  if (!status.ok()) {
    throw errors::DataLossError(
        fmt::format("{}\n{} is no index of a checkpoint.", reason_of(status), path.string()));
  }
}

BundleIndex::~BundleIndex() = default;

std::optional<std::string> BundleIndex::find(std::string_view key) const {
  const auto iterator = state_->iterate();
  iterator->Seek(to_leveldb(key));
  state_->check(*iterator);
  if (!iterator->Valid() || from_leveldb(iterator->key()) != key) return std::nullopt;
  return std::string(from_leveldb(iterator->value()));
}

void BundleIndex::for_each(
    const std::function<void(std::string_view key, std::string_view message)>& visit) const {
  const auto iterator = state_->iterate();
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    visit(from_leveldb(iterator->key()), from_leveldb(iterator->value()));
  }
  state_->check(*iterator);
}

}  // namespace flowray::files
