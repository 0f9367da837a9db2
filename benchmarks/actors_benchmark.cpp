// Actors that talk to each other: calls one at a time and pipelined, 4 MB of weights from each to each.
// Beside it what it takes when the driver asks, which has a ring to each actor. us_of_cpu is what the driver
// and all actors use for a call or a value: on a machine with other work it says more than the time. With
// FLOWRAY_LINKS=0 all calls go through the driver.

#include <benchmark/benchmark.h>
#include <flowray/ray.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace flowray {
namespace {

class Talker {
 public:
  static Talker* Create() { return new Talker; }
  int Next() { return ++count_; }
  double CpuUs() const { return 1e6 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
  Array Weights() const { return weights_; }
  /// So many calls of the other one, `at_once` of them before their answers are read.
  int Ask(const ray::ActorHandle<Talker>& other, int calls, int at_once) const;
  /// The weights of all are read.
  float Gather(const std::vector<ray::ActorHandle<Talker>>& all) const;

 private:
  int count_ = 0;
  Array weights_ = Array(std::vector<float>(size_t{1} << 20, 1.5f));
};

int Talker::Ask(const ray::ActorHandle<Talker>& other, int calls, int at_once) const {
  int last = 0;
  std::vector<ray::ObjectRef<int>> refs;
  for (int left = calls; left > 0; left -= at_once) {
    refs.clear();
    for (int i = 0; i < std::min(at_once, left); ++i) refs.push_back(other.Task(&Talker::Next).Remote());
    for (const auto& answer : ray::Get(refs)) last = *answer;
  }
  return last;
}

float Talker::Gather(const std::vector<ray::ActorHandle<Talker>>& all) const {
  std::vector<ray::ObjectRef<Array>> refs;
  for (const auto& other : all) refs.push_back(other.Task(&Talker::Weights).Remote());
  float sum = 0;
  for (const auto& weights : ray::Get(refs)) sum += weights->span<float>()[0];
  return sum;
}

RAY_REMOTE(Talker::Create, &Talker::Next, &Talker::CpuUs, &Talker::Weights, &Talker::Ask, &Talker::Gather);

/// A runtime with actors, which have answered.
class Talkers {
 public:
  /// `threads` of each: two where each asks all, itself too.
  Talkers(int64_t count, int threads) {
    setenv("FLOWRAY_LINKS", "1", 0);
    ray::Init({.num_cpus = 2, .object_store_memory = size_t{1} << 30});
    for (int64_t i = 0; i < count; ++i)
      all.push_back(ray::Actor(Talker::Create).SetMaxConcurrency(threads).Remote());
    cpu_us();
  }
  ~Talkers() { ray::Shutdown(); }
  Talkers(const Talkers&) = delete;
  Talkers& operator=(const Talkers&) = delete;

  double cpu_us() const {
    double used = 1e6 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    for (const auto& actor : all) used += *actor.Task(&Talker::CpuUs).Remote().Get();
    return used;
  }

  std::vector<ray::ActorHandle<Talker>> all;
};

/// Measures `work`, which makes so many calls or fetches so many values.
template <typename Work>
void measure(benchmark::State& state, const Talkers& talkers, int64_t items, Work work) {
  work();  // first calls make what later ones use
  const double before = talkers.cpu_us();
  for (auto _ : state) work();
  const auto all = static_cast<double>(state.iterations() * items);
  state.counters["us_of_cpu"] = (talkers.cpu_us() - before) / all;
  state.counters["us"] =
      benchmark::Counter(all * 1e-6, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

constexpr int kCalls = 2000;

// Arguments: actors, of which each second one is asked by the one before it; calls before answers are read.
void BM_ActorsAskActors(benchmark::State& state) {
  const Talkers talkers(state.range(0), 1);
  const auto at_once = static_cast<int>(state.range(1));
  measure(state, talkers, kCalls * state.range(0) / 2, [&] {
    std::vector<ray::ObjectRef<int>> asked;
    for (size_t i = 0; i < talkers.all.size(); i += 2)
      asked.push_back(talkers.all[i].Task(&Talker::Ask).Remote(talkers.all[i + 1], kCalls, at_once));
    ray::Get(asked);
  });
}
BENCHMARK(BM_ActorsAskActors)
    ->ArgsProduct({{2, 4, 8}, {1, 100}})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// Argument: calls before answers are read.
void BM_DriverAsksActor(benchmark::State& state) {
  const Talkers talkers(2, 1);
  const Talker driver;
  measure(state, talkers, kCalls,
          [&] { driver.Ask(talkers.all[1], kCalls, static_cast<int>(state.range(0))); });
}
BENCHMARK(BM_DriverAsksActor)->Arg(1)->Arg(100)->UseRealTime()->Unit(benchmark::kMillisecond);

// Argument: actors, each of which reads the weights of all.
void BM_WeightsFromEachToEach(benchmark::State& state) {
  const Talkers talkers(state.range(0), 2);
  measure(state, talkers, state.range(0) * state.range(0), [&] {
    std::vector<ray::ObjectRef<float>> sums;
    for (const auto& actor : talkers.all) sums.push_back(actor.Task(&Talker::Gather).Remote(talkers.all));
    ray::Get(sums);
  });
}
BENCHMARK(BM_WeightsFromEachToEach)->Arg(2)->Arg(4)->Arg(8)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace flowray

BENCHMARK_MAIN();
