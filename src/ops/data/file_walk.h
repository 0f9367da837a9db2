#pragma once
/// Walks through files that a dataset's op names.

#include "files/file_access.h"
#include "graph/kernel/files_of_step.h"
#include "ops/data/dataset.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace flowray::ops {

/// One file after the other, each read whole.
class FileWalk {
 public:
  FileWalk(std::vector<std::string> names, std::string compression, files::FileAccess access)
      : names_(std::move(names)), compression_(std::move(compression)), access_(std::move(access)) {}

  /// Opens the next file; false where there is none. Throws what reading it throws; it is asked for again
  /// then.
  bool open();
  /// Leaves out the file that open() could not read.
  void pass_over() { ++next_; }
  std::string_view bytes() const { return *bytes_; }
  const std::string& name() const { return name_; }
  /// Of the file that is open.
  size_t number() const { return next_ - 1; }

  /// Passes which file comes next, and `left`, what is left of the one that is open: the end of bytes(), or
  /// nothing. Where they are read it opens that file again.
  void keep(WalkState& state, std::string_view& left);

 private:
  std::vector<std::string> names_;
  std::string compression_;
  files::FileAccess access_;
  size_t next_ = 0;
  std::string name_;
  std::unique_ptr<std::string> bytes_;  // stays where it is when the walk moves
};

/// The files of input 0 of a dataset's op; a walk through them begins with begin().
class NamedFiles {
 public:
  /// `compression_input`: the number of the input that says how they are compressed, -1 where there is none.
  /// Throws errors::InvalidArgumentError.
  NamedFiles(const graph::BlockingCall& call, int compression_input);
  FileWalk begin() const;

 private:
  Array names_;
  std::string compression_;
  files::FileAccess access_ = graph::files_of_step();  // of the step that makes the dataset
};

}  // namespace flowray::ops
