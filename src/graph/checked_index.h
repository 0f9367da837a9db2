#pragma once
/// Looking up inputs and outputs of a node by number. How many there are follows from the attributes of a
/// graph from an untrusted source, and so do many of the numbers that shape functions and kernels ask for:
/// every look-up is checked, in every build.

#include <cstddef>

namespace flowray::graph {

/// Throws InvalidArgumentError: a node has `count` inputs (or outputs, ...: `what`),
/// and number `i` was asked for.
[[noreturn]] void throw_no_such_place(const char* what, int i, size_t count);

/// `i` as an index into `count` things. Throws InvalidArgumentError where there are fewer.
inline size_t checked_index(const char* what, int i, size_t count) {
  const auto index = static_cast<size_t>(i);  // a negative number is a large one
  if (index >= count) [[unlikely]]
    throw_no_such_place(what, i, count);
  return index;
}

}  // namespace flowray::graph
