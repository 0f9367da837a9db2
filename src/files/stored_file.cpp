#include "files/stored_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "files/file_error.h"

namespace flowray::files {

StoredFile::StoredFile(std::filesystem::path path, const FileAccess& access)
    : path_(std::move(path)), file_(access.open(path_, O_RDONLY)) {
  struct stat about{};
  if (::fstat(file_.number(), &about) != 0) throw_file_error(path_, errno);
  if (S_ISDIR(about.st_mode)) throw_file_error(path_, EISDIR);
  size_ = static_cast<uint64_t>(about.st_size);
}

size_t StoredFile::read(uint64_t offset, char* to, size_t count) const {
  size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(file_.number(), to + done, count - done, static_cast<off_t>(offset + done));
    if (got == 0) break;
    if (got < 0 && errno != EINTR) throw_file_error(path_, errno);
    if (got > 0) done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace flowray::files
