#pragma once
/// How TensorFlow's messages name a tensor.

#include "tf/build/apply_op.h"

#include <fmt/format.h>

#include <string>

namespace flowray::tf {

/// Tensor("x:0", shape=(?, 2), dtype=float32); without a shape where the rank is not known.
inline std::string tensor_text(const graph::Endpoint& tensor) {
  const std::string shape =
      tensor.shape().has_rank() ? fmt::format(", shape={}", tensor.shape().to_tuple_string()) : "";
  return fmt::format("Tensor(\"{}\"{}, dtype={})", tensor.name(), shape, dtype_name(tensor.dtype()));
}
inline std::string tensor_text(const Tensor& tensor) { return tensor_text(endpoint_of(tensor)); }

}  // namespace flowray::tf
