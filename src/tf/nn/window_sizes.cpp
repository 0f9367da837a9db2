#include "tf/nn/window_sizes.h"

#include <flowray/tf/errors.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace flowray::tf {

std::vector<int64_t> window_sizes(const std::vector<int64_t>& sizes, size_t dimensions,
                                  std::string_view data_format, const char* name) {
  if (sizes.size() == dimensions + 2) return sizes;
  std::vector<int64_t> inner = sizes;
  if (inner.empty()) inner = {1};
  if (inner.size() == 1) inner.assign(dimensions, inner.front());
  if (inner.size() != dimensions) {
    throw ValueError(fmt::format("{} should be of length 1, {} or {}. Received: {}=[{}] of length {}", name,
                                 dimensions, dimensions + 2, name, fmt::join(sizes, ", "), sizes.size()));
  }
  inner.insert(inner.begin(), 1);
  inner.insert(has_channels_first(data_format) ? inner.begin() + 1 : inner.end(), 1);
  return inner;
}

}  // namespace flowray::tf
