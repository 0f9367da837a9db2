#pragma once
/// Which files an op may use: those of the session that its step runs in.

#include "files/file_access.h"

namespace flowray::graph {

/// For the op that is started, computed or bound in this thread right now. An op that opens a file later
/// - a reader, a dataset's iterator, in whatever thread it goes on - keeps a copy. Throws InternalError where
/// no op runs: no file is opened without rules.
const files::FileAccess& files_of_step();

/// Ops of this thread use the files of `access` until it ends. The engine makes one around each op that may
/// use files: those that are computed, started or bound, not those with prepared kernels.
class FilesOfStep {
 public:
  explicit FilesOfStep(const files::FileAccess& access);
  ~FilesOfStep();
  FilesOfStep(const FilesOfStep&) = delete;
  FilesOfStep& operator=(const FilesOfStep&) = delete;

 private:
  const files::FileAccess* const before_;
};

}  // namespace flowray::graph
