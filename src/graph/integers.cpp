#include "graph/integers.h"

namespace flowray::graph {

std::vector<int64_t> to_integers(const Array& array) {
  if (!is_integer(array.dtype())) throw TypeError("Expected integers, but got " + dtype_name(array.dtype()));
  const Array wide = array.astype(DType::kInt64);
  const auto values = wide.span<int64_t>();
  return {values.begin(), values.end()};
}

}  // namespace flowray::graph
