#include <flowray/tf/array.h>
#include <flowray/tf/nn.h>

#include "tf/build/call_scope.h"

namespace flowray::tf::nn {

FusedBatchNorm fused_batch_norm(const Input& x, const Input& scale, const Input& offset,
                                const FusedBatchNormOptions& options) {
  const ErrorLine errors(x.where());
  if ((!options.is_training || options.exponential_avg_factor != 1) &&
      (!options.mean.has_value() || !options.variance.has_value())) {
    throw ValueError(
        "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or "
        "`exponential_avg_factor` != 1.0.");
  }
  const CallScope call({{"x", x},
                        {"scale", scale},
                        {"offset", offset},
                        {"mean", options.mean},
                        {"variance", options.variance}});
  graph::Graph& graph = call.graph();
  const auto tensor = [&](const Input& input, std::string_view name) {
    return to_tensor(graph, input, name);
  };
  const Tensor images = tensor(x, "input");
  const Tensor factors = tensor(scale, "scale");
  const Tensor offsets = tensor(offset, "offset");
  const Array none(std::vector<float>{});
  const Input mean = options.mean.has_value() ? *options.mean : Input(constant(none));
  const Input variance = options.variance.has_value() ? *options.variance : Input(constant(none));
  graph::Node* node =
      apply_op_node({.op = "FusedBatchNormV3",
                     .name = options.name,
                     .args = {images, factors, offsets, mean, variance},
                     .attrs = {{"epsilon", static_cast<float>(options.epsilon)},
                               {"exponential_avg_factor", static_cast<float>(options.exponential_avg_factor)},
                               {"data_format", options.data_format},
                               {"is_training", options.is_training}}});
  return {Tensor(node, 0), Tensor(node, 1), Tensor(node, 2)};
}

}  // namespace flowray::tf::nn
