// Compressed bytes that were cut off, damaged or made to become many: what comes of them ends at the limit.
#include "files/decompress.h"

#include <flowray/errors.h>
#include <zlib.h>

#include "fuzz/target.h"

namespace flowray::fuzz {
namespace {

constexpr uint64_t kMostBytes = 1 << 15;  // little, as most of the time would go into writing it
constexpr uint64_t kPiece = 1 << 16;      // at once, the last of which is too much

std::string compressed(const std::string& text, bool is_gzip) {
  constexpr int kGzip = 16;  // added to the window's bits
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, MAX_WBITS + (is_gzip ? kGzip : 0), 8,
               Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

// The first byte says which format.
void run(std::string_view bytes) {
  if (bytes.empty()) return;
  const bool is_gzip = bytes.front() == 'g';
  const std::string rest(bytes.substr(1));
  const files::Inflated inflated = files::inflated(rest, is_gzip, kMostBytes);
  const bool is_too_large = inflated.end == files::Inflated::End::kTooLarge;
  check(inflated.bytes.size() <= kMostBytes + (is_too_large ? kPiece : 0), "no more comes out than may");
  check(inflated.num_behind <= rest.size(), "what is behind the last member is a part of the whole");
  check((inflated.end == files::Inflated::End::kDamaged) == (inflated.error != 0),
        "what is damaged says so, and nothing else");
  std::string whole;
  try {
    whole = files::decompressed(rest, is_gzip ? "GZIP" : "ZLIB", kMostBytes);
  } catch (const errors::DataLossError&) {
    return;
  } catch (const errors::ResourceExhaustedError&) {
    check(inflated.end == files::Inflated::End::kTooLarge, "only what is too large is refused as that");
    return;
  }
  check(inflated.bytes.starts_with(whole) || whole.starts_with(inflated.bytes), "both ways read the same");
}

std::vector<std::string> seeds() {
  std::vector<std::string> found;
  for (const bool is_gzip : {false, true}) {
    const std::string format = is_gzip ? "g" : "z";
    const std::string text = compressed("a text, a text, and another text", is_gzip);
    found.push_back(format + text);
    found.push_back(format + text + compressed("a second member", is_gzip));
    found.push_back(format + text + "what is behind");
    found.push_back(format + compressed(std::string(4 * kMostBytes, 'x'), is_gzip));
    found.push_back(format + compressed("", is_gzip));
  }
  return found;
}

}  // namespace flowray::fuzz
