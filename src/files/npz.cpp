// The format: the files one after the other, each behind a header of its own, then the list of them, then
// where that list is. All numbers are little-endian. Source: PKWARE's APPNOTE.TXT.

#include "files/npz.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <zlib.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "files/decompress.h"
#include "files/file_contents.h"
#include "files/npy.h"

namespace flowray::files {
namespace {

constexpr std::string_view kEndOfList{"PK\5\6", 4};
constexpr std::string_view kInList{"PK\1\2", 4};
constexpr std::string_view kBeforeFile{"PK\3\4", 4};
constexpr size_t kEndOfListBytes = 22;
constexpr size_t kInListBytes = 46;
constexpr size_t kBeforeFileBytes = 30;
constexpr uint32_t kElsewhere = 0xffffffff;  // the number stands where only archives of 4 GiB have it
constexpr std::string_view kEnding = ".npy";

/// What the list says of a file.
struct Entry {
  std::string name;
  uint16_t flags = 0;
  uint16_t method = 0;
  uint32_t checksum = 0;
  uint32_t stored_bytes = 0;
  uint32_t bytes = 0;
  uint32_t begin = 0;  // of its header
};

class NpzReader {
 public:
  explicit NpzReader(const std::filesystem::path& path)
      : name_(path.string()), bytes_(read_file(path.string(), FileAccess::all())) {}

  std::map<std::string, Array> read() const {
    const size_t end = std::string_view(bytes_).rfind(kEndOfList);
    if (end == std::string_view::npos) throw_damaged("its list of files is not there");
    (void)piece(end, kEndOfListBytes);
    const auto count = number<uint16_t>(end + 10);
    size_t at = number<uint32_t>(end + 16);
    std::map<std::string, Array> arrays;
    for (uint16_t i = 0; i < count; ++i) {
      const Entry entry = entry_at(at);
      std::string name = entry.name;
      if (name.ends_with(kEnding)) name.resize(name.size() - kEnding.size());
      arrays[name] = npy_of(content_of(entry), fmt::format("{}:{}", name_, entry.name));
    }
    return arrays;
  }

 private:
  [[noreturn]] void throw_damaged(const std::string& reason) const {
    throw errors::DataLossError(fmt::format("'{}' is not a complete .npz file: {}", name_, reason));
  }

  std::string_view piece(size_t begin, size_t count) const {
    if (begin > bytes_.size() || count > bytes_.size() - begin) throw_damaged("it is cut off");
    return std::string_view(bytes_).substr(begin, count);
  }
  template <class T>
  T number(size_t begin) const {
    T value = 0;
    std::memcpy(&value, piece(begin, sizeof(T)).data(), sizeof(T));
    return value;
  }

  /// The entry of the list that begins there; `at` becomes that of the next one.
  Entry entry_at(size_t& at) const {
    if (piece(at, kInListBytes).substr(0, 4) != kInList) throw_damaged("its list of files is damaged");
    const size_t name_bytes = number<uint16_t>(at + 28);
    const Entry entry = {.name = std::string(piece(at + kInListBytes, name_bytes)),
                         .flags = number<uint16_t>(at + 8),
                         .method = number<uint16_t>(at + 10),
                         .checksum = number<uint32_t>(at + 16),
                         .stored_bytes = number<uint32_t>(at + 20),
                         .bytes = number<uint32_t>(at + 24),
                         .begin = number<uint32_t>(at + 42)};
    at += kInListBytes + name_bytes + number<uint16_t>(at + 30) + number<uint16_t>(at + 32);
    return entry;
  }

  [[noreturn]] void throw_unsupported(const Entry& entry, const std::string& what) const {
    throw errors::UnimplementedError(fmt::format(
        "'{}:{}' is {}, which is not read here; save it with numpy.savez", name_, entry.name, what));
  }

  std::string content_of(const Entry& entry) const {
    constexpr uint16_t kStored = 0;
    constexpr uint16_t kDeflated = 8;
    if ((entry.flags & 1) != 0) throw_unsupported(entry, "encrypted");
    if (entry.stored_bytes == kElsewhere || entry.bytes == kElsewhere || entry.begin == kElsewhere)
      throw_unsupported(entry, "a part of 4 GiB or more");
    if (piece(entry.begin, kBeforeFileBytes).substr(0, 4) != kBeforeFile)
      throw_damaged(fmt::format("{} is not where its list says", entry.name));
    const size_t begin = size_t{entry.begin} + kBeforeFileBytes + number<uint16_t>(entry.begin + 26) +
                         number<uint16_t>(entry.begin + 28);
    const std::string_view stored = piece(begin, entry.stored_bytes);
    if (entry.method == kStored) {
      const auto sum = crc32_z(0, reinterpret_cast<const Bytef*>(stored.data()), stored.size());
      if (entry.bytes != entry.stored_bytes || sum != entry.checksum)
        throw_damaged(fmt::format("{} is not what its checksum says", entry.name));
      return std::string(stored);
    }
    if (entry.method != kDeflated) throw_unsupported(entry, "compressed in another way than deflate");
    return inflated_of(entry, stored);
  }

  /// A member of gzip has the same bytes between a header and what checks them.
  std::string inflated_of(const Entry& entry, std::string_view stored) const {
    std::string gzip("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
    gzip += stored;
    gzip.append(reinterpret_cast<const char*>(&entry.checksum), sizeof(entry.checksum));
    gzip.append(reinterpret_cast<const char*>(&entry.bytes), sizeof(entry.bytes));
    Inflated result = inflated(gzip, /*is_gzip=*/true, entry.bytes);
    if (result.end != Inflated::End::kWhole || result.bytes.size() != entry.bytes)
      throw_damaged(fmt::format("{} cannot be decompressed", entry.name));
    return std::move(result.bytes);
  }

  const std::string name_;
  const std::string bytes_;
};

}  // namespace

std::map<std::string, Array> read_npz(const std::filesystem::path& path) { return NpzReader(path).read(); }

}  // namespace flowray::files
