// What it costs to split work over the pool's threads.

#include <benchmark/benchmark.h>

#include <atomic>
#include <vector>

#include "core/thread_pool.h"

namespace flowray {
namespace {

// Empty pieces back to back: the other threads spin all the time.
void BM_ForRangeWhileSpinning(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) {
    pool.for_range(state.range(0), 1, [](int64_t begin, int64_t, int) { benchmark::DoNotOptimize(begin); });
  }
}
BENCHMARK(BM_ForRangeWhileSpinning)->Arg(1)->Arg(2)->UseRealTime();

// Pieces that meet, so that the caller cannot take all of them itself: the whole way to another thread
// and back.
void BM_ForRangeMeeting(benchmark::State& state) {
  ThreadPool pool(2, Sharing::kAlways);
  std::atomic<int> arrived{0};
  for (auto _ : state) {
    arrived.store(0, std::memory_order_relaxed);
    pool.for_range(2, 1, [&](int64_t, int64_t, int) {
      arrived.fetch_add(1);
      while (arrived.load() < 2) benchmark::DoNotOptimize(arrived);
    });
  }
}
BENCHMARK(BM_ForRangeMeeting)->UseRealTime();

// The same with more threads than there are CPUs, which do not spin.
void BM_ForRangeOversubscribed(benchmark::State& state) {
  ThreadPool pool(2 * available_cpus());
  for (auto _ : state) {
    pool.for_range(pool.workers(), 1, [](int64_t begin, int64_t, int) { benchmark::DoNotOptimize(begin); });
  }
}
BENCHMARK(BM_ForRangeOversubscribed)->UseRealTime();

// Real work: y += 2 x over `range(0)` floats, which fit into the caches, by `range(1)` threads.
void BM_ScaleAndAdd(benchmark::State& state) {
  const int64_t count = state.range(0);
  std::vector<float> x(static_cast<size_t>(count), 1.0f);
  std::vector<float> y(static_cast<size_t>(count), 0.0f);
  ThreadPool pool(static_cast<int>(state.range(1)));
  for (auto _ : state) {
    pool.for_range(count, 1024, [&](int64_t begin, int64_t end, int) {
      for (int64_t i = begin; i < end; ++i) y[static_cast<size_t>(i)] += 2.0f * x[static_cast<size_t>(i)];
    });
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_ScaleAndAdd)->ArgsProduct({{4 << 10, 16 << 10, 64 << 10, 256 << 10}, {1, 2}})->UseRealTime();

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
