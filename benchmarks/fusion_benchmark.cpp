// What one more trivial node costs in a step, and what a chain of elementwise ops costs by its length, with
// the fusing pass (second argument 1) and without it (0).

#include "engine/session.h"
#include "graph/builder.h"
#include "ops/all_ops.h"

#include <benchmark/benchmark.h>

namespace flowray {
namespace {

using graph::Endpoint;

void run(benchmark::State& state, const Shape& shape, int nodes, bool fuse) {
  static constexpr const char* kOps[] = {"AddV2", "Mul", "Maximum", "Sub"};
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  const Endpoint x = builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", shape}});
  const Endpoint other = builder.constant(Array(0.5f));
  Endpoint y = x;
  for (int i = 0; i < nodes; ++i) y = builder.op(kOps[i % 4], {y, other});
  engine::Session session({.passes = {.fuse = fuse}});
  engine::Step& step = session.step({{&x, 1}, {&y, 1}, {}});
  const Array fed = Array::full(DType::kFloat32, shape, 1.0f);
  const Array* feeds[] = {&fed};
  std::vector<Array> results(1);
  for (auto _ : state) {
    step.run(feeds, results);
    benchmark::DoNotOptimize(results);
  }
  state.SetItemsProcessed(state.iterations() * nodes);
}

/// Ten and a thousand nodes of one element: a node's cost is the difference by 990.
void BM_ScalarNodes(benchmark::State& state) {
  run(state, {}, static_cast<int>(state.range(0)), state.range(1) != 0);
}
BENCHMARK(BM_ScalarNodes)->ArgsProduct({{10, 1000}, {0, 1}})->ArgNames({"nodes", "fuse"});

/// Eight ops over so many elements.
void BM_Chain(benchmark::State& state) { run(state, {state.range(0)}, 8, state.range(1) != 0); }
BENCHMARK(BM_Chain)
    ->ArgsProduct({{100, 1000, 10'000, 100'000, 1'000'000}, {0, 1}})
    ->ArgNames({"elements", "fuse"});

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
