// What it costs to make a Step: the first run of a session, on graphs of 1,000 to 100,000 nodes. It should
// grow with the number of nodes and no faster, whatever the graph is made of.

#include "engine/session.h"
#include "graph/builder.h"
#include "ops/all_ops.h"

#include <benchmark/benchmark.h>

#include <string>

namespace flowray {
namespace {

using graph::Builder;
using graph::Endpoint;

/// A long chain of additions with constants.
Endpoint chain(Builder& builder, Endpoint x, int64_t num_nodes) {
  for (int64_t i = 0; i < num_nodes / 2; ++i) x = builder.op("AddV2", {x, builder.constant(0.5f)});
  return x;
}

/// Layers of variables.
Endpoint layers(Builder& builder, Endpoint x, int64_t num_nodes) {
  Endpoint y = x;
  for (int64_t i = 0; i < num_nodes / 4; ++i) {
    const Endpoint w = builder.op("VariableV2", {}, {{"dtype", DType::kFloat32}, {"shape", Shape({})}}, "w");
    y = builder.op("Tanh", {builder.op("Mul", {builder.op("Identity", {w}), y})});
  }
  return y;
}

/// Conditionals one after the other, of 6 nodes each, on one predicate or on as many as there
/// are conditionals.
Endpoint conditionals(Builder& builder, Endpoint x, int64_t num_nodes, bool are_of_one_predicate) {
  const auto less = [&] { return builder.op("Less", {x, builder.constant(0.0f)}); };
  Endpoint predicate = less();
  for (int64_t i = 0; i < num_nodes / 6; ++i) {
    if (!are_of_one_predicate) predicate = less();
    graph::Node* const gate = builder.node("Switch", {x, predicate});
    const Endpoint no = builder.op("Neg", {gate->output(0)});
    const Endpoint yes = builder.op("Tanh", {gate->output(1)});
    x = builder.node("Merge", {no, yes})->output(0);
  }
  return x;
}

/// Loops one after the other, of 12 nodes each and one iteration.
Endpoint loops(Builder& builder, Endpoint x, int64_t num_nodes) {
  for (int64_t i = 0; i < num_nodes / 12; ++i) {
    const graph::Attrs frame{{"frame_name", "loop_" + std::to_string(i)}};
    const graph::Attrs constant{{"frame_name", "loop_" + std::to_string(i)}, {"is_constant", true}};
    const Endpoint entered = builder.op("Enter", {x}, frame);
    graph::Node* const merge = builder.node("Merge", {entered, entered});
    const Endpoint end = builder.op("Enter", {builder.constant(0.0f)}, constant);
    const Endpoint one = builder.op("Enter", {builder.constant(1.0f)}, constant);
    const Endpoint goes_on = builder.op("LoopCond", {builder.op("Less", {merge->output(0), end})});
    graph::Node* const gate = builder.node("Switch", {merge->output(0), goes_on});
    const Endpoint next = builder.op("AddV2", {gate->output(1), one});
    merge->close_loop(1, builder.op("NextIteration", {next}));
    x = builder.op("Exit", {gate->output(0)});
  }
  return x;
}

template <class Make>
void first_run(benchmark::State& state, Make make) {
  auto* const graph = new graph::Graph(ops::op_table());
  {
    Builder builder(*graph);
    const Endpoint x = builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape({})}});
    const Endpoint y = make(builder, x, state.range(0));
    const Array value(-0.5f);
    const Array* fed[] = {&value};
    for (auto _ : state) {
      engine::Session session;
      engine::Step& step =
          session.step({.feeds = std::span(&x, 1), .fetches = std::span(&y, 1), .targets = {}});
      benchmark::DoNotOptimize(step.explain(fed).size());
    }
  }
  state.counters["nodes"] =
      benchmark::Counter(static_cast<double>(state.range(0)), benchmark::Counter::kIsIterationInvariantRate);
  graph->release();
}

void BM_Chain(benchmark::State& state) { first_run(state, chain); }
void BM_Layers(benchmark::State& state) { first_run(state, layers); }
void BM_ConditionalsOfOnePredicate(benchmark::State& state) {
  first_run(state, [](Builder& builder, Endpoint x, int64_t n) { return conditionals(builder, x, n, true); });
}
void BM_Conditionals(benchmark::State& state) {
  first_run(state,
            [](Builder& builder, Endpoint x, int64_t n) { return conditionals(builder, x, n, false); });
}
void BM_Loops(benchmark::State& state) { first_run(state, loops); }

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Arg(1'000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
}
BENCHMARK(BM_Chain)->Apply(sizes);
BENCHMARK(BM_Layers)->Apply(sizes);
BENCHMARK(BM_ConditionalsOfOnePredicate)->Apply(sizes);
BENCHMARK(BM_Conditionals)->Apply(sizes);
BENCHMARK(BM_Loops)->Apply(sizes);

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
