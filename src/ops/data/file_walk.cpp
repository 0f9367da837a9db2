#include "ops/data/file_walk.h"

#include "files/decompress.h"
#include "files/file_contents.h"

namespace flowray::ops {

bool FileWalk::open() {
  if (next_ == names_.size()) return false;
  name_ = names_[next_];
  bytes_ = std::make_unique<std::string>(
      files::decompressed(files::read_file(name_, access_), compression_, access_.most_read_bytes()));
  ++next_;
  return true;
}

NamedFiles::NamedFiles(const graph::BlockingCall& call, int compression_input) : names_(call.in(0)) {
  if (names_.rank() > 1) throw errors::InvalidArgumentError("`filenames` must be a scalar or a vector.");
  if (compression_input >= 0)
    compression_ = scalar_argument<std::string>(call, compression_input, "compression_type");
  if (!compression_.empty() && compression_ != "ZLIB" && compression_ != "GZIP") {
    throw errors::InvalidArgumentError("Unsupported compression_type.");
  }
}

FileWalk NamedFiles::begin() const {
  const auto span = names_.span<std::string>();
  return {{span.begin(), span.end()}, compression_, access_};
}

}  // namespace flowray::ops
