#include "files/new_file.h"

#include <flowray/errors.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <random>
#include <system_error>

#include "files/file_error.h"
#include "files/folder.h"

namespace flowray::files {
namespace {

constexpr size_t kGatherBytes = 64 * 1024;
constexpr mode_t kPermissions = 07777;
constexpr size_t kMostNameBytes = NAME_MAX - std::string_view(".tempstate4294967295").size();

/// An error's text, said of another file.
std::string named_anew(std::string text, const std::string& from, const std::string& to) {
  if (text.starts_with(from)) text.replace(0, from.size(), to);
  return text;
}

/// /dev/stdout may name a regular file, which others have open: it must be that one that is written.
bool names_a_descriptor(const std::filesystem::path& path) {
  const std::string& text = path.native();
  return path.parent_path() == "/dev" || text.starts_with("/dev/fd/") || text.starts_with("/proc/");
}

}  // namespace

NewFile::NewFile(std::filesystem::path path, FileAccess access)
    : NewFile(std::move(path), std::move(access), Standing::kIsReplaced) {}

NewFile NewFile::through(const std::filesystem::path& path, const FileAccess& access) {
  if (!access.is_all()) return NewFile(path, access);
  std::error_code error;
  std::filesystem::path named;
  const bool is_link = !names_a_descriptor(path) && std::filesystem::is_symlink(path, error);
  if (is_link) named = std::filesystem::canonical(path, error);
  return NewFile(is_link && !error ? named : path, access, Standing::kMayBeWritten);
}

NewFile::NewFile(std::filesystem::path path, FileAccess access, Standing standing)
    : path_(std::move(path)), access_(std::move(access)) {
  check_standing();
  access_.make_folders(path_.parent_path(), path_);
  struct stat about{};
  const bool exists = access_.is_all() && ::stat(path_.c_str(), &about) == 0;
  const bool may_be_written = exists && standing == Standing::kMayBeWritten;
  if (may_be_written && (!S_ISREG(about.st_mode) || names_a_descriptor(path_))) {
    open_in_place();
    return;
  }
  try {
    open_temporary();
  } catch (const errors::PermissionDeniedError&) {
    if (!may_be_written) throw;
    open_in_place();
    return;
  }
  // Where that fails, the file has the permissions of a new one.
  if (exists && S_ISREG(about.st_mode)) (void)!::fchmod(file_.number(), about.st_mode & kPermissions);
}

void NewFile::check_standing() const {
  if (access_.is_all()) return;
  try {
    (void)access_.open(path_, O_WRONLY);
  } catch (const errors::NotFoundError&) {
    return;
  }
}

void NewFile::open_temporary() {
  std::random_device random;
  // A name that is as long as names may be has no room for more.
  const std::string name = path_.filename().string().substr(0, kMostNameBytes);
  while (!file_.is_open()) {
    temporary_ = path_.parent_path() / fmt::format("{}.tempstate{}", name, random());
    try {
      file_ = access_.open(temporary_, O_WRONLY | O_CREAT | O_EXCL);
    } catch (const errors::AlreadyExistsError&) {
      continue;
    } catch (const errors::OpError& error) {  // of the file that was asked for
      errors::throw_error(error.code(), named_anew(error.message(), temporary_.string(), path_.string()));
    }
  }
}

void NewFile::open_in_place() {
  in_place_ = true;
  temporary_ = path_;
  file_ = access_.open(path_, O_WRONLY | O_TRUNC);
}

NewFile::~NewFile() { discard(); }

void NewFile::discard() {
  file_ = FileDescriptor();
  if (std::exchange(is_over_, true) || in_place_ || temporary_.empty()) return;
  try {
    access_.remove_file(temporary_);
  } catch (const errors::OpError&) {
    return;  // no caller to report it to
  }
}

void NewFile::append(std::string_view bytes) {
  if (pending_.size() + bytes.size() < kGatherBytes) {
    pending_ += bytes;
    return;
  }
  write(pending_);
  pending_.clear();
  if (bytes.size() < kGatherBytes) {
    pending_ = bytes;
  } else {
    write(bytes);
  }
}

void NewFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.number(), bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) throw_file_error(path_, errno);
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void NewFile::finish() {
  write(pending_);
  pending_.clear();
  while (::fdatasync(file_.number()) != 0) {
    // EINVAL: a pipe, or a file system that has nothing to be written through to.
    if (errno == EINVAL || errno == ENOTSUP) break;
    if (errno != EINTR) throw_file_error(path_, errno);
  }
  const int descriptor = file_.leave();
  if (::close(descriptor) != 0 && errno != EINTR) throw_file_error(path_, errno);
}

void NewFile::publish() {
  try {
    if (!in_place_) access_.rename(temporary_, path_);
  } catch (const errors::OpError& error) {  // as above
    errors::throw_error(error.code(), named_anew(error.message(), temporary_.string(), path_.string()));
  }
  is_over_ = true;
}

void NewFile::commit() {
  finish();
  publish();
  if (!in_place_) access_.sync_folder(folder_of(path_));
}

}  // namespace flowray::files
