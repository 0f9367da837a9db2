#include "ray/store/spill_file.h"

#include <fcntl.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "files/crc32c.h"

namespace flowray::ray {
namespace {

/// The file is sparse: it ends where the last value does.
constexpr uint64_t kMostBytes = uint64_t{1} << 50;
/// The most free space that is left on a disk: a twentieth of it, as in Ray, up to this.
constexpr uint64_t kMostLeft = uint64_t{1} << 30;

std::string folder_for(const std::string& given) {
  if (!given.empty()) return given;
  const char* const temporary = std::getenv("TMPDIR");
  return temporary == nullptr || *temporary == '\0' ? "/tmp" : temporary;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[noreturn]] void throw_lacking(const std::string& folder, const std::string& why) {
  throw errors::ResourceExhaustedError(
      fmt::format("values cannot be spilled to {}: {}; Init's object_spilling_directory names another folder",
                  folder, why));
}

}  // namespace

SpillFile::SpillFile(const std::string& folder)
    : is_folder_given_(!folder.empty()), folder_(folder_for(folder)), places_(kMostBytes) {}

void SpillFile::require_folder(const std::string& folder) {
  struct stat status{};
  if (stat(folder.c_str(), &status) == 0) {
    if (!S_ISDIR(status.st_mode)) {
      errno = ENOTDIR;
    } else if (access(folder.c_str(), W_OK | X_OK) == 0) {
      return;
    }
  }
  throw ValueError(
      fmt::format("object_spilling_directory is '{}': {}.\n"
                  "Name a folder in which this user may write, or set object_spilling to false.",
                  folder, std::strerror(errno)));
}

void SpillFile::open() {
  struct statfs system{};
  if (!is_folder_given_ && statfs(folder_.c_str(), &system) == 0 && system.f_type == TMPFS_MAGIC)
    throw_lacking(folder_, "it lies in memory itself (tmpfs)");
  int fd = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {  // the file system has none
    std::string name = folder_ + "/flowray-spill-XXXXXX";
    fd = mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) unlink(name.c_str());
  }
  if (fd < 0) throw_lacking(folder_, std::strerror(errno));
  file_ = Descriptor(fd);
}

void SpillFile::require_room(uint64_t bytes) const {
  struct statvfs disk{};
  if (fstatvfs(file_.get(), &disk) != 0) throw_lacking(folder_, std::strerror(errno));
  const uint64_t left = uint64_t{disk.f_bavail} * disk.f_frsize;
  const uint64_t kept = std::min(uint64_t{disk.f_blocks} * disk.f_frsize / 20, kMostLeft);
  if (left < kept || left - kept < bytes) {
    throw_lacking(
        folder_, fmt::format("{} bytes are wanted, {} are left on its disk, and {} are left to others", bytes,
                             left, kept));
  }
}

Spilled SpillFile::write(std::span<const std::byte> value) {
  if (!file_) open();
  require_room(value.size());
  const auto offset = places_.allocate(value.size());
  if (!offset) throw_lacking(folder_, "the file is as long as it may be");
  const Spilled spilled{*offset, value.size(), files::crc32c(text_of(value))};
  try {
    write_at(*offset, value);
  } catch (...) {
    remove(spilled);
    throw;
  }
  return spilled;
}

void SpillFile::write_at(uint64_t offset, std::span<const std::byte> value) const {
  rlimit limit{};  // the kernel would end the process by SIGXFSZ
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + value.size() > limit.rlim_cur)
    throw_lacking(folder_, "files may not be as long (ulimit -f)");
  while (!value.empty()) {
    const ssize_t written = pwrite(file_.get(), value.data(), value.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw_lacking(folder_, written == 0 ? "nothing is written" : std::strerror(errno));
    offset += static_cast<uint64_t>(written);
    value = value.subspan(static_cast<size_t>(written));
  }
}

void SpillFile::read(const Spilled& value, std::span<std::byte> to) const {
  const auto fail = [&](const std::string& why) {
    throw errors::DataLossError(
        fmt::format("a value of {} bytes that was spilled to {} cannot be read back: {}", value.size_bytes,
                    folder_, why));
  };
  if (to.size() != value.size_bytes) fail(fmt::format("there is room for {} bytes", to.size()));
  size_t done = 0;
  while (done < to.size()) {
    const ssize_t got =
        pread(file_.get(), to.data() + done, to.size() - done, static_cast<off_t>(value.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail(got == 0 ? "the file ends before" : std::strerror(errno));
    done += static_cast<size_t>(got);
  }
  if (files::crc32c(text_of(to)) != value.crc) fail("its checksum is another one");
}

void SpillFile::remove(const Spilled& value) {
  places_.free(value.offset);
  (void)!fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(value.offset),
                   static_cast<off_t>(value.size_bytes));
}

}  // namespace flowray::ray
