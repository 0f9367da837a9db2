// The runtime where there is much of everything: each part that is named on the command line runs in a
// runtime of its own, checks its values, and prints its time and the memory of this process. Exits with 1
// where a value is wrong.

#include <flowray/ray.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace ray = flowray::ray;
using Clock = std::chrono::steady_clock;

int scale_plus_one(int x) { return x + 1; }
int64_t scale_sum(const std::vector<ray::ObjectRef<int>>& refs) {
  int64_t sum = 0;
  for (const auto& ref : refs) sum += *ref.Get();
  return sum;
}
class Scaled {
 public:
  static Scaled* Create(int number) { return new Scaled(number); }
  int Number() const { return number_; }
  /// That this process has used.
  double CpuMs() const { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
  flowray::Array Echo(const flowray::Array& array) const { return array; }
  /// 1 MB of it.
  flowray::Array Weights() const {
    return flowray::Array(std::vector<float>(size_t{1} << 18, static_cast<float>(number_)));
  }
  /// The other one's, so often: one call at a time, and all of them at once.
  int Ask(const ray::ActorHandle<Scaled>& other, int calls) const;
  int AskAtOnce(const ray::ActorHandle<Scaled>& other, int calls) const;
  /// The sum of what the weights of all begin with.
  float Gather(const std::vector<ray::ActorHandle<Scaled>>& all) const;

 private:
  explicit Scaled(int number) : number_(number) {}
  int number_;
};
RAY_REMOTE(scale_plus_one, scale_sum, Scaled::Create, &Scaled::Number, &Scaled::CpuMs, &Scaled::Echo,
           &Scaled::Weights, &Scaled::Ask, &Scaled::AskAtOnce, &Scaled::Gather);

int Scaled::Ask(const ray::ActorHandle<Scaled>& other, int calls) const {
  int sum = 0;
  for (int i = 0; i < calls; ++i) sum += *other.Task(&Scaled::Number).Remote().Get();
  return sum;
}

int Scaled::AskAtOnce(const ray::ActorHandle<Scaled>& other, int calls) const {
  std::vector<ray::ObjectRef<int>> refs;
  for (int i = 0; i < calls; ++i) refs.push_back(other.Task(&Scaled::Number).Remote());
  int sum = 0;
  for (const auto& number : ray::Get(refs)) sum += *number;
  return sum;
}

float Scaled::Gather(const std::vector<ray::ActorHandle<Scaled>>& all) const {
  std::vector<ray::ObjectRef<flowray::Array>> refs;
  for (const auto& other : all) refs.push_back(other.Task(&Scaled::Weights).Remote());
  float sum = 0;
  for (const auto& weights : ray::Get(refs)) sum += weights->span<float>()[0];
  return sum;
}

void require(bool is_so, const std::string& what) {
  if (is_so) return;
  fmt::print("wrong: {}\n", what);
  std::_Exit(1);
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// "VmRSS:" or "VmHWM:" of this process.
size_t megabytes(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;) {
    size_t kilobytes = 0;
    if (word == key && file >> kilobytes) return kilobytes >> 10;
  }
  return 0;
}

void tell(const std::string& what, double seconds) {
  fmt::print("{}: {:.3f} s, {} MB at the end, {} MB at most\n", what, seconds, megabytes("VmRSS:"),
             megabytes("VmHWM:"));
}

void queued_tasks(int count) {
  std::vector<ray::ObjectRef<int>> refs;
  const double seconds = seconds_of([&] {
    for (int i = 0; i < count; ++i) refs.push_back(ray::Task(scale_plus_one).Remote(i));
    for (int i = 0; i < count; ++i) require(*refs[static_cast<size_t>(i)].Get() == i + 1, "a task's value");
  });
  tell(fmt::format("{} queued tasks ({:.0f} a second)", count, count / seconds), seconds);
}

void handles(int count) {
  constexpr int kActors = 100;
  std::vector<ray::ActorHandle<Scaled>> actors;
  for (int i = 0; i < kActors; ++i) actors.push_back(ray::Actor(Scaled::Create).Remote(i));
  std::vector<ray::ActorHandle<Scaled>> all;
  for (int i = 0; i < count; ++i) all.push_back(actors[static_cast<size_t>(i % kActors)]);
  const double seconds = seconds_of([&] {
    std::vector<ray::ObjectRef<int>> refs;
    for (const auto& handle : all) refs.push_back(handle.Task(&Scaled::Number).Remote());
    for (int i = 0; i < count; ++i)
      require(*refs[static_cast<size_t>(i)].Get() == i % kActors, "an actor's number");
  });
  tell(fmt::format("a call by each of {} handles to {} actors", count, kActors), seconds);
}

void objects(int count) {
  std::vector<ray::ObjectRef<int>> refs;
  const double seconds = seconds_of([&] {
    for (int i = 0; i < count; ++i) refs.push_back(ray::Put(i));
    for (int i = 0; i < count; ++i) require(*refs[static_cast<size_t>(i)].Get() == i, "an object");
  });
  tell(fmt::format("{} objects", count), seconds);
  require(ray::Wait(refs, count, 0).ready.size() == refs.size(), "all are there");
}

void chain(int depth) {
  const double seconds = seconds_of([&] {
    ray::ObjectRef<int> last = ray::Put(0);
    for (int i = 0; i < depth; ++i) last = ray::Task(scale_plus_one).Remote(last);
    require(*last.Get() == depth, "the end of the chain");
  });
  tell(fmt::format("a chain of {} tasks", depth), seconds);
}

void fan_in(int count) {
  const double seconds = seconds_of([&] {
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < count; ++i) refs.push_back(ray::Task(scale_plus_one).Remote(i));
    require(*ray::Task(scale_sum).Remote(refs).Get() == int64_t{count} * (count + 1) / 2, "the sum");
  });
  tell(fmt::format("a task of {} references", count), seconds);
}

/// Linear: of ten times as many it takes about ten times as long.
void wait_of_many(int count) {
  std::vector<ray::ObjectRef<int>> refs;
  for (int i = 0; i < count; ++i) refs.push_back(ray::Put(i));
  const std::vector<ray::ObjectRef<int>> some(refs.begin(), refs.begin() + count / 10);
  const auto best_of = [](const std::vector<ray::ObjectRef<int>>& of) {
    double best = 1e9;
    for (int i = 0; i < 10; ++i) {
      best =
          std::min(best, seconds_of([&] {
                     require(ray::Wait(of, static_cast<int>(of.size()), 0).ready.size() == of.size(), "Wait");
                   }));
    }
    return best;
  };
  const double of_some = best_of(some);
  const double of_all = best_of(refs);
  tell(fmt::format("Wait of {} ({:.1f} times as long as of {})", count, of_all / of_some, count / 10),
       of_all);
}

/// How long calls take one at a time, in microseconds, the shortest first.
std::vector<double> times_of_calls(const ray::ActorHandle<Scaled>& actor, int calls) {
  actor.Task(&Scaled::Number).Remote().Get();
  std::vector<double> us;
  for (int i = 0; i < calls; ++i)
    us.push_back(1e6 * seconds_of([&] { actor.Task(&Scaled::Number).Remote().Get(); }));
  std::ranges::sort(us);
  return us;
}

/// Of calls one at a time, and of actors that have calls all the time.
void latencies(int calls) {
  const std::vector<double> us = times_of_calls(ray::Actor(Scaled::Create).Remote(1), calls);
  const auto at = [&](double part) { return us[static_cast<size_t>(part * static_cast<double>(calls - 1))]; };
  fmt::print("{} calls: p50 {:.2f} us, p99 {:.2f} us, p99.9 {:.2f} us\n", calls, at(0.5), at(0.99),
             at(0.999));
}

/// Of an actor in a process and of one in a thread: calls one at a time, pipelined, and from its making to
/// its first answer.
void isolation(int calls) {
  constexpr int kMade = 51;
  for (const auto kind : {ray::Isolation::kProcess, ray::Isolation::kThread}) {
    std::vector<double> ms;
    for (int i = 0; i < kMade; ++i) {
      ms.push_back(1e3 * seconds_of([&] {
                     const auto made = ray::Actor(Scaled::Create).SetIsolation(kind).Remote(i);
                     require(*made.Task(&Scaled::Number).Remote().Get() == i, "an answer");
                     made.Kill();
                   }));
    }
    std::ranges::sort(ms);
    const auto actor = ray::Actor(Scaled::Create).SetIsolation(kind).Remote(1);
    const std::vector<double> us = times_of_calls(actor, calls);
    const double seconds = seconds_of([&] {
      std::vector<ray::ObjectRef<int>> refs;
      for (int i = 0; i < calls; ++i) {
        refs.push_back(actor.Task(&Scaled::Number).Remote());
        if (refs.size() == 1000) {
          ray::Get(refs);
          refs.clear();
        }
      }
      ray::Get(refs);
    });
    fmt::print("an actor in a {}: made and asked in {:.2f} ms; a call {:.2f} us; {:.0f} calls a second\n",
               kind == ray::Isolation::kThread ? "thread" : "process", ms[kMade / 2], us[us.size() / 2],
               calls / seconds);
    actor.Kill();
  }
}

void many_actors(int most) {
  constexpr int kCalls = 200'000;
  double of_two = 0;
  for (int count = 1; count <= most; count *= 2) {
    std::vector<ray::ActorHandle<Scaled>> actors;
    for (int i = 0; i < count; ++i) actors.push_back(ray::Actor(Scaled::Create).Remote(i));
    for (const auto& actor : actors) actor.Task(&Scaled::Number).Remote().Get();
    const double seconds = seconds_of([&] {
      std::vector<ray::ObjectRef<int>> refs;
      for (int i = 0; i < kCalls; ++i) {
        refs.push_back(actors[static_cast<size_t>(i % count)].Task(&Scaled::Number).Remote());
        if (refs.size() == 1000) {
          ray::Get(refs);
          refs.clear();
        }
      }
    });
    if (count == 2) of_two = seconds;
    fmt::print("{} actors, pipelined: {:.0f} calls a second{}\n", count, kCalls / seconds,
               count > 2 ? fmt::format(" ({:.0f} % of two's)", 100 * of_two / seconds) : "");
    for (const auto& actor : actors) actor.Kill();
  }
}

/// What this process and the actors' have used.
double cpu_ms(const std::vector<ray::ActorHandle<Scaled>>& actors) {
  double used = 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  for (const auto& actor : actors) used += *actor.Task(&Scaled::CpuMs).Remote().Get();
  return used;
}

/// The time of `work` and what it takes of CPU in all processes, for each of so many calls.
std::string cost_of(const std::vector<ray::ActorHandle<Scaled>>& actors, int calls,
                    const std::function<void()>& work) {
  const double before = cpu_ms(actors);
  const double seconds = seconds_of(work);
  return fmt::format("{:.1f} us ({:.1f} us of CPU)", 1e6 * seconds / calls,
                     1e3 * (cpu_ms(actors) - before) / calls);
}

/// Actors that talk to each other: half of them ask the other half, and each takes the weights of all; beside
/// it, what it takes when the driver asks, as an actor with a ring to the other one would.
void mesh(int calls) {
  for (const int count : {2, 4, 8}) {
    std::vector<ray::ActorHandle<Scaled>> actors;
    for (int i = 0; i < count; ++i) {
      actors.push_back(ray::Actor(Scaled::Create).SetMaxConcurrency(2).Remote(i));
      actors.back().Task(&Scaled::Number).Remote().Get();
    }
    const std::unique_ptr<const Scaled> driver(Scaled::Create(0));
    const int of_each = calls / count;
    const int asked = of_each * (count / 2);
    const auto driver_asks = [&](int (Scaled::*ask)(const ray::ActorHandle<Scaled>&, int) const) {
      return cost_of(actors, asked, [&] { (*driver.*ask)(actors[1], asked); });
    };
    const auto pairs_ask = [&](int (Scaled::*ask)(const ray::ActorHandle<Scaled>&, int) const) {
      return cost_of(actors, asked, [&] {
        std::vector<ray::ObjectRef<int>> sums;
        for (size_t i = 0; i < actors.size(); i += 2)
          sums.push_back(actors[i].Task(ask).Remote(actors[i + 1], of_each));
        for (size_t i = 0; i < sums.size(); ++i)
          require(*sums[i].Get() == (2 * static_cast<int>(i) + 1) * of_each, "numbers");
      });
    };
    fmt::print("of {} actors the driver asks one: {} a call, pipelined {}\n", count,
               driver_asks(&Scaled::Ask), driver_asks(&Scaled::AskAtOnce));
    fmt::print("{} actors ask each other: {} a call, pipelined {}\n", count, pairs_ask(&Scaled::Ask),
               pairs_ask(&Scaled::AskAtOnce));
    constexpr int kRounds = 20;
    const auto gather = [&] {
      for (int round = 0; round < kRounds; ++round) {
        std::vector<ray::ObjectRef<float>> sums;
        for (const auto& actor : actors) sums.push_back(actor.Task(&Scaled::Gather).Remote(actors));
        for (const auto& sum : ray::Get(sums))
          require(*sum == static_cast<float>(count * (count - 1)) / 2, "weights");
      }
    };
    fmt::print("1 MB from each of {} actors to each: {} a value\n", count,
               cost_of(actors, kRounds * count * count, gather));
    for (const auto& actor : actors) actor.Kill();
  }
}

void echo(int count) {
  const auto actor = ray::Actor(Scaled::Create).Remote(1);
  const flowray::Array sent(std::vector<float>(size_t{1} << 20, 1.5f));
  actor.Task(&Scaled::Echo).Remote(sent).Get();
  const double seconds = seconds_of([&] {
    for (int i = 0; i < count; ++i)
      require(actor.Task(&Scaled::Echo).Remote(sent).Get()->size_bytes() == sent.size_bytes(), "an echo");
  });
  fmt::print("echo 4 MB through an actor: {:.0f} a second\n", count / seconds);
}

/// Of this process and of two actors, that have nothing to do for so many milliseconds.
void idle(int ms) {
  std::vector<ray::ActorHandle<Scaled>> actors;
  for (int i = 0; i < 2; ++i) actors.push_back(ray::Actor(Scaled::Create).Remote(i));
  cpu_ms(actors);
  const double before = cpu_ms(actors);
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
  fmt::print("idle: {:.2f} ms of CPU in {} ms\n", cpu_ms(actors) - before, ms);
}

/// Init, two actors and their first answers, in runtimes one after the other.
void start(int count) {
  std::vector<double> ms;
  for (int i = 0; i < count; ++i) {
    ray::Shutdown();
    ms.push_back(1e3 * seconds_of([] {
                   ray::Init({.num_cpus = 2, .object_store_memory = size_t{256} << 20});
                   const auto one = ray::Actor(Scaled::Create).Remote(1);
                   const auto two = ray::Actor(Scaled::Create).Remote(2);
                   const auto first = one.Task(&Scaled::Number).Remote();
                   require(*two.Task(&Scaled::Number).Remote().Get() + *first.Get() == 3, "two answers");
                 }));
  }
  std::ranges::sort(ms);
  fmt::print("start of a runtime with 2 actors: {:.1f} ms at best, {:.1f} ms in the middle of {}\n", ms[0],
             ms[ms.size() / 2], count);
}

const std::map<std::string, void (*)(int)>& parts() {
  static const std::map<std::string, void (*)(int)> kParts = {
      {"tasks", queued_tasks}, {"handles", handles},   {"objects", objects},     {"chain", chain},
      {"fan-in", fan_in},      {"wait", wait_of_many}, {"latencies", latencies}, {"actors", many_actors},
      {"echo", echo},          {"mesh", mesh},         {"idle", idle},           {"start", start},
      {"isolation", isolation}};
  return kParts;
}

}  // namespace

/// scale PART NUMBER ...
int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const auto part = parts().find(argv[i]);
    if (part == parts().end()) {
      fmt::print("no part '{}'\n", argv[i]);
      return 2;
    }
    ray::Init({.num_cpus = 2, .object_store_memory = size_t{256} << 20});
    part->second(std::atoi(argv[i + 1]));
    ray::Shutdown();
  }
  return 0;
}
