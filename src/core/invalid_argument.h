#pragma once

#include <string>

namespace flowray {

/// Throws errors::InvalidArgumentError.
[[noreturn]] void invalid_argument(const std::string& reason);

}  // namespace flowray
