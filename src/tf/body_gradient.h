#pragma once
/// The body of a function with the gradient of its results behind it: what gradients of If, Case, While and
/// of calls are made from.

#include "engine/function_bodies.h"
#include "graph/function_export.h"
#include "tf/flow_build.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace flowray::tf {

/// Whether gradients flow through values of the dtype.
bool is_differentiable(DType dtype);

/// What gradients have added to a graph that belongs to the program's part and not to theirs; kept with the
/// graph.
class ExtendedCalls {
 public:
  static ExtendedCalls& of(graph::Graph& graph);

  /// The last extension (engine/extended_calls.h) of what `call` extends, or `call` itself.
  graph::Node& last(graph::Node& call) const;
  /// What `call` extends, or itself.
  graph::Node& first(graph::Node& call) const;
  void add(graph::Node& call, graph::Node& extension);
  /// Nodes made for an extension.
  void add_node(const graph::Node& node) { nodes_.insert(&node); }
  const std::set<const graph::Node*>& nodes() const { return nodes_; }

 private:
  std::map<const graph::Node*, graph::Node*> first_;
  std::map<const graph::Node*, graph::Node*> last_;  // by the first one
  std::set<const graph::Node*> nodes_;
};

/// Zeros of the value's shape, or a list of zeros.
graph::Endpoint zeros_like_value(graph::Builder& builder, graph::Endpoint value);

class BodyGradient {
 public:
  using Endpoint = graph::Endpoint;

  /// A copy of function `number` of `caller`.
  BodyGradient(graph::Node& caller, size_t number, int first_arg);

  graph::Graph& graph() const { return *body_.graph; }
  const std::vector<Endpoint>& args() const { return body_.args; }
  const std::vector<Endpoint>& results() const { return body_.results; }

  /// Whether result `i` depends on the arguments through values that gradients flow through.
  std::vector<bool> args_behind(size_t i) const;
  /// Makes the nodes of the gradient. `seeds[i]` is the dtype of the gradient of result i; kInvalid: none.
  void differentiate(const std::vector<DType>& seeds);
  /// The gradient of result i, which is given; null where none is.
  Endpoint seed(size_t i) const { return seeds_[i]; }
  /// The gradient of argument i; null where nothing flows.
  Endpoint gradient(size_t i) const { return gradients_[i]; }
  /// Gives the argument a gradient of zeros of that dtype where it has none.
  void fill_in_zeros(size_t i, DType dtype);

  /// A node that stands for an argument of a function made from this graph.
  Endpoint new_arg(DType dtype, const Shape& shape);

  /// What `ends` of the gradient need of the function, in the order of its making, but for constants, which
  /// the gradient makes again.
  std::vector<Endpoint> reads_of(const std::vector<Endpoint>& ends);

  /// The function again, with other arguments and results, as a message for the library.
  wire::FunctionDef forward_function(std::string name, std::vector<graph::FunctionPart::Arg> args,
                                     std::vector<Endpoint> results) const;
  /// A function of the gradient's nodes.
  wire::FunctionDef gradient_function(std::string name, std::vector<graph::FunctionPart::Arg> args,
                                      std::vector<Endpoint> results,
                                      const std::map<Endpoint, Endpoint, EndpointOrder>& sources = {}) const;

 private:
  bool is_of_function(const graph::Node& node) const;
  bool is_made_again(const graph::Node& node) const;
  bool is_known_shape(const graph::Node& node) const;

  graph::FunctionBody body_;
  std::vector<Endpoint> seeds_;
  std::vector<Endpoint> gradients_;
  int first_of_gradient_ = 0;            // Node::id()
  std::set<const graph::Node*> shapes_;  // made by the gradient, of the function's values
};

/// `name` with a number behind it that no function of the graph has.
std::string new_function_name(graph::Graph& graph, const std::string& name);
/// Adds functions made from `body` to the graph of the caller, with those that gradients inside of it have
/// added.
void add_functions(graph::Graph& graph, const BodyGradient& body,
                   const std::vector<wire::FunctionDef>& functions);

}  // namespace flowray::tf
