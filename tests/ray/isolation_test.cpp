// Actors that run in threads of the program: Isolation::kThread.

#include <flowray/ray.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace flowray {
namespace {

namespace fs = std::filesystem;

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

// What the program and the actors in its threads share.
std::atomic<int> living{0};
std::atomic<int> frames{0};
std::atomic<bool> is_inside{false};
std::atomic<bool> may_return{false};
std::vector<ray::ObjectRef<int>> kept_refs;
std::vector<Array> kept_arrays;

/// Until another thread has set it.
void await(const std::atomic<bool>& flag) { flag.wait(false); }
void set(std::atomic<bool>& flag) {
  flag = true;
  flag.notify_all();
}

struct Frame {
  Frame() { ++frames; }
  ~Frame() { --frames; }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
};

int pid_of_process() { return getpid(); }
int the_same_number(int n) { return n; }
int first_of_several(const std::vector<ray::ObjectRef<int>>& values) { return *values[0].Get(kGuardMs); }
RAY_REMOTE(the_same_number, first_of_several);

ray::ObjectRef<int> handed_over;
std::atomic<bool> is_handed_over{false};
std::atomic<int> num_at_end{0};

struct CallsAtItsEnd {
  CallsAtItsEnd() = default;
  ~CallsAtItsEnd() {
    for (int i = 1; i <= 300; ++i) num_at_end = *ray::Put(i).Get(kGuardMs);
  }
  CallsAtItsEnd(const CallsAtItsEnd&) = delete;
  CallsAtItsEnd& operator=(const CallsAtItsEnd&) = delete;
  int number() const { return 1; }
};

class Guest {
 public:
  static Guest* Create(int start) { return new Guest(start); }
  static Guest* CreateInVain() { throw std::invalid_argument("not today"); }
  explicit Guest(int start) : count_(start) { ++living; }
  ~Guest() { --living; }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  int Add(int n) { return count_ += n; }
  int Pid() const { return getpid(); }
  bool IsMainThread() const { return gettid() == getpid(); }
  bool WasRestarted() const { return ray::WasCurrentActorRestarted(); }
  std::vector<std::string> Gpus() const { return ray::GetGpuIds(); }
  Array Doubled(const Array& array) const {
    Array doubled = Array::uninitialized(DType::kFloat32, array.shape());
    for (int64_t i = 0; i < array.size(); ++i) doubled.mutable_data<float>()[i] = 2 * array.data<float>()[i];
    return doubled;
  }
  float Sum(const Array& array) const {
    float sum = 0;
    for (int64_t i = 0; i < array.size(); ++i) sum += array.data<float>()[i];
    return sum;
  }
  int Fail(int n) const { throw std::out_of_range("there is no " + std::to_string(n)); }
  int AskProcess() const { return *ray::Task(pid_of_process).Remote().Get(kGuardMs); }
  int KeepRefs(int count) const {
    for (int i = 0; i < count; ++i) kept_refs.push_back(ray::Put(100 + i));
    kept_refs.push_back(ray::Task(pid_of_process).Remote());
    return count;
  }
  int KeepRefsAndStay(int count) const {
    for (int i = 0; i < count; ++i) kept_refs.push_back(ray::Put(i));
    set(is_inside);
    await(may_return);
    return count;
  }
  /// Each of `count` references goes to its taker by a variable.
  int HandOver(int count) const {
    for (int i = 0; i < count; ++i) {
      handed_over = i % 2 == 0 ? ray::Put(i) : ray::Task(the_same_number).Remote(i);
      set(is_handed_over);
      is_handed_over.wait(true);
    }
    return count;
  }
  int TakeOver(int count) const {
    int sum = 0;
    std::vector<ray::ObjectRef<int>> sums;
    for (int i = 0; i < count; ++i) {
      await(is_handed_over);
      if (i % 3 == 0) sum += *handed_over.Get(kGuardMs);
      if (i % 3 == 1) sums.push_back(ray::Task(the_same_number).Remote(handed_over));
      if (i % 3 == 2) sums.push_back(ray::Task(first_of_several).Remote(std::vector{handed_over}));
      handed_over = {};
      is_handed_over = false;
      is_handed_over.notify_all();
    }
    for (const auto& value : sums) sum += *value.Get(kGuardMs);
    return sum;
  }
  int MakeOwnedByThread() const {
    static thread_local CallsAtItsEnd object;
    return object.number();
  }
  int KeepArray(const Array& array) const {
    kept_arrays.push_back(array);
    return 1;
  }
  int WaitFor(const std::vector<ray::ObjectRef<int>>& value) const {
    set(is_inside);
    return *value[0].Get();
  }
  int WaitForReturn() const {
    set(is_inside);
    await(may_return);
    return 5;
  }
  int ComputeUntilCancelled() const {
    set(is_inside);
    while (!ray::IsCancelled()) std::this_thread::yield();
    return 1;
  }
  int Exit() const { ray::ExitActor(); }
  int ShutDown() const {
    ray::Shutdown();
    return 1;
  }
  int Meet(int n) {
    meeting_.arrive_and_wait();
    return n;
  }
  ray::Generator<int> Count(int most) const {
    for (int i = 0; i < most; ++i) co_yield i;
  }

 private:
  int count_;
  std::barrier<> meeting_{3};
};

/// Its methods wait without a thread.
class PatientGuest {
 public:
  static PatientGuest* Create() { return new PatientGuest(); }
  ray::Async<int> Await(std::vector<ray::ObjectRef<int>> value) {
    const Frame frame;
    co_return 1 + *co_await value[0];
  }
  /// Goes on after the first error that it gets.
  ray::Async<int> AwaitTwice(std::vector<ray::ObjectRef<int>> value) {
    const Frame frame;
    try {
      co_await value[0];
    } catch (const ray::RayException&) {
    }
    co_return *co_await value[0];
  }
};

int pid_of_guest_of_task() {
  const auto guest = ray::Actor(Guest::Create).SetIsolation(ray::Isolation::kThread).Remote(0);
  return *guest.Task(&Guest::Pid).Remote().Get(kGuardMs);
}

int add_to_named(int n) {
  return *ray::GetActor<Guest>("shared").value().Task(&Guest::Add).Remote(n).Get(kGuardMs);
}

/// Its value is there when the test lets it.
int late_value() {
  await(may_return);
  return 7;
}
class LateGuest {
 public:
  static LateGuest* Create() { return new LateGuest(); }
  int Value() const { return late_value(); }
};

RAY_REMOTE(pid_of_process, Guest::Create, Guest::CreateInVain, &Guest::Add, &Guest::Pid, &Guest::IsMainThread,
           &Guest::WasRestarted, &Guest::Gpus, &Guest::Doubled, &Guest::Sum, &Guest::Fail, &Guest::AskProcess,
           &Guest::KeepRefs, &Guest::KeepRefsAndStay, &Guest::HandOver, &Guest::TakeOver,
           &Guest::MakeOwnedByThread, &Guest::KeepArray, &Guest::WaitFor, &Guest::WaitForReturn,
           &Guest::ComputeUntilCancelled, &Guest::Exit, &Guest::ShutDown, &Guest::Meet, &Guest::Count);
RAY_REMOTE(PatientGuest::Create, &PatientGuest::Await, &PatientGuest::AwaitTwice);
RAY_REMOTE(pid_of_guest_of_task, add_to_named, LateGuest::Create, &LateGuest::Value);

auto guest_creator() { return ray::Actor(Guest::Create).SetIsolation(ray::Isolation::kThread); }

/// A value that is there once may_return is set.
ray::ObjectRef<int> late() {
  static ray::ActorHandle<LateGuest> actor;
  actor = ray::Actor(LateGuest::Create).SetIsolation(ray::Isolation::kThread).Remote();
  return actor.Task(&LateGuest::Value).Remote();
}

Array ones(int64_t count) {
  Array array = Array::uninitialized(DType::kFloat32, {count});
  for (int64_t i = 0; i < count; ++i) array.mutable_data<float>()[i] = 1;
  return array;
}

size_t num_entries(const char* folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

class Isolation : public ::testing::Test {
 protected:
  Isolation() {
    is_inside = false;
    may_return = false;
    ray::Init(
        {.num_cpus = 2, .num_gpus = 2, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 200});
  }
  ~Isolation() override {
    set(may_return);
    kept_refs.clear();
    kept_arrays.clear();
    ray::Shutdown();
  }
};

TEST_F(Isolation, RunsInAThreadOfTheProgram) {
  const auto guest = guest_creator().Remote(3);
  EXPECT_EQ(*guest.Task(&Guest::Pid).Remote().Get(kGuardMs), getpid());
  EXPECT_FALSE(*guest.Task(&Guest::IsMainThread).Remote().Get(kGuardMs));
  EXPECT_EQ(living, 1);
  const auto apart = ray::Actor(Guest::Create).SetIsolation(ray::Isolation::kProcess).Remote(3);
  EXPECT_NE(*apart.Task(&Guest::Pid).Remote().Get(kGuardMs), getpid());
}

TEST_F(Isolation, CallsComeInOrder) {
  const auto guest = guest_creator().Remote(0);
  std::vector<ray::ObjectRef<int>> sums;
  for (int i = 1; i <= 1000; ++i) sums.push_back(guest.Task(&Guest::Add).Remote(i));
  for (int i = 1; i <= 1000; ++i) ASSERT_EQ(*sums[static_cast<size_t>(i - 1)].Get(kGuardMs), i * (i + 1) / 2);
}

TEST_F(Isolation, ArraysTravelByTheStore) {
  const auto guest = guest_creator().Remote(0);
  constexpr int64_t kMany = 1 << 20;
  const auto doubled = guest.Task(&Guest::Doubled).Remote(ones(kMany));
  EXPECT_EQ(*guest.Task(&Guest::Sum).Remote(doubled).Get(kGuardMs), 2.0f * kMany);
  EXPECT_EQ(doubled.Get(kGuardMs)->data<float>()[kMany - 1], 2);
}

TEST_F(Isolation, ThrowsWhatItsMethodThrows) {
  const auto guest = guest_creator().Remote(0);
  try {
    guest.Task(&Guest::Fail).Remote(9).Get(kGuardMs);
    FAIL() << "nothing was thrown";
  } catch (const ray::RayTaskException& error) {
    EXPECT_NE(std::string(error.what()).find("there is no 9"), std::string::npos) << error.what();
  }
  EXPECT_EQ(*guest.Task(&Guest::Add).Remote(1).Get(kGuardMs), 1);
}

TEST_F(Isolation, CallsOthersItself) {
  const auto guest = guest_creator().Remote(0);
  EXPECT_NE(*guest.Task(&Guest::AskProcess).Remote().Get(kGuardMs), getpid());
}

TEST_F(Isolation, IsMadeInTheProgramByWhoeverMakesIt) {
  EXPECT_EQ(*ray::Task(pid_of_guest_of_task).Remote().Get(kGuardMs), getpid());
}

TEST_F(Isolation, IsFoundByItsName) {
  [[maybe_unused]] const auto guest = guest_creator().SetName("shared").Remote(40);
  EXPECT_EQ(*ray::Task(add_to_named).Remote(2).Get(kGuardMs), 42);
}

TEST_F(Isolation, RunsSeveralCallsAtATimeIfAsked) {
  const auto guest = guest_creator().SetMaxConcurrency(3).Remote(0);
  std::vector<ray::ObjectRef<int>> met;
  for (int i = 0; i < 6; ++i) met.push_back(guest.Task(&Guest::Meet).Remote(i));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(*met[static_cast<size_t>(i)].Get(kGuardMs), i);
}

TEST_F(Isolation, GivesValuesOneByOne) {
  const auto guest = guest_creator().Remote(0);
  int next = 0;
  for (const auto& value : guest.Task(&Guest::Count).Remote(50)) EXPECT_EQ(*value.Get(kGuardMs), next++);
  EXPECT_EQ(next, 50);
}

TEST_F(Isolation, RunsCoroutines) {
  const auto patient = ray::Actor(PatientGuest::Create).SetIsolation(ray::Isolation::kThread).Remote();
  std::vector<ray::ObjectRef<int>> sums;
  for (int i = 0; i < 20; ++i)
    sums.push_back(patient.Task(&PatientGuest::Await).Remote(std::vector<ray::ObjectRef<int>>{late()}));
  set(may_return);
  for (const auto& sum : sums) EXPECT_EQ(*sum.Get(kGuardMs), 8);
}

TEST_F(Isolation, HasGpusAndLeavesTheEnvironment) {
  const auto guest = guest_creator().SetResource("GPU", 2).Remote(0);
  EXPECT_EQ(*guest.Task(&Guest::Gpus).Remote().Get(kGuardMs), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(std::getenv("CUDA_VISIBLE_DEVICES"), nullptr);
}

TEST_F(Isolation, RefusesAnEnvironmentOfItsOwn) {
  ray::RuntimeEnv environment;
  environment.Set("env_vars", std::map<std::string, std::string>{{"A", "1"}});
  try {
    guest_creator().SetRuntimeEnv(environment).Remote(0);
    FAIL() << "nothing was thrown";
  } catch (const ray::RayException& error) {
    EXPECT_NE(std::string(error.what()).find("kProcess"), std::string::npos) << error.what();
  }
}

TEST_F(Isolation, ReferencesAndArraysOutliveIt) {
  const auto guest = guest_creator().Remote(0);
  constexpr int64_t kMany = 1 << 20;
  guest.Task(&Guest::KeepRefs).Remote(3).Get(kGuardMs);
  guest.Task(&Guest::KeepArray).Remote(ones(kMany)).Get(kGuardMs);
  EXPECT_EQ(*kept_refs[0].Get(kGuardMs), 100);
  guest.Kill();
  while (living > 0) std::this_thread::yield();
  EXPECT_EQ(*kept_refs[2].Get(kGuardMs), 102);
  EXPECT_NE(*kept_refs[3].Get(kGuardMs), getpid());
  for (int i = 0; i < 40; ++i) ray::Put(std::vector<double>(1 << 19, 3.0));  // 160 MB, of a store of 64
  for (int64_t i = 0; i < kMany; ++i) ASSERT_EQ(kept_arrays[0].data<float>()[i], 1);
}

TEST_F(Isolation, TheProgramHasItsReferencesAtOnce) {
  constexpr int kMany = 3000;
  const auto guest = guest_creator().Remote(0);
  const auto stays = guest.Task(&Guest::KeepRefsAndStay).Remote(kMany);
  await(is_inside);
  EXPECT_EQ(*kept_refs[kMany - 1].Get(kGuardMs), kMany - 1);
  set(may_return);
  EXPECT_EQ(*stays.Get(kGuardMs), kMany);
}

TEST_F(Isolation, OtherActorsHaveItsReferencesAtOnce) {
  constexpr int kMany = 150;
  const auto taker = guest_creator().Remote(0);  // its ring is the first
  const auto giver = guest_creator().Remote(0);
  const auto taken = taker.Task(&Guest::TakeOver).Remote(kMany);
  const auto given = giver.Task(&Guest::HandOver).Remote(kMany);
  EXPECT_EQ(*taken.Get(kGuardMs), kMany * (kMany - 1) / 2);
  EXPECT_EQ(*given.Get(kGuardMs), kMany);
}

TEST_F(Isolation, OtherActorsHaveTheProgramsReferencesAtOnce) {
  constexpr int kMany = 150;
  const auto taker = guest_creator().Remote(0);
  const auto taken = taker.Task(&Guest::TakeOver).Remote(kMany);
  for (int i = 0; i < kMany; ++i) {
    handed_over = ray::Put(i);
    set(is_handed_over);
    is_handed_over.wait(true);
  }
  EXPECT_EQ(*taken.Get(kGuardMs), kMany * (kMany - 1) / 2);
}

TEST_F(Isolation, ObjectsOfItsThreadMayCallTheRuntimeAtTheirEnd) {
  num_at_end = 0;
  const auto guest = guest_creator().Remote(0);
  EXPECT_EQ(*guest.Task(&Guest::MakeOwnedByThread).Remote().Get(kGuardMs), 1);
  guest.Kill();
  while (num_at_end < 300) std::this_thread::yield();  // or the test hangs
}

TEST_F(Isolation, WhatItHeldIsFreeWhenItHasEnded) {
  constexpr int64_t kMany = 4 << 20;  // 16 MB
  for (int i = 0; i < 20; ++i) {
    const auto guest = guest_creator().Remote(0);
    const auto waits = guest.Task(&Guest::WaitFor).Remote(std::vector<ray::ObjectRef<int>>{late()});
    const auto behind = guest.Task(&Guest::Sum).Remote(ones(kMany));
    await(is_inside);
    guest.Kill();
    EXPECT_THROW(behind.Get(kGuardMs), ray::RayActorException);
    EXPECT_THROW(waits.Get(kGuardMs), ray::RayActorException);
  }
  // Half of the store at once, which must be there without the disk.
  const auto guest = guest_creator().Remote(0);
  EXPECT_EQ(*guest.Task(&Guest::Sum).Remote(ones(2 * kMany)).Get(kGuardMs), 2.0f * kMany);
}

TEST_F(Isolation, EndsWhenItIsKilledWhereItWaits) {
  const auto guest = guest_creator().Remote(0);
  const auto waits = guest.Task(&Guest::WaitFor).Remote(std::vector<ray::ObjectRef<int>>{late()});
  await(is_inside);
  guest.Kill();
  EXPECT_THROW(waits.Get(kGuardMs), ray::RayActorException);
  EXPECT_THROW(guest.Task(&Guest::Add).Remote(1).Get(kGuardMs), ray::RayActorException);
  while (living > 0) std::this_thread::yield();  // or the test hangs
}

TEST_F(Isolation, EndsWhenItIsKilledAndAsksWhetherItIsCancelled) {
  const auto guest = guest_creator().Remote(0);
  const auto computes = guest.Task(&Guest::ComputeUntilCancelled).Remote();
  await(is_inside);
  guest.Kill();
  EXPECT_THROW(computes.Get(kGuardMs), ray::RayActorException);
}

TEST_F(Isolation, OneCallIsCancelledAsInAProcess) {
  const auto guest = guest_creator().Remote(0);
  const auto computes = guest.Task(&Guest::ComputeUntilCancelled).Remote();
  await(is_inside);
  ray::Cancel(computes);
  EXPECT_EQ(*computes.Get(kGuardMs), 1);
  EXPECT_EQ(*guest.Task(&Guest::Add).Remote(1).Get(kGuardMs), 1);
}

TEST_F(Isolation, CoroutinesThatWaitEndWithIt) {
  const auto patient = ray::Actor(PatientGuest::Create).SetIsolation(ray::Isolation::kThread).Remote();
  const std::vector<ray::ObjectRef<int>> value{late()};
  const auto once = patient.Task(&PatientGuest::Await).Remote(value);
  const auto twice = patient.Task(&PatientGuest::AwaitTwice).Remote(value);
  while (frames < 2) std::this_thread::yield();
  patient.Kill();
  EXPECT_THROW(once.Get(kGuardMs), ray::RayActorException);
  EXPECT_THROW(twice.Get(kGuardMs), ray::RayActorException);
  EXPECT_EQ(frames, 0);
}

TEST_F(Isolation, IsMadeAgainWhenItIsKilledForThat) {
  const auto guest = guest_creator().SetMaxRestarts(1).Remote(10);
  EXPECT_EQ(*guest.Task(&Guest::Add).Remote(1).Get(kGuardMs), 11);
  guest.Kill(/*no_restart=*/false);
  EXPECT_TRUE(*guest.Task(&Guest::WasRestarted).Remote().Get(kGuardMs));
  EXPECT_EQ(*guest.Task(&Guest::Add).Remote(2).Get(kGuardMs), 12);
}

TEST_F(Isolation, EndsItself) {
  const auto guest = guest_creator().Remote(0);
  EXPECT_THROW(guest.Task(&Guest::Exit).Remote().Get(kGuardMs), ray::RayActorException);
  EXPECT_THROW(guest.Task(&Guest::Add).Remote(1).Get(kGuardMs), ray::RayActorException);
}

TEST_F(Isolation, SaysWhyItCouldNotBeMade) {
  const auto guest = ray::Actor(Guest::CreateInVain).SetIsolation(ray::Isolation::kThread).Remote();
  try {
    guest.Task(&Guest::Add).Remote(1).Get(kGuardMs);
    FAIL() << "nothing was thrown";
  } catch (const ray::RayActorException& error) {
    EXPECT_NE(std::string(error.what()).find("not today"), std::string::npos) << error.what();
  }
}

TEST_F(Isolation, CannotEndTheRuntimeThatItRunsIn) {
  const auto guest = guest_creator().Remote(0);
  try {
    guest.Task(&Guest::ShutDown).Remote().Get(kGuardMs);
    FAIL() << "nothing was thrown";
  } catch (const ray::RayTaskException& error) {
    EXPECT_NE(std::string(error.what()).find("ExitActor"), std::string::npos) << error.what();
  }
  EXPECT_EQ(*guest.Task(&Guest::Add).Remote(1).Get(kGuardMs), 1);
}

TEST_F(Isolation, LeavesNoThreadAndNoDescriptor) {
  guest_creator().Remote(0).Task(&Guest::Add).Remote(1).Get(kGuardMs);  // what the first one makes stays
  const size_t threads = num_entries("/proc/self/task");
  const size_t descriptors = num_entries("/proc/self/fd");
  for (int i = 0; i < 30; ++i) {
    const auto guest = guest_creator().SetMaxConcurrency(3).Remote(i);
    EXPECT_EQ(*guest.Task(&Guest::Add).Remote(1).Get(kGuardMs), i + 1);
    guest.Kill();
  }
  while (living > 1) std::this_thread::yield();
  // The last one may be about to end, and the driver about to hear of it.
  while (num_entries("/proc/self/task") > threads || num_entries("/proc/self/fd") > descriptors)
    std::this_thread::yield();
}

TEST(IsolationAtTheEnd, LeavesAMethodThatDoesNotReturn) {
  is_inside = false;
  may_return = false;
  ray::Init({.num_cpus = 1, .object_store_memory = size_t{16} << 20, .shutdown_timeout_ms = 50});
  const auto guest = guest_creator().Remote(0);
  const auto waits = guest.Task(&Guest::WaitForReturn).Remote();
  const auto idle = guest_creator().Remote(0);
  idle.Task(&Guest::Add).Remote(1).Get(kGuardMs);
  await(is_inside);
  testing::internal::CaptureStderr();
  ray::Shutdown();
  EXPECT_NE(testing::internal::GetCapturedStderr().find("1 actor(s) in threads"), std::string::npos);
  EXPECT_EQ(living, 1);
  EXPECT_THROW(waits.Get(0), ray::RayException);
  ray::Init({.num_cpus = 1, .object_store_memory = size_t{16} << 20});
  EXPECT_EQ(*guest_creator().Remote(1).Task(&Guest::Add).Remote(1).Get(kGuardMs), 2);
  set(may_return);
  ray::Shutdown();
  while (living > 0) std::this_thread::yield();
}

TEST(IsolationAtTheEnd, IsAsEverInLocalMode) {
  ray::Init({.local_mode = true});
  const auto guest = guest_creator().Remote(1);
  EXPECT_EQ(*guest.Task(&Guest::Add).Remote(1).Get(kGuardMs), 2);
  guest.Kill();
  ray::Shutdown();
  EXPECT_EQ(living, 0);
}

}  // namespace
}  // namespace flowray
