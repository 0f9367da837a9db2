#include "tf/layers/layer_variables.h"

#include <flowray/tf/array.h>
#include <flowray/tf/losses.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/slicing.h>

#include "tf/build/collections.h"
#include "tf/layers/shared_layer.h"

#include <utility>

namespace flowray::tf {

Variable layer_variable(const std::string& name, const TensorShape& shape, GetVariableOptions options,
                        const std::string& scope) {
  const Regularizer own = std::exchange(options.regularizer, {});
  if (!own.has_value()) {
    Variable found = get_variable(name, shape, options);
    tell_of_variable(found);
    return found;
  }
  bool is_new = false;
  const Regularizer of_scope = get_variable_scope().regularizer();
  options.regularizer = [&](const Variable& made) {
    is_new = true;
    return of_scope.has_value() ? of_scope(made) : Tensor();
  };
  const Variable variable = get_variable(name, shape, options);
  tell_of_variable(variable);
  if (is_new) {
    const NameScopeGuard in_scope = name_scope((scope.empty() ? name : scope) + "/Regularizer");
    if (const Tensor loss = own(variable); loss.has_value())
      losses::add_loss(loss, internal::kRegularizationLosses);
  }
  return variable;
}

void add_activity_loss(const layers::Activation& regularizer, const Tensor& result) {
  const NameScopeGuard scope = name_scope("ActivityRegularizer");
  const Tensor loss = regularizer(result);
  if (!loss.has_value()) return;
  const Tensor batch = cast(shape(result)[0], base_dtype(loss.dtype()));
  losses::add_loss(loss / batch, internal::kRegularizationLosses);
}

}  // namespace flowray::tf
