#include "ops/data/file_walk.h"

#include "files/decompress.h"
#include "files/file_contents.h"
#include "ops/data/walk_state.h"

#include <fmt/format.h>

namespace flowray::ops {

bool FileWalk::open() {
  if (next_ == names_.size()) return false;
  name_ = names_[next_];
  bytes_ = std::make_unique<std::string>(
      files::decompressed(files::read_file(name_, access_), compression_, access_.most_read_bytes()));
  ++next_;
  return true;
}

void FileWalk::keep(WalkState& state, std::string_view& left) {
  state.count("next_file", next_, names_.size());
  bool is_open = !left.empty();
  size_t position = is_open ? bytes_->size() - left.size() : 0;
  state.flag("is_open", is_open);
  state.count("position", position, static_cast<size_t>(WalkState::kMost));
  if (!state.is_read()) return;
  left = {};
  if (!is_open) return;
  if (next_ == 0) state.damaged("next_file", "is the first one, and one is open");
  --next_;
  (void)open();
  if (position > bytes_->size()) {
    throw errors::DataLossError(fmt::format(
        "{} has {} bytes, and the saved iterator was at byte {} of it\nThe file is another one than "
        "when it was saved.",
        name_, bytes_->size(), position));
  }
  left = bytes().substr(position);
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
