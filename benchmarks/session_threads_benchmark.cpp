// One session, one step, one, two or sixteen threads that run it: how steps scale with the cores.

#include <benchmark/benchmark.h>

#include <flowray/tf.h>

namespace flowray {
namespace {

/// Of the threads of one benchmark; operations run in their callers.
struct Shared {
  Shared() : session(graph, {.intra_op_parallelism_threads = 1}) {}
  tf::Graph graph;
  tf::Session session;
};

/// What a step costs by itself.
void BM_ScalarAdd(benchmark::State& state) {
  static auto* const kShared = new Shared;
  static const tf::Callable kAdd = [] {
    const auto scope = kShared->graph.as_default();
    const tf::Tensor a = tf::placeholder(tf::float32, {}), b = tf::placeholder(tf::float32, {});
    return kShared->session.make_callable(a + b, {a, b});
  }();
  const Array one(1.0f), two(2.0f);
  for (auto _ : state) benchmark::DoNotOptimize(kAdd(one, two));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_ScalarAdd)->Threads(1)->Threads(2)->Threads(16)->UseRealTime();

/// A layer of a network, read by all.
void BM_Layer(benchmark::State& state) {
  static auto* const kShared = new Shared;
  static const tf::Callable kLayer = [] {
    const auto scope = kShared->graph.as_default();
    const tf::Variable w(tf::zeros({128, 128}));
    const tf::Tensor x = tf::placeholder(tf::float32, {32, 128});
    const tf::Tensor y = tf::nn::relu(tf::matmul(x, w));
    kShared->session.run(tf::global_variables_initializer());
    return kShared->session.make_callable(y, {x});
  }();
  const Array x = Array::full(DType::kFloat32, {32, 128}, 0.5f);
  for (auto _ : state) benchmark::DoNotOptimize(kLayer(x));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_Layer)->Threads(1)->Threads(2)->Threads(16)->UseRealTime();

/// All threads update one variable.
void BM_AssignAdd(benchmark::State& state) {
  static auto* const kShared = new Shared;
  static const tf::Callable kAdd = [] {
    const auto scope = kShared->graph.as_default();
    tf::Variable w(tf::zeros({1000}));
    const tf::Tensor add = w.assign_add(tf::ones({1000}));
    kShared->session.run(tf::global_variables_initializer());
    return kShared->session.make_callable(add.op());
  }();
  for (auto _ : state) benchmark::DoNotOptimize(kAdd());
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_AssignAdd)->Threads(1)->Threads(2)->Threads(16)->UseRealTime();

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
