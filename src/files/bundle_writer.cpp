#include "files/bundle_writer.h"

#include <flowray/errors.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <limits>
#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>
#include <set>

#include "files/bundle_index.h"
#include "files/bundle_publication.h"
#include "files/crc32c.h"
#include "files/file_error.h"
#include "files/folder.h"
#include "wire/tensor_value.h"

namespace flowray::files {

namespace fs = std::filesystem;

namespace {

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

/// A tensor's name, from the key of its entry or of a part's.
std::string_view name_in(std::string_view key) {
  return key.starts_with('\0') ? key.substr(1, key.find('\0', 1) - 1) : key;
}

bool same_shape(const wire::BundleEntryProto& entry, const Shape& shape) {
  return entry.shape.has_value() && wire::to_shape(*entry.shape) == shape;
}

}  // namespace

BundleWriter::BundleWriter(std::string prefix, FileAccess access)
    : prefix_(std::move(prefix)),
      access_(std::move(access)),
      data_(bundle_data_path(prefix_, 0, 1), access_) {}

void BundleWriter::add(std::string_view name, const Array& value) { add_data(std::string(name), value); }

void BundleWriter::add_slice(std::string_view name, const Shape& full, const TensorSlice& slice,
                             const Array& value) {
  if (slice.shape_in(full) == full) return add(name, value);
  const auto found = entries_.find(name);
  wire::BundleEntryProto& whole = found != entries_.end() ? found->second : entries_[std::string(name)];
  if (found == entries_.end()) {
    whole.dtype = value.dtype();
    whole.shape = wire::to_shape_proto(full);
  } else if (whole.slices.empty() || whole.dtype != value.dtype() || !same_shape(whole, full)) {
    throw errors::InvalidArgumentError(
        fmt::format("Adding duplicate key: {}\nA part of a tensor {} {} was added to a tensor that differs.",
                    name, dtype_name(value.dtype()), full.to_string()));
  }
  whole.slices.push_back(to_slice_proto(slice));
  add_data(slice_key(name, slice), value);
}

void BundleWriter::append(std::string_view bytes, uint32_t& crc) {
  crc = crc32c(bytes, crc);
  data_.append(bytes);
  written_bytes_ += static_cast<int64_t>(bytes.size());
}

/// Lengths, a checksum of the lengths, all characters. The entry's checksum has the lengths as fixed numbers.
void BundleWriter::append_strings(const Array& value, uint32_t& crc) {
  std::string lengths;
  for (const std::string& text : value.span<std::string>()) {
    protozero::add_varint_to_buffer(&lengths, text.size());
    const uint64_t size = text.size();
    const bool is_short = size <= std::numeric_limits<uint32_t>::max();
    crc = crc32c(bytes_of(size).substr(0, is_short ? 4 : 8), crc);
  }
  const uint32_t sum = masked(crc);
  data_.append(lengths);
  written_bytes_ += static_cast<int64_t>(lengths.size());
  append(bytes_of(sum), crc);
  for (const std::string& text : value.span<std::string>()) append(text, crc);
}

wire::BundleEntryProto& BundleWriter::new_entry(std::string key, DType dtype, const Shape& shape) {
  if (key.empty()) throw errors::InvalidArgumentError("Tensor name should not be empty");
  const auto [place, is_new] = entries_.try_emplace(std::move(key));
  if (!is_new)
    throw errors::InvalidArgumentError(fmt::format("Adding duplicate key: {}", name_in(place->first)));
  wire::BundleEntryProto& entry = place->second;
  entry.dtype = dtype;
  entry.shape = wire::to_shape_proto(shape);
  entry.offset = written_bytes_;
  return entry;
}

void BundleWriter::end_entry(wire::BundleEntryProto& entry, uint32_t crc) const {
  entry.size = written_bytes_ - entry.offset;
  entry.crc32c.value = masked(crc);
}

void BundleWriter::add_data(std::string key, const Array& value) {
  wire::BundleEntryProto& entry = new_entry(std::move(key), value.dtype(), value.shape());
  uint32_t crc = 0;
  if (value.dtype() == DType::kString) {
    append_strings(value, crc);
  } else {
    append({static_cast<const char*>(value.raw_data()), value.size_bytes()}, crc);
  }
  end_entry(entry, crc);
}

/// Of each its length, the message, and the checksum of all so far, which has lengths as fixed numbers.
void BundleWriter::add_variants(std::string_view name, const Shape& shape,
                                const std::vector<std::string>& messages) {
  wire::BundleEntryProto& entry = new_entry(std::string(name), DType::kVariant, shape);
  uint32_t crc = 0;
  for (const std::string& message : messages) {
    const uint64_t size = message.size();
    std::string length;
    protozero::add_varint_to_buffer(&length, size);
    crc = crc32c(bytes_of(size), crc);
    data_.append(length);
    written_bytes_ += static_cast<int64_t>(length.size());
    append(message, crc);
    const uint32_t sum = masked(crc);
    append(bytes_of(sum), crc);
  }
  end_entry(entry, crc);
}

void BundleWriter::finish() {
  BundleIndexEntries messages;
  for (const auto& [key, entry] : entries_) messages.emplace(key, wire::encode(entry));
  data_.finish();
  publish_bundle(prefix_, {data_.temporary()}, std::move(messages), access_);
  data_.discard();  // its other name
}

namespace {

/// The process that wrote it may not have.
void sync_file(const fs::path& path, const FileAccess& access) {
  const FileDescriptor file = access.open(path, O_RDONLY);
  if (::fdatasync(file.number()) != 0 && errno != EINVAL) throw_file_error(path, errno);
}

/// The same for all spellings of a path, "./a" and "a". With rules it is the spelling that counts, for what
/// links lead to is not looked at.
fs::path place_of(const fs::path& path, const FileAccess& access) {
  if (!access.is_all()) return path.lexically_normal();
  return fs::canonical(folder_of(path)) / path.filename();
}

/// The joined index of several checkpoints, and their data files.
class Merge {
 public:
  explicit Merge(const FileAccess& access) : access_(access) {}

  void add(const std::string& prefix) {
    const BundleIndex index(bundle_index_path(prefix), access_);
    const auto header = index.find("");
    if (!header) throw errors::DataLossError(fmt::format("{} has no header", bundle_index_path(prefix)));
    const int num_shards = wire::decode<wire::BundleHeaderProto>(*header).num_shards;
    const int first_shard = static_cast<int>(data_files_.size());
    for (int i = 0; i < num_shards; ++i) data_files_.emplace_back(bundle_data_path(prefix, i, num_shards));
    index.for_each([&](std::string_view key, std::string_view message) {
      if (!key.empty()) add_entry(prefix, key, message, first_shard);
    });
    indexes_.emplace_back(bundle_index_path(prefix));
  }

  bool empty() const { return indexes_.empty(); }

  /// The files that were merged go when the checkpoint that they have become is whole.
  void write(const std::string& destination) {
    for (const auto& path : data_files_) sync_file(path, access_);
    publish_bundle(destination, data_files_, std::move(entries_), access_);
    const int num_shards = static_cast<int>(data_files_.size());
    std::set<fs::path> kept{place_of(bundle_index_path(destination), access_)};
    for (int i = 0; i < num_shards; ++i)
      kept.insert(place_of(bundle_data_path(destination, i, num_shards), access_));
    for (const auto& files : {indexes_, data_files_}) {
      for (const auto& path : files) {
        if (!kept.contains(place_of(path, access_))) access_.remove_file(path);
      }
    }
  }

 private:
  void add_entry(const std::string& prefix, std::string_view key, std::string_view message, int first_shard) {
    auto entry = wire::decode<wire::BundleEntryProto>(message);
    if (entry.slices.empty()) entry.shard_id += first_shard;
    const auto [place, is_new] = entries_.try_emplace(std::string(key));
    if (!is_new) {
      const auto other = wire::decode<wire::BundleEntryProto>(place->second);
      const bool are_parts = !entry.slices.empty() && !other.slices.empty() && entry.dtype == other.dtype &&
                             entry.shape.has_value() && same_shape(other, wire::to_shape(*entry.shape));
      if (!are_parts) {
        throw errors::InvalidArgumentError(fmt::format(
            "Duplicate tensor keyed by {} encountered, when merging prefix: {}", name_in(key), prefix));
      }
      entry.slices.insert(entry.slices.begin(), other.slices.begin(), other.slices.end());
    }
    place->second = wire::encode(entry);
  }

  const FileAccess& access_;
  BundleIndexEntries entries_;
  std::vector<fs::path> data_files_;
  std::vector<fs::path> indexes_;
};

}  // namespace

void merge_bundles(const std::vector<std::string>& prefixes, const std::string& destination,
                   bool allow_missing, const FileAccess& access) {
  Merge merge(access);
  for (const std::string& prefix : prefixes) {
    try {
      merge.add(prefix);
    } catch (const errors::NotFoundError&) {
      if (!allow_missing) {
        throw errors::InvalidArgumentError(fmt::format(
            "allow_missing_files was set to false and {0} did not exist.NOT_FOUND: {0} not found", prefix));
      }
    }
  }
  if (merge.empty()) {
    throw errors::InvalidArgumentError("At least one prefix checkpoint file must exist, but none existed.");
  }
  merge.write(destination);
}

}  // namespace flowray::files
