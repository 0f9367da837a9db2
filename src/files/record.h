#pragma once
/// TensorFlow's record files (TFRecord): a length, its checksum, the data, their checksum; again and again.
/// Numbers are little-endian, checksums masked (files/crc32c.h).

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace flowray::files {

/// Bytes of a record beside its data.
inline constexpr size_t kRecordFrameBytes = 16;

/// Appends `data` as one record.
void append_record(std::string& file, std::string_view data);

/// Takes records out of a file's bytes, which must outlive it.
class RecordReader {
 public:
  /// From byte `begin` on, where a record begins; behind the end there is none.
  explicit RecordReader(std::string_view file, size_t begin = 0)
      : file_(file), position_(std::min(begin, file.size())) {}

  /// The next record's data; none at the end, or where the file ends within the head of a record. Throws
  /// errors::DataLossError "truncated record at 17" where it ends within the data, the number being the
  /// record's first byte, and "corrupted record at 17" where a checksum is wrong, the number being the first
  /// byte of what it is of. What stood before it is good.
  std::optional<std::string_view> next();
  /// Where the next record begins.
  size_t position() const { return position_; }

 private:
  std::optional<std::string_view> take_checked(size_t begin, size_t count) const;
  std::string_view file_;
  size_t position_;
};

}  // namespace flowray::files
