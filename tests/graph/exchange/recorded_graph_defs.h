#pragma once
/// tests/golden/graph_defs.json: GraphDefs of real TensorFlow, and what it says to wrong ones.

#include "support/hexadecimal.h"
#include "support/json.h"

#include "graph/graph.h"
#include "ops/all_ops.h"

#include <string>

namespace flowray::graph {

inline const testing::Json& recorded_graph_defs() {
  static const testing::Json kJson = testing::read_golden("graph_defs");
  return kJson;
}

/// Holds a count on a graph of its own.
class TestGraph {
 public:
  TestGraph() : graph_(new Graph(ops::op_table())) {}
  TestGraph(const TestGraph&) = delete;
  TestGraph& operator=(const TestGraph&) = delete;
  ~TestGraph() { graph_->release(); }
  Graph& operator*() const { return *graph_; }
  Graph* operator->() const { return graph_; }

 private:
  Graph* graph_;
};

}  // namespace flowray::graph
