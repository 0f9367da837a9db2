#pragma once
/// A graph, a session on it, and the interpreter that must agree with it.

#include "engine/plan.h"
#include "engine/session.h"
#include "graph/builder.h"
#include "ops/all_ops.h"
#include "support/interpreter.h"
#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <vector>

namespace flowray::engine {

class EngineTest : public ::testing::Test {
 protected:
  struct Fed {
    graph::Endpoint endpoint;
    Array value;
  };

  graph::Endpoint placeholder(DType dtype, const Shape& shape) {
    return builder.op("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}});
  }
  /// An initialised float32 variable; returns its reference.
  graph::Endpoint variable(const std::string& name, const Array& value) {
    const graph::Endpoint ref = builder.op("VariableV2", {}, {{"dtype", value.dtype()}, {"shape", value.shape()}}, name);
    run_targets({builder.node("Assign", {ref, builder.constant(value)})});
    return ref;
  }

  std::vector<Array> run(const std::vector<graph::Endpoint>& fetches, const std::vector<Fed>& feeds = {},
                         const std::vector<graph::Node*>& targets = {}) {
    std::vector<graph::Endpoint> endpoints;
    std::vector<const Array*> values;
    for (const Fed& feed : feeds) {
      endpoints.push_back(feed.endpoint);
      values.push_back(&feed.value);
    }
    std::vector<Array> results(fetches.size());
    session.step({endpoints, fetches, targets}).run(values, results);
    return results;
  }
  void run_targets(const std::vector<graph::Node*>& targets) { (void)run({}, {}, targets); }

  static constexpr PassOptions kVerified{.verify = true};

  /// The program that `run` would plan for these feeds.
  std::unique_ptr<Program> plan_for(const std::vector<graph::Endpoint>& fetches, const std::vector<Fed>& feeds = {},
                                    const std::vector<graph::Node*>& targets = {},
                                    const PassOptions& passes = kVerified) {
    std::vector<graph::Endpoint> endpoints;
    std::vector<Shape> shapes;
    for (const Fed& feed : feeds) {
      endpoints.push_back(feed.endpoint);
      shapes.push_back(feed.value.shape());
    }
    const StepGraph step = make_step_graph({endpoints, fetches, targets}, passes);
    Resources resources = session.resources();
    resources.passes = passes;
    return plan(step, specialise(step, shapes, resources), resources);
  }

  graph::Graph graph{ops::op_table()};
  graph::Builder builder{graph};
  Session session{{.passes = kVerified}};
};

}  // namespace flowray::engine
