#include "ops/elements/index_text.h"

#include <fmt/format.h>

#include <vector>

namespace flowray::ops {

std::string position_text(const Shape& shape, int64_t flat) {
  if (shape.rank() <= 0) return "";
  std::vector<int64_t> position(static_cast<size_t>(shape.rank()));
  for (int i = shape.rank() - 1; i >= 0; --i) {
    position[static_cast<size_t>(i)] = flat % shape.dim(i);
    flat /= shape.dim(i);
  }
  return fmt::format("[{}]", fmt::join(position, ","));
}

}  // namespace flowray::ops
