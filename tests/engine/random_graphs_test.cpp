// The engine agrees with the naive interpreter on graphs made at random (random_graph.h).
#include "engine/engine_fixture.h"
#include "engine/random_graph.h"

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <map>

#include "core/sanitizers.h"

namespace flowray::engine {
namespace {

#ifdef NDEBUG
constexpr int kGraphsEach = kSanitized ? 20 : 500;
#else
constexpr int kGraphsEach = 20;
#endif
constexpr int kParts = 20;

Array filled(const Shape& shape, unsigned seed) {
  Array array(DType::kFloat32, shape);
  for (int64_t i = 0; i < array.size(); ++i) {
    array.mutable_data<float>()[i] = static_cast<float>((i * 37 + seed * 11) % 23) / 11.5f - 1.0f;
  }
  return array;
}

/// All passes, and each one left out. Graphs are small: whatever saves a byte is put into another order.
constexpr PassOptions kPasses[] = {
    {.least_order_gain_bytes = 0, .verify = true},
    {.raise = false, .least_order_gain_bytes = 0, .verify = true},
    {.fold = false, .least_order_gain_bytes = 0, .verify = true},
    {.drop = false, .least_order_gain_bytes = 0, .verify = true},
    {.order = false, .verify = true},
    {.share = false, .least_order_gain_bytes = 0, .verify = true},
    {.fuse = false, .least_order_gain_bytes = 0, .verify = true},
    {.fold = false, .drop = false, .share = false, .fuse = false, .order = false, .verify = true}};

/// How often each op was met, and which way the steps went.
std::map<std::string, int>& met() {
  static std::map<std::string, int> counts;
  return counts;
}

class RandomGraphs : public ::testing::TestWithParam<int> {
 protected:
  static void TearDownTestSuite() {
    std::string text;
    for (const auto& [what, count] : met()) text += what + " " + std::to_string(count) + ", ";
    std::cout << "met: " << text << "\n";
  }

  struct Outcome {
    std::vector<Array> results;
    std::string error;  // its words_of()
  };
  template <class F>
  static Outcome outcome_of(F run) {
    try {
      return {run(), ""};
    } catch (const Error& error) {
      return {{}, testing::words_of(error)};
    }
  }

  void check(unsigned seed);
  bool shows_graph_ = false;

  /// Variables that nothing else reads, of which a step may update all at once.
  struct Trained {
    std::vector<graph::Endpoint> values;
    std::vector<graph::Node*> inits;
    std::vector<graph::Node*> updates;

    Trained(graph::Builder& builder, unsigned seed) {
      for (int64_t size = 1; size <= 3; ++size) {
        const auto v = builder.op("VariableV2", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{size}}});
        values.push_back(builder.op("Identity", {v}));
        inits.push_back(builder.node("Assign", {v, builder.constant(filled({size}, seed))}));
        updates.push_back(builder.node("ApplyGradientDescent", {v, builder.constant(0.25f),
                                                                builder.constant(filled({size}, seed + 7))}));
      }
    }
  };

  /// Counts what the lines of a program fuse.
  static void count_fused(const std::string& text) {
    for (size_t at = text.find("fuse "); at != std::string::npos; at = text.find("fuse ", at + 1)) {
      const std::string line = text.substr(at + 5, text.find('(', at) - at - 5);
      const std::string last = line.substr(line.rfind("+ ") + 2);
      const bool is_tail = last.starts_with("Mean ") || last.starts_with("Max ");
      const bool is_inside =
          !is_tail && (line.find("Mean ") != std::string::npos || line.find("Max ") != std::string::npos);
      if (is_inside) ++met()["(reductions of rows and what follows)"];
      ++met()[line.starts_with("MatMul ") ? "(chains behind products)"
              : is_tail                   ? "(chains before reductions)"
              : line.starts_with("Apply") ? "(sweeps of updates)"
                                          : "(chains)"];
    }
  }
};

/// Boolean variables that conditionals may go by: one of each kind. A step may change them at its end.
struct Flags {
  std::vector<graph::Endpoint> variables;
  std::vector<graph::Node*> inits;

  Flags(graph::Builder& builder, RandomGraph& maker, unsigned seed) {
    const graph::Attrs attrs{{"dtype", DType::kBool}, {"shape", Shape()}};
    variables.push_back(builder.op("VariableV2", {}, attrs, "flag"));
    variables.push_back(builder.op("VarHandleOp", {}, attrs, "flag_by_handle"));
    const auto first = builder.constant(Array(seed % 3 == 0));
    inits.push_back(builder.node("Assign", {variables[0], first}));
    inits.push_back(builder.node("AssignVariableOp", {variables[1], first}));
    for (const graph::Endpoint variable : variables) maker.flag(variable);
  }
  /// Turns the first into its opposite when all `readers` have run.
  static graph::Node* turned(graph::Builder& builder, graph::Endpoint flag,
                             const std::vector<graph::Endpoint>& readers) {
    graph::Node* const read = builder.node("Identity", {flag});
    for (const graph::Endpoint& reader : readers) {
      if (reader.node->op() != "Placeholder") read->add_control_input(reader.node);
    }
    return builder.node("Assign", {flag, builder.op("LogicalNot", {read->output(0)})});
  }
};

void RandomGraphs::check(unsigned seed) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  RandomGraph maker(builder, seed);
  const auto x =
      maker.source(builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{3, 4}}}));
  const auto w = builder.op("VariableV2", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{4}}}, "w");
  maker.source(builder.op("Identity", {w}));
  graph::Node* init = builder.node("Assign", {w, builder.constant(filled({4}, seed))});
  const Flags flags(builder, maker, seed);
  maker.grow(6 + maker.number(14));
  std::vector<graph::Endpoint> fetches{maker.pick(), maker.pick(), maker.pick()};
  // What no If can be made of sends the whole step another way.
  const unsigned way = maker.number(4);
  if (way == 0) fetches.push_back(maker.either());
  if (way == 1 && !maker.inside().empty()) {
    fetches.push_back(maker.inside()[maker.number(static_cast<unsigned>(maker.inside().size()))]);
  }
  const Trained trained(builder, seed);
  // After all that may read the variable: TensorFlow leaves it open what those see that run at the same time.
  const auto step = builder.op("AssignAdd", {w, builder.constant(filled({4}, seed + 1))});
  for (const graph::Endpoint& fetch : fetches) {
    if (!(fetch == x)) step.node->add_control_input(fetch.node);
  }

  if (shows_graph_) std::cout << to_text(graph) << engine::to_text(make_step_graph({{&x, 1}, fetches, {}}));
  Session session(
      {.intra_op_threads = 1 + static_cast<int>(seed % 2), .passes = kPasses[seed / 2 % std::size(kPasses)]});
  testing::Interpreter interpreter;
  std::vector<graph::Node*> inits = trained.inits;
  inits.push_back(init);
  inits.insert(inits.end(), flags.inits.begin(), flags.inits.end());
  session.step({{}, {}, inits}).run({}, {});
  (void)interpreter.run({}, {}, inits);
  std::vector<graph::Node*> targets = trained.updates;
  targets.push_back(step.node);
  if (maker.number(3) == 0) targets.push_back(Flags::turned(builder, flags.variables[0], fetches));
  bool has_failed = false;
  for (unsigned run = 0; run < 2; ++run) {
    const Array fed = filled({3, 4}, seed + run);
    const std::vector<graph::Endpoint> feeds{x};
    const Array* const values[] = {&fed};
    const Outcome got = outcome_of([&] {
      std::vector<Array> results(fetches.size());
      session.step({feeds, fetches, targets}).run(values, results);
      return results;
    });
    const Outcome expected = outcome_of([&] { return interpreter.run(fetches, {{x, fed}}, targets); });
    ASSERT_EQ(got.error, expected.error);
    if (!expected.error.empty()) {
      has_failed = true;  // and some of the updates may have been made
      EXPECT_NE(expected.error.find("] does not have value"), std::string::npos) << expected.error;
    }
    for (size_t k = 0; k < expected.results.size(); ++k) {
      SCOPED_TRACE(fetches[k].name());
      testing::expect_close(got.results[k], expected.results[k], 1e-5, 1e-6);
    }
    ++met()[expected.error.empty() ? "(results)" : "(dead fetches)"];
  }
  std::vector<Array> after(trained.values.size());
  session.step({{}, trained.values, {}}).run({}, after);
  const std::vector<Array> expected_after = interpreter.run(trained.values, {}, {});
  for (size_t i = 0; i < after.size() && !has_failed; ++i)
    testing::expect_close(after[i], expected_after[i], 1e-6, 1e-6);
  const std::vector<graph::Endpoint> feeds{x};
  if (seed / 2 % std::size(kPasses) == 0) {
    const Array fed = filled({3, 4}, seed);
    const Array* const values[] = {&fed};
    const std::string text = session.step({feeds, fetches, targets}).explain(values);
    count_fused(text);
    Session in_list_order({.passes = {.order = false}});
    if (in_list_order.step({feeds, fetches, targets}).explain(values) != text)
      ++met()["(steps in another order)"];
  }
  for (const StepNode& item : session.step({feeds, fetches, {}}).graph().nodes) {
    if (item.kind == StepKind::kTokens) ++met()["(steps of tokens)"];
  }
  for (graph::Node* node : graph.nodes()) ++met()[node->op()];
}

TEST_P(RandomGraphs, GiveWhatTheInterpreterGives) {
  const char* const only = std::getenv("FLOWRAY_RANDOM_GRAPH");
  for (int i = 0; i < kGraphsEach && !HasFailure(); ++i) {
    const auto seed = static_cast<unsigned>(GetParam() * kGraphsEach + i);
    if (only != nullptr && std::to_string(seed) != only) continue;
    shows_graph_ = only != nullptr;
    SCOPED_TRACE("to repeat it: FLOWRAY_RANDOM_GRAPH=" + std::to_string(seed));
    check(seed);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, ::testing::Range(0, kParts));

}  // namespace
}  // namespace flowray::engine
