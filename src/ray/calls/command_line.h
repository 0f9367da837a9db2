#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace flowray::ray {

/// A flag without its dashes, and what it is set to.
using Flag = std::pair<std::string_view, std::string>;

/// Those of `valued` and `switches` that stand in a command line, in their order, as Ray's programs take
/// them: "--name=value", "--name value", with one dash or two; a switch is "true" by itself, "false" as
/// "--noname", and else what stands behind its "="; behind "--" no flags come. Other arguments are the
/// program's. Throws RayException for one of `valued` that stands at the end, without a value.
std::vector<Flag> flags_in(int argc, char** argv, std::span<const std::string_view> valued,
                           std::span<const std::string_view> switches);

/// "/a:/b" as its parts; without empty ones.
std::vector<std::string> paths_in(std::string_view text);

}  // namespace flowray::ray
