#include "files/bundle_reader.h"

#include <flowray/errors.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <protozero/varint.hpp>

#include "core/truth_values.h"
#include "files/bundle_publication.h"
#include "files/crc32c.h"
#include "wire/tensor_value.h"

namespace flowray::files {
namespace {

Shape shape_of(const wire::BundleEntryProto& entry) {
  return entry.shape.has_value() ? wire::to_shape(*entry.shape) : Shape();
}

/// The next of a string tensor's lengths. Throws protozero's exceptions where there is none.
uint64_t take_length(std::string_view& bytes) {
  const char* next = bytes.data();
  const uint64_t length = protozero::decode_varint(&next, next + bytes.size());
  bytes.remove_prefix(static_cast<size_t>(next - bytes.data()));
  return length;
}

std::unique_ptr<BundleIndex> open_index(const std::string& prefix, const FileAccess& access) {
  try {
    return std::make_unique<BundleIndex>(bundle_index_path(prefix), access);
  } catch (const errors::NotFoundError&) {
    throw errors::NotFoundError(
        fmt::format("Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {}\n"
                    "There is no file {}.",
                    prefix, bundle_index_path(prefix)));
  }
}

}  // namespace

BundleReader::BundleReader(std::string prefix, FileAccess access)
    : prefix_(std::move(prefix)), access_(std::move(access)), index_(open_index(prefix_, access_)) {
  const auto message = index_->find("");
  if (!message) throw errors::DataLossError(fmt::format("{} has no header", bundle_index_path(prefix_)));
  const auto header = wire::decode<wire::BundleHeaderProto>(*message);
  num_shards_ = header.num_shards;
  if (header.endianness != 0) {
    throw errors::UnimplementedError(
        fmt::format("The checkpoint {} was written on a machine with big-endian numbers", prefix_));
  }
}

std::optional<wire::BundleEntryProto> BundleReader::find_entry(std::string_view key) const {
  if (key.empty()) return std::nullopt;  // the header
  const auto message = index_->find(key);
  if (!message) return std::nullopt;
  return wire::decode<wire::BundleEntryProto>(*message);
}

wire::BundleEntryProto BundleReader::entry_of(std::string_view name) const {
  auto entry = find_entry(name);
  if (!entry) {
    throw errors::NotFoundError(
        fmt::format("Key {} not found in checkpoint\nThe checkpoint is {}.", name, prefix_));
  }
  return std::move(*entry);
}

BundleTensor BundleReader::find(std::string_view name) const {
  const wire::BundleEntryProto entry = entry_of(name);
  BundleTensor tensor{entry.dtype, shape_of(entry), {}};
  for (const auto& slice : entry.slices) tensor.slices.push_back(to_slice(slice));
  return tensor;
}

namespace {

/// The others are keys of parts.
bool is_name(std::string_view key) { return !key.empty() && key.front() != '\0'; }

}  // namespace

int64_t BundleReader::num_names() const {
  int64_t count = 0;
  index_->for_each([&](std::string_view key, std::string_view) { count += is_name(key) ? 1 : 0; });
  return count;
}

std::vector<std::string> BundleReader::names() const {
  std::vector<std::string> names;
  index_->for_each([&](std::string_view key, std::string_view) {
    if (is_name(key)) names.emplace_back(key);
  });
  return names;
}

const StoredFile& BundleReader::data_file(int shard, std::string_view name) const {
  if (shard < 0 || shard >= num_shards_) {
    throw errors::DataLossError(
        fmt::format("Tensor '{}' of the checkpoint {} is in shard {}, but there are {}", name, prefix_, shard,
                    num_shards_));
  }
  const MutexLock lock(mutex_);
  return data_files_.try_emplace(shard, bundle_data_path(prefix_, shard, num_shards_), access_).first->second;
}

void BundleReader::throw_damaged(const wire::BundleEntryProto& entry, std::string_view name,
                                 const std::string& reason) const {
  throw errors::DataLossError(fmt::format(
      "TensorBundle at {} shard {} ({} bytes): {}\nTensor '{}' in {} is damaged.", prefix_, entry.shard_id,
      entry.size, reason, name, bundle_data_path(prefix_, entry.shard_id, num_shards_)));
}

void BundleReader::read_bytes(const wire::BundleEntryProto& entry, std::string_view name, char* to) const {
  const StoredFile& file = data_file(entry.shard_id, name);
  const auto size = static_cast<size_t>(entry.size);
  if (file.read(static_cast<uint64_t>(entry.offset), to, size) != size) {
    throw_damaged(entry, name, "Read less bytes than requested");
  }
}

/// Throws unless it lies in its file.
void BundleReader::check_place(const wire::BundleEntryProto& entry, std::string_view name) const {
  const StoredFile& file = data_file(entry.shard_id, name);
  if (entry.offset < 0 || entry.size < 0 || static_cast<uint64_t>(entry.offset) > file.size() ||
      static_cast<uint64_t>(entry.size) > file.size() - static_cast<uint64_t>(entry.offset)) {
    throw_damaged(entry, name,
                  fmt::format("Read less bytes than requested: the file has {} bytes", file.size()));
  }
}

Array BundleReader::read_entry(const wire::BundleEntryProto& entry, std::string_view name) const {
  const Shape shape = shape_of(entry);
  check_place(entry, name);
  if (entry.dtype == DType::kString) return read_strings(entry, name, shape);
  const size_t width = dtype_size(entry.dtype);
  if (width == 0) {
    throw errors::UnimplementedError(
        fmt::format("Tensor '{}' of the checkpoint {}: there are no arrays of {}", name, prefix_,
                    dtype_name(entry.dtype)));
  }
  const auto count = static_cast<uint64_t>(shape.num_elements());
  if (count != static_cast<uint64_t>(entry.size) / width || static_cast<uint64_t>(entry.size) % width != 0) {
    throw_damaged(entry, name,
                  fmt::format("Invalid size in bundle entry: stored size {}; {} {} was expected", entry.size,
                              dtype_name(entry.dtype), shape.to_string()));
  }
  Array value = Array::uninitialized(entry.dtype, shape);
  auto* bytes = static_cast<char*>(value.mutable_raw_data());
  read_bytes(entry, name, bytes);
  const uint32_t found = masked(crc32c({bytes, static_cast<size_t>(entry.size)}));
  if (found != entry.crc32c.value) {
    throw_damaged(entry, name,
                  fmt::format("Checksum does not match: stored {} vs. calculated on the restored bytes {}",
                              entry.crc32c.value, found));
  }
  make_truth_values(entry.dtype, bytes, value.size_bytes());
  return value;
}

Array BundleReader::read_strings(const wire::BundleEntryProto& entry, std::string_view name,
                                 const Shape& shape) const {
  std::string bytes(static_cast<size_t>(entry.size), '\0');
  read_bytes(entry, name, bytes.data());
  std::string_view rest = bytes;
  uint32_t crc = 0;
  // Each length takes a byte at least: a shape that is too large is found before there is memory for it.
  if (static_cast<uint64_t>(shape.num_elements()) > rest.size())
    throw_damaged(entry, name, "too few strings");
  std::vector<uint64_t> lengths(static_cast<size_t>(shape.num_elements()));
  try {
    for (uint64_t& length : lengths) length = take_length(rest);
  } catch (const protozero::exception&) {
    throw_damaged(entry, name, "Expected a string's length");
  }
  for (const uint64_t length : lengths) {
    const bool is_short = length <= std::numeric_limits<uint32_t>::max();
    crc = crc32c({reinterpret_cast<const char*>(&length), is_short ? 4u : 8u}, crc);
  }
  uint32_t stored = 0;
  if (rest.size() < sizeof(stored)) throw_damaged(entry, name, "Read less bytes than requested");
  std::memcpy(&stored, rest.data(), sizeof(stored));
  if (stored != masked(crc)) {
    throw_damaged(
        entry, name,
        fmt::format("The length checksum does not match: expected {} but actual is {}", stored, masked(crc)));
  }
  crc = crc32c(rest, crc);
  if (entry.crc32c.value != masked(crc)) {
    throw_damaged(entry, name,
                  fmt::format("Checksum does not match: stored {} vs. calculated on the restored bytes {}",
                              entry.crc32c.value, masked(crc)));
  }
  rest.remove_prefix(sizeof(stored));
  Array value(DType::kString, shape);
  auto* out = value.mutable_data<std::string>();
  for (const uint64_t length : lengths) {
    if (length > rest.size()) throw_damaged(entry, name, "Read less bytes than requested");
    *out++ = rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return value;
}

std::vector<std::string> BundleReader::read_variants(std::string_view name) const {
  const wire::BundleEntryProto entry = entry_of(name);
  if (entry.dtype != DType::kVariant) throw_damaged(entry, name, "it is not a tensor of variants");
  check_place(entry, name);
  std::string bytes(static_cast<size_t>(entry.size), '\0');
  read_bytes(entry, name, bytes.data());
  std::string_view rest = bytes;
  uint32_t crc = 0;
  std::vector<std::string> messages;
  for (int64_t i = 0; i < shape_of(entry).num_elements(); ++i) {
    uint64_t size = 0;
    uint32_t stored = 0;
    try {
      size = take_length(rest);
    } catch (const protozero::exception&) {
      throw_damaged(entry, name, "Expected a variant's length");
    }
    if (rest.size() < sizeof(stored) || size > rest.size() - sizeof(stored))
      throw_damaged(entry, name, "Read less bytes than requested");
    crc = crc32c({reinterpret_cast<const char*>(&size), sizeof(size)}, crc);
    crc = crc32c(rest.substr(0, size), crc);
    std::memcpy(&stored, rest.data() + size, sizeof(stored));
    if (stored != masked(crc)) {
      throw_damaged(entry, name,
                    fmt::format("The checksum after Variant {} does not match. Expected: {} Actual: {}", i,
                                stored, masked(crc)));
    }
    messages.emplace_back(rest.substr(0, size));
    crc = crc32c(rest.substr(size, sizeof(stored)), crc);
    rest.remove_prefix(size + sizeof(stored));
  }
  if (!rest.empty() || entry.crc32c.value != masked(crc))
    throw_damaged(entry, name, "Checksum does not match");
  return messages;
}

Array BundleReader::join_parts(const wire::BundleEntryProto& whole, std::string_view name,
                               const TensorSlice& wanted) const {
  const Shape full = shape_of(whole);
  if (!is_trivial(whole.dtype)) throw errors::InvalidArgumentError("Dtype string not supported.");
  Array value;
  std::vector<char> is_there;  // of each element: parts may lie upon one another in a damaged file
  int64_t count = 0;
  for (const wire::TensorSliceProto& proto : whole.slices) {
    const TensorSlice slice = to_slice(proto);
    const Shape shape = slice.shape_in(full);
    if (copy_common_part(full, dtype_size(whole.dtype), slice, nullptr, wanted, nullptr) == 0) continue;
    const auto entry = find_entry(slice_key(name, slice));
    if (!entry) throw_damaged(whole, name, fmt::format("part {} is not there", slice.to_string()));
    const Array part = read_entry(*entry, name);
    if (part.dtype() != whole.dtype || !(part.shape() == shape)) {
      throw_damaged(*entry, name,
                    fmt::format("part {} is {} {}", slice.to_string(), dtype_name(part.dtype()),
                                part.shape().to_string()));
    }
    if (slice == wanted) return part;
    if (is_there.empty()) {
      value = Array::uninitialized(whole.dtype, wanted.shape_in(full));
      is_there.resize(static_cast<size_t>(value.size()));
    }
    count += copy_common_part(full, dtype_size(whole.dtype), slice, static_cast<const char*>(part.raw_data()),
                              wanted, static_cast<char*>(value.mutable_raw_data()));
    const std::vector<char> ones(static_cast<size_t>(part.size()), 1);
    copy_common_part(full, 1, slice, ones.data(), wanted, is_there.data());
  }
  if (count != wanted.shape_in(full).num_elements() || std::ranges::count(is_there, 1) != count) {
    throw errors::InvalidArgumentError(
        fmt::format("Does not have sufficient slices for partitioned tensor {} to restore in slice_spec: {}",
                    name, wanted.to_string()));
  }
  if (is_there.empty()) value = Array::uninitialized(whole.dtype, wanted.shape_in(full));  // of no element
  return value;
}

Array BundleReader::read(std::string_view name) const {
  const wire::BundleEntryProto entry = entry_of(name);
  if (entry.slices.empty()) return read_entry(entry, name);
  return join_parts(entry, name, TensorSlice::whole(shape_of(entry).rank()));
}

Array BundleReader::read_slice(std::string_view name, const TensorSlice& slice) const {
  const wire::BundleEntryProto entry = entry_of(name);
  if (entry.dtype == DType::kString) throw errors::InvalidArgumentError("Dtype string not supported.");
  if (!entry.slices.empty()) return join_parts(entry, name, slice);
  const Shape full = shape_of(entry);
  const Shape shape = slice.shape_in(full);
  Array whole = read_entry(entry, name);
  if (shape == full) return whole;
  Array value = Array::uninitialized(entry.dtype, shape);
  copy_common_part(full, dtype_size(entry.dtype), TensorSlice::whole(full.rank()),
                   static_cast<const char*>(whole.raw_data()), slice,
                   static_cast<char*>(value.mutable_raw_data()));
  return value;
}

}  // namespace flowray::files
