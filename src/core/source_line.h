#pragma once
/// Lines of the user's program, and the one that errors name.

#include <cstdint>

namespace flowray {

/// A line of the user's program; number 0: no line.
struct SourceLine {
  const char* file = "";  ///< lives as long as the process
  uint32_t line = 0;
};

/// The line of the call that this thread works for: an Error that is made meanwhile ends with it. It is empty
/// but while a function of the language builds (tf/build/user_line.h sets it).
SourceLine& line_of_call() noexcept;

}  // namespace flowray
