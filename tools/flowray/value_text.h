#pragma once

#include <flowray/array.h>

#include <string>

namespace flowray::tools {

/// Reads a value as it is written on a command line: 3.5, -1, true, "text", [1, 2], [[1, 2], [3, 4]]. Throws
/// ValueError for malformed text.
Literal parse_value(const std::string& text);

}  // namespace flowray::tools
