#pragma once
/// Files that say by being there that somebody works on what lies beside them.

#include <filesystem>
#include <string>

#include "files/file_access.h"

namespace flowray::files {

/// Makes a file that nobody else has made, and removes it at the end. Of a process that is killed it stays:
/// the next process cannot tell it from one that is still at work.
class LockFile {
 public:
  /// `contents` tells whoever finds it what it is. Throws errors::AlreadyExistsError where the file is there,
  /// else the errors:: class of the system's error; nothing is left behind then.
  LockFile(std::filesystem::path path, const std::string& contents, FileAccess access);
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

 private:
  void remove() const;

  const std::filesystem::path path_;
  const FileAccess access_;
};

}  // namespace flowray::files
