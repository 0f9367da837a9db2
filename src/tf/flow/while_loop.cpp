#include <flowray/tf/control_flow.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>

#include "graph/value_node.h"
#include "tf/build/composite.h"
#include "tf/build/unset.h"
#include "tf/flow/loop_context.h"

#include <fmt/format.h>

namespace flowray::tf {
namespace {

using graph::Endpoint;

/// The nodes of one loop, in the order in which TensorFlow's Python makes them.
class LoopBuilder {
 public:
  LoopBuilder(graph::Builder& builder, LoopContext& loop, const std::vector<TensorShape>& invariants)
      : builder_(builder), graph_(builder.graph()), loop_(loop), invariants_(invariants) {}

  std::vector<Tensor> build(const LoopCondition& goes_on, const LoopBody& body,
                            const std::vector<Endpoint>& variables) {
    const InsideOf inside(&loop_);
    loop_.begin(enters_of(variables));
    std::vector<Endpoint> merges;
    for (const Endpoint& enter : loop_.enters()) merges.push_back(merge_node(builder_, enter, enter));
    loop_.set_pivot_for_predicate(merges[0]);
    const Endpoint predicate = endpoint_of(returned(called_back(goes_on, merges), "cond"));
    loop_.set_predicate(builder_.op("LoopCond", {predicate}));
    std::vector<std::pair<Endpoint, Endpoint>> switches;
    for (const Endpoint& merge : merges)
      switches.push_back(switch_beside(builder_, merge, loop_.predicate()));
    std::vector<Endpoint> values;
    for (const auto& [done, running] : switches) values.push_back(pass_on(builder_, "Identity", running));
    loop_.set_pivot_for_body(values[0]);
    close(merges, called_back(body, values));
    std::vector<Endpoint> exits;
    for (const auto& [done, running] : switches) exits.push_back(pass_on(builder_, "Exit", done));
    loop_.exits() = exits;
    loop_.hand_out(exits);
    return tensors_of(exits);
  }

 private:
  template <class Result>
  Result called_back(const std::function<Result(const std::vector<Tensor>&)>& function,
                     const std::vector<Endpoint>& values) {
    const LinesOfTheirOwn lines(graph_);
    return function(tensors_of(values));
  }

  static std::vector<Tensor> tensors_of(const std::vector<Endpoint>& endpoints) {
    std::vector<Tensor> tensors;
    for (const Endpoint& endpoint : endpoints) tensors.push_back(tensor_of(endpoint));
    return tensors;
  }

  std::vector<Endpoint> enters_of(const std::vector<Endpoint>& variables) {
    std::vector<Endpoint> outside = variables;
    for (const Endpoint& variable : variables) loop_.know(variable);
    if (loop_.outer_context() != nullptr) {
      for (Endpoint& variable : outside) variable = loop_.outer_context()->bring_in(variable);
    }
    const WithoutScopes free(graph_);
    std::vector<Endpoint> enters;
    for (size_t i = 0; i < outside.size(); ++i) {
      const TensorShape& shape = outside[i].shape();
      const Endpoint enter =
          loop_.enter_node(outside[i], /*is_constant=*/false, LoopContext::Shape::kUnknown);
      const TensorShape& invariant = invariants_.empty() ? shape : invariants_[i];
      if (!is_at_least_as_known(shape, invariant)) {
        throw ValueError(
            fmt::format("The shape invariant specified for {} is not compatible with the initial shape of "
                        "the loop variable. It enters "
                        "the loop with shape {}, but the specified shape invariant is {}.",
                        outside[i].name(), shape.to_tuple_string(), invariant.to_tuple_string()));
      }
      enter.node->merge_output_shape(0, invariant);
      enters.push_back(enter);
    }
    return enters;
  }

  void close(const std::vector<Endpoint>& merges, const std::vector<Input>& results) {
    if (results.size() != merges.size()) {
      throw ValueError(fmt::format(
          "Number of inputs and outputs of 'body' must match 'loop_vars'. Got {} for the number of "
          "inputs/outputs, and {} for 'loop_vars'.",
          merges.size(), results.size()));
    }
    check_returned(results, "body");
    std::vector<Endpoint> values;
    for (const Input& result : results) {
      values.push_back(convert_to_endpoint(graph_, result, DType::kInvalid, "Const"));
    }
    for (size_t i = 0; i < merges.size(); ++i) {
      const Endpoint next = pass_on(builder_, "NextIteration", values[i]);
      if (!is_at_least_as_known(next.shape(), merges[i].shape())) {
        const Endpoint from = merges[i].node->input(0).node->input(0);
        throw ValueError(
            fmt::format("Input tensor '{}' enters the loop with shape {}, but has shape {} after one "
                        "iteration. To allow the shape to "
                        "vary across iterations, use the `shape_invariants` argument of tf.while_loop to "
                        "specify a less-specific shape.",
                        from.name(), from.shape().to_tuple_string(), next.shape().to_tuple_string()));
      }
      merges[i].node->close_loop(1, next);
    }
  }

  graph::Builder& builder_;
  graph::Graph& graph_;
  LoopContext& loop_;
  const std::vector<TensorShape>& invariants_;
};

/// The same loop with a counter in front of its variables.
struct CountedLoop {
  LoopCondition goes_on;
  LoopBody body;
};

CountedLoop counted(const LoopCondition& goes_on, const LoopBody& body, const Tensor& most) {
  const auto behind_counter = [](const std::vector<Tensor>& values) {
    return std::vector<Tensor>(values.begin() + 1, values.end());
  };
  CountedLoop loop;
  loop.goes_on = [&goes_on, most, behind_counter](const std::vector<Tensor>& values) {
    const Tensor more = less(values[0], most);
    return logical_and(more, returned(goes_on(behind_counter(values)), "cond"));
  };
  loop.body = [&body, behind_counter](const std::vector<Tensor>& values) {
    std::vector<Input> next = {values[0] + 1};
    const std::vector<Input> others = body(behind_counter(values));
    check_returned(others, "body");
    next.insert(next.end(), others.begin(), others.end());
    return next;
  };
  return loop;
}

/// While operations run at once a loop is one of the program's.
std::vector<Tensor> loop_of_values(Composite& scope, const LoopCondition& goes_on, const LoopBody& body,
                                   const std::vector<Input>& loop_vars,
                                   const OptionalInput& maximum_iterations) {
  std::vector<Tensor> variables;
  for (const Input& variable : loop_vars) variables.push_back(to_tensor(scope.graph(), variable, "Const"));
  int64_t left = -1;
  if (maximum_iterations.has_value())
    left =
        to_tensor(scope.graph(), *maximum_iterations, "Const").value().astype(DType::kInt64).item<int64_t>();
  for (; left != 0; --left) {
    const graph::ValuePool::Frame frame;
    if (!returned(goes_on(variables), "cond").value().item<bool>()) break;
    const std::vector<Input> results = body(variables);
    check_returned(results, "body");
    if (results.size() != variables.size()) {
      throw ValueError(fmt::format(
          "Number of inputs and outputs of 'body' must match 'loop_vars'. Got {} for the number of "
          "inputs/outputs, and {} for 'loop_vars'.",
          variables.size(), results.size()));
    }
    std::vector<Tensor> next;
    for (const Input& result : results) next.push_back(to_tensor(scope.graph(), result, "Const"));
    variables = std::move(next);
  }
  return variables;
}

void check_arguments(const std::vector<Input>& loop_vars, const WhileLoopOptions& options) {
  if (loop_vars.empty()) throw ValueError("'loop_vars' must be provided.");
  if (options.parallel_iterations < 1) throw TypeError("'parallel_iterations' must be a positive integer.");
  if (!options.shape_invariants.empty() && options.shape_invariants.size() != loop_vars.size()) {
    throw ValueError(fmt::format("There are {} loop_vars and {} shape_invariants; there must be as many.",
                                 loop_vars.size(), options.shape_invariants.size()));
  }
}

}  // namespace

std::vector<Tensor> internal::while_loop_of_list(const LoopCondition& cond, const LoopBody& body,
                                                 const std::vector<Input>& loop_vars,
                                                 const WhileLoopOptions& options, Input::Where where) {
  const ErrorLine errors(where);
  check_arguments(loop_vars, options);
  Composite scope({{"loop_vars", loop_vars}, {"maximum_iterations", options.maximum_iterations}},
                  options.name, "while", where);
  if (scope.graph().is_eager())
    return loop_of_values(scope, cond, body, loop_vars, options.maximum_iterations);
  std::vector<TensorShape> invariants = options.shape_invariants;
  CountedLoop loop{cond, body};
  std::vector<Endpoint> variables;
  if (options.maximum_iterations.has_value()) {
    const Endpoint most = scope.convert(*options.maximum_iterations, "maximum_iterations");
    if (!most.shape().has_rank() || most.shape().rank() != 0) {
      throw ValueError(fmt::format("'maximum_iterations' must be a scalar. Received shape: {}",
                                   most.shape().to_tuple_string()));
    }
    variables.push_back(
        scope.builder().constant(Array(int32_t{0}).astype(base_dtype(most.dtype())), "iteration_counter"));
    if (!invariants.empty()) invariants.insert(invariants.begin(), TensorShape());
    loop = counted(cond, body, tensor_of(most));
  }
  graph::Graph& graph = scope.graph();
  LoopContext& context = graph::FlowContexts::of(graph).keep(std::make_unique<LoopContext>(
      graph, current_context(graph),
      LoopTraits{options.parallel_iterations, options.back_prop, options.swap_memory}, "while_context"));
  for (const Input& variable : loop_vars) variables.push_back(scope.convert(variable, "Const"));
  std::vector<Tensor> results =
      LoopBuilder(scope.builder(), context, invariants).build(loop.goes_on, loop.body, variables);
  if (options.maximum_iterations.has_value()) results.erase(results.begin());
  return results;
}

}  // namespace flowray::tf
