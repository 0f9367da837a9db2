#include "files/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "files/file_error.h"

namespace flowray::files {

std::filesystem::path folder_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

void make_folder(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  struct stat about{};
  if (::stat(folder.c_str(), &about) == 0) {
    if (!S_ISDIR(about.st_mode)) throw_file_error(folder, ENOTDIR);
    return;
  }
  if (errno != ENOENT) throw_file_error(folder, errno);
  make_folder(folder.parent_path());
  // EEXIST: another process was faster.
  if (::mkdir(folder.c_str(), 0777) != 0 && errno != EEXIST) throw_file_error(folder, errno);
  sync_folder(folder_of(folder));
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) {
    // Files may be made in a folder that may not be read, and only what is read can be synchronised.
    if (errno == EACCES) return;
    throw_file_error(folder, errno);
  }
  int error_number = 0;
  while (::fsync(descriptor) != 0) {
    error_number = errno;
    if (error_number != EINTR) break;
    error_number = 0;
  }
  ::close(descriptor);
  // EINVAL: the file system keeps no names on a disk.
  if (error_number != 0 && error_number != EINVAL) throw_file_error(folder, error_number);
}

}  // namespace flowray::files
