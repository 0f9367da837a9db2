#include "files/stored_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "files/file_error.h"

namespace flowray::files {

StoredFile::StoredFile(std::filesystem::path path)
    : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) throw_file_error(path_, errno);
  struct stat about{};
  int error_number = ::fstat(descriptor_, &about) != 0 ? errno : 0;
  if (error_number == 0 && S_ISDIR(about.st_mode)) error_number = EISDIR;
  if (error_number != 0) {
    ::close(descriptor_);
    throw_file_error(path_, error_number);
  }
  size_ = static_cast<uint64_t>(about.st_size);
}

StoredFile::~StoredFile() { ::close(descriptor_); }

size_t StoredFile::read(uint64_t offset, char* to, size_t count) const {
  size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(descriptor_, to + done, count - done, static_cast<off_t>(offset + done));
    if (got == 0) break;
    if (got < 0 && errno != EINTR) throw_file_error(path_, errno);
    if (got > 0) done += static_cast<size_t>(got);
  }
  return done;
}

}  // namespace flowray::files
