#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "ray/store/extent_allocator.h"
#include "ray/transport/shared_region.h"

namespace flowray::ray {

/// A value on disk.
struct Spilled {
  uint64_t offset = 0;
  uint64_t size_bytes = 0;
  uint32_t crc = 0;  ///< crc32c of its bytes
  explicit operator bool() const { return size_bytes > 0; }
};

/// Values of the object store that are on disk: in one file without a name, which goes with the last
/// descriptor of it, whatever ends the process. It is made when it is first written to. Not thread-safe, but
/// that what was written may be read while another thread writes and removes.
class SpillFile {
 public:
  /// Empty: TMPDIR or /tmp, if that is on a disk.
  explicit SpillFile(const std::string& folder = {});
  /// Throws ValueError where no file can be made in the folder, which says why.
  static void require_folder(const std::string& folder);

  /// Throws errors::ResourceExhaustedError, which says what is lacking; what was written does not stay then.
  Spilled write(std::span<const std::byte> value);
  /// Throws errors::DataLossError where it cannot be read, or is not what was written.
  void read(const Spilled& value, std::span<std::byte> to) const;
  /// Gives its room back to the disk.
  void remove(const Spilled& value);

  uint64_t used_bytes() const { return places_.bytes_in_use(); }
  const std::string& folder() const { return folder_; }
  /// The file's descriptor, for tests.
  int descriptor() const { return file_.get(); }

 private:
  void open();
  void require_room(uint64_t bytes) const;
  void write_at(uint64_t offset, std::span<const std::byte> value) const;

  const bool is_folder_given_;
  const std::string folder_;
  Descriptor file_;
  ExtentAllocator places_;
};

}  // namespace flowray::ray
