// What one more trivial node costs in a step, what a chain of elementwise ops costs by its length, and what
// kernels with chains behind or before them and the updates of many variables cost, with the fusing pass
// (second argument 1) and without it (0).

#include "engine/session.h"
#include "graph/builder.h"
#include "ops/all_ops.h"

#include <benchmark/benchmark.h>

#include <vector>

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

/// Runs a step of one feed of ones again and again.
void run_step(benchmark::State& state, engine::Session& session, Endpoint x,
              const std::vector<Endpoint>& fetches, const std::vector<graph::Node*>& targets) {
  engine::Step& step = session.step({{&x, 1}, fetches, targets});
  const Array fed = Array::full(DType::kFloat32, x.shape(), 1.0f);
  const Array* feeds[] = {&fed};
  std::vector<Array> results(fetches.size());
  for (auto _ : state) {
    step.run(feeds, results);
    benchmark::DoNotOptimize(results);
  }
}

/// relu(x w + b) for x of [rows, 64] and w of [64, 64].
void BM_ProductBiasRelu(benchmark::State& state) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  const Endpoint x =
      builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{state.range(0), 64}}});
  const Endpoint w = builder.constant(Array::full(DType::kFloat32, {64, 64}, 0.5f));
  const Endpoint b = builder.constant(Array::full(DType::kFloat32, {64}, 0.5f));
  const Endpoint y = builder.op("Relu", {builder.op("BiasAdd", {builder.op("MatMul", {x, w}), b})});
  engine::Session session({.passes = {.fuse = state.range(1) != 0}});
  run_step(state, session, x, {y}, {});
}
BENCHMARK(BM_ProductBiasRelu)->ArgsProduct({{32, 1024, 16384}, {0, 1}})->ArgNames({"rows", "fuse"});

/// The sum of (x - 0.5)^2 over so many elements.
void BM_SumOfSquares(benchmark::State& state) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  const Endpoint x =
      builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape{state.range(0)}}});
  const Endpoint squares = builder.op("Square", {builder.op("Sub", {x, builder.constant(Array(0.5f))})});
  const Endpoint y = builder.op("Sum", {squares, builder.constant(Array(std::vector<int32_t>{0}))});
  engine::Session session({.passes = {.fuse = state.range(1) != 0}});
  run_step(state, session, x, {y}, {});
}
BENCHMARK(BM_SumOfSquares)
    ->ArgsProduct({{100, 10'000, 1'000'000, 10'000'000}, {0, 1}})
    ->ArgNames({"elements", "fuse"});

/// (x - mean) / sqrt(variance + 0.001) scale + shift of each row, written with simple operations.
void BM_Normalisation(benchmark::State& state) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  const Shape shape{state.range(0), state.range(1)};
  const Endpoint x = builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", shape}});
  const Endpoint scale = builder.constant(Array::full(DType::kFloat32, {state.range(1)}, 2.0f));
  const auto mean_of_rows = [&](Endpoint of) {
    return builder.op("Mean", {of, builder.constant(Array(std::vector<int32_t>{1}))}, {{"keep_dims", true}});
  };
  const Endpoint d = builder.op("Sub", {x, mean_of_rows(x)});
  const Endpoint variance =
      builder.op("AddV2", {mean_of_rows(builder.op("Square", {d})), builder.constant(Array(0.001f))});
  const Endpoint scaled = builder.op("Mul", {builder.op("Mul", {d, builder.op("Rsqrt", {variance})}), scale});
  const Endpoint y = builder.op("AddV2", {scaled, scale});
  engine::Session session({.passes = {.fuse = state.range(2) != 0}});
  run_step(state, session, x, {y}, {});
}
BENCHMARK(BM_Normalisation)
    ->ArgsProduct({{32, 1024, 30'000}, {10, 64, 512}, {0, 1}})
    ->ArgNames({"rows", "width", "fuse"});

/// RMSProp on 30 variables of so many elements each.
void BM_Updates(benchmark::State& state) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  const Shape shape{state.range(0)};
  const Endpoint x = builder.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", shape}});
  const Endpoint start = builder.constant(Array::full(DType::kFloat32, shape, 1.0f));
  const Endpoint rate = builder.constant(Array(0.001f));
  std::vector<graph::Node*> inits;
  std::vector<graph::Node*> updates;
  for (int i = 0; i < 30; ++i) {
    std::vector<Endpoint> inputs;
    for (int k = 0; k < 3; ++k) {
      inputs.push_back(builder.op("VariableV2", {}, {{"dtype", DType::kFloat32}, {"shape", shape}}));
      inits.push_back(builder.node("Assign", {inputs.back(), start}));
    }
    for (const Endpoint scalar : {rate, rate, rate, rate, x}) inputs.push_back(scalar);
    updates.push_back(builder.node("ApplyRMSProp", inputs));
  }
  engine::Session session({.passes = {.fuse = state.range(1) != 0}});
  session.step({{}, {}, inits}).run({}, {});
  run_step(state, session, x, {}, updates);
}
BENCHMARK(BM_Updates)->ArgsProduct({{10, 1000, 10'000, 100'000}, {0, 1}})->ArgNames({"elements", "fuse"});

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
