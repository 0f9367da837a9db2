// Tasks, actors and objects in real processes: what programs see.

#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

namespace flowray {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- what runs in the workers

int add(int a, int b) { return a + b; }
int worker_pid() { return getpid(); }
Array doubled(const Array& values) {
  Array result = Array::uninitialized(values.dtype(), values.shape());
  const float* in = values.data<float>();
  float* out = result.mutable_data<float>();
  for (int64_t i = 0; i < values.size(); ++i) out[i] = 2 * in[i];
  return result;
}
double sum_of(const Array& values) {
  const auto span = values.span<float>();
  return std::accumulate(span.begin(), span.end(), 0.0);
}
std::tuple<int, std::string> two_values(int n) { return {n, std::to_string(n)}; }
int throws_out_of_range() { throw std::out_of_range("no such row"); }
int throws_value_error() { throw ValueError("bad shape"); }
void ends_process() { _exit(7); }
void kills_process() { raise(SIGKILL); }
int fibonacci(int n);
std::vector<ray::ObjectRef<int>> makes_refs() { return {ray::Put(1), ray::Put(2), ray::Put(3)}; }
int sum_refs(const std::vector<ray::ObjectRef<int>>& refs) {
  int sum = 0;
  for (const auto& ref : refs) sum += *ref.Get();
  return sum;
}
int first_ready(const std::vector<ray::ObjectRef<int>>& refs) {
  const auto result = ray::Wait(refs, 1, -1);
  return *result.ready.at(0).Get();
}
bool times_out(const std::vector<ray::ObjectRef<int>>& refs) {
  try {
    refs.at(0).Get(20);
    return false;
  } catch (const ray::RayTimeoutException&) {
    return true;
  }
}
void waits_for_file(const std::string& path) {
  while (access(path.c_str(), F_OK) != 0) usleep(500);
}
int waits_then(const std::string& path, int value) {
  waits_for_file(path);
  return value;
}

/// Returns at once where `theirs` is not a path; else only when whoever makes that runs beside it.
int meets(const std::string& own, const std::string& theirs) {
  if (theirs.empty()) return 0;
  std::ofstream(own) << "here";
  waits_for_file(theirs);
  return 1;
}

class Tally {
 public:
  explicit Tally(int start) : value_(start) {
    if (start < 0) throw std::invalid_argument("a negative start");
  }
  static Tally* Create(int start) { return new Tally(start); }
  int Add(int n) { return value_ += n; }
  int Pid() const { return getpid(); }
  void Crash() { raise(SIGSEGV); }
  void Keep(Array values) { kept_ = std::move(values); }
  float Kept(int i) const { return kept_.span<float>()[static_cast<size_t>(i)]; }
  ray::ObjectRef<int> AddRemotely(int n) { return ray::Task(add).Remote(value_, n); }
  int Wait(const std::string& path) {
    waits_for_file(path);
    return value_;
  }

 private:
  int value_;
  Array kept_;
};

int asks_tally(ray::ActorHandle<Tally> counter, int n) { return *counter.Task(&Tally::Add).Remote(n).Get(); }

int kills_tally(ray::ActorHandle<Tally> counter, bool no_restart) {
  counter.Kill(no_restart);
  return *counter.Task(&Tally::Add).Remote(0).Get();
}
std::array<std::string, 6> six_strings(int size) {
  std::array<std::string, 6> strings;
  strings.fill(std::string(static_cast<size_t>(size), 'x'));
  return strings;
}

RAY_REMOTE(kills_tally, six_strings, add, worker_pid, doubled, sum_of, two_values, throws_out_of_range,
           throws_value_error, ends_process, kills_process, fibonacci, makes_refs, sum_refs, first_ready,
           times_out, waits_then, meets, asks_tally);
RAY_REMOTE(Tally::Create, &Tally::Add, &Tally::Pid, &Tally::Crash, &Tally::Keep, &Tally::Kept,
           &Tally::AddRemotely, &Tally::Wait);

int fibonacci(int n) {
  if (n < 2) return n;
  const auto one = ray::Task(fibonacci).Remote(n - 1);
  const auto two = ray::Task(fibonacci).Remote(n - 2);
  return *one.Get() + *two.Get();
}

// ---- what the driver sees

Array counting(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), 0.0f);
  return Array(values);
}

class Runtime : public ::testing::Test {
 protected:
  Runtime() { ray::Init({.num_cpus = 2, .object_store_memory = size_t{256} << 20}); }
  ~Runtime() override { ray::Shutdown(); }

  /// A path at which no file is until touch().
  std::string path() const { return ::testing::TempDir() + "flowray-runtime-" + std::to_string(getpid()); }
  void touch() const { std::ofstream(path()) << "x"; }
  void TearDown() override { std::remove(path().c_str()); }
};

TEST_F(Runtime, RunsATaskInAnotherProcess) {
  EXPECT_EQ(*ray::Task(add).Remote(1, 2).Get(), 3);
  EXPECT_NE(*ray::Task(worker_pid).Remote().Get(), getpid());
}

TEST_F(Runtime, RunsCallsSideBySideThoughOthersOfTheirFunctionTookNoTime) {
  for (int i = 0; i < 200; ++i) EXPECT_EQ(*ray::Task(meets).Remote("", "").Get(), 0);
  const std::string first = path() + ".first";
  const std::string second = path() + ".second";
  const auto one = ray::Task(meets).Remote(first, second);
  const auto two = ray::Task(meets).Remote(second, first);
  EXPECT_EQ(*one.Get() + *two.Get(), 2);
  std::remove(first.c_str());
  std::remove(second.c_str());
}

TEST_F(Runtime, RunsManyTasksAtOnce) {
  std::vector<ray::ObjectRef<int>> sums;
  for (int i = 0; i < 5000; ++i) sums.push_back(ray::Task(add).Remote(i, 1));
  const auto values = ray::Get(sums);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(*values[static_cast<size_t>(i)], i + 1);
}

TEST_F(Runtime, PassesReferencesAsValues) {
  const auto a = ray::Put(40);
  const auto b = ray::Task(add).Remote(a, 1);
  EXPECT_EQ(*ray::Task(add).Remote(b, 1).Get(), 42);
}

TEST_F(Runtime, ReturnsSeveralValues) {
  auto [number, text] = ray::Task(two_values).NumReturns<2>().Remote(7);
  EXPECT_EQ(*number.Get(), 7);
  EXPECT_EQ(*text.Get(), "7");
}

TEST_F(Runtime, SendsLargeArraysThroughTheStore) {
  const int64_t count = 1 << 20;
  const auto values = ray::Put(counting(count));
  const auto result = ray::Task(doubled).Remote(values).Get();
  ASSERT_EQ(result->size(), count);
  EXPECT_EQ(result->span<float>()[12345], 24690.0f);
  EXPECT_EQ(*ray::Task(sum_of).Remote(counting(1 << 16)).Get(), 65535.0 * 65536.0 / 2);  // put by itself
}

TEST_F(Runtime, ReadsArraysWhereTheyLieInTheStore) {
  const auto ref = ray::Put(counting(1 << 20));
  const auto first = ref.Get();
  const auto second = ref.Get();
  EXPECT_EQ(first->raw_data(), second->raw_data());
  std::ifstream maps("/proc/self/maps");
  bool inside = false;
  const auto address = reinterpret_cast<uintptr_t>(first->raw_data());
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2 || address < begin || address >= end)
      continue;
    inside = line.find("flowray-objects") != std::string::npos;
  }
  EXPECT_TRUE(inside);
}

TEST_F(Runtime, UsesTheStoreAgain) {
  for (int i = 0; i < 200; ++i) {  // 800 MB through a store of 256
    const auto ref = ray::Put(counting(1 << 20));
    ASSERT_EQ(ray::Task(sum_of).Remote(ref).Get() != nullptr, true);
  }
}

TEST_F(Runtime, SaysThatTheStoreIsFull) {
  const auto read = ray::Put(counting(32 << 20)).Get();  // 128 MB, which cannot be spilled
  EXPECT_THROW(ray::Put(counting(48 << 20)), ray::ObjectStoreFullException);
  EXPECT_EQ(*ray::Task(add).Remote(1, 1).Get(), 2);
}

TEST_F(Runtime, CarriesWhatAFunctionThrows) {
  const auto ref = ray::Task(throws_out_of_range).Remote();
  try {
    ref.Get();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayTaskException& error) {
    EXPECT_THAT(error.what(), HasSubstr("no such row"));
    EXPECT_THAT(error.failure().class_name, HasSubstr("out_of_range"));
    EXPECT_NE(error.failure().pid, getpid());
  }
  EXPECT_THROW(ray::Task(add).Remote(ref, 1).Get(), ray::RayTaskException);  // and those that depend on it
  try {
    ray::Task(throws_value_error).Remote().Get();
  } catch (const ray::RayTaskException& error) {
    EXPECT_THROW(error.rethrow_cause(), ValueError);
  }
}

TEST_F(Runtime, TellsOfAWorkersDeath) {
  try {
    ray::Task(ends_process).SetMaxRetries(0).Remote().Get();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayWorkerException& error) {
    EXPECT_THAT(error.what(), HasSubstr("exited with status 7"));
  }
  EXPECT_THROW(ray::Task(kills_process).SetMaxRetries(1).Remote().Get(), ray::RayWorkerException);
  EXPECT_EQ(*ray::Task(add).Remote(1, 2).Get(), 3);
}

TEST_F(Runtime, CountsProcessorsAndRefusesMoreThanThereAre) {
  std::vector<ray::ObjectRef<int>> sums;
  for (int i = 0; i < 20; ++i) {
    const double cpus = i % 3 == 0 ? 0.25 : i % 3;
    sums.push_back(ray::Task(add).SetResource("CPU", cpus).Remote(i, i));
  }
  for (int i = 0; i < 20; ++i) EXPECT_EQ(*sums[static_cast<size_t>(i)].Get(), 2 * i);
  try {
    ray::Task(add).SetResource("CPU", 3).Remote(1, 2).Get();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayException& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("add asks for {CPU: 3} of the runtime's resources, and there are {CPU: 2"));
  }
  const auto counter = ray::Actor(Tally::Create).SetResource("CPU", 3).Remote(0);
  EXPECT_THROW(counter.Task(&Tally::Add).Remote(1).Get(), ray::RayActorException);
  const auto holds_all = ray::Actor(Tally::Create).SetResource("CPU", 2).Remote(7);
  const auto sum = holds_all.Task(&Tally::AddRemotely).Remote(1).Get();
  EXPECT_THROW(sum->Get(0), ray::RayTimeoutException);
  holds_all.Kill();
  EXPECT_EQ(*sum->Get(), 8);
}

TEST_F(Runtime, CallsAnActorInOrder) {
  const auto counter = ray::Actor(Tally::Create).Remote(10);
  std::vector<ray::ObjectRef<int>> values;
  for (int i = 0; i < 1000; ++i) values.push_back(counter.Task(&Tally::Add).Remote(1));
  const auto got = ray::Get(values);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(*got[static_cast<size_t>(i)], 11 + i);
}

TEST_F(Runtime, GivesEachActorAProcess) {
  const auto one = ray::Actor(Tally::Create).Remote(0);
  const auto two = ray::Actor(Tally::Create).Remote(0);
  EXPECT_NE(*one.Task(&Tally::Pid).Remote().Get(), *two.Task(&Tally::Pid).Remote().Get());
}

TEST_F(Runtime, TellsWhyAnActorIsDead) {
  const auto failed = ray::Actor(Tally::Create).Remote(-1);
  try {
    failed.Task(&Tally::Add).Remote(1).Get();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayActorException& error) {
    EXPECT_THAT(error.what(), HasSubstr("a negative start"));
  }
  const auto crashed = ray::Actor(Tally::Create).Remote(1);
  const auto calls = {crashed.Task(&Tally::Add).Remote(1)};
  crashed.Task(&Tally::Crash).Remote();
  EXPECT_EQ(*calls.begin()->Get(), 2);
  EXPECT_THROW(crashed.Task(&Tally::Add).Remote(1).Get(), ray::RayActorException);
  const auto killed = ray::Actor(Tally::Create).Remote(1);
  killed.Kill();
  EXPECT_THROW(killed.Task(&Tally::Add).Remote(1).Get(), ray::RayActorException);
}

TEST_F(Runtime, MakesAnActorAgainWhoseProcessDies) {
  const auto counter = ray::Actor(Tally::Create).SetMaxRestarts(1).Remote(10);
  EXPECT_EQ(*counter.Task(&Tally::Add).Remote(5).Get(), 15);
  try {
    counter.Task(&Tally::Crash).Remote().Get();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayActorException& error) {
    EXPECT_THAT(error.what(), HasSubstr("it is made again (restart 1 of 1)"));
  }
  EXPECT_EQ(*counter.Task(&Tally::Add).Remote(1).Get(), 11);
  EXPECT_THROW(counter.Task(&Tally::Crash).Remote().Get(), ray::RayActorException);
  EXPECT_THROW(counter.Task(&Tally::Add).Remote(1).Get(), ray::RayActorException);
}

TEST_F(Runtime, MakesAnActorAgainThatIsKilledButMayRestart) {
  const auto counter = ray::Actor(Tally::Create).SetMaxRestarts(-1).Remote(10);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(*counter.Task(&Tally::Add).Remote(5).Get(), 15);
    const int pid = *counter.Task(&Tally::Pid).Remote().Get();
    counter.Kill(false);
    EXPECT_NE(*counter.Task(&Tally::Pid).Remote().Get(), pid);
  }
  counter.Kill();
  EXPECT_THROW(counter.Task(&Tally::Add).Remote(1).Get(), ray::RayActorException);
}

TEST_F(Runtime, LetsAWorkerKillAnActorThatMayRestart) {
  const auto counter = ray::Actor(Tally::Create).SetMaxRestarts(1).Remote(10);
  const int pid = *counter.Task(&Tally::Pid).Remote().Get();
  EXPECT_EQ(*ray::Task(kills_tally).Remote(counter, false).Get(), 10);
  EXPECT_NE(*counter.Task(&Tally::Pid).Remote().Get(), pid);
  EXPECT_THROW(ray::Task(kills_tally).Remote(counter, true).Get(), ray::RayTaskException);
}

TEST_F(Runtime, ReturnsSeveralValuesThatAreTooMuchForOneMessage) {
  const auto strings = ray::Task(six_strings).NumReturns<6>().Remote(30'000);
  for (const auto& string : strings) EXPECT_EQ(string.Get(10'000)->size(), 30'000u);
}

TEST_F(Runtime, KeepsAnArrayThatAnActorHolds) {
  const auto counter = ray::Actor(Tally::Create).Remote(0);
  counter.Task(&Tally::Keep).Remote(ray::Put(counting(1 << 20))).Get();
  for (int i = 0; i < 20; ++i) ray::Put(Array(DType::kFloat32, {1 << 20}));  // would take its place
  EXPECT_EQ(*counter.Task(&Tally::Kept).Remote(777).Get(), 777.0f);
}

TEST_F(Runtime, LetsWorkersCallTasksAndActors) {
  EXPECT_EQ(*ray::Task(fibonacci).Remote(7).Get(), 13);
  const auto counter = ray::Actor(Tally::Create).Remote(5);
  EXPECT_EQ(*ray::Task(asks_tally).Remote(counter, 3).Get(), 8);
  EXPECT_EQ(*counter.Task(&Tally::AddRemotely).Remote(1).Get()->Get(), 9);
}

TEST_F(Runtime, SendsReferencesInsideOfValues) {
  const auto refs = ray::Task(makes_refs).Remote().Get();
  EXPECT_EQ(*ray::Task(sum_refs).Remote(*refs).Get(), 6);
  EXPECT_EQ(*ray::Task(first_ready).Remote(*refs).Get(), 1);
}

TEST_F(Runtime, WaitsForTheFirstOnes) {
  const auto slow = ray::Task(waits_then).Remote(path(), 1);
  const auto fast = ray::Task(add).Remote(1, 1);
  const auto result = ray::Wait(std::vector<ray::ObjectRef<int>>{slow, fast}, 1, -1);
  EXPECT_THAT(result.ready, ElementsAre(fast));
  EXPECT_THAT(result.unready, ElementsAre(slow));
  EXPECT_THROW(slow.Get(10), ray::RayTimeoutException);
  touch();
  EXPECT_EQ(*slow.Get(), 1);
}

TEST_F(Runtime, TimesOutInAWorkerToo) {
  const auto slow = ray::Task(waits_then).Remote(path(), 1);
  EXPECT_TRUE(*ray::Task(times_out).Remote(std::vector<ray::ObjectRef<int>>{slow}).Get());
  touch();
  EXPECT_EQ(*slow.Get(), 1);
}

TEST_F(Runtime, FindsActorsByName) {
  EXPECT_TRUE(ray::Actor(Tally::Create).SetName("the counter").Remote(1).has_value());
  const auto found = ray::GetActor<Tally>("the counter");
  ASSERT_TRUE(found);
  EXPECT_EQ(*found->Task(&Tally::Add).Remote(1).Get(), 2);
  EXPECT_FALSE(ray::GetActor<Tally>("another"));
  EXPECT_THROW(ray::Actor(Tally::Create).SetName("the counter").Remote(1), ray::RayException);
}

TEST_F(Runtime, ServesManyThreads) {
  const auto counter = ray::Actor(Tally::Create).Remote(0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&counter] {
      for (int i = 0; i < 100; ++i) {
        counter.Task(&Tally::Add).Remote(1).Get();
        ASSERT_EQ(*ray::Task(add).Remote(i, i).Get(), 2 * i);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(*counter.Task(&Tally::Add).Remote(0).Get(), 400);
}

TEST(RuntimeLife, CanBeStartedAgain) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(ray::IsInitialized());
    ray::Init({.num_cpus = 1});
    EXPECT_TRUE(ray::IsInitialized());
    EXPECT_THROW(ray::Init(), ray::RayException);
    EXPECT_EQ(*ray::Task(add).Remote(i, 1).Get(), i + 1);
    ray::Shutdown();
    ray::Shutdown();
  }
  EXPECT_THROW(ray::Put(1), ray::RayException);
}

TEST(RuntimeLife, LeavesReferencesAndArraysBehind) {
  ray::Init({.num_cpus = 1});
  const auto ref = ray::Put(counting(1 << 20));
  const auto array = ref.Get();
  const auto call = ray::Task(add).Remote(1, 1);
  ray::Shutdown();
  EXPECT_EQ(array->span<float>()[99], 99.0f);
  ray::Init({.num_cpus = 1});
  EXPECT_THROW(ref.Get(), ray::RayException);
  ray::Shutdown();
}

TEST(RuntimeLife, EndsWithTasksUnderWay) {
  ray::Init({.num_cpus = 1, .shutdown_timeout_ms = 100});
  const auto never = ray::Task(waits_then).Remote("/nowhere/at/all", 1);
  EXPECT_THROW(never.Get(1), ray::RayTimeoutException);
  ray::Shutdown();
}

}  // namespace
}  // namespace flowray
