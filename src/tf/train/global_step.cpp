#include <flowray/tf/initializers.h>
#include <flowray/tf/train.h>
#include <flowray/tf/variable_scope.h>

#include "tf/build/apply_op.h"
#include "tf/build/collections.h"
#include "tf/build/resource_variable.h"
#include "tf/build/unset.h"

#include <fmt/format.h>

namespace flowray::tf::train {
namespace {

constexpr const char* kGlobalStep = "global_step";

/// What stands in the collection; none if there is nothing, or more than one.
Variable collected(const internal::Collections::Variables& known) {
  return known.size() == 1 ? Variable(known.front()) : Variable();
}

Variable make_global_step(graph::Graph& graph, Input::Where where) {
  const UserLine line(graph, where);
  const graph::NameScope root(graph, "");
  return get_variable(kGlobalStep, TensorShape{},
                      {.dtype = int64,
                       .initializer = zeros_initializer(),
                       .trainable = false,
                       .collections = {internal::kGlobalVariables, kGlobalStep}},
                      where);
}

}  // namespace

void assert_global_step(const Tensor& global_step, Input::Where where) {
  const ErrorLine errors(where);
  (void)node_of(global_step, "global_step");
  const DType dtype = base_dtype(global_step.dtype());
  if (!is_integer(dtype)) {
    throw TypeError(fmt::format("Existing \"global_step\" does not have integer type: <dtype: '{}'>",
                                dtype_name(global_step.dtype())));
  }
  const TensorShape& shape = global_step.shape();
  if (shape.is_fully_defined() && shape.rank() != 0)
    throw TypeError(fmt::format("Existing \"global_step\" is not scalar: {}", shape.to_tuple_string()));
}

Tensor get_global_step(Input::Where where) {
  const ErrorLine errors(where);
  graph::Graph& graph = default_graph();
  const auto known = internal::collections_of(graph).variables(kGlobalStep);
  Tensor step;
  if (const Variable variable = collected(known); variable.has_value()) {
    step = graph_element(variable);
  } else if (graph::Node* const node = known.empty() ? graph.find(kGlobalStep) : nullptr) {
    step = Tensor(node, 0);
  }
  if (step.has_value()) assert_global_step(step);
  return step;
}

Variable create_global_step(Input::Where where) {
  const ErrorLine errors(where);
  if (get_global_step().has_value()) throw ValueError("\"global_step\" already exists.");
  return make_global_step(default_graph(), where);
}

Variable get_or_create_global_step(Input::Where where) {
  graph::Graph& graph = default_graph();
  const auto known = internal::collections_of(graph).variables(kGlobalStep);
  return known.empty() ? make_global_step(graph, where) : Variable(known.front());
}

}  // namespace flowray::tf::train
