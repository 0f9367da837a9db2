#include "files/decompress.h"

#include <flowray/errors.h>

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace flowray::files {

Inflated inflated(std::string_view compressed, bool is_gzip, uint64_t most_bytes) {
  constexpr int kGzip = 16;
  z_stream stream = {};
  if (inflateInit2(&stream, MAX_WBITS + (is_gzip ? kGzip : 0)) != Z_OK)
    throw errors::ResourceExhaustedError("No memory is left to decompress in.");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, &inflateEnd);
  Inflated result;
  result.num_behind = compressed.size();
  std::vector<char> piece(1 << 16);
  while (true) {
    // zlib counts with 32 bits.
    const auto offered =
        static_cast<uInt>(std::min<size_t>(compressed.size(), std::numeric_limits<uInt>::max()));
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(compressed.data()));
    stream.avail_in = offered;
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    compressed.remove_prefix(offered - stream.avail_in);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      result.end = Inflated::End::kDamaged;
      result.error = status;
      result.reason = stream.msg == nullptr ? zError(status) : stream.msg;
      return result;
    }
    result.bytes.append(piece.data(), piece.size() - stream.avail_out);
    if (most_bytes != 0 && result.bytes.size() > most_bytes) {
      result.end = Inflated::End::kTooLarge;
      return result;
    }
    if (status == Z_STREAM_END) {
      result.num_behind = compressed.size();
      if (compressed.empty() || !is_gzip) return result;
      inflateReset(&stream);  // another member follows
    } else if (compressed.empty() && stream.avail_out != 0) {
      result.end = Inflated::End::kCutOff;
      return result;
    }
  }
}

std::string decompressed(std::string bytes, std::string_view compression, uint64_t most_bytes) {
  if (compression.empty()) return bytes;
  Inflated result = inflated(bytes, compression == "GZIP", most_bytes);
  switch (result.end) {
    case Inflated::End::kWhole:
    case Inflated::End::kCutOff:
      return std::move(result.bytes);
    case Inflated::End::kTooLarge:
      throw errors::ResourceExhaustedError(
          fmt::format("What is compressed has more than {} bytes\nA server reads no more at once, the limit "
                      "of its memory.",
                      most_bytes));
    case Inflated::End::kDamaged:
      break;
  }
  throw errors::DataLossError(fmt::format("inflate() failed with error {}: {}", result.error, result.reason));
}

}  // namespace flowray::files
