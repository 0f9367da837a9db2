#include "files/decompress.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

namespace flowray::files {

std::string decompressed(std::string bytes, std::string_view compression, uint64_t most_bytes) {
  if (compression.empty()) return bytes;
  constexpr int kGzip = 16;
  z_stream stream = {};
  if (inflateInit2(&stream, MAX_WBITS + (compression == "GZIP" ? kGzip : 0)) != Z_OK) {
    throw errors::InternalError("zlib could not be set up");
  }
  std::string plain;
  std::string_view left = bytes;
  int status = Z_OK;
  bool is_too_large = false;
  char piece[1 << 16];
  stream.avail_out = sizeof(piece);
  while (!left.empty() || stream.avail_in > 0 || stream.avail_out == 0) {
    if (stream.avail_in == 0 && !left.empty()) {
      const size_t count = std::min<size_t>(left.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(left.data()));
      stream.avail_in = static_cast<uInt>(count);
      left.remove_prefix(count);
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece);
    stream.avail_out = sizeof(piece);
    status = inflate(&stream, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) break;
    plain.append(piece, sizeof(piece) - stream.avail_out);
    is_too_large = most_bytes != 0 && plain.size() > most_bytes;
    if (is_too_large) break;
    if (status == Z_STREAM_END) inflateReset(&stream);  // another part may follow
  }
  const std::string reason = stream.msg == nullptr ? "" : stream.msg;
  inflateEnd(&stream);
  if (is_too_large) {
    throw errors::ResourceExhaustedError(fmt::format(
        "What is compressed has more than {} bytes\nA server reads no more at once, the limit of its memory.",
        most_bytes));
  }
  if (status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR) return plain;
  throw errors::DataLossError(fmt::format("inflate() failed with error {}: {}", status, reason));
}

}  // namespace flowray::files
