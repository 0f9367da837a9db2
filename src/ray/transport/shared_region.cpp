#include "ray/transport/shared_region.h"

#include <fcntl.h>
#include <flowray/errors.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

namespace flowray::ray {
namespace {

constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();
// From here on it is asked how much memory there is before pages are taken, because the kernel would rather
// kill a process than refuse. Reading the numbers takes some 30 us, taking a megabyte ten times that.
constexpr size_t kAskFromBytes = size_t{1} << 20;

std::optional<size_t> number_in_file(const std::string& path) {
  std::ifstream file(path);
  size_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // not there, or the word "max"
}

/// The value of a line such as "MemAvailable:   812345 kB", in bytes.
std::optional<size_t> meminfo_bytes(const std::string& key) {
  std::ifstream file("/proc/meminfo");
  std::string word;
  while (file >> word) {
    size_t kib = 0;
    if (word == key && file >> kib) return kib * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

/// Path of this process's group in control groups version 2; empty where there is none.
std::string control_group() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("0::/")) return line.substr(3);
  }
  return {};
}

/// What the kernel reclaims under pressure: pages of files.
size_t droppable_bytes(const std::string& folder) {
  std::ifstream file(folder + "/memory.stat");
  std::string name;
  size_t bytes = 0;
  size_t droppable = 0;
  while (file >> name >> bytes) {
    if (name == "inactive_file" || name == "active_file") droppable += bytes;
  }
  return droppable;
}

/// Calls `f` with the GroupMemory of each of this process's control groups that has a limit.
template <class F>
void for_each_limited_group(F f) {
  std::string group = control_group();
  while (!group.empty()) {
    if (const auto memory = group_memory("/sys/fs/cgroup" + group)) f(*memory);
    if (group == "/") break;
    group.resize(std::max<size_t>(group.rfind('/'), 1));
    if (group.size() > 1 && group.back() == '/') group.pop_back();
  }
}

/// What the tightest of this process's control groups leaves.
size_t available_in_control_groups() {
  size_t available = kUnlimited;
  for_each_limited_group([&](const GroupMemory& group) {
    available = std::min(available, group.limit - std::min(group.limit, group.used));
  });
  return available;
}

double part_of(size_t used, size_t all) {
  return all == 0 ? 0 : static_cast<double>(used) / static_cast<double>(all);
}

std::string size_text(size_t bytes) {
  if (bytes < (size_t{1} << 20)) return fmt::format("{} bytes", bytes);
  if (bytes < (size_t{1} << 30))
    return fmt::format("{} bytes ({:.1f} MB)", bytes, static_cast<double>(bytes) * 1e-6);
  return fmt::format("{} bytes ({:.1f} GB)", bytes, static_cast<double>(bytes) * 1e-9);
}

std::string advice(int failure) {
  switch (failure) {
    case EMFILE:
      return "this process has as many files open as it may (ulimit -n); raise the limit, or hold fewer "
             "workers and regions";
    case ENFILE:
      return "the whole system has as many files open as it may (fs.file-max)";
    case ENOSYS:
    case EPERM:
      return "this system offers no memfd_create (Linux 3.17 has it), or a filter of its container forbids "
             "it";
    case EFBIG:
      return "this process may write no file as large as that, which memory of files counts as (ulimit -f); "
             "raise the limit";
    case ENOMEM:
    case ENOSPC:
      return fmt::format(
          "that much memory is not left ({} are available); use fewer or smaller values, or fewer workers",
          size_text(available_memory_bytes()));
    default:
      return "see the error of the system above";
  }
}

[[noreturn]] void throw_lacking(const std::string& name, size_t bytes, const char* call, int failure) {
  throw errors::ResourceExhaustedError(fmt::format("Cannot get {} of shared memory for '{}': {} says {}: {}",
                                                   size_text(bytes), name, call, std::strerror(failure),
                                                   advice(failure)));
}

std::byte* map_pages(const std::string& name, int fd, size_t bytes, int protection) {
  void* const address = mmap(nullptr, bytes, protection, MAP_SHARED | MAP_POPULATE, fd, 0);
  if (address == MAP_FAILED) throw_lacking(name, bytes, "mmap", errno);
  return static_cast<std::byte*>(address);
}

/// The kernel would end the process by SIGXFSZ.
void refuse_above_the_limit_of_files(const std::string& name, size_t bytes) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur)
    throw_lacking(name, bytes, "the limit of files", EFBIG);
}

/// Gives the file its size for ever, with all its pages.
void reserve_pages(const std::string& name, int fd, size_t bytes) {
  int result = -1;
  do {
    result = fallocate(fd, 0, 0, static_cast<off_t>(bytes));
  } while (result != 0 && errno == EINTR);
  if (result != 0) throw_lacking(name, bytes, "fallocate", errno);
  if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    throw_lacking(name, bytes, "fcntl(F_ADD_SEALS)", errno);
  }
}

}  // namespace

size_t available_memory_bytes() {
  return std::min(meminfo_bytes("MemAvailable:").value_or(kUnlimited), available_in_control_groups());
}

std::optional<GroupMemory> group_memory(const std::string& folder) {
  const auto limit = number_in_file(folder + "/memory.max");
  const auto used = number_in_file(folder + "/memory.current");
  if (!limit || !used) return std::nullopt;
  return GroupMemory{*limit, *used - std::min(*used, droppable_bytes(folder))};
}

double used_part_of_memory() {
  const size_t all = meminfo_bytes("MemTotal:").value_or(0);
  const size_t left = meminfo_bytes("MemAvailable:").value_or(all);
  double most = part_of(all - std::min(all, left), all);
  for_each_limited_group(
      [&](const GroupMemory& group) { most = std::max(most, part_of(group.used, group.limit)); });
  return most;
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    close();
    fd_ = other.leave();
  }
  return *this;
}

void Descriptor::close() noexcept {
  if (fd_ < 0) return;
  const int saved = errno;
  ::close(fd_);  // also after EINTR the descriptor is gone
  errno = saved;
  fd_ = -1;
}

int Descriptor::leave() noexcept { return std::exchange(fd_, -1); }

Descriptor Descriptor::duplicate() const {
  const int copy = fcntl(fd_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) {
    throw errors::ResourceExhaustedError(
        fmt::format("Cannot duplicate file descriptor {}: {}: {}", fd_, std::strerror(errno), advice(errno)));
  }
  return Descriptor(copy);
}

SharedRegion SharedRegion::create(const std::string& name, size_t bytes) {
  if (bytes == 0)
    throw errors::InvalidArgumentError("Shared memory for '" + name + "' needs at least one byte; 0 given");
  if (bytes >= kAskFromBytes && bytes > available_memory_bytes())
    throw_lacking(name, bytes, "the system", ENOMEM);
  refuse_above_the_limit_of_files(name, bytes);
  SharedRegion region;
  region.fd_ = Descriptor(memfd_create(name.substr(0, 200).c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!region.fd_) throw_lacking(name, bytes, "memfd_create", errno);
  reserve_pages(name, region.fd(), bytes);
  region.data_ = map_pages(name, region.fd(), bytes, PROT_READ | PROT_WRITE);
  region.size_bytes_ = bytes;
  return region;
}

SharedRegion SharedRegion::map(Descriptor fd, size_t bytes, Access access) {
  struct stat status{};
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  if (bytes == 0 || seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd.get(), &status) != 0 ||
      static_cast<size_t>(status.st_size) < bytes) {
    throw errors::DataLossError(
        fmt::format("File descriptor {} is not shared memory of at least {} whose size is sealed (it has {} "
                    "bytes); the process "
                    "that sent it is broken, or of another version",
                    fd.get(), size_text(bytes), seals < 0 ? 0 : status.st_size));
  }
  SharedRegion region;
  region.fd_ = std::move(fd);
  const int protection = access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
  region.data_ = map_pages("a region of another process", region.fd(), bytes, protection);
  region.size_bytes_ = bytes;
  return region;
}

SharedRegion::SharedRegion(SharedRegion&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

SharedRegion& SharedRegion::operator=(SharedRegion&& other) noexcept {
  if (this != &other) {
    unmap();
    fd_ = std::move(other.fd_);
    data_ = std::exchange(other.data_, nullptr);
    size_bytes_ = std::exchange(other.size_bytes_, 0);
  }
  return *this;
}

void SharedRegion::empty_out() const noexcept {
  (void)!fallocate(fd_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size_bytes_));
}

SharedRegion::~SharedRegion() { unmap(); }

void SharedRegion::unmap() noexcept {
  if (data_ != nullptr) munmap(data_, size_bytes_);
  data_ = nullptr;
  size_bytes_ = 0;
}

}  // namespace flowray::ray
