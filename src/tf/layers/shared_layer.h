#pragma once
/// What the calls of a layers::Shared have in common.

#include <flowray/tf/layers.h>

#include <optional>
#include <vector>

namespace flowray::tf {

struct layers::Shared::State {
  std::optional<VariableScope> scope = std::nullopt;
  std::vector<Variable> variables = {};
  bool built = false;
};

/// A layer of the call that goes on in this thread has made or found it.
void tell_of_variable(const Variable& variable);

}  // namespace flowray::tf
