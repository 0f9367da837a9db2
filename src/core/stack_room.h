#pragma once

#include <cstddef>

namespace flowray {

/// For what calls itself as often as its input asks for: throws errors::ResourceExhaustedError, with `what`
/// as the thing that is nested too deeply, where less than half a MiB of the calling thread's stack is left
/// (a quarter of a stack that is smaller than 2 MiB). Takes a few nanoseconds.
void check_stack_room(const char* what);

/// Bytes of the calling thread's stack that are not used; SIZE_MAX where it runs on another memory than the
/// one that the system gave it for that.
size_t stack_room();

}  // namespace flowray
