#include "files/lock_file.h"

#include <flowray/errors.h>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "files/file_error.h"

namespace flowray::files {

LockFile::LockFile(std::filesystem::path path, const std::string& contents, FileAccess access)
    : path_(std::move(path)), access_(std::move(access)) {
  const FileDescriptor file = access_.open(path_, O_WRONLY | O_CREAT | O_EXCL);
  std::string_view left = contents;
  while (!left.empty()) {
    const ssize_t count = ::write(file.number(), left.data(), left.size());
    if (count < 0 && errno != EINTR) {
      const int error_number = errno;
      remove();
      throw_file_error(path_, error_number);
    }
    if (count > 0) left.remove_prefix(static_cast<size_t>(count));
  }
}

LockFile::~LockFile() { remove(); }

void LockFile::remove() const {
  try {
    access_.remove_file(path_);
  } catch (const Error&) {
    return;  // no caller to report it to
  }
}

}  // namespace flowray::files
