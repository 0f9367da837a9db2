#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace flowray::ray {

/// A file descriptor that is closed at the end. -1: none.
class Descriptor {
 public:
  Descriptor() noexcept = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.leave()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { close(); }
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  /// Does not change errno.
  void close() noexcept;
  /// Gives the descriptor away: the caller closes it.
  int leave() noexcept;
  /// A second descriptor for the same open file, closed on exec. Throws errors::ResourceExhaustedError.
  Descriptor duplicate() const;

 private:
  int fd_ = -1;
};

/// Memory that processes share: a sealed-size memfd and its mapping here. Nothing of it is in any file
/// system; it is gone when the last process that has it is.
class SharedRegion {
 public:
  enum class Access { kRead, kReadWrite };

  SharedRegion() noexcept = default;
  /// Makes `bytes` of zeros, mapped for reading and writing; `name` (up to 200 letters) shows in
  /// /proc/PID/maps. The pages are taken and mapped at once, so that writing meets neither SIGBUS nor a page
  /// fault: about 0.4 ms a MB. Throws errors::ResourceExhaustedError, which says what the system lacks:
  /// memory, descriptors, address space, or memfd itself.
  static SharedRegion create(const std::string& name, size_t bytes);
  /// Maps the first `bytes` of what another process made. Throws errors::DataLossError if the descriptor
  /// is not a region of at least that size, or could shrink under its readers;
  /// errors::ResourceExhaustedError as create.
  static SharedRegion map(Descriptor fd, size_t bytes, Access access);
  SharedRegion(SharedRegion&& other) noexcept;
  SharedRegion& operator=(SharedRegion&& other) noexcept;
  ~SharedRegion();

  std::byte* data() const noexcept { return data_; }
  std::span<std::byte> bytes() const noexcept { return {data_, size_bytes_}; }
  size_t size_bytes() const noexcept { return size_bytes_; }
  int fd() const noexcept { return fd_.get(); }
  /// Gives its memory back to the system, in all processes that map it; they read zeros there. For regions in
  /// which nothing is in use.
  void empty_out() const noexcept;
  /// The mapping stays, the descriptor goes: for processes that do not pass the region on.
  void close_descriptor() noexcept { fd_.close(); }

 private:
  void unmap() noexcept;

  Descriptor fd_;
  std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

/// Bytes that this process may still take, by /proc/meminfo and the limits of its control group; the greatest
/// number there is where neither can be read. What the kernel can drop at once,
/// as pages of files, is available.
size_t available_memory_bytes();
/// How much of the memory is used: of the machine's, or of what the tightest of its control groups may use,
/// whichever is more; from 0 to 1. What is available is not used.
double used_part_of_memory();
/// The memory of a control group. Pages of files, which the kernel reclaims under pressure, do not count as
/// used; shared memory does.
struct GroupMemory {
  size_t limit = 0;
  size_t used = 0;
};
/// The memory of the control group in that folder; nothing if it has no limit.
std::optional<GroupMemory> group_memory(const std::string& folder);

}  // namespace flowray::ray
