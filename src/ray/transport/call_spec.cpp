#include "ray/transport/call_spec.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace flowray::ray {
namespace {

Resources resources(const internal::CallOptions& options, CallMode mode) {
  const auto asked = std::ranges::find(options.resources, "CPU", &std::pair<std::string, double>::first);
  if (asked == options.resources.end()) return {.cpu_milli = mode == CallMode::kMakeActor ? 0u : 1000u};
  return {.cpu_milli = static_cast<uint64_t>(std::min(std::ceil(asked->second * 1000), 4e9))};
}

}  // namespace

void set_options(CallSpec& call, const internal::CallOptions& options, CallMode mode) {
  call.mode = mode;
  call.function = options.function;
  call.actor = options.actor;
  call.terms = {static_cast<uint32_t>(options.num_returns), static_cast<uint32_t>(options.max_retries),
                resources(options, mode)};
  call.name = options.name;
  call.function_name = options.function_name;
  call.class_name = options.class_name;
}

}  // namespace flowray::ray
