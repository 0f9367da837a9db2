#pragma once

#include "core/buffer.h"
#include "ray/transport/protocol.h"

namespace flowray::ray {

/// A value as the owner keeps it: in the heap, or in the store.
struct StoredValue {
  BufferRef bytes;
  Extent extent;
  bool is_error = false;
};

}  // namespace flowray::ray
