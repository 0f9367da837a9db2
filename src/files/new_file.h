#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace flowray::files {

/// A file that stands under its name only when it is whole: it is written beside it, under
/// "<path>.tempstate<number>", and renamed at the end. What is not published is removed.
///
/// All functions throw the errors:: class of the system's error: "<path>; No space left on device".
class NewFile {
 public:
  /// Makes the folder of `path` where it is not there.
  explicit NewFile(std::filesystem::path path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void append(std::string_view bytes);
  /// What was appended is on the disk then, and outlives a crash of the system.
  void sync();
  /// The end: everything is in the file.
  void finish();
  /// Takes the name; a file that had it is gone. After finish().
  void publish();

  const std::filesystem::path& path() const { return path_; }

 private:
  void write(std::string_view bytes);

  const std::filesystem::path path_;
  std::filesystem::path temporary_;
  int descriptor_ = -1;
  bool published_ = false;
  std::string pending_;  // small pieces, gathered
};

}  // namespace flowray::files
