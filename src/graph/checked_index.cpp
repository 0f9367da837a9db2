#include "graph/checked_index.h"

#include <flowray/errors.h>

#include <fmt/format.h>

namespace flowray::graph {

void throw_no_such_place(const char* what, int i, size_t count) {
  throw errors::InvalidArgumentError(fmt::format(
      "The node has {} {}s, but number {} was asked for\nIts attributes speak of other numbers of inputs "
      "and outputs than it has: compare the lengths of its lists.",
      count, what, i));
}

}  // namespace flowray::graph
