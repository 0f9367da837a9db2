#pragma once
/// The body of a function with the gradient of its results behind it: what gradients of If, Case, While and
/// of calls are made from.

#include "core/mutex.h"
#include "engine/step/function_bodies.h"
#include "graph/exchange/function_export.h"
#include "tf/flow/flow_build.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace flowray::tf {

/// Whether gradients flow through values of the dtype.
bool is_differentiable(DType dtype);

/// The extensions (engine/step/extended_calls.h) of the calls in a graph, and what else gradients have added
/// that belongs to the program's part and not to theirs.
class ExtendedCalls {
 public:
  static ExtendedCalls& of(graph::Graph& graph);

  /// Held while a gradient of a call is made: it goes by what is there, and adds to it. What follows takes
  /// it, too.
  RecursiveMutex& mutex() { return mutex_; }

  /// The last extension of `call`, or `call` itself.
  graph::Node& last(graph::Node& call);
  /// Nodes made for an extension.
  void add_node(const graph::Node& node);
  bool has_node(const graph::Node& node);

 private:
  void look_at_new_nodes(const graph::Graph& graph) FLOWRAY_REQUIRES(mutex_);

  RecursiveMutex mutex_;
  struct Extension {
    graph::Node* node = nullptr;
    size_t num_calls = 0;
  };
  std::map<const graph::Node*, Extension> last_ FLOWRAY_GUARDED_BY(mutex_);
  size_t num_seen_ FLOWRAY_GUARDED_BY(mutex_) = 0;  // nodes of the graph
  std::set<const graph::Node*> nodes_ FLOWRAY_GUARDED_BY(mutex_);
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

  /// Adds the function again, with other arguments and results, to the library that this graph and the
  /// caller's share. Gives its name, which begins with `name`.
  std::string add_forward_function(const std::string& name, std::vector<graph::FunctionPart::Arg> args,
                                   std::vector<Endpoint> results);
  /// Adds a function of the gradient's nodes.
  std::string add_gradient_function(const std::string& name, std::vector<graph::FunctionPart::Arg> args,
                                    std::vector<Endpoint> results,
                                    const std::map<Endpoint, Endpoint, EndpointOrder>& sources = {});
  /// Adds a function of all that the gradient needs: what it reads of the function is computed in it again.
  std::string add_whole_gradient_function(const std::string& name, std::vector<graph::FunctionPart::Arg> args,
                                          std::vector<Endpoint> results);

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

}  // namespace flowray::tf
