#include "files/bundle_writer.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <protozero/buffer_string.hpp>
#include <protozero/varint.hpp>

#include "files/bundle_index.h"
#include "files/crc32c.h"
#include "files/file_error.h"
#include "wire/tensor_value.h"

namespace flowray::files {
namespace {

template <class T>
std::string_view bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(T)};
}

/// One that is not there is fine.
void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw_file_error(path, errno);
}

void rename_file(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) throw_file_error(from, errno);
}

std::string encode_header(int num_shards) {
  wire::BundleHeaderProto header;
  header.num_shards = num_shards;
  header.version.emplace().producer = 1;
  return wire::encode(header);
}

/// A tensor's name, from the key of its entry or of a part's.
std::string_view name_in(std::string_view key) {
  return key.starts_with('\0') ? key.substr(1, key.find('\0', 1) - 1) : key;
}

bool same_shape(const wire::BundleEntryProto& entry, const Shape& shape) {
  return entry.shape.has_value() && wire::to_shape(*entry.shape) == shape;
}

}  // namespace

std::string bundle_data_path(std::string_view prefix, int shard, int num_shards) {
  return fmt::format("{}.data-{:05}-of-{:05}", prefix, shard, num_shards);
}

std::string bundle_index_path(std::string_view prefix) { return fmt::format("{}.index", prefix); }

BundleWriter::BundleWriter(std::string prefix)
    : prefix_(std::move(prefix)), data_(bundle_data_path(prefix_, 0, 1)) {}

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

void BundleWriter::add_data(std::string key, const Array& value) {
  if (key.empty()) throw errors::InvalidArgumentError("Tensor name should not be empty");
  const auto [place, is_new] = entries_.try_emplace(std::move(key));
  if (!is_new)
    throw errors::InvalidArgumentError(fmt::format("Adding duplicate key: {}", name_in(place->first)));
  wire::BundleEntryProto& entry = place->second;
  entry.dtype = value.dtype();
  entry.shape = wire::to_shape_proto(value.shape());
  entry.offset = written_bytes_;
  uint32_t crc = 0;
  if (value.dtype() == DType::kString) {
    append_strings(value, crc);
  } else {
    append({static_cast<const char*>(value.raw_data()), value.size_bytes()}, crc);
  }
  entry.size = written_bytes_ - entry.offset;
  entry.crc32c.value = masked(crc);
}

void BundleWriter::finish() {
  BundleIndexEntries messages;
  messages.emplace("", encode_header(1));
  for (const auto& [key, entry] : entries_) messages.emplace(key, wire::encode(entry));
  NewFile index(bundle_index_path(prefix_));
  index.append(encode_bundle_index(messages));
  data_.sync();
  data_.finish();
  index.sync();
  index.finish();
  // An index stands only beside its own data: whoever is stopped in between leaves no checkpoint rather than
  // a broken one.
  remove_file(index.path());
  data_.publish();
  index.publish();
}

namespace {

/// The joined index of several checkpoints, and their data files.
class Merge {
 public:
  void add(const std::string& prefix) {
    const BundleIndex index(bundle_index_path(prefix));
    const auto header = index.find("");
    if (!header) throw errors::DataLossError(fmt::format("{} has no header", bundle_index_path(prefix)));
    const int num_shards = wire::decode<wire::BundleHeaderProto>(*header).num_shards;
    const int first_shard = static_cast<int>(data_files_.size());
    for (int i = 0; i < num_shards; ++i) data_files_.push_back(bundle_data_path(prefix, i, num_shards));
    index.for_each([&](std::string_view key, std::string_view message) {
      if (!key.empty()) add_entry(prefix, key, message, first_shard);
    });
    indexes_.push_back(bundle_index_path(prefix));
  }

  bool empty() const { return indexes_.empty(); }

  void write(const std::string& destination) {
    const int num_shards = static_cast<int>(data_files_.size());
    entries_.emplace("", encode_header(num_shards));
    NewFile index(bundle_index_path(destination));
    index.append(encode_bundle_index(entries_));
    index.sync();
    index.finish();
    remove_file(index.path());
    for (int i = 0; i < num_shards; ++i) {
      rename_file(data_files_[static_cast<size_t>(i)], bundle_data_path(destination, i, num_shards));
    }
    index.publish();
    for (const std::string& path : indexes_) {
      if (path != index.path()) remove_file(path);
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

  BundleIndexEntries entries_;
  std::vector<std::string> data_files_;
  std::vector<std::string> indexes_;
};

}  // namespace

void merge_bundles(const std::vector<std::string>& prefixes, const std::string& destination,
                   bool allow_missing) {
  Merge merge;
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
