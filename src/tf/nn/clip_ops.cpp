#include <flowray/tf/array.h>
#include <flowray/tf/math.h>
#include <flowray/tf/nn.h>
#include <flowray/tf/operators.h>

#include "tf/build/composite.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

#include <algorithm>

namespace flowray::tf {
namespace {

/// The first that is set, as one must be.
Tensor first_of(const std::vector<Tensor>& t_list, const char* function) {
  if (t_list.empty()) throw ValueError(fmt::format("{} was called without tensors.", function));
  const auto first = std::ranges::find_if(t_list, &Tensor::has_value);
  if (first == t_list.end()) check_all_set(t_list, "t_list");
  return *first;
}

}  // namespace

Tensor clip_by_norm(const Input& t, const Input& clip_norm, const ClipByNormOptions& options) {
  Composite scope({{"t", t}, {"clip_norm", clip_norm}, {"axes", options.axes}}, options.name, "clip_by_norm",
                  t.where());
  const Tensor values = scope.convert(t, "t");
  const Tensor squares = values * values;
  const Tensor sum = reduce_sum(squares, {.axis = options.axes, .keepdims = true});
  // Where the length is 0 its root has no gradient: a 1 stands there instead.
  const Tensor is_some = sum > 0;
  const Tensor safe = where(is_some, sum, ones_like(sum));
  const Tensor length = where(is_some, sqrt(safe), sum);
  const Tensor scaled = values * clip_norm;
  if (!values.shape().is_compatible_with(scaled.shape())) {
    throw ValueError(fmt::format("Shapes {} and {} are incompatible", values.shape().to_tuple_string(),
                                 scaled.shape().to_tuple_string()));
  }
  return identity(scaled / maximum(length, clip_norm), {scope.result_name()});
}

Tensor clip_by_average_norm(const Input& t, const Input& clip_norm, const NameOption& options) {
  Composite scope({{"t", t}, {"clip_norm", clip_norm}}, options.name, "clip_by_average_norm", t.where());
  const Tensor values = scope.convert(t, "t");
  const Tensor count = cast(size(values), float32);
  const Tensor squares = values * values;
  const Tensor dimensions = range(rank(values));
  const Tensor inverse = rsqrt(reduce_sum(squares, {.axis = dimensions}));
  const Tensor scaled = values * clip_norm;
  const Tensor most = inverse * count;
  const Tensor one = constant(1.0);
  const Tensor least = minimum(most, one / clip_norm);
  return identity(scaled * least, {scope.result_name()});
}

Tensor global_norm(const List<Tensor>& t_list, const NameOption& options) {
  const ErrorLine errors(t_list.where());
  const Input first = first_of(t_list, "global_norm");
  const Composite scope({{"t_list", first}}, options.name, "global_norm", t_list.where());
  std::vector<Input> halves;
  for (const Tensor& tensor : t_list) {
    if (!tensor.has_value()) continue;
    const ColocationGuard beside = colocate_with(tensor.op());
    halves.emplace_back(nn::l2_loss(tensor));
  }
  const Tensor half = reduce_sum(stack(halves));
  const Tensor two = constant(2.0, {.dtype = base_dtype(half.dtype())});
  return sqrt(half * two, {.name = "global_norm"});
}

ClippedTensors clip_by_global_norm(const List<Tensor>& t_list, const Input& clip_norm,
                                   const ClipByGlobalNormOptions& options) {
  const ErrorLine errors(clip_norm.where());
  const Input first = first_of(t_list, "clip_by_global_norm");
  graph::Graph& graph =
      graph_of({{"t_list", first}, {"clip_norm", clip_norm}, {"use_norm", options.use_norm}});
  ClippedTensors result;
  {
    const CallScope call(graph, t_list.where());
    result.norm = options.use_norm.has_value() ? convert_to_tensor(*options.use_norm)
                                               : global_norm(t_list, {.name = options.name});
  }
  const Composite scope(graph, options.name, "clip_by_global_norm", t_list.where());
  const Tensor inverse = 1.0 / result.norm;
  const Tensor one = constant(1.0, {.dtype = base_dtype(result.norm.dtype())});
  const Tensor limit = one / clip_norm;
  const Tensor finite = clip_norm * minimum(inverse, limit);
  const Tensor factor = finite + (result.norm - result.norm);
  for (size_t i = 0; i < t_list.size(); ++i) {
    const Tensor& tensor = t_list[i];
    if (!tensor.has_value()) {
      result.tensors.emplace_back();
      continue;
    }
    const ColocationGuard beside = colocate_with(tensor.op());
    result.tensors.push_back(identity(tensor * factor, {fmt::format("{}_{}", scope.result_name(), i)}));
  }
  return result;
}

}  // namespace flowray::tf
