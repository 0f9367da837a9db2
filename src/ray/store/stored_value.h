#pragma once

#include "core/buffer.h"
#include "ray/transport/protocol.h"

namespace flowray::ray {

/// A value as the owner keeps it: in the heap, or in the store.
struct StoredValue {
  BufferRef bytes;
  Extent extent;
  bool is_error = false;
  /// The extent is a part of that object's, which stays as long as this value does; none: it
  /// is the value's own.
  ObjectId lender = {};
};

}  // namespace flowray::ray
