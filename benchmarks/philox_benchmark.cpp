// Random numbers a second, in one thread.

#include <benchmark/benchmark.h>

#include <vector>

#include "core/philox.h"

namespace flowray {
namespace {

using Fill = void (*)(const Philox&, std::span<float>, Parallel&);

void run(benchmark::State& state, Fill fill) {
  std::vector<float> numbers(static_cast<size_t>(state.range(0)));
  RandomStream stream(7, 11);
  Serial serial;
  for (auto _ : state) {
    fill(stream.reserve(state.range(0)), numbers, serial);
    benchmark::DoNotOptimize(numbers.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_FillUniform(benchmark::State& state) { run(state, &fill_uniform<float>); }
BENCHMARK(BM_FillUniform)->Arg(1)->Arg(1000)->Arg(100000);

void BM_FillNormal(benchmark::State& state) { run(state, &fill_normal<float>); }
BENCHMARK(BM_FillNormal)->Arg(1)->Arg(1000)->Arg(100000);

void BM_FillTruncatedNormal(benchmark::State& state) { run(state, &fill_truncated_normal<float>); }
BENCHMARK(BM_FillTruncatedNormal)->Arg(1)->Arg(1000)->Arg(100000);

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
