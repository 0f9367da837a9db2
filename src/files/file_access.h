#pragma once
/// Which files may be opened. Every path that a graph names goes through a FileAccess; scripts/check-rooms
/// refuses an op that opens one around it.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace flowray::files {

/// What the code that opens a file may do.
struct FileRules {
  /// Only files below this folder, wherever ".." and symbolic links lead; relative paths begin there.
  /// Empty: everywhere.
  std::filesystem::path root = {};
  /// No files at all.
  bool no_files = false;
  /// Neither pipes nor devices, which may keep a reader for ever or never end.
  bool only_regular = false;
  /// A file that is read whole has no more bytes. 0: as much as there is memory for.
  uint64_t most_read_bytes = 0;
  /// Resolves paths below the root step by step, as for a kernel without openat2 (before 5.6). It follows no
  /// symbolic link at all then.
  bool without_openat2 = false;
};

/// A descriptor that is closed at the end; none is -1.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor();

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Hands it to the caller, who closes it.
  int leave() { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

/// Opens and changes files by the rules of its session. A copy costs a counter. Thread-safe.
///
/// The functions throw the errors:: class of the system's error, "<path>; No such file or directory", and
/// errors::PermissionDeniedError for what the rules do not allow, in front of anything that is there or not.
class FileAccess {
 public:
  /// Everything that the process may do.
  static FileAccess all() { return {}; }
  /// Throws errors::NotFoundError and the like for a root that is not a folder.
  explicit FileAccess(const FileRules& rules);

  /// `flags` of open(2); new files are made with mode 0666. With O_TRUNC, a file that the rules refuse keeps
  /// what it has.
  FileDescriptor open(const std::filesystem::path& path, int flags) const;
  bool exists(const std::filesystem::path& path) const;
  /// Also of a symbolic link that leads nowhere. Throws where that cannot be found out.
  bool stands(const std::filesystem::path& path) const;
  /// What is in a folder, "." and ".." not; none where it cannot be read,
  /// or is behind a link that leads outside.
  std::vector<std::string> names_in(const std::filesystem::path& folder) const;

  /// With those that it is in. The error names `path`.
  void make_folders(const std::filesystem::path& folder, const std::filesystem::path& path) const;
  void rename(const std::filesystem::path& from, const std::filesystem::path& to) const;
  /// Gives the file another name. False where the file system knows no two names of one file.
  bool link(const std::filesystem::path& from, const std::filesystem::path& to) const;
  /// Makes what was made, renamed and removed in the folder survive a crash of the system (files/folder.h).
  void sync_folder(const std::filesystem::path& folder) const;
  /// One that is not there is fine.
  void remove_file(const std::filesystem::path& path) const;
  /// Does nothing where it is not empty, or cannot go.
  void remove_empty_folder(const std::filesystem::path& folder) const;

  /// Whether there are no rules.
  bool is_all() const { return state_ == nullptr; }
  /// The most bytes of a file that is read whole; 0: any.
  uint64_t most_read_bytes() const;

 private:
  struct State;
  /// A path as calls such as renameat take it: a name in an open folder.
  struct Place;

  FileAccess() = default;
  Place place_of(const std::filesystem::path& path) const;
  void check_allowed(const std::filesystem::path& path) const;

  std::shared_ptr<const State> state_;  // null: all
};

}  // namespace flowray::files
