#pragma once

#include <cstdint>

namespace flowray {

/// The integer in the environment variable `name`, or `otherwise` where it is unset or empty. Throws
/// errors::InvalidArgumentError, which names the variable, for anything but an integer in [least, greatest].
int64_t integer_from_environment(const char* name, int64_t least, int64_t greatest, int64_t otherwise);

/// Whether the switch in the environment variable `name` is on: "1", "true", "on" or "yes"; off: "0",
/// "false", "off", "no"; in capitals, too. `otherwise` where it is unset or empty. Throws
/// errors::InvalidArgumentError, which names the variable, for another word.
bool switch_from_environment(const char* name, bool otherwise);

}  // namespace flowray
