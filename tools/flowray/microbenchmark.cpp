#include "microbenchmark.h"

#include <flowray/ray.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace flowray::tools {
namespace {

// What the rows call. Each does what the function of that purpose does in Ray's.

constexpr int kBatch = 1000;
constexpr int kClients = 4;
constexpr int kTaskCalls = 10'000;  // of each client
constexpr int kActorCalls = 5'000;

std::string microbenchmark_small_value() { return "ok"; }

/// Waits for all, as ray.get of a list does.
template <class Value>
void get_all(const std::vector<ray::ObjectRef<Value>>& refs) {
  for (const auto& ref : refs) ref.Get();
}

void get_tasks(int count) {
  std::vector<ray::ObjectRef<std::string>> refs;
  refs.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) refs.push_back(ray::Task(microbenchmark_small_value).Remote());
  get_all(refs);
}

int microbenchmark_put_small() {
  for (int i = 0; i < 100; ++i) ray::Put(0);
  return 0;
}

int microbenchmark_put_large(int64_t bytes) {
  for (int i = 0; i < 10; ++i) ray::Put(Array::full(DType::kInt64, {bytes / 8}, 0));
  return 0;
}

std::vector<ray::ObjectRef<int>> microbenchmark_object_with_refs() {
  std::vector<ray::ObjectRef<int>> refs;
  for (int i = 0; i < 10'000; ++i) refs.push_back(ray::Put(1));
  return refs;
}

class MicrobenchmarkServer {
 public:
  static MicrobenchmarkServer* Create() { return new MicrobenchmarkServer; }
  std::string SmallValue() const { return "ok"; }
  std::string SmallValueOf(int) const { return "ok"; }
  int SmallValueBatch(int count) const {
    get_tasks(count);
    return 0;
  }
};

class MicrobenchmarkAsyncServer {
 public:
  static MicrobenchmarkAsyncServer* Create() { return new MicrobenchmarkAsyncServer; }
  ray::Async<std::string> SmallValue() { co_return "ok"; }
  ray::Async<std::string> SmallValueOf(int) { co_return "ok"; }
};

using Server = ray::ActorHandle<MicrobenchmarkServer>;
using AsyncServer = ray::ActorHandle<MicrobenchmarkAsyncServer>;

/// So many calls of each of the servers, and their results.
template <class Servers, class Method>
int call_each(const Servers& servers, Method method, int count) {
  std::vector<ray::ObjectRef<std::string>> refs;
  refs.reserve(servers.size() * static_cast<size_t>(count));
  for (const auto& server : servers) {
    for (int i = 0; i < count; ++i) refs.push_back(server.Task(method).Remote());
  }
  get_all(refs);
  return 0;
}

/// So many calls of the servers in turn, and their results.
template <class Servers, class Method>
int call_in_turn(const Servers& servers, Method method, int count) {
  std::vector<ray::ObjectRef<std::string>> refs;
  refs.reserve(static_cast<size_t>(count));
  for (size_t i = 0; i < static_cast<size_t>(count); ++i)
    refs.push_back(servers[i % servers.size()].Task(method).Remote());
  get_all(refs);
  return 0;
}

class MicrobenchmarkClient {
 public:
  static MicrobenchmarkClient* Create(const std::vector<Server>& servers) {
    return new MicrobenchmarkClient(servers);
  }
  int SmallValueBatch(int count) const {
    return call_each(servers_, &MicrobenchmarkServer::SmallValue, count);
  }
  int SmallValueBatchOf(int count) const {
    const auto argument = ray::Put(0);
    std::vector<ray::ObjectRef<std::string>> refs;
    for (const Server& server : servers_) {
      for (int i = 0; i < count; ++i)
        refs.push_back(server.Task(&MicrobenchmarkServer::SmallValueOf).Remote(argument));
    }
    get_all(refs);
    return 0;
  }

 private:
  explicit MicrobenchmarkClient(std::vector<Server> servers) : servers_(std::move(servers)) {}
  const std::vector<Server> servers_;
};

class MicrobenchmarkAsyncClient {
 public:
  static MicrobenchmarkAsyncClient* Create(const std::vector<AsyncServer>& servers) {
    return new MicrobenchmarkAsyncClient(servers);
  }
  int SmallValueBatch(int count) const {
    return call_each(servers_, &MicrobenchmarkAsyncServer::SmallValue, count);
  }

 private:
  explicit MicrobenchmarkAsyncClient(std::vector<AsyncServer> servers) : servers_(std::move(servers)) {}
  const std::vector<AsyncServer> servers_;
};

int microbenchmark_work(const std::vector<Server>& servers, int count) {
  return call_in_turn(servers, &MicrobenchmarkServer::SmallValue, count);
}
int microbenchmark_async_work(const std::vector<AsyncServer>& servers, int count) {
  return call_in_turn(servers, &MicrobenchmarkAsyncServer::SmallValue, count);
}

/// Here, and not when the program starts: no other program that has the library shall have these functions.
void register_functions() {
  RAY_REMOTE(microbenchmark_small_value, microbenchmark_put_small, microbenchmark_put_large,
             microbenchmark_object_with_refs, microbenchmark_work, microbenchmark_async_work);
  RAY_REMOTE(MicrobenchmarkServer::Create, &MicrobenchmarkServer::SmallValue,
             &MicrobenchmarkServer::SmallValueOf, &MicrobenchmarkServer::SmallValueBatch);
  RAY_REMOTE(MicrobenchmarkAsyncServer::Create, &MicrobenchmarkAsyncServer::SmallValue,
             &MicrobenchmarkAsyncServer::SmallValueOf);
  RAY_REMOTE(MicrobenchmarkClient::Create, &MicrobenchmarkClient::SmallValueBatch,
             &MicrobenchmarkClient::SmallValueBatchOf, MicrobenchmarkAsyncClient::Create,
             &MicrobenchmarkAsyncClient::SmallValueBatch);
}

template <class Maker>
auto some_actors(Maker maker, int count) {
  std::vector<decltype(ray::Actor(maker).Remote())> actors;
  for (int i = 0; i < count; ++i) actors.push_back(ray::Actor(maker).Remote());
  return actors;
}

/// What is measured of a row, and of how much it is.
struct Work {
  std::function<void()> once;
  double amount = 1;
};

struct Row {
  const char* name;
  /// With the actors that it needs, which end with it.
  std::function<Work()> prepare;
};

/// As in Ray's: half of the processors.
int num_servers() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / 2); }

std::vector<Row> rows_of_values(int64_t array_bytes) {
  const double gigabytes = static_cast<double>(array_bytes) / 1e9;
  return {
      {"single client get calls (Plasma Store)", [] { return Work{[value = ray::Put(0)] { value.Get(); }}; }},
      {"single client put calls (Plasma Store)", [] { return Work{[] { ray::Put(0); }}; }},
      {"multi client put calls (Plasma Store)",
       [] {
         return Work{[] {
                       std::vector<ray::ObjectRef<int>> refs;
                       for (int i = 0; i < 10; ++i)
                         refs.push_back(ray::Task(microbenchmark_put_small).Remote());
                       get_all(refs);
                     },
                     1000};
       }},
      {"single client put gigabytes",
       [=] {
         return Work{[array = Array::full(DType::kInt64, {array_bytes / 8}, 0)] { ray::Put(array); },
                     gigabytes};
       }},
      {"single client tasks and get batch", [] { return Work{[] { get_tasks(kBatch); }}; }},
      {"multi client put gigabytes",
       [=] {
         return Work{[=] {
                       std::vector<ray::ObjectRef<int>> refs;
                       for (int i = 0; i < 10; ++i)
                         refs.push_back(ray::Task(microbenchmark_put_large).Remote(array_bytes / 10));
                       get_all(refs);
                     },
                     10 * gigabytes};
       }},
      {"single client get object containing 10k refs",
       [] { return Work{[refs = ray::Task(microbenchmark_object_with_refs).Remote()] { refs.Get(); }}; }},
      {"single client wait 1k refs",
       [] {
         return Work{[] {
           std::vector<ray::ObjectRef<std::string>> unready;
           for (int i = 0; i < kBatch; ++i) unready.push_back(ray::Task(microbenchmark_small_value).Remote());
           while (!unready.empty()) unready = ray::Wait(unready, 1, -1).unready;
         }};
       }},
  };
}

std::vector<Row> rows_of_calls() {
  return {
      {"single client tasks sync",
       [] { return Work{[] { ray::Task(microbenchmark_small_value).Remote().Get(); }}; }},
      {"single client tasks async", [] { return Work{[] { get_tasks(kBatch); }, kBatch}; }},
      {"multi client tasks async",
       [] {
         const auto clients = some_actors(MicrobenchmarkServer::Create, kClients);
         return Work{
             [clients] {
               std::vector<ray::ObjectRef<int>> refs;
               for (const Server& client : clients)
                 refs.push_back(client.Task(&MicrobenchmarkServer::SmallValueBatch).Remote(kTaskCalls));
               get_all(refs);
             },
             double{kTaskCalls} * kClients};
       }},
      {"1:1 actor calls sync",
       [] {
         const Server actor = ray::Actor(MicrobenchmarkServer::Create).Remote();
         return Work{[actor] { actor.Task(&MicrobenchmarkServer::SmallValue).Remote().Get(); }};
       }},
      {"1:1 actor calls async",
       [] {
         const auto actors = some_actors(MicrobenchmarkServer::Create, 1);
         return Work{[actors] { call_each(actors, &MicrobenchmarkServer::SmallValue, kBatch); }, kBatch};
       }},
      {"1:1 actor calls concurrent",
       [] {
         const std::vector<Server> actors{
             ray::Actor(MicrobenchmarkServer::Create).SetMaxConcurrency(16).Remote()};
         return Work{[actors] { call_each(actors, &MicrobenchmarkServer::SmallValue, kBatch); }, kBatch};
       }},
  };
}

std::vector<Row> rows_of_many_actors() {
  return {
      {"1:n actor calls async",
       [] {
         const auto actors = some_actors(MicrobenchmarkServer::Create, num_servers());
         const auto client = ray::Actor(MicrobenchmarkClient::Create).Remote(actors);
         return Work{[=] { client.Task(&MicrobenchmarkClient::SmallValueBatch).Remote(kActorCalls).Get(); },
                     static_cast<double>(kActorCalls) * num_servers()};
       }},
      {"n:n actor calls async",
       [] {
         const auto actors = some_actors(MicrobenchmarkServer::Create, num_servers());
         return Work{[actors] {
                       std::vector<ray::ObjectRef<int>> refs;
                       for (int i = 0; i < kClients; ++i)
                         refs.push_back(ray::Task(microbenchmark_work).Remote(actors, kActorCalls));
                       get_all(refs);
                     },
                     double{kActorCalls} * kClients};
       }},
      {"n:n actor calls with arg async",
       [] {
         std::vector<ray::ActorHandle<MicrobenchmarkClient>> clients;
         for (int i = 0; i < num_servers(); ++i)
           clients.push_back(
               ray::Actor(MicrobenchmarkClient::Create).Remote(some_actors(MicrobenchmarkServer::Create, 1)));
         return Work{[clients] {
                       std::vector<ray::ObjectRef<int>> refs;
                       for (const auto& client : clients)
                         refs.push_back(client.Task(&MicrobenchmarkClient::SmallValueBatchOf).Remote(kBatch));
                       get_all(refs);
                     },
                     static_cast<double>(kBatch) * num_servers()};
       }},
  };
}

std::vector<Row> rows_of_coroutines() {
  return {
      {"1:1 async-actor calls sync",
       [] {
         const AsyncServer actor = ray::Actor(MicrobenchmarkAsyncServer::Create).Remote();
         return Work{[actor] { actor.Task(&MicrobenchmarkAsyncServer::SmallValue).Remote().Get(); }};
       }},
      {"1:1 async-actor calls async",
       [] {
         const auto actors = some_actors(MicrobenchmarkAsyncServer::Create, 1);
         return Work{[actors] { call_each(actors, &MicrobenchmarkAsyncServer::SmallValue, kBatch); }, kBatch};
       }},
      {"1:1 async-actor calls with args async",
       [] {
         const AsyncServer actor = ray::Actor(MicrobenchmarkAsyncServer::Create).Remote();
         return Work{[actor] {
                       std::vector<ray::ObjectRef<std::string>> refs;
                       for (int i = 0; i < kBatch; ++i)
                         refs.push_back(actor.Task(&MicrobenchmarkAsyncServer::SmallValueOf).Remote(i));
                       get_all(refs);
                     },
                     kBatch};
       }},
      {"1:n async-actor calls async",
       [] {
         const auto actors = some_actors(MicrobenchmarkAsyncServer::Create, num_servers());
         const auto client = ray::Actor(MicrobenchmarkAsyncClient::Create).Remote(actors);
         return Work{
             [=] { client.Task(&MicrobenchmarkAsyncClient::SmallValueBatch).Remote(kActorCalls).Get(); },
             static_cast<double>(kActorCalls) * num_servers()};
       }},
      {"n:n async-actor calls async",
       [] {
         const auto actors = some_actors(MicrobenchmarkAsyncServer::Create, num_servers());
         return Work{[actors] {
                       std::vector<ray::ObjectRef<int>> refs;
                       for (int i = 0; i < kClients; ++i)
                         refs.push_back(ray::Task(microbenchmark_async_work).Remote(actors, kActorCalls));
                       get_all(refs);
                     },
                     double{kActorCalls} * kClients};
       }},
      {"placement group create/removal",
       [] {
         return Work{[] {
                       std::vector<ray::PlacementGroup> groups;
                       for (int i = 0; i < 100; ++i)
                         groups.push_back(ray::CreatePlacementGroup({"", {{{"custom", 0.001}}}}));
                       for (const auto& group : groups) group.Wait(30);
                       for (const auto& group : groups) ray::RemovePlacementGroup(group.GetID());
                     },
                     100};
       }},
  };
}

std::vector<Row> all_rows(int64_t array_bytes) {
  std::vector<Row> rows = rows_of_values(array_bytes);
  for (const auto& more : {rows_of_calls(), rows_of_many_actors(), rows_of_coroutines()})
    rows.insert(rows.end(), more.begin(), more.end());
  return rows;
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// So much a second: mean and standard deviation of four measurements after a warm-up, as Ray's.
std::pair<double, double> measure(const Work& work, double seconds) {
  int count = 0;
  const auto warm_up = std::chrono::steady_clock::now();
  do {
    work.once();
    ++count;
  } while (seconds_since(warm_up) < seconds / 2);
  const int step = count / 10 + 1;
  std::array<double, 4> rates{};
  for (double& rate : rates) {
    int64_t done = 0;
    const auto begin = std::chrono::steady_clock::now();
    do {
      for (int i = 0; i < step; ++i) work.once();
      done += step;
    } while (seconds_since(begin) < seconds);
    rate = work.amount * static_cast<double>(done) / seconds_since(begin);
  }
  double mean = 0;
  for (const double rate : rates) mean += rate / rates.size();
  double square = 0;
  for (const double rate : rates) square += (rate - mean) * (rate - mean) / rates.size();
  return {mean, std::sqrt(square)};
}

}  // namespace

MicrobenchmarkCommand::MicrobenchmarkCommand(CLI::App& app)
    : command_(app.add_subcommand(
          "microbenchmark",
          "How many tasks, actors' calls and values a second, in rows named as `ray microbenchmark`'s")) {
  command_->add_option("--only", only_, "Rows with this word in their name");
  command_->add_flag("--list", lists_, "Prints the rows' names and measures nothing");
  command_->add_option("--seconds", seconds_, "Of each of a row's four measurements")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command_->add_option("--num-cpus", num_cpus_, "As many tasks at a time; one for each core unless given")
      ->check(CLI::PositiveNumber);
  command_->add_option("--array-mb", array_mb_, "What `put gigabytes` puts, in millions of bytes")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
}

int MicrobenchmarkCommand::run() const {
  std::vector<Row> rows = all_rows(int64_t{array_mb_} * 1'000'000);
  std::erase_if(rows, [this](const Row& row) {
    return std::string_view(row.name).find(only_) == std::string_view::npos;
  });
  if (rows.empty()) {
    fmt::print(stderr, "flowray microbenchmark: no row has '{}' in its name; --list prints them\n", only_);
    return 2;
  }
  if (lists_) {
    for (const Row& row : rows) fmt::print("{}\n", row.name);
    return 0;
  }
  register_functions();
  int status = 0;
  try {
    ray::RayConfig config;
    if (num_cpus_ > 0) config.num_cpus = num_cpus_;
    config.resources = {{"custom", 100}};
    ray::Init(config);
    for (const Row& row : rows) {
      try {
        const auto [mean, deviation] = measure(row.prepare(), seconds_);
        fmt::print("{} per second {:.2f} +- {:.2f}\n", row.name, mean, deviation);
        std::fflush(stdout);
      } catch (const Error& error) {
        fmt::print(stderr, "flowray microbenchmark: {}: {}\n", row.name, error.message());
        status = 1;
      }
    }
    ray::Shutdown();
  } catch (const Error& error) {
    fmt::print(stderr, "flowray microbenchmark: {}\n", error.message());
    return 1;
  }
  return status;
}

}  // namespace flowray::tools
