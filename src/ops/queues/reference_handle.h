#pragma once
/// The handles of the first forms of queues, readers, tables and accumulators; those of the second are resources.

#include "graph/shape_context.h"

namespace flowray::ops {

/// A reference to two strings: container and name.
inline void reference_handle_shape(graph::ShapeContext& context) { context.set_output(0, Shape{2}); }

}  // namespace flowray::ops
