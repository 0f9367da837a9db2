#pragma once

#include "graph/resource/variant_value.h"

#include <optional>
#include <utility>
#include <vector>

namespace flowray::ops {

/// Some arrays or nothing: what a branch leaves for its gradient.
class OptionalValue final : public graph::VariantValue {
 public:
  OptionalValue() = default;  // nothing
  /// Throws errors::ResourceExhaustedError where optionals would keep each other too deeply.
  explicit OptionalValue(std::vector<Array> some) : components_(std::move(some)) {
    for (const Array& component : *components_) hold(component);
  }

  const std::optional<std::vector<Array>>& components() const { return components_; }
  std::string description() const override;

 private:
  std::optional<std::vector<Array>> components_;
};

}  // namespace flowray::ops
