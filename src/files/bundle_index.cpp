#include "files/bundle_index.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <leveldb/cache.h>
#include <leveldb/env.h>
#include <leveldb/iterator.h>
#include <leveldb/options.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <cstring>
#include <protozero/varint.hpp>

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
  TableFile(const std::filesystem::path& path, const FileAccess& access) : file_(path, access) {}

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

/// LevelDB's reason, without the word "Corruption: " before it.
std::string reason_of(const leveldb::Status& status) {
  const std::string text = status.ToString();
  constexpr std::string_view kClass = "Corruption: ";
  return text.starts_with(kClass) ? text.substr(kClass.size()) : text;
}

/// Where a block lies in a table, as two numbers of the table say it.
struct BlockPlace {
  uint64_t offset = 0;
  uint64_t size = 0;  // without the type and the checksum that follow it
};

/// At `next`, behind which it is then. Throws protozero's exceptions where it is cut off.
BlockPlace take_place(const char*& next, const char* end) {
  BlockPlace place;
  place.offset = protozero::decode_varint(&next, end);
  place.size = protozero::decode_varint(&next, end);
  return place;
}

/// Whether blocks lie in their file. LevelDB takes as much memory as a block's place says before it looks
/// whether the file has so many bytes. LevelDB finds other damage itself.
class BlockPlaces {
 public:
  explicit BlockPlaces(const TableFile& file) : file_(file) {}

  /// A table ends with the places of two blocks, of which the second is the list of all others.
  bool are_in_file() const {
    if (file_.size() < kFooterBytes) return true;  // LevelDB says that it is too short
    const std::string footer = read(file_.size() - kFooterBytes, kFooterBytes);
    const char* next = footer.data();
    const char* const end = next + footer.size();
    try {
      take_place(next, end);
      const BlockPlace list = take_place(next, end);
      return is_in_file(list) && lists_blocks_in_file(read(list.offset, list.size + 1));
    } catch (const protozero::exception&) {
      return true;
    }
  }

 private:
  static constexpr size_t kFooterBytes = 48;
  static constexpr size_t kTrailerBytes = 5;

  std::string read(uint64_t offset, uint64_t count) const {
    std::string bytes(static_cast<size_t>(count), '\0');
    leveldb::Slice result;
    (void)file_.Read(offset, bytes.size(), &result, bytes.data());
    bytes.resize(result.size());
    return bytes;
  }

  bool is_in_file(const BlockPlace& place) const {
    return place.offset <= file_.size() && place.size <= file_.size() - place.offset &&
           kTrailerBytes <= file_.size() - place.offset - place.size;
  }

  /// Entries (how much of the key is the last one's, how much follows, how long the value is, key, value),
  /// then numbers of 4 bytes, of which the last is the number of the others; and the block's type.
  bool lists_blocks_in_file(std::string_view block) const {
    constexpr size_t kNumberBytes = 4;
    if (block.size() < kNumberBytes + 1) return true;
    if (block.back() != 0) return false;  // compressed: offsets cannot be read, and no writer does it
    block.remove_suffix(1);
    uint32_t count = 0;
    std::memcpy(&count, block.data() + block.size() - kNumberBytes, kNumberBytes);
    if (count >= block.size() / kNumberBytes) return true;
    const char* next = block.data();
    const char* const end = next + block.size() - kNumberBytes * (size_t{count} + 1);
    while (next < end) {
      (void)protozero::decode_varint(&next, end);
      const uint64_t key_bytes = protozero::decode_varint(&next, end);
      const uint64_t value_bytes = protozero::decode_varint(&next, end);
      const auto left = static_cast<uint64_t>(end - next);
      if (key_bytes > left || value_bytes > left - key_bytes) return true;
      const char* value = next + key_bytes;
      next = value + value_bytes;
      if (!is_in_file(take_place(value, next))) return false;
    }
    return true;
  }

  const TableFile& file_;
};

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
  State(const std::filesystem::path& file_path, const FileAccess& access)
      : path(file_path), file(file_path, access) {}

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

  /// A block is read and checked once for all keys in it that are asked for one after the other. leveldb
  /// divides the room into sixteen parts, each of which holds two blocks.
  static constexpr size_t kCachedBytes = 32 * kBlockBytes;

  std::filesystem::path path;
  TableFile file;
  std::unique_ptr<leveldb::Cache> blocks{leveldb::NewLRUCache(kCachedBytes)};
  std::unique_ptr<leveldb::Table> table;
};

BundleIndex::BundleIndex(const std::filesystem::path& path, const FileAccess& access)
    : state_(std::make_unique<State>(path, access)) {
  if (!BlockPlaces(state_->file).are_in_file()) {
    throw errors::DataLossError(
        fmt::format("truncated block read\n{} is not an index of a checkpoint.", path.string()));
  }
  leveldb::Options options;
  options.paranoid_checks = true;
  options.block_cache = state_->blocks.get();
  leveldb::Table* table = nullptr;
  const leveldb::Status status = leveldb::Table::Open(options, &state_->file, state_->file.size(), &table);
  state_->table.reset(table);
  if (!status.ok()) {
    throw errors::DataLossError(
        fmt::format("{}\n{} is not an index of a checkpoint.", reason_of(status), path.string()));
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
