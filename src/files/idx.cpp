// The format (yann.lecun.com/exdb/mnist): two zero bytes, the element type, the number of dimensions; then
// each dimension as a big-endian 32-bit number; then the elements.

#include "files/idx.h"

#include "files/file_contents.h"

#include <flowray/errors.h>

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>

namespace flowray::files {
namespace {

using Bytes = std::span<const uint8_t>;

constexpr uint8_t kUnsignedByte = 0x08;
constexpr size_t kMagicBytes = 4;
constexpr size_t kDimBytes = 4;

// Path and complaint in one line.
std::string about(const std::filesystem::path& path, const std::string& complaint) {
  return "'" + path.string() + "' " + complaint;
}

[[noreturn]] void throw_damaged(const std::filesystem::path& path, const std::string& complaint) {
  throw errors::DataLossError(about(path, complaint));
}

// The file's bytes. That it is not there, is a directory or may not be read is told with what was expected.
std::string content_of(const std::filesystem::path& path) {
  constexpr const char* kExpected = "; expected an idx file (MNIST's format), plain or gzipped";
  try {
    return read_file(path.string(), FileAccess::all());
  } catch (const errors::PermissionDeniedError&) {
    throw errors::PermissionDeniedError(about(path, "may not be read by this user: change its permissions"));
  } catch (const errors::FailedPreconditionError&) {  // a directory, or a path through what is none
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      throw errors::FailedPreconditionError(about(path, std::string("is a directory") + kExpected));
  } catch (const errors::NotFoundError&) {
  }
  throw errors::NotFoundError(about(path, std::string("does not exist") + kExpected));
}

bool is_gzipped(Bytes bytes) { return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b; }

// What the members of a gzip file hold together.
std::vector<uint8_t> unzip(const std::filesystem::path& path, Bytes zipped) {
  constexpr int kGzipWindow = 15 + 16;
  z_stream stream{};
  if (inflateInit2(&stream, kGzipWindow) != Z_OK)
    throw errors::ResourceExhaustedError(about(path, "needs memory to be unzipped: none is left"));
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, &inflateEnd);
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> piece(1 << 20);
  Bytes rest = zipped;
  while (true) {
    // zlib counts with 32 bits.
    const auto offered = static_cast<uInt>(std::min<size_t>(rest.size(), std::numeric_limits<uInt>::max()));
    stream.next_in = const_cast<Bytef*>(rest.data());
    stream.avail_in = offered;
    stream.next_out = piece.data();
    stream.avail_out = static_cast<uInt>(piece.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    rest = rest.subspan(offered - stream.avail_in);
    bytes.insert(bytes.end(), piece.begin(), piece.end() - stream.avail_out);
    if (result == Z_STREAM_END) {
      if (rest.empty()) return bytes;
      if (!is_gzipped(rest)) {
        throw_damaged(path, "has " + std::to_string(rest.size()) +
                                " bytes behind the end of its gzip data; expected none");
      }
      inflateReset(&stream);
    } else if (result == Z_BUF_ERROR || (result == Z_OK && rest.empty() && stream.avail_out != 0)) {
      throw_damaged(path, "is cut off: its gzip data ends after " + std::to_string(zipped.size()) +
                              " bytes without the end mark");
    } else if (result != Z_OK) {
      throw_damaged(path, std::string("is damaged: its gzip data cannot be unzipped (") +
                              (stream.msg != nullptr ? stream.msg : zError(result)) + ")");
    }
  }
}

std::string to_hex(Bytes bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) {
    if (!text.empty()) text += ' ';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

std::string to_text(const std::vector<int64_t>& dims) {
  std::string text = "[";
  for (const int64_t dim : dims) {
    if (text.size() > 1) text += ',';
    text += std::to_string(dim);
  }
  return text += ']';
}

const char* name_of_type(uint8_t type) {
  switch (type) {
    case 0x09:
      return "signed bytes";
    case 0x0b:
      return "16-bit integers";
    case 0x0c:
      return "32-bit integers";
    case 0x0d:
      return "32-bit floats";
    case 0x0e:
      return "64-bit floats";
    default:
      return nullptr;
  }
}

// The dimensions, and in `header_bytes` where the elements begin.
std::vector<int64_t> parse_dims(const std::filesystem::path& path, Bytes bytes, size_t& header_bytes) {
  if (bytes.size() < kMagicBytes) {
    throw_damaged(path, "is cut off: it holds " + std::to_string(bytes.size()) +
                            " bytes; expected an idx file (MNIST's format), which begins with 4");
  }
  if (bytes[0] != 0 || bytes[1] != 0 || (bytes[2] != kUnsignedByte && name_of_type(bytes[2]) == nullptr)) {
    throw_damaged(path, "is no idx file (MNIST's format): it begins with " +
                            to_hex(bytes.first(kMagicBytes)) +
                            "; expected 00 00 08 and the number of dimensions");
  }
  if (bytes[2] != kUnsignedByte) {
    throw_damaged(path,
                  std::string("is an idx file of ") + name_of_type(bytes[2]) + "; expected unsigned bytes");
  }
  const size_t rank = bytes[3];
  header_bytes = kMagicBytes + kDimBytes * rank;
  if (bytes.size() < header_bytes) {
    throw_damaged(path, "is cut off: it holds " + std::to_string(bytes.size()) + " bytes; expected " +
                            std::to_string(header_bytes) + " for " + std::to_string(rank) +
                            " dimensions alone");
  }
  std::vector<int64_t> dims;
  for (size_t i = 0; i < rank; ++i) {
    const Bytes digits = bytes.subspan(kMagicBytes + kDimBytes * i, kDimBytes);
    dims.push_back((int64_t{digits[0]} << 24) | (digits[1] << 16) | (digits[2] << 8) | digits[3]);
  }
  return dims;
}

}  // namespace

IdxFile read_idx(const std::filesystem::path& path) {
  const std::string content = content_of(path);
  const Bytes stored(reinterpret_cast<const uint8_t*>(content.data()), content.size());
  std::vector<uint8_t> bytes =
      is_gzipped(stored) ? unzip(path, stored) : std::vector<uint8_t>(stored.begin(), stored.end());
  size_t header_bytes = 0;
  IdxFile file;
  file.dims = parse_dims(path, bytes, header_bytes);
  const uint64_t found = bytes.size() - header_bytes;
  uint64_t expected = 1;
  bool overflows = false;
  for (const int64_t dim : file.dims) {
    // A size of 0 makes all others harmless, also behind an overflow.
    if (dim == 0) {
      expected = 0;
      overflows = false;
      break;
    }
    overflows = overflows || __builtin_mul_overflow(expected, static_cast<uint64_t>(dim), &expected);
  }
  if (overflows || found != expected) {
    const char* const verdict =
        overflows || found < expected ? "is cut off: it holds " : "goes on behind its data: it holds ";
    throw_damaged(path, verdict + std::to_string(found) + " bytes of data; expected " +
                            (overflows ? "more than 2^64" : std::to_string(expected)) +
                            " for the dimensions " + to_text(file.dims));
  }
  bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(header_bytes));
  file.data = std::move(bytes);
  return file;
}

}  // namespace flowray::files
