// A GraphDef of 100,000 nodes: read from bytes, imported, exported, written. The graph is layers of what
// programs are made of: constants, variables with their reads, arithmetic, with names in scopes.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <malloc.h>

#include "graph/builder.h"
#include "graph/exchange/graph_export.h"
#include "graph/exchange/graph_import.h"
#include "ops/all_ops.h"

namespace flowray::graph {
namespace {

/// Holds a count on a graph.
struct GraphHolder {
  Graph* graph = new Graph(ops::op_table());
  GraphHolder() = default;
  GraphHolder(const GraphHolder&) = delete;
  GraphHolder& operator=(const GraphHolder&) = delete;
  ~GraphHolder() { graph->release(); }
};

/// 10 nodes a layer.
void build(Graph& graph, int num_nodes) {
  Builder make(graph);
  const Endpoint x =
      make.op("Placeholder", {}, {{"dtype", DType::kFloat32}, {"shape", Shape({-1, 16})}}, "x");
  Endpoint last = x;
  for (int layer = 0; graph.num_nodes() + 10 <= num_nodes; ++layer) {
    const NameScope scope(graph, fmt::format("layer_{}", layer));
    const Attrs variable = {{"dtype", DType::kFloat32}, {"shape", Shape({16, 16})}};
    const Endpoint w = make.op("VariableV2", {}, variable, "weights");
    const Endpoint initial = make.constant(Array(DType::kFloat32, {16, 16}), "zeros");
    make.op("Assign", {w, initial}, {{"_class", std::vector<std::string>{"loc:@" + w.node->name()}}},
            "Assign");
    const Endpoint read = make.op("Identity", {w}, {}, "read");
    const Endpoint product = make.op("MatMul", {last, read}, {}, "MatMul");
    const Endpoint bias = make.constant(Array({0.5f}), "bias");
    const Endpoint sum = make.op("AddV2", {product, bias}, {}, "add");
    const Endpoint relu = make.op("Relu", {sum}, {}, "Relu");
    const Endpoint axes = make.constant(Array(std::vector<int32_t>{0, 1}), "Const");
    make.op("Mean", {relu, axes}, {}, "Mean");
    last = relu;
  }
}

std::string bytes_of(int num_nodes) {
  const GraphHolder holder;
  build(*holder.graph, num_nodes);
  return wire::encode(to_graph_def(*holder.graph));
}

void BM_Decode(benchmark::State& state) {
  const std::string bytes = bytes_of(static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(wire::decode<wire::GraphDef>(bytes));
  state.counters["MB"] = static_cast<double>(bytes.size()) / 1e6;
}

/// From bytes to a graph that is ready to run, without the time that the graph takes to go.
void BM_Import(benchmark::State& state) {
  const std::string bytes = bytes_of(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    GraphHolder holder;
    benchmark::DoNotOptimize(import_graph_def(wire::decode<wire::GraphDef>(bytes), *holder.graph));
    state.PauseTiming();
    holder.graph->release();
    holder.graph = new Graph(ops::op_table());
    malloc_trim(0);  // glibc joins what was freed when it is asked for memory next, which would be the import
    state.ResumeTiming();
  }
}

void BM_Export(benchmark::State& state) {
  const GraphHolder holder;
  build(*holder.graph, static_cast<int>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(wire::encode(to_graph_def(*holder.graph)));
}

/// The same nodes made one by one, as a program makes them.
void BM_Build(benchmark::State& state) {
  for (auto _ : state) {
    const GraphHolder holder;
    build(*holder.graph, static_cast<int>(state.range(0)));
  }
}

BENCHMARK(BM_Decode)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Import)->Arg(1'000)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Export)->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Build)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flowray::graph

BENCHMARK_MAIN();
