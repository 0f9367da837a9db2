#include "compare/rows.h"

#include <chrono>
#include <utility>

namespace flowray::compare {

const std::vector<NamedRow>& all_rows() {
  static const std::vector<NamedRow> kRows = {
      {"scalar add", make_scalar_add},
      {"scalar add, run", make_scalar_add_run},
      {"linear regression training step", make_linear_regression},
      {"LeNet-5 batch 100", make_lenet5},
      {"MLP batch 32", make_small_mlp},
      {"MLP batch 1024", make_large_mlp},
      {"CNN batch 100", make_cnn},
      {"LSTM batch 32", make_lstm},
      {"build 1,000 ops", make_build_large_graph},
      {"first run of 1,000 ops", make_first_run_of_large_graph},
      {"eager add", make_eager_add},
      {"eager regression step", make_eager_regression},
      {"grpc session step, C++ client", make_served_regression},
      {"ps and worker, Adagrad step, C++ client", make_parameter_server_step},
      {"put small", make_put_small},
      {"get small", make_get_small},
      {"put 4 MB", make_put_large},
      {"get 4 MB", make_get_large},
      {"task, one at a time", make_task},
      {"tasks, pipelined", make_pipelined_tasks},
      {"actor call, one at a time", make_actor_call},
      {"actor calls, pipelined", make_pipelined_actor_calls},
      {"two actors in turn", make_two_actors},
      {"echo 4 MB through an actor", make_echo},
      {"weight averaging iteration", make_weight_averaging},
      {"start to first result", make_start},
  };
  return kRows;
}

Measurement Row::measure(double seconds) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  constexpr Seconds kChunk(0.0025);
  int64_t chunk = 1;
  int64_t iterations = 0;
  const auto begin = Clock::now();
  auto now = begin;
  while (Seconds(now - begin).count() < seconds) {
    run(chunk);
    iterations += chunk;
    const auto last = std::exchange(now, Clock::now());
    if (now - last < kChunk) chunk *= 2;
  }
  return {iterations, Seconds(now - begin).count()};
}

}  // namespace flowray::compare
