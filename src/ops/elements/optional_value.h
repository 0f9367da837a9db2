#pragma once

#include "graph/resource/variant_value.h"

#include <optional>
#include <vector>

namespace flowray::ops {

/// Some arrays or nothing: what a branch leaves for its gradient.
struct OptionalValue final : graph::VariantValue {
  std::optional<std::vector<Array>> components;

  std::string description() const override;
};

}  // namespace flowray::ops
