#pragma once

#include <flowray/array.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "files/file_access.h"
#include "files/new_file.h"
#include "files/tensor_slice.h"
#include "wire/bundle.h"

namespace flowray::files {

/// Writes a checkpoint in TensorFlow's second format, in one shard: PREFIX.index and
/// PREFIX.data-00000-of-00001. They get their names when everything has been written, as
/// files/bundle_publication.h tells; where that fails, nothing is left behind, and an older checkpoint of
/// that prefix stands as it was.
///
/// Throws the errors:: class of the system's error: "<path>; No space left on device".
class BundleWriter {
 public:
  /// Makes the folder of the files where it is not there.
  BundleWriter(std::string prefix, FileAccess access);

  /// Throws InvalidArgumentError "Adding duplicate key: x".
  void add(std::string_view name, const Array& value);
  /// A tensor of variants, each as its message. Throws the same.
  void add_variants(std::string_view name, const Shape& shape, const std::vector<std::string>& messages);
  /// A part of tensor `name`, whose shape is `full`. Throws InvalidArgumentError where parts of one tensor
  /// differ in dtype or full shape, and for a part that is there.
  void add_slice(std::string_view name, const Shape& full, const TensorSlice& slice, const Array& value);
  /// The last call.
  void finish();

 private:
  wire::BundleEntryProto& new_entry(std::string key, DType dtype, const Shape& shape);
  void add_data(std::string key, const Array& value);
  void end_entry(wire::BundleEntryProto& entry, uint32_t crc) const;
  void append(std::string_view bytes, uint32_t& crc);
  void append_strings(const Array& value, uint32_t& crc);

  const std::string prefix_;
  const FileAccess access_;
  NewFile data_;
  int64_t written_bytes_ = 0;
  std::map<std::string, wire::BundleEntryProto, std::less<>> entries_;
};

/// Makes one checkpoint of those that were written under `prefixes`, as the tasks of a job do: their data
/// files get its names, their indexes are joined and removed. At any moment an older checkpoint of that
/// prefix or the new one stands there whole. With `allow_missing`, those that are not there are left out
/// (one must be). Throws InvalidArgumentError for a tensor that two of them have, and for a prefix that is
/// not there.
void merge_bundles(const std::vector<std::string>& prefixes, const std::string& destination,
                   bool allow_missing, const FileAccess& access);

}  // namespace flowray::files
