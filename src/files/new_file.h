#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "files/file_access.h"

namespace flowray::files {

/// A file that is written as a whole, once. A reader, and one after a crash of the program
/// or of the system, finds the file that stood there before or the new one, never a part: it is written
/// beside its place, under "<path>.tempstate<number>", synchronised, and renamed. What is not published is
/// removed. A file that stood there leaves its permissions to the new one.
///
/// All functions throw the errors:: class of the system's error: "<path>; No space left on device".
class NewFile {
 public:
  /// Makes the folder of `path` where it is not there.
  NewFile(std::filesystem::path path, FileAccess access);
  /// For a path that a user has named: where it is a symbolic link, it is the file that the link names.
  /// Anything but a regular file (a pipe, /dev/stdout), and a file in a folder that takes no others, is
  /// written in place, without a temporary file and what it is good for.
  /// With rules, a file is replaced that they would let write: what a link names may be elsewhere.
  static NewFile through(const std::filesystem::path& path, const FileAccess& access);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void append(std::string_view bytes);
  /// The end: what was appended is on the disk, under the temporary name.
  void finish();
  /// Takes the name; a file that had it is gone. After finish(). The name is on the disk when the folder has
  /// been synchronised (files/folder.h).
  void publish();
  /// The temporary file goes, as it does with the object where it is not published.
  void discard();
  /// finish, publish, and the folder is synchronised.
  void commit();

  const std::filesystem::path& path() const { return path_; }
  /// Where it is until it is published.
  const std::filesystem::path& temporary() const { return temporary_; }

 private:
  enum class Standing { kIsReplaced, kMayBeWritten };
  NewFile(std::filesystem::path path, FileAccess access, Standing standing);

  /// With rules, what stands there must be a file that they let write, although it is only replaced.
  void check_standing() const;
  void open_temporary();
  void open_in_place();
  void write(std::string_view bytes);

  const std::filesystem::path path_;
  const FileAccess access_;
  std::filesystem::path temporary_;
  FileDescriptor file_;
  bool in_place_ = false;
  bool is_over_ = false;  // published or discarded
  std::string pending_;   // small pieces, gathered
};

}  // namespace flowray::files
