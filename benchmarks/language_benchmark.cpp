// Steps of the rows of scripts/compare, without their peers: to see quickly what a change does.

#include <benchmark/benchmark.h>

#include <string>

#include "compare/rows.h"

namespace flowray::compare {
namespace {

void run_steps(benchmark::State& state, const NamedRow& named) {
  std::unique_ptr<Row> row;
  try {
    row = named.make(static_cast<int>(state.range(0)));
  } catch (const std::exception& error) {  // no data set
    state.SkipWithError(error.what());
    return;
  }
  constexpr int64_t kWarmUp = 3;  // plans are made for a shape that is seen again
  row->run(kWarmUp);
  row->begin();
  for (auto _ : state) row->run(1);
}

}  // namespace
}  // namespace flowray::compare

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const auto& row : flowray::compare::all_rows()) {
    benchmark::RegisterBenchmark(std::string(row.name).c_str(), flowray::compare::run_steps, row)
        ->ArgName("threads")
        ->Arg(1)
        ->Arg(0)
        ->UseRealTime();
  }
  benchmark::RunSpecifiedBenchmarks();
}
