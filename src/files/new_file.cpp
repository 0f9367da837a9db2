#include "files/new_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <random>
#include <system_error>

#include "files/file_error.h"

namespace flowray::files {
namespace {

constexpr size_t kGatherBytes = 64 * 1024;

void make_parent(const std::filesystem::path& path) {
  if (!path.has_parent_path()) return;
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) throw_file_error(path, error.value());
}

}  // namespace

NewFile::NewFile(std::filesystem::path path) : path_(std::move(path)) {
  make_parent(path_);
  std::random_device random;
  while (descriptor_ < 0) {
    temporary_ = fmt::format("{}.tempstate{}", path_.string(), random());
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) throw_file_error(temporary_, errno);
  }
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!published_) ::unlink(temporary_.c_str());
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
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) throw_file_error(temporary_, errno);
    if (count > 0) bytes.remove_prefix(static_cast<size_t>(count));
  }
}

void NewFile::sync() {
  write(pending_);
  pending_.clear();
  // EINVAL: the file system has nothing to be written through to.
  if (::fdatasync(descriptor_) != 0 && errno != EINVAL) throw_file_error(temporary_, errno);
}

void NewFile::finish() {
  write(pending_);
  pending_.clear();
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0 && errno != EINTR) throw_file_error(temporary_, errno);
}

void NewFile::publish() {
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) throw_file_error(path_, errno);
  published_ = true;
}

}  // namespace flowray::files
