#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace flowray::ray {

/// A file descriptor that is closed at the end. -1: none.
class Descriptor {
 public:
  Descriptor() noexcept = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void close() noexcept;
  int leave() noexcept;

 private:
  int fd_ = -1;
};

/// Memory that processes share: a sealed-size memfd and its mapping here. Nothing of it is in any file system; it is gone
/// when the last process that has it is.
class SharedRegion {
 public:
  enum class Access { kRead, kReadWrite };

  SharedRegion() noexcept = default;
  /// Reserves the pages at once (fallocate), so that writing never meets SIGBUS. Throws errors::ResourceExhaustedError,
  /// which says what the system lacks: memory, descriptors, or memfd itself.
  static SharedRegion create(const std::string& name, size_t bytes);
  /// Maps what another process made.
  static SharedRegion map(Descriptor fd, size_t bytes, Access access);
  SharedRegion(SharedRegion&& other) noexcept;
  SharedRegion& operator=(SharedRegion&& other) noexcept;
  ~SharedRegion();

  std::byte* data() const noexcept { return data_; }
  size_t size_bytes() const noexcept { return size_bytes_; }
  int fd() const noexcept { return fd_.get(); }

 private:
  Descriptor fd_;
  std::byte* data_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace flowray::ray
