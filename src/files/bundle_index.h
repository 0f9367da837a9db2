#pragma once
/// The index of a checkpoint, PREFIX.index: a LevelDB table. The empty key has the header, tensors' names and
/// parts' keys (files/tensor_slice.h) have entries: messages of wire/bundle.h.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "files/file_access.h"

namespace flowray::files {

/// Messages by key.
using BundleIndexEntries = std::map<std::string, std::string, std::less<>>;

/// The table's bytes, those that TensorFlow writes.
std::string encode_bundle_index(const BundleIndexEntries& entries);

/// Looks entries up in the file: only the blocks that are needed are read. Thread-safe.
class BundleIndex {
 public:
  /// Throws the errors:: class of the system's error, or DataLossError where the file is not a table.
  BundleIndex(const std::filesystem::path& path, const FileAccess& access);
  ~BundleIndex();

  /// The message under `key`, if there is one. Throws DataLossError for damage on the way there.
  std::optional<std::string> find(std::string_view key) const;
  /// All of them, by rising key. Throws DataLossError.
  void for_each(const std::function<void(std::string_view key, std::string_view message)>& visit) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace flowray::files
