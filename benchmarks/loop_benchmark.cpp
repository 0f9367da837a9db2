// What an iteration of a loop costs: a counter, the same as a function, and a vector that is multiplied
// each time.

#include "engine/session.h"
#include "graph/builder.h"
#include "graph/exchange/graph_import.h"
#include "ops/all_ops.h"
#include "wire/graph_def.h"

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

/// The counter as TensorFlow 2 says it: a While with functions, fed a placeholder "n".
constexpr const char* kFunctional = R"(
  node { name: 'n' op: 'Placeholder' attr { key: 'dtype' value { type: DT_INT32 } }
         attr { key: 'shape' value { shape { } } } }
  node { name: 'zero' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
         attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 0 } } } }
  node { name: 'loop' op: 'While' input: 'zero' input: 'n'
         attr { key: 'T' value { list { type: DT_INT32 type: DT_INT32 } } }
         attr { key: 'output_shapes' value { list { shape { } shape { } } } }
         attr { key: 'cond' value { func { name: 'Cond' } } }
           attr { key: 'body' value { func { name: 'Body' } } } }
  library {
    function {
      signature { name: 'Cond' input_arg { name: 'i' type: DT_INT32 } input_arg { name: 'n' type: DT_INT32 }
                  output_arg { name: 'goes_on' type: DT_BOOL } }
      node_def { name: 'less' op: 'Less' input: 'i' input: 'n' attr { key: 'T' value { type: DT_INT32 } } }
      ret { key: 'goes_on' value: 'less:z:0' } }
    function {
      signature { name: 'Body' input_arg { name: 'i' type: DT_INT32 } input_arg { name: 'n' type: DT_INT32 }
                  output_arg { name: 'next' type: DT_INT32 } output_arg { name: 'same' type: DT_INT32 } }
      node_def { name: 'one' op: 'Const' attr { key: 'dtype' value { type: DT_INT32 } }
                 attr { key: 'value' value { tensor { dtype: DT_INT32 tensor_shape { } int_val: 1 } } } }
      node_def { name: 'add' op: 'AddV2' input: 'i' input: 'one:output:0'
        attr { key: 'T' value { type: DT_INT32 } } }
      ret { key: 'next' value: 'add:z:0' } ret { key: 'same' value: 'n' } } })";

void run(benchmark::State& state, Endpoint n, Endpoint last);

void run(benchmark::State& state, const Array* start) {
  graph::Graph graph(ops::op_table());
  graph::Builder builder(graph);
  const Endpoint n = builder.op("Placeholder", {}, {{"dtype", DType::kInt32}, {"shape", Shape{}}});
  run(state, n, loop(builder, n, start));
}

void run(benchmark::State& state, Endpoint n, Endpoint last) {
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

void BM_FunctionalCounter(benchmark::State& state) {
  graph::Graph graph(ops::op_table());
  graph::import_graph_def(wire::from_text_format<wire::GraphDef>(kFunctional), graph);
  run(state, graph.find("n")->output(0), graph.find("loop")->output(0));
}
BENCHMARK(BM_FunctionalCounter)->Unit(benchmark::kMillisecond);

void BM_Vector(benchmark::State& state) {
  const Array start(DType::kFloat32, {state.range(0)});
  run(state, &start);
}
BENCHMARK(BM_Vector)->Arg(16)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
