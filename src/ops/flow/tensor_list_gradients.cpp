#include "ops/flow/tensor_list_gradients.h"

#include "graph/gradient_context.h"
#include "ops/python_nodes/python_array_nodes.h"
#include "ops/python_nodes/python_nodes.h"

namespace flowray::ops {

using graph::Endpoint;
using graph::GradientContext;
using graph::NameScope;

namespace {

/// The shape of `tensor` without its first dimension.
Endpoint row_shape_of(GradientContext& g, Endpoint tensor) {
  const Endpoint shape = python_shape(g, tensor);
  const NameScope scope(g.graph(), "Slice");
  const Endpoint begin = python_integers(g, {1}, DType::kInt32, "begin");
  const Endpoint size = python_integers(g, {-1}, DType::kInt32, "size");
  return g.op("Slice", {shape, begin, size}, {}, scope.path());
}

Endpoint element_shape_of(GradientContext& g, Endpoint list) {
  return g.op("TensorListElementShape", {list}, {{"shape_type", DType::kInt32}});
}

Endpoint length_of(GradientContext& g, Endpoint list) { return g.op("TensorListLength", {list}); }

/// A list of zeros where nothing is set.
Endpoint reserved(GradientContext& g, Endpoint element_shape, Endpoint size) {
  return g.op("TensorListReserve", {element_shape, size}, {{"element_dtype", base_dtype(g.grad().dtype())}});
}

/// Rows `indices` of the gradient of a list that `tensor` went into.
Endpoint gathered(GradientContext& g, Endpoint tensor, Endpoint indices) {
  return g.op("TensorListGather", {g.grad(), indices, row_shape_of(g, tensor)},
              {{"element_dtype", base_dtype(tensor.dtype())}});
}

}  // namespace

std::vector<Endpoint> list_push_back_gradient(GradientContext& g) {
  const Endpoint shape = python_shape(g, g.input(1));
  return python_outputs(g, "TensorListPopBack", {g.grad(), shape},
                        {{"element_dtype", g.attrs().get<DType>("element_dtype")}});
}

std::vector<Endpoint> list_pop_back_gradient(GradientContext& g) {
  return {g.op("TensorListPushBack", {g.grad(0), g.grad(1)}), {}};
}

std::vector<Endpoint> list_stack_gradient(GradientContext& g) {
  const Shape& shape = g.grad().shape();
  const auto with_element_shape = [&](Endpoint element_shape, std::string_view name) {
    return std::vector<Endpoint>{g.op("TensorListFromTensor", {g.grad(), element_shape}, {}, name), {}};
  };
  // Python takes an empty shape for none, and makes it a tensor before the node's scope.
  if (shape.rank() == 1) return with_element_shape(python_integers(g, {}, DType::kInt32, "Const"), {});
  const NameScope scope(g.graph(), "TensorListFromTensor");
  constexpr std::string_view kName = "element_shape";
  if (!shape.has_rank()) return with_element_shape(python_scalar(g, -1, DType::kInt32, kName), scope.path());
  const auto dims = shape.dims().subspan(1);  // -1 where not known, as in the op
  return with_element_shape(python_integers(g, {dims.begin(), dims.end()}, DType::kInt32, kName),
                            scope.path());
}

std::vector<Endpoint> list_concat_gradient(GradientContext& g) {
  const Endpoint element_shape = element_shape_of(g, g.input(0));
  std::vector<Endpoint> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = g.op("TensorListSplit", {g.grad(), element_shape, g.output(1)});
  return grads;
}

std::vector<Endpoint> list_split_gradient(GradientContext& g) {
  const Endpoint shape = python_concat_lists(g, {{-1}, row_shape_of(g, g.input(0))}, 0);
  const DType dtype = base_dtype(g.input(0).dtype());
  return {g.op("TensorListConcatV2", {g.grad(), shape, g.input(2)}, {{"element_dtype", dtype}}), {}, {}};
}

std::vector<Endpoint> list_from_tensor_gradient(GradientContext& g) {
  const Endpoint tensor = g.input(0);
  const int64_t rows = tensor.shape().rank() > 0 ? tensor.shape().dim(0) : -1;
  const Endpoint shape = row_shape_of(g, tensor);
  return {g.op("TensorListStack", {g.grad(), shape},
               {{"element_dtype", base_dtype(tensor.dtype())}, {"num_elements", rows < 0 ? -1 : rows}}),
          {}};
}

std::vector<Endpoint> list_get_item_gradient(GradientContext& g) {
  const Endpoint size = length_of(g, g.input(0));
  const Endpoint zeros = reserved(g, element_shape_of(g, g.input(0)), size);
  return {g.op("TensorListSetItem", {zeros, g.input(1), g.grad()}), {}, {}};
}

std::vector<Endpoint> list_set_item_gradient(GradientContext& g) {
  const Endpoint index = g.input(1);
  const Endpoint item = g.input(2);
  Endpoint list = g.op("TensorListSetItem", {g.grad(), index, python_zeros_like(g, item)});
  const Endpoint shape = python_shape(g, item);
  const Endpoint element =
      g.op("TensorListGetItem", {g.grad(), index, shape}, {{"element_dtype", base_dtype(item.dtype())}});
  if (g.attrs().get<bool>("resize_if_index_out_of_bounds")) {
    list = g.op("TensorListResize", {list, length_of(g, g.input(0))});
  }
  return {list, {}, element};
}

std::vector<Endpoint> list_resize_gradient(GradientContext& g) {
  return {g.op("TensorListResize", {g.grad(), length_of(g, g.input(0))}), {}};
}

std::vector<Endpoint> list_gather_gradient(GradientContext& g) {
  const Endpoint element_shape = element_shape_of(g, g.input(0));
  const Endpoint zeros = reserved(g, element_shape, length_of(g, g.input(0)));
  return {g.op("TensorListScatterIntoExistingList", {zeros, g.grad(), g.input(1)}), {}, {}};
}

std::vector<Endpoint> list_scatter_gradient(GradientContext& g) {
  std::vector<Endpoint> grads(static_cast<size_t>(g.num_inputs()));
  grads[0] = gathered(g, g.input(0), g.input(1));
  return grads;
}

std::vector<Endpoint> list_scatter_into_gradient(GradientContext& g) {
  const Endpoint tensor = gathered(g, g.input(1), g.input(2));
  const Endpoint zeros = python_zeros_like(g, g.input(1));
  return {g.op("TensorListScatterIntoExistingList", {g.grad(), zeros, g.input(2)}), tensor, {}};
}

}  // namespace flowray::ops
