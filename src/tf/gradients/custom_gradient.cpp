#include <flowray/tf/array.h>
#include <flowray/tf/several.h>
#include <flowray/tf/variable_scope.h>

#include "graph/builder.h"
#include "graph/gradient_overrides.h"
#include "tf/build/tensor_text.h"
#include "tf/build/unset.h"
#include "tf/gradients/registered_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <sstream>
#include <utility>

namespace flowray::tf {
namespace {

using graph::Endpoint;
using graph::Node;

/// Like no other in a graph that is imported from another process, whose functions are not here.
std::string new_gradient_name() {
  static const unsigned process = std::random_device{}();
  static std::atomic<int64_t> number{0};
  return fmt::format("CustomGradient-{:08x}-{}", process, ++number);
}

/// The variables that TensorFlow compares before and after, to see which ones the function makes.
std::vector<Variable> variables_of_scope() {
  const std::string name = get_variable_scope().name();
  const std::string scope = name.empty() ? std::string() : name + "/";
  std::vector<Variable> all = global_variables(scope);
  for (const Variable& variable : local_variables(scope)) all.push_back(variable);
  return all;
}

bool is_resource(const Variable& variable) { return variable.ref().node()->op() == "VarHandleOp"; }

void check_new_variables(const std::vector<Variable>& before) {
  std::set<const Node*> known;
  for (const Variable& variable : before) known.insert(variable.ref().node());
  for (const Variable& variable : variables_of_scope()) {
    if (known.contains(variable.ref().node()) || is_resource(variable)) continue;
    throw TypeError(fmt::format(
        "All variables used by a function wrapped with @custom_gradient must be `ResourceVariable`s. Ensure "
        "that no `variable_scope` is created with `use_resource=False`.\n'{}' is a reference variable that "
        "the function makes: make it before, or with use_resource.",
        variable.name()));
  }
}

/// Whether a walk back goes on through it: what has no gradient, or none on purpose, ends it.
bool passes_gradients(const Node& node) {
  if (const RegisteredGradient* const own = registered_gradient(node.op())) return own->function != nullptr;
  return node.schema().row.gradient != nullptr || node.schema().row.flow != graph::FlowRole::kNone;
}

/// The trainable variables that values depend on, but through the arguments; sorted by name.
class UsedVariables {
 public:
  UsedVariables(const std::vector<Tensor>& arguments, int first_new_node) : first_new_node_(first_new_node) {
    for (const Tensor& argument : arguments) stops_.emplace(argument.node(), argument.value_index());
  }

  std::vector<Variable> find(const std::vector<Endpoint>& results) {
    std::set<const Node*> nodes = walk_back(results);
    add_read_handles(results.front().node->graph(), nodes);
    std::vector<Variable> found;
    for (const Variable& variable : global_variables()) {
      if (nodes.contains(variable.ref().node()) && variable.trainable()) found.push_back(variable);
    }
    std::ranges::sort(found, {}, [](const Variable& variable) { return variable.name(); });
    return found;
  }

 private:
  std::set<const Node*> walk_back(const std::vector<Endpoint>& results) const {
    std::set<const Node*> seen;
    std::vector<const Node*> open;
    for (const Endpoint& result : results) open.push_back(result.node);
    while (!open.empty()) {
      const Node* const node = open.back();
      open.pop_back();
      if (!seen.insert(node).second || !passes_gradients(*node)) continue;
      for (const Endpoint& input : node->inputs()) {
        if (!stops_.contains({input.node, input.index})) open.push_back(input.node);
      }
    }
    return seen;
  }

  /// What the function has read is used whether the results depend on it or not.
  void add_read_handles(const graph::Graph& graph, std::set<const Node*>& nodes) const {
    for (const Node* const node : graph.nodes()) {
      if (node->id() >= first_new_node_ && node->op() == "ReadVariableOp") nodes.insert(node->input(0).node);
    }
  }

  std::set<std::pair<const Node*, int>> stops_;
  int first_new_node_;
};

std::string text_of(const std::vector<Variable>& variables) {
  std::ostringstream text;
  for (const Variable& variable : variables) text << (text.tellp() > 0 ? ", " : "") << variable;
  return text.str();
}

/// The gradient of the IdentityN of values, arguments and variables: nothing flows back into the values.
GradientFunction gradient_of_all(ValuesAndGradient given, std::vector<Variable> variables) {
  return [given = std::move(given), variables = std::move(variables)](const Operation&,
                                                                      const std::vector<Tensor>& grads) {
    const size_t num_values = given.values.size();
    const std::vector<Tensor> of_values(grads.begin(),
                                        grads.begin() + static_cast<std::ptrdiff_t>(num_values));
    const bool with_variables = !variables.empty() || given.gradient == nullptr;
    const std::vector<Tensor> made =
        with_variables ? given.gradient_with_variables(of_values, variables) : given.gradient(of_values);
    std::vector<Tensor> all(num_values);
    all.insert(all.end(), made.begin(), made.end());
    return all;
  };
}

}  // namespace

std::vector<Tensor> custom_gradient_in_graph(
    const std::function<ValuesAndGradient(const std::vector<Tensor>&)>& function,
    const std::vector<Tensor>& arguments, Input::Where where) {
  graph::Graph& graph = default_graph();
  const std::string name = new_gradient_name();
  const std::vector<Variable> before = variables_of_scope();
  const int first_new_node = graph.num_nodes();
  ValuesAndGradient given = function(arguments);
  check_all_set(given.values, "values");
  if (given.gradient_with_variables == nullptr) internal::check_callable(given.gradient, "gradient", where);
  check_new_variables(before);
  if (given.values.empty()) return {};
  const UserLine line(graph, where);
  graph::Builder builder(graph);
  std::vector<Endpoint> results;
  std::vector<Input> all;
  for (const Tensor& value : given.values) {
    results.push_back(builder.op("Identity", {endpoint_of(value)}));
    all.emplace_back(value);
  }
  const std::vector<Variable> variables = UsedVariables(arguments, first_new_node).find(results);
  if (!variables.empty() && given.gradient_with_variables == nullptr) {
    throw TypeError(fmt::format(
        "@tf.custom_gradient grad_fn must accept keyword argument 'variables', since function uses "
        "variables: [{}]\nIn C++ it is ValuesAndGradient::gradient_with_variables.",
        text_of(variables)));
  }
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.insert(all.end(), variables.begin(), variables.end());
  const size_t num_values = given.values.size();
  register_gradient(graph.ops(), name, {gradient_of_all(std::move(given), variables), "tf.custom_gradient"});
  const graph::GradientOverrides overrides(graph, {{"IdentityN", name}});
  graph::Node* const node = apply_op_node({.op = "IdentityN", .args = {all}, .where = where});
  std::vector<Tensor> values;
  for (size_t i = 0; i < num_values; ++i) values.emplace_back(node, static_cast<int>(i));
  return values;
}

}  // namespace flowray::tf
