#include <flowray/tf/debugging.h>
#include <flowray/tf/math.h>

#include "tf/build/composite.h"

namespace flowray::tf {

Tensor verify_tensor_all_finite(const Input& x, const std::string& message, const NameOption& options) {
  Composite scope({{"x", x}}, options.name, "VerifyFinite", x.where());
  const graph::Endpoint values = scope.convert(x, "x");
  const ColocationGuard beside = colocate_with(Operation(values.node));
  const graph::Endpoint checked = scope.op("CheckNumerics", {values}, {{"message", message}});
  const graph::NameScope dependency(scope.graph(), "control_dependency");
  const ControlDependenciesGuard after = control_dependencies({tensor_of(checked)});
  return scope.op("Identity", {values}, {}, dependency.path());
}

namespace math {

Tensor reciprocal_no_nan(const Input& x, const NameOption& options) {
  Composite scope({{"x", x}}, options.name, "reciprocal_no_nan", x.where());
  const graph::Endpoint values = scope.convert(x, "x");
  const graph::Endpoint one = scope.convert(1, "one", base_dtype(values.dtype()));
  return scope.result("DivNoNan", {one, values});
}

}  // namespace math
}  // namespace flowray::tf
