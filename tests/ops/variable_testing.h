#pragma once
/// Ops on variables, reference or resource, run by the interpreter.

#include "graph/builder.h"
#include "ops/all_ops.h"
#include "ops/nn_testing.h"

#include <memory>
#include <string>
#include <vector>

namespace flowray::testing {

/// A graph with its variables. Nodes are made with `builder`, run with `run`.
struct VariableGraph {
  explicit VariableGraph(bool resources) : resources(resources) {}

  graph::Graph graph{ops::op_table()};
  graph::Builder builder{graph};
  Interpreter interpreter;
  bool resources;

  /// A variable of that shape and dtype without a value.
  graph::Endpoint declare(DType dtype, const Shape& shape) {
    return builder.op(resources ? "VarHandleOp" : "VariableV2", {}, {{"dtype", dtype}, {"shape", shape}});
  }
  graph::Endpoint variable(const Array& value) {
    const graph::Endpoint made = declare(value.dtype(), value.shape());
    storage(made).assign(value);
    return made;
  }
  graph::Variable& storage(graph::Endpoint variable) {
    return *interpreter.containers().find_or_make<graph::Variable>("", variable.node->name());
  }
  Array value(graph::Endpoint variable) { return storage(variable).read(); }

  graph::Endpoint constant(const Array& value) { return builder.constant(value); }
  /// A value whose shape the graph does not know, fed with `value` in every run.
  graph::Endpoint fed(const Array& value) {
    const graph::Endpoint made =
        builder.op("Placeholder", {}, {{"dtype", value.dtype()}, {"shape", Shape::unknown_rank()}});
    feeds.push_back({made, value});
    return made;
  }

  void run(graph::Node* node) { interpreter.run(std::vector<graph::Endpoint>(), feeds, {node}); }
  Array run(graph::Endpoint fetch) { return interpreter.run(fetch, feeds); }

  std::vector<Interpreter::Feed> feeds;
};

}  // namespace flowray::testing
