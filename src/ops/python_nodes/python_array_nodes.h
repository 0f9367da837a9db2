#pragma once
/// More nodes as TensorFlow's Python makes them: lists with tensors in them, shapes of a dtype, slices with
/// bounds that are tensors. What gradients of array ops are written in; python_nodes.h has the simpler ones.

#include "graph/builder.h"

#include <initializer_list>
#include <optional>
#include <vector>

namespace flowray::ops {

/// An int or an integer tensor, as Python's argument lists mix them.
struct IntOrTensor {
  IntOrTensor(int64_t number) : value(number) {}               // NOLINT: implicit by design
  IntOrTensor(graph::Endpoint endpoint) : tensor(endpoint) {}  // NOLINT
  graph::Endpoint tensor;
  int64_t value = 0;
};

/// A Const of integers, of one dimension.
graph::Endpoint python_integers(graph::Builder& g, const std::vector<int64_t>& values, DType dtype,
                                std::string_view name);
/// A scalar Const.
graph::Endpoint python_scalar(graph::Builder& g, int64_t value, DType dtype, std::string_view name);

/// array_ops.shape(x, out_type): a Const where the shape is known.
graph::Endpoint python_shape_of_type(graph::Builder& g, graph::Endpoint x, DType out_type);
/// array_ops.size(x), array_ops.rank(x): int32, a Const where known.
graph::Endpoint python_size_of(graph::Builder& g, graph::Endpoint x);
graph::Endpoint python_rank_of(graph::Builder& g, graph::Endpoint x);

/// A list converted to a tensor of `dtype`: a Const of numbers only, else Pack with a Const NAME/i for each
/// number and a Cast of each tensor of another dtype.
graph::Endpoint python_list(graph::Builder& g, const std::vector<IntOrTensor>& items, DType dtype,
                            std::string_view name);

/// x[begin:end] where either bound may be missing or a tensor, x an integer vector.
graph::Endpoint python_slice_between(graph::Builder& g, graph::Endpoint x, std::optional<IntOrTensor> begin,
                                     std::optional<IntOrTensor> end);
/// x[index] of an integer vector.
graph::Endpoint python_element(graph::Builder& g, graph::Endpoint x, IntOrTensor index);

/// An item of a list given to concat: a tensor, or a list of numbers and tensors.
struct TensorOrList {
  TensorOrList(graph::Endpoint endpoint) : tensor(endpoint) {}                                // NOLINT
  TensorOrList(std::initializer_list<IntOrTensor> list) : items(list.begin(), list.end()) {}  // NOLINT
  graph::Endpoint tensor;
  std::vector<IntOrTensor> items;
};
/// array_ops.concat(values, axis) of int32 vectors or matrices.
graph::Endpoint python_concat_lists(graph::Builder& g, const std::vector<TensorOrList>& values, int64_t axis);

/// math_ops.range(start, limit) of int32; `step` apart.
graph::Endpoint python_range(graph::Builder& g, IntOrTensor start, IntOrTensor limit, int64_t step = 1);

/// An op of a tensor and a number of the same dtype: `x + 1` is ("AddV2", x, 1, "add").
graph::Endpoint python_with_number(graph::Builder& g, std::string_view op, graph::Endpoint x, int64_t y,
                                   std::string_view name);

/// array_ops.reshape(x, [..]).
graph::Endpoint python_reshape_to(graph::Builder& g, graph::Endpoint x, const std::vector<int64_t>& shape);
/// array_ops.gather(params, indices).
graph::Endpoint python_gather(graph::Builder& g, graph::Endpoint params, graph::Endpoint indices);

/// A node of several outputs, as these.
std::vector<graph::Endpoint> python_outputs(graph::Builder& g, std::string_view op,
                                            std::vector<graph::Endpoint> inputs, graph::Attrs attrs = {},
                                            std::string_view name = {});

/// Nodes made while it lives are placed with `node` (ops.colocate_with).
class ColocateWith {
 public:
  ColocateWith(graph::Graph& graph, const graph::Node* node) : scopes_(graph.scopes()) {
    const graph::AttrValue* groups = node->attrs().find("_class");
    scopes_.colocation.push_back(groups != nullptr ? groups->get<std::vector<std::string>>()
                                                   : std::vector<std::string>{"loc:@" + node->name()});
  }
  ColocateWith(const ColocateWith&) = delete;
  ColocateWith& operator=(const ColocateWith&) = delete;
  ~ColocateWith() { scopes_.colocation.pop_back(); }

 private:
  graph::Scopes& scopes_;
};

}  // namespace flowray::ops
