// The format (yann.lecun.com/exdb/mnist): two zero bytes, the element type, the number of dimensions; then
// each dimension as a big-endian 32-bit number; then the elements.

#include "files/idx.h"

#include "files/decompress.h"
#include "files/file_contents.h"

#include <flowray/errors.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>

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

// The file's bytes. The error for a file that is missing, a folder or not readable says what was expected.
std::string content_of(const std::filesystem::path& path) {
  constexpr const char* kExpected = "; expected an idx file (MNIST's format), plain or gzipped";
  try {
    return read_file(path.string(), FileAccess::all());
  } catch (const errors::PermissionDeniedError&) {
    throw errors::PermissionDeniedError(about(path, "may not be read by this user: change its permissions"));
  } catch (const errors::FailedPreconditionError& error) {  // a directory, or a path through a file
    if (error.message().find("Is a directory") != std::string::npos)
      throw errors::FailedPreconditionError(about(path, std::string("is a directory") + kExpected));
  } catch (const errors::NotFoundError&) {
  }
  throw errors::NotFoundError(about(path, std::string("does not exist") + kExpected));
}

bool is_gzipped(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

// What the members of a gzip file hold together.
std::string unzip(const std::filesystem::path& path, const std::string& zipped) {
  Inflated result = inflated(zipped, /*is_gzip=*/true, 0);
  if (result.end == Inflated::End::kWhole) return std::move(result.bytes);
  const size_t behind = result.num_behind;
  if (behind < zipped.size() && !is_gzipped(std::string_view(zipped).substr(zipped.size() - behind))) {
    throw_damaged(path,
                  "has " + std::to_string(behind) + " bytes behind the end of its gzip data; expected none");
  }
  if (result.end == Inflated::End::kCutOff) {
    throw_damaged(path, "is cut off: its gzip data ends after " + std::to_string(zipped.size()) +
                            " bytes without the end mark");
  }
  throw_damaged(path, "is damaged: its gzip data cannot be unzipped (" + result.reason + ")");
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
    throw_damaged(path, "is not an idx file (MNIST's format): it begins with " +
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
  std::string content = content_of(path);
  if (is_gzipped(content)) content = unzip(path, content);
  const Bytes bytes(reinterpret_cast<const uint8_t*>(content.data()), content.size());
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
  const Bytes data = bytes.subspan(header_bytes);
  file.data.assign(data.begin(), data.end());
  return file;
}

}  // namespace flowray::files
