#include "ray/owner/resources.h"

#include <algorithm>
#include <cmath>

namespace flowray::ray {

uint32_t cpu_milli(const internal::CallOptions& call, uint32_t unset) {
  const auto asked = std::ranges::find(call.resources, "CPU", &std::pair<std::string, double>::first);
  if (asked == call.resources.end()) return unset;
  return static_cast<uint32_t>(std::min(std::ceil(asked->second * 1000), 4e9));
}

}  // namespace flowray::ray
