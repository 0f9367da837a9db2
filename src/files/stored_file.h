#pragma once

#include <cstdint>
#include <filesystem>

#include "files/file_access.h"

namespace flowray::files {

/// A file that is read in pieces, from anywhere in it. Thread-safe.
class StoredFile {
 public:
  /// Throws the errors:: class of the system's error: "<path>; No such file or directory".
  StoredFile(std::filesystem::path path, const FileAccess& access);
  StoredFile(const StoredFile&) = delete;
  StoredFile& operator=(const StoredFile&) = delete;

  /// Reads up to `count` bytes from `offset` on; fewer only where the file ends. Throws like the constructor.
  size_t read(uint64_t offset, char* to, size_t count) const;

  /// In bytes, when it was opened.
  uint64_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
  const FileDescriptor file_;
  uint64_t size_ = 0;
};

}  // namespace flowray::files
