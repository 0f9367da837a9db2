#pragma once
/// What a feed's value has to be, and how it becomes one of its tensor's dtype.

#include <flowray/array.h>
#include <flowray/tf/input.h>

#include "graph/graph.h"

#include <vector>

namespace flowray::tf {

/// The value as the step wants it: its shape checked, converted to the tensor's dtype. `converted` holds the
/// copy where one is needed, one of `num_feeds` at most. Throws ValueError for a wrong shape, TypeError for a
/// number that the dtype does not have; of the line `where`.
const Array* checked_feed(const graph::Endpoint& endpoint, const Array& value, std::vector<Array>& converted,
                          size_t num_feeds, Input::Where where = {});

}  // namespace flowray::tf
