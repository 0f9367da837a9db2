#pragma once
/// A graph, a session on it, and the interpreter that must agree with it.

#include "engine/compile.h"
#include "engine/session.h"
#include "graph/builder.h"
#include "ops/all_ops.h"
#include "support/error_words.h"
#include "support/interpreter.h"
#include "support/op_runner.h"

#include <gtest/gtest.h>

#include <exception>
#include <string>
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
    const graph::Endpoint ref =
        builder.op("VariableV2", {}, {{"dtype", value.dtype()}, {"shape", value.shape()}}, name);
    run_targets({builder.node("Assign", {ref, builder.constant(value)})});
    return ref;
  }

  /// Runs a step, and by the interpreter too, which must agree.
  std::vector<Array> run(const std::vector<graph::Endpoint>& fetches, const std::vector<Fed>& feeds = {},
                         const std::vector<graph::Node*>& targets = {}) {
    std::vector<graph::Endpoint> endpoints;
    std::vector<const Array*> values;
    for (const Fed& feed : feeds) {
      endpoints.push_back(feed.endpoint);
      values.push_back(&feed.value);
    }
    std::vector<Array> results(fetches.size());
    std::exception_ptr error;
    std::string words;
    try {
      session.step({endpoints, fetches, targets}).run(values, results);
    } catch (const Error& ours) {
      error = std::current_exception();
      words = testing::words_of(ours);
    }
    if (interpreter_can_follow_) {
      if (testing::Interpreter::beyond(fetches, endpoints, targets).empty()) {
        interpret(fetches, feeds, targets, results, words);
      } else {
        interpreter_can_follow_ = false;
      }
    }
    if (error != nullptr) std::rethrow_exception(error);
    return results;
  }
  void run_targets(const std::vector<graph::Node*>& targets) { (void)run({}, {}, targets); }

  static constexpr PassOptions kVerified{.verify = true};

  /// The program that `run` would plan for these feeds.
  std::unique_ptr<Program> plan_for(const std::vector<graph::Endpoint>& fetches,
                                    const std::vector<Fed>& feeds = {},
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
    return plan({.step = step, .facts = specialise(step, shapes, resources)}, resources);
  }

  /// Not where a test changes the session's variables by other ways than run() or in many threads, where
  /// the engine refuses what the interpreter does not look at, and of reference variables that share
  /// their memory.
  bool interpreter_can_follow_ = true;

 private:
  void interpret(const std::vector<graph::Endpoint>& fetches, const std::vector<Fed>& feeds,
                 const std::vector<graph::Node*>& targets, const std::vector<Array>& results,
                 const std::string& error) {
    std::vector<testing::Interpreter::Feed> fed;
    for (const Fed& feed : feeds) fed.push_back({feed.endpoint, feed.value});
    try {
      const std::vector<Array> expected = interpreter_.run(fetches, fed, targets);
      EXPECT_EQ(error, "") << "not by the interpreter";
      for (size_t i = 0; i < results.size() && error.empty(); ++i) {
        EXPECT_TRUE(testing::is_same(results[i], expected[i], 0))
            << fetches[i].name() << " is " << results[i].to_string() << ", by the interpreter "
            << expected[i].to_string();
      }
    } catch (const Error& expected) {
      EXPECT_EQ(error, testing::words_of(expected));
    }
  }

  testing::Interpreter interpreter_;

 protected:
  graph::Graph graph{ops::op_table()};
  graph::Builder builder{graph};
  Session session{{.passes = kVerified}};
};

}  // namespace flowray::engine
