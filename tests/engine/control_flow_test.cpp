// Conditionals, loops and functions that real TensorFlow's Python built, and what TensorFlow computed
// with them.

#include "engine/compile.h"
#include "engine/session.h"
#include "graph/exchange/graph_import.h"
#include "ops/all_ops.h"
#include "support/hexadecimal.h"
#include "support/interpreter.h"
#include "support/json.h"
#include "support/op_runner.h"
#include "wire/tensor_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

namespace flowray::engine {
namespace {

using testing::from_hexadecimal;
using testing::Json;

/// What is made of nested conditionals and loops, what is not, and what is made of functions.
const Json& recorded() {
  static const Json kJson = [] {
    Json all;
    for (const char* name : {"control_flow", "irregular_flow"}) {
      Json read = testing::read_golden(name);
      for (auto& [program, recorded_program] : read.members) {
        if (std::string_view(name) == "irregular_flow") recorded_program.members["irregular"] = {};
      }
      all.members.merge(read.members);
    }
    const Json functions = testing::read_golden("functions");
    for (const auto& [name, program] : functions.members) all.members["functions_" + name] = program;
    return all;
  }();
  return kJson;
}

Array array_of(const Json& hexadecimal) {
  const std::string bytes = from_hexadecimal(hexadecimal.text);
  return wire::to_array(wire::decode<wire::TensorProto>(bytes));
}

class ControlFlow : public ::testing::TestWithParam<std::string> {
 protected:
  graph::Endpoint endpoint(const std::string& name) const {
    const size_t colon = name.rfind(':');
    graph::Node* node = graph_.find(name.substr(0, colon));
    return {node, std::stoi(name.substr(colon + 1))};
  }

  std::vector<Array> run(const std::vector<graph::Endpoint>& fetches, const Json* feeds,
                         const std::vector<graph::Node*>& targets = {}) {
    std::vector<graph::Endpoint> fed;
    std::vector<Array> values;
    if (feeds != nullptr) {
      for (const auto& [name, value] : feeds->members) {
        fed.push_back(endpoint(name));
        values.push_back(array_of(value));
      }
    }
    std::vector<const Array*> pointers;
    for (const Array& value : values) pointers.push_back(&value);
    std::vector<Array> results(fetches.size());
    session_->step({fed, fetches, targets}).run(pointers, results);
    return results;
  }

  bool runs_as_tokens(const Json& program, const std::vector<graph::Endpoint>& fetches) const {
    std::vector<graph::Endpoint> fed;
    for (const auto& [name, value] : program.at("runs").items[0].at("feeds").members)
      fed.push_back(endpoint(name));
    const StepGraph step = make_step_graph({fed, fetches, {}});
    return std::ranges::any_of(step.nodes,
                               [](const StepNode& item) { return item.kind == StepKind::kTokens; });
  }

  void expect_results(const std::vector<graph::Endpoint>& fetches, const Json& recorded_run) {
    const std::vector<Array> results = run(fetches, &recorded_run.at("feeds"));
    for (size_t i = 0; i < fetches.size(); ++i) {
      SCOPED_TRACE(fetches[i].name());
      testing::expect_close(results[i], array_of(recorded_run.at("results").items[i]), 1e-6, 1e-6);
    }
  }

  /// TensorFlow's text, and what we add to it.
  static void expect_recorded_error(const Json& recorded_run, const errors::OpError& error) {
    ASSERT_TRUE(recorded_run.has("error")) << error.message();
    const Json& expected = recorded_run.at("error");
    EXPECT_EQ(static_cast<int>(error.code()), std::stoi(expected.at("code").text));
    EXPECT_THAT(error.message(), ::testing::StartsWith(expected.at("text").text));
  }

  void expect_error(const std::vector<graph::Endpoint>& fetches, const Json& recorded_run) {
    try {
      (void)run(fetches, &recorded_run.at("feeds"));
      ADD_FAILURE() << "no error, but " << recorded_run.at("error").at("text").text;
    } catch (const errors::OpError& error) {
      expect_recorded_error(recorded_run, error);
    }
  }

  graph::Graph graph_{ops::op_table()};
  void expect_what_was_recorded(bool may_be_irregular);

  std::unique_ptr<Session> session_ = std::make_unique<Session>();
};

void ControlFlow::expect_what_was_recorded(bool may_be_irregular) {
  const Json& program = recorded().at(GetParam());
  const std::string bytes = from_hexadecimal(program.at("graph").text);
  graph::import_graph_def(wire::decode<wire::GraphDef>(bytes), graph_);
  std::vector<graph::Node*> initializers;
  for (const Json& name : program.at("initializers").items) initializers.push_back(graph_.find(name.text));
  if (!initializers.empty()) (void)run({}, nullptr, initializers);
  std::vector<graph::Endpoint> fetches;
  for (const Json& name : program.at("fetches").items) fetches.push_back(endpoint(name.text));
  EXPECT_FALSE(!may_be_irregular && runs_as_tokens(program, fetches) && !program.has("irregular"));
  // Twice through the recorded runs where there is no state, so that what one run leaves behind would
  // be seen.
  for (int round = initializers.empty() ? 2 : 1; round > 0; --round) {
    for (const Json& recorded_run : program.at("runs").items) {
      if (recorded_run.has("error")) {
        expect_error(fetches, recorded_run);
      } else {
        expect_results(fetches, recorded_run);
      }
    }
  }
}

TEST_P(ControlFlow, GivesWhatTensorFlowGives) { expect_what_was_recorded(/*may_be_irregular=*/false); }

/// Functions too: If and While nodes among the others.
TEST_P(ControlFlow, GivesTheSameNodeByNode) {
  // What an Enter takes of a variable is its value there.
  if (GetParam() == "while_with_updates")
    GTEST_SKIP() << "a difference that docs/engine/control-flow.md tells";
  session_ = std::make_unique<Session>(SessionOptions{.passes = {.raise = false, .verify = true}});
  expect_what_was_recorded(/*may_be_irregular=*/true);
}

/// The oracle of the random graphs is held against the same.
class InterpretedControlFlow : public ControlFlow {};

TEST_P(InterpretedControlFlow, GivesWhatTensorFlowGives) {
  const Json& program = recorded().at(GetParam());
  const std::string bytes = from_hexadecimal(program.at("graph").text);
  graph::import_graph_def(wire::decode<wire::GraphDef>(bytes), graph_);
  testing::Interpreter interpreter;
  std::vector<graph::Node*> initializers;
  for (const Json& name : program.at("initializers").items) initializers.push_back(graph_.find(name.text));
  (void)interpreter.run({}, {}, initializers);
  std::vector<graph::Endpoint> fetches;
  for (const Json& name : program.at("fetches").items) fetches.push_back(endpoint(name.text));
  for (const Json& recorded_run : program.at("runs").items) {
    std::vector<testing::Interpreter::Feed> feeds;
    for (const auto& [name, value] : recorded_run.at("feeds").members)
      feeds.push_back({endpoint(name), array_of(value)});
    std::vector<Array> results;
    try {
      results = interpreter.run(fetches, feeds);
    } catch (const errors::OpError& error) {
      // What is inside is beyond the interpreter; where a loop runs once, TensorFlow gives it.
      if (!error.message().ends_with(" is inside of a loop")) expect_recorded_error(recorded_run, error);
      continue;
    }
    ASSERT_FALSE(recorded_run.has("error"));
    for (size_t i = 0; i < fetches.size(); ++i) {
      SCOPED_TRACE(fetches[i].name());
      testing::expect_close(results[i], array_of(recorded_run.at("results").items[i]), 1e-6, 1e-6);
    }
  }
}

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& [name, program] : recorded().members) names.push_back(name);
  return names;
}

/// The interpreter knows no functions. And TensorFlow's read of a variable shares its memory, so that a loop
/// sees its own updates; the interpreter's does not.
std::vector<std::string> programs_to_interpret() {
  std::vector<std::string> names = programs();
  std::erase_if(names, [](const std::string& name) {
    return name.starts_with("function") || name == "while_with_updates";
  });
  return names;
}

INSTANTIATE_TEST_SUITE_P(Programs, InterpretedControlFlow, ::testing::ValuesIn(programs_to_interpret()),
                         [](const auto& program) { return program.param; });

INSTANTIATE_TEST_SUITE_P(Programs, ControlFlow, ::testing::ValuesIn(programs()),
                         [](const auto& program) { return program.param; });

}  // namespace
}  // namespace flowray::engine
