#pragma once

#include <flowray/array.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/mutex.h"
#include "files/bundle_index.h"
#include "files/file_access.h"
#include "files/stored_file.h"
#include "files/tensor_slice.h"
#include "wire/bundle.h"

namespace flowray::files {

/// A tensor of a checkpoint, without its elements.
struct BundleTensor {
  DType dtype = DType::kInvalid;
  Shape shape;                      // the whole tensor's
  std::vector<TensorSlice> slices;  // its parts, of a partitioned one
};

/// Reads a checkpoint in TensorFlow's second format, PREFIX.index and PREFIX.data-*. A data file is opened
/// when something in it is asked for, and only what belongs to that is read. Thread-safe.
///
/// Damage is a DataLossError that names the file and the tensor; elements whose checksum is wrong are never
/// handed out. A data file that is not there is NotFoundError.
class BundleReader {
 public:
  /// Throws NotFoundError "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for
  /// <prefix>" where there is no index.
  BundleReader(std::string prefix, FileAccess access);

  /// Throws NotFoundError "Key x not found in checkpoint".
  BundleTensor find(std::string_view name) const;
  /// All names, in the order of their bytes.
  std::vector<std::string> names() const;
  /// How many they are; takes no memory for them.
  int64_t num_names() const;

  /// The whole tensor, of its parts if it was saved in parts. Throws as find, and UnimplementedError for a
  /// dtype without arrays.
  Array read(std::string_view name) const;
  /// The messages of a tensor of variants. Throws as read, and DataLossError for another dtype.
  std::vector<std::string> read_variants(std::string_view name) const;
  /// A part of it. Throws InvalidArgumentError where the parts that were saved do not make it up, and
  /// for strings.
  Array read_slice(std::string_view name, const TensorSlice& slice) const;

 private:
  std::optional<wire::BundleEntryProto> find_entry(std::string_view key) const;
  wire::BundleEntryProto entry_of(std::string_view name) const;
  const StoredFile& data_file(int shard, std::string_view name) const;
  void check_place(const wire::BundleEntryProto& entry, std::string_view name) const;
  Array read_entry(const wire::BundleEntryProto& entry, std::string_view name) const;
  Array read_strings(const wire::BundleEntryProto& entry, std::string_view name, const Shape& shape) const;
  void read_bytes(const wire::BundleEntryProto& entry, std::string_view name, char* to) const;
  Array join_parts(const wire::BundleEntryProto& whole, std::string_view name,
                   const TensorSlice& wanted) const;
  [[noreturn]] void throw_damaged(const wire::BundleEntryProto& entry, std::string_view name,
                                  const std::string& reason) const;

  const std::string prefix_;
  const FileAccess access_;
  std::unique_ptr<BundleIndex> index_;
  int num_shards_ = 0;
  mutable Mutex mutex_;
  mutable std::map<int, StoredFile> data_files_ FLOWRAY_GUARDED_BY(mutex_);
};

}  // namespace flowray::files
