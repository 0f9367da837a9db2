#pragma once

#include "core/buffer.h"
#include "core/buffer_watch.h"

#include <cstddef>

namespace flowray {

/// Memory that a kernel works in while it runs, where no plan has a place for it: a buffer that BufferWatch
/// can tell from values.
class Workspace {
 public:
  explicit Workspace(size_t size_bytes) : size_bytes_(static_cast<int64_t>(size_bytes)) {
    if (size_bytes == 0) return;
    BufferWatch::tell_workspace(size_bytes_);
    try {
      buffer_ = Buffer::allocate(size_bytes);
    } catch (...) {
      BufferWatch::tell_workspace(-size_bytes_);
      throw;
    }
  }
  ~Workspace() {
    if (size_bytes_ == 0) return;
    buffer_.reset();
    BufferWatch::tell_workspace(-size_bytes_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Null if it has no bytes.
  void* data() { return size_bytes_ == 0 ? nullptr : buffer_->data(); }

 private:
  int64_t size_bytes_;
  BufferRef buffer_;
};

}  // namespace flowray
