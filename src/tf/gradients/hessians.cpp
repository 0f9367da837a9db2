#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/gradients.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/tensor_array.h>

#include "tf/build/call_scope.h"

namespace flowray::tf {

std::vector<Tensor> hessians(const List<Tensor>& ys, const List<GradientTarget>& xs,
                             const HessiansOptions& options, Input::Where where) {
  const GradientsOptions given = {.colocate_gradients_with_ops = options.colocate_gradients_with_ops,
                                  .gate_gradients = options.gate_gradients,
                                  .aggregation_method = options.aggregation_method};
  const std::vector<Tensor> firsts = gradients(ys, xs, given, where);
  std::vector<Tensor> result;
  for (size_t i = 0; i < xs.size(); ++i) {
    graph::Graph& graph = firsts[i].has_value() ? firsts[i].node()->graph() : default_graph();
    const CallScope call(graph, where);
    const GradientTarget& x = xs[i];
    const Tensor row = reshape(firsts[i], {-1});
    const Tensor count = size(x.tensor());
    const Tensor zero = constant(0);
    const TensorArray rows(base_dtype(x.tensor().dtype()), {.size = count}, where);
    const auto [end, flow] = while_loop(
        [&](const Tensor& number, const Tensor&) { return number < count; },
        [&](const Tensor& number, const Tensor& so_far) {
          const Tensor next = number + 1;
          const Tensor second = gradients({row[number]}, {x}, {}, where)[0];  // as TensorFlow has it
          return std::vector<Input>{next, rows.with_flow(so_far).write(number, second).flow()};
        },
        {zero, rows.flow()}, {}, where);
    const Tensor sizes = shape(x.tensor());
    const Tensor all = rows.with_flow(flow).stack();
    result.push_back(reshape(all, concat({sizes, sizes}, 0)));
  }
  return result;
}

}  // namespace flowray::tf
