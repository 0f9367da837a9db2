#pragma once
/// A function of the library as a graph of its own: what a step runs where the function is called.

#include "graph/exchange/function_library.h"
#include "graph/graph.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace flowray::graph {

/// One copy for each place where a function is called, with the caller's name before the names of its nodes:
/// so each call has state of its own (random generators), and variables are named as TensorFlow names them
/// after inlining.
struct FunctionBody {
  struct Release {
    void operator()(Graph* graph) const { graph->release(); }
  };
  std::unique_ptr<Graph, Release> graph;
  /// In the order of the signature, lists taken apart: nodes to be fed (`_Arg`), and what the
  /// function returns.
  std::vector<Endpoint> args;
  std::vector<Endpoint> results;
  /// The function's control outputs: they run even if no result is read.
  std::vector<Node*> control_outputs;
  /// These, and its stateful nodes.
  std::vector<Node*> effects;
};

/// A function and the attributes that it is called with.
struct FunctionCall {
  const LibraryFunction* function = nullptr;
  wire::Map<wire::Text, wire::AttrValue> attrs;  // what stands for the placeholders in its nodes
};

/// What is known of an argument while the body is built: its shape, and what node made it where it is
/// a handle.
struct ArgFacts {
  Shape shape = Shape::unknown_rank();
  const Attrs* handle = nullptr;
};

/// Makes the body with `prefix`/ before its names; nodes that call functions stay calls. `args` may be empty:
/// nothing is known. Throws errors::InvalidArgumentError for an invalid definition, errors::NotFoundError
/// for an unknown op in it.
FunctionBody make_function_body(const FunctionCall& call, const FunctionLibrary& library, const OpTable& ops,
                                const std::string& prefix, std::span<const ArgFacts> args);

}  // namespace flowray::graph
