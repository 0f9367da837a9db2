// What the glue costs an iteration of weight averaging, beside the training step itself.

#include <benchmark/benchmark.h>
#include <flowray/glue.h>
#include <flowray/tf.h>

namespace flowray {
namespace {

/// `count` float32 variables of `size` elements each.
class Network {
 public:
  Network(int64_t count, int64_t size) {
    const auto scope = graph_.as_default();
    std::vector<tf::Tensor> sums;
    for (int64_t i = 0; i < count; ++i) sums.push_back(tf::reduce_sum(tf::Variable(tf::zeros({size}))));
    variables = ray::experimental::TensorFlowVariables(sums, session_);
    session_.run(tf::global_variables_initializer());
  }

 private:
  tf::Graph graph_;
  tf::Session session_{graph_};

 public:
  ray::experimental::TensorFlowVariables variables;
};

void set_and_get(benchmark::State& state) {
  Network network(state.range(0), state.range(1));
  Weights weights = network.variables.get_weights();
  for (auto _ : state) {
    network.variables.set_weights(weights);
    benchmark::DoNotOptimize(weights = network.variables.get_weights());
  }
}
BENCHMARK(set_and_get)->ArgNames({"variables", "size"})->Args({2, 1})->Args({6, 1024})->Args({2, 1 << 20});

void set_part(benchmark::State& state) {
  Network network(2, 1);
  Weights weights = network.variables.get_weights();
  weights.erase(weights.begin());
  for (auto _ : state) network.variables.set_weights(weights);
}
BENCHMARK(set_part);

void set_and_get_flat(benchmark::State& state) {
  Network network(2, 1);
  Array flat = network.variables.get_flat();
  for (auto _ : state) {
    network.variables.set_flat(flat);
    benchmark::DoNotOptimize(flat = network.variables.get_flat());
  }
}
BENCHMARK(set_and_get_flat);

void mean_of_two(benchmark::State& state) {
  Network network(2, state.range(0));
  const std::vector<Weights> list = {network.variables.get_weights(), network.variables.get_weights()};
  for (auto _ : state) benchmark::DoNotOptimize(mean(list));
}
BENCHMARK(mean_of_two)->ArgName("size")->Arg(1)->Arg(1 << 20);

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
