#pragma once
/// The gradients of lists (TensorList): the gradient of a list is a list, of the gradients of its elements.

#include "graph/op_schema.h"

namespace flowray::ops {

std::vector<graph::Endpoint> list_push_back_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> list_pop_back_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> list_stack_gradient(graph::GradientContext& g);
/// The gradient of TensorListConcat and TensorListConcatV2.
std::vector<graph::Endpoint> list_concat_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> list_split_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> list_from_tensor_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> list_get_item_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> list_set_item_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> list_resize_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> list_gather_gradient(graph::GradientContext& g);
/// The gradient of TensorListScatter and TensorListScatterV2.
std::vector<graph::Endpoint> list_scatter_gradient(graph::GradientContext& g);
std::vector<graph::Endpoint> list_scatter_into_gradient(graph::GradientContext& g);

}  // namespace flowray::ops
