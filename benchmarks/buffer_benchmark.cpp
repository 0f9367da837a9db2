// What a buffer costs: allocated and freed in the steady state, beside malloc and free.

#include <benchmark/benchmark.h>

#include <cstdlib>

#include "core/buffer.h"

namespace flowray {
namespace {

void BM_AllocateAndFree(benchmark::State& state) {
  const auto bytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    BufferRef buffer = Buffer::allocate(bytes);
    benchmark::DoNotOptimize(buffer->data());
  }
}
BENCHMARK(BM_AllocateAndFree)
    ->Arg(4)
    ->Arg(400)
    ->Arg(64 << 10)
    ->Arg(1 << 20)
    ->Arg(16 << 20)
    ->ThreadRange(1, 2);

void BM_MallocAndFree(benchmark::State& state) {
  const auto bytes = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
    benchmark::DoNotOptimize(memory);
    std::free(memory);
  }
}
BENCHMARK(BM_MallocAndFree)->Arg(4)->Arg(400)->Arg(64 << 10)->Arg(1 << 20)->Arg(16 << 20)->ThreadRange(1, 2);

void BM_ShareAndRelease(benchmark::State& state) {
  const BufferRef buffer = Buffer::allocate(4);
  for (auto _ : state) {
    BufferRef shared = buffer;
    benchmark::DoNotOptimize(shared);
  }
}
BENCHMARK(BM_ShareAndRelease);

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
