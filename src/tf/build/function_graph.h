#pragma once
/// A function of a graph's library while it is being built.

#include "graph/captures.h"
#include "graph/exchange/function_export.h"
#include "tf/build/apply_op.h"

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace flowray::tf {

/// The body of a function: a graph of its own, the default one of this thread as long as this lives, in which
/// the language makes nodes as elsewhere. A tensor of the program around that is used in it becomes a further
/// argument. Guards of one thread end in the reverse order of their making.
///
///     FunctionGraph body(graph);
///     const Tensor x = body.add_arg(DType::kFloat32, TensorShape());
///     const std::string name = body.finish("square", {endpoint_of(x * x)});
///     // its call takes x, and what is in body.captured()
class FunctionGraph : private graph::Captures {
 public:
  /// For the library of `outer`, which the body shares, and whose seed it has.
  explicit FunctionGraph(graph::Graph& outer);
  FunctionGraph(const FunctionGraph&) = delete;
  FunctionGraph& operator=(const FunctionGraph&) = delete;
  ~FunctionGraph() override;

  /// The innermost one that this thread is building, if its body is the default graph; else null.
  static FunctionGraph* current();

  /// What an error says on its next line of a node that stands in a function's body, where it was used
  /// outside; "" for one that does not.
  static std::string advice_for(const graph::Node& node);

  /// The graph that a session will have: the default one, or that around all functions that are being built.
  static graph::Graph& program_graph();

  /// The graph that a method of something in `own` adds nodes to: the body that is being built, if any.
  static graph::Graph& graph_for(graph::Graph& own);

  graph::Graph& graph() const { return *body_.get(); }
  /// Throws InternalError once something was captured: these come last.
  Tensor add_arg(DType dtype, const TensorShape& shape);
  /// What stands in the body for a tensor: itself where it was made there, else an argument.
  graph::Endpoint bring_in(graph::Endpoint value);
  /// The values of the program around that became arguments, in their order.
  const std::vector<Tensor>& captured() const { return captured_; }

  /// Adds the function to the library and gives its name there, which begins with `name`. What has an effect,
  /// such as printing, runs whether a result depends on it or not. No more can be captured. `taken`:
  /// of graph::add_function.
  std::string finish(const std::string& name, std::vector<graph::Endpoint> results,
                     const std::function<bool(const std::string&)>& taken = nullptr);
  /// The same by just that name, with names of the arguments and results. Throws errors::InvalidArgumentError
  /// where the library has another function of that name.
  void finish_as(const std::string& name, std::vector<graph::Endpoint> results,
                 std::vector<std::string> arg_names, std::vector<std::string> result_names);
  /// As finish(), but the arguments are just these values of the program around, among which all are that
  /// were captured.
  std::string finish_for(const std::string& name, std::vector<graph::Endpoint> results,
                         const std::vector<graph::Endpoint>& outside);

 private:
  graph::FunctionPart part_of(const std::string& name, std::vector<graph::Endpoint> results);
  graph::Endpoint stand_in(graph::Endpoint outside) override;
  graph::Node* placeholder(DType dtype, const TensorShape& shape, std::string_view name);

  graph::Graph& outer_;
  FunctionGraph* const around_;
  Graph body_;
  GraphScope in_body_;
  std::vector<graph::Endpoint> args_;
  std::vector<Tensor> captured_;
  std::map<std::pair<const graph::Node*, int>, graph::Endpoint> stand_ins_;
};

/// "f" or "predicate": an attribute that names a function.
graph::AttrValue function_attr(const std::string& name);
/// "branches": one that names several.
graph::AttrValue functions_attr(const std::vector<std::string>& names);

}  // namespace flowray::tf
