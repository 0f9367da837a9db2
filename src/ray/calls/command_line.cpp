#include "ray/calls/command_line.h"

#include <flowray/ray/errors.h>

#include <algorithm>

namespace flowray::ray {
namespace {

/// The one of `names` that is `name`; empty: none.
std::string_view known(std::span<const std::string_view> names, std::string_view name) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::string_view() : *found;
}

/// Without its dashes; empty for an argument that is not a flag.
std::string_view without_dashes(std::string_view argument) {
  if (!argument.starts_with('-')) return {};
  return argument.substr(argument.starts_with("--") ? 2 : 1);
}

}  // namespace

std::vector<Flag> flags_in(int argc, char** argv, std::span<const std::string_view> valued,
                           std::span<const std::string_view> switches) {
  std::vector<Flag> flags;
  for (int i = 1; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view argument = without_dashes(argv[i]);
    const size_t equals = argument.find('=');
    const bool has_value = equals != std::string_view::npos;
    const std::string_view name = argument.substr(0, equals);
    const std::string_view value = has_value ? argument.substr(equals + 1) : std::string_view();
    if (const std::string_view flag = known(valued, name); !flag.empty()) {
      if (!has_value && i + 1 == argc) {
        throw RayException("Missing the value for the flag '" + std::string(name) + "'\nGive it as --" +
                           std::string(name) + "=VALUE.");
      }
      flags.emplace_back(flag, has_value ? value : std::string_view(argv[++i]));
    } else if (const std::string_view on = known(switches, name); !on.empty()) {
      flags.emplace_back(on, has_value ? value : "true");
    } else if (name.starts_with("no") && !known(switches, name.substr(2)).empty()) {
      flags.emplace_back(known(switches, name.substr(2)), "false");
    }
  }
  return flags;
}

std::vector<std::string> paths_in(std::string_view text) {
  std::vector<std::string> paths;
  while (!text.empty()) {
    const size_t end = std::min(text.find(':'), text.size());
    if (end > 0) paths.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return paths;
}

}  // namespace flowray::ray
