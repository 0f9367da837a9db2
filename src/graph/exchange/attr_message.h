#pragma once
/// Attributes to and from TensorFlow's AttrValue message.

#include "graph/op_schema.h"
#include "wire/graph_def.h"

#include <string>

namespace flowray::graph {

/// The value of an attribute that `schema` declares. Throws errors::InvalidArgumentError in TensorFlow's
/// words for a value of another kind or one that is not allowed: the bare reason, without the node.
AttrValue attr_from_message(const wire::AttrValue& message, const AttrSchema& schema);

/// The value of an attribute that no schema declares, such as _class: what it seems to be, else opaque.
AttrValue attr_from_message(const wire::AttrValue& message);

/// Borrows texts and tensors from `value`, which must outlive the message.
wire::AttrValue attr_to_message(const AttrValue& value);

}  // namespace flowray::graph
