// What an iteration of a loop costs: a counter, and a vector that is multiplied each time.

#include "engine/session.h"
#include "graph/builder.h"
#include "ops/all_ops.h"

#include <benchmark/benchmark.h>

namespace flowray {
namespace {

using graph::Endpoint;

/// i = 0; x = `start`; while i < n: i += 1; x = x * 1. Returns the last x, or the last i where there is no x.
Endpoint loop(graph::Builder& builder, Endpoint n, const Array* start) {
  const graph::Attrs frame{{"frame_name", std::string("loop")}};
  const graph::Attrs constant{{"frame_name", std::string("loop")}, {"is_constant", true}};
  const auto variable = [&](Endpoint first) {
    const Endpoint entered = builder.op("Enter", {first}, frame);
    return builder.node("Merge", {entered, entered});
  };
  graph::Node* const i = variable(builder.constant(0));
  const Endpoint less = builder.op("Less", {i->output(0), builder.op("Enter", {n}, constant)});
  const Endpoint goes_on = builder.op("LoopCond", {less});
  const auto step = [&](graph::Node* merge, const char* op, const Array& by) {
    graph::Node* const gate = builder.node("Switch", {merge->output(0), goes_on});
    const Endpoint operand = builder.op("Enter", {builder.constant(by)}, constant);
    merge->close_loop(1, builder.op("NextIteration", {builder.op(op, {gate->output(1), operand})}));
    return builder.op("Exit", {gate->output(0)});
  };
  const Endpoint last_i = step(i, "AddV2", Array(1));
  return start == nullptr ? last_i : step(variable(builder.constant(*start)), "Mul", Array(1.0f));
}

void run(benchmark::State& state, const Array* start) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  const Endpoint n = builder.op("Placeholder", {}, {{"dtype", DType::kInt32}, {"shape", Shape{}}});
  const Endpoint last = loop(builder, n, start);
  engine::Session session;
  engine::Step& step = session.step({{&n, 1}, {&last, 1}, {}});
  constexpr int32_t kIterations = 1'000'000;
  const Array limit(kIterations);
  const Array* fed[] = {&limit};
  for (auto _ : state) {
    std::vector<Array> results(1);
    step.run(fed, results);
    benchmark::DoNotOptimize(results);
  }
  state.SetItemsProcessed(state.iterations() * kIterations);
}

void BM_Counter(benchmark::State& state) { run(state, nullptr); }
BENCHMARK(BM_Counter)->Unit(benchmark::kMillisecond);

void BM_Vector(benchmark::State& state) {
  const Array start(DType::kFloat32, {state.range(0)});
  run(state, &start);
}
BENCHMARK(BM_Vector)->Arg(16)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
