// Workers that die, stop, lose what they need or go mad, as real processes: right values or a clear error,
// and never a hang.

#include <fcntl.h>
#include <flowray/ray.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/sanitizers.h"
#include "ray/transport/channel.h"
#include "support/own_processes.h"

namespace flowray {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

// ---- what goes wrong in the workers

struct ThrowsInItsDestructor {
  ~ThrowsInItsDestructor() noexcept(false) { throw std::runtime_error("too late"); }
};

/// Writes noise over the messages that this process sends, without end.
__attribute__((no_sanitize("thread"))) void scribble(std::span<std::byte> ring, uint32_t seed) {
  std::minstd_rand random(seed);
  auto* const words = reinterpret_cast<volatile uint32_t*>(ring.data());
  for (;;)
    words[random() % (ring.size() / sizeof(uint32_t))] =
        static_cast<uint32_t>(seed % 2 == 0 ? random() % 512 : random());
}

/// Where the shared region of that name begins in this process.
std::byte* region_of(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    uintptr_t begin = 0;
    if (line.find(name) == std::string::npos || std::sscanf(line.c_str(), "%lx-", &begin) != 1) continue;
    return reinterpret_cast<std::byte*>(begin);
  }
  throw std::logic_error("no region " + name);
}

std::span<std::byte> ring_to_the_driver() {
  return {region_of("flowray-channel") + ray::Channel::size_bytes() - ray::Channel::kRingBytes,
          ray::Channel::kRingBytes};
}

/// Says what it has to, while another thread writes noise there.
[[noreturn]] void talk_noise(uint32_t seed) {
  std::thread(scribble, ring_to_the_driver(), seed).detach();
  for (;;) ray::Put(1);
}

int die(const std::string& how) {
  if (how == "exit") std::exit(5);
  if (how == "_exit") _exit(6);
  if (how == "abort") std::abort();
  if (how == "kill") raise(SIGKILL);
  if (how == "fault") {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's would turn it into an exit
    raise(SIGSEGV);
  }
  if (how == "terminate") std::thread([] { throw std::runtime_error("in a thread"); }).join();
  if (how == "throw in a destructor") {
    try {
      const ThrowsInItsDestructor thrower;
      throw std::logic_error("first");
    } catch (const std::logic_error&) {
    }
  }
  if (how == "noise 1") talk_noise(1);
  if (how == "noise 2") talk_noise(2);
  return 0;
}

int successor(int n) { return n + 1; }
double total_of(const Array& values) {
  const auto span = values.span<float>();
  return std::accumulate(span.begin(), span.end(), 0.0);
}

class Patient {
 public:
  static Patient* Create() { return new Patient; }
  int Pid() const { return getpid(); }
  int Die(const std::string& how) const { return die(how); }
  int Count(const std::string& /*weight*/) { return ++count_; }
  double Total(const Array& values) const { return total_of(values); }
  /// Without end.
  void Talk() const {
    for (;;) ray::Put(1);
  }
  /// Takes down what the driver announces, from now on.
  int SpoilTheDoorbell() const {
    auto* const how = reinterpret_cast<volatile uint32_t*>(region_of("flowray-driver"));
    std::thread([how]() __attribute__((no_sanitize("thread"))) {
      for (;;) *how = 0;
    }).detach();
    return 1;
  }
  /// Makes the file and returns the number.
  int Touch(const std::string& path, int number) const {
    std::ofstream{path};
    return number;
  }
  int CloseAll() const {
    closefrom(0);
    return 1;
  }
  ray::ObjectRef<int> Delegate(int n) const { return ray::Task(successor).Remote(n); }
  int LimitMemory(int64_t more_bytes) const {
    std::ifstream statm("/proc/self/statm");
    int64_t pages = 0;
    statm >> pages;
    const auto most = static_cast<rlim_t>(pages * getpagesize() + more_bytes);
    const rlimit limit{most, most};
    return setrlimit(RLIMIT_AS, &limit);
  }
  Array Ones(int64_t count) const { return Array(std::vector<float>(static_cast<size_t>(count), 1.0f)); }

 private:
  int count_ = 0;
};

RAY_REMOTE(die, successor, total_of);
RAY_REMOTE(Patient::Create, &Patient::Pid, &Patient::Die, &Patient::Count, &Patient::Total, &Patient::Touch,
           &Patient::CloseAll, &Patient::SpoilTheDoorbell, &Patient::Talk, &Patient::Delegate,
           &Patient::LimitMemory, &Patient::Ones);

// ---- what the driver sees

Array ones(int64_t count) { return Array(std::vector<float>(static_cast<size_t>(count), 1.0f)); }

class WorkerDeath : public ::testing::Test {
 protected:
  WorkerDeath() { start(); }
  ~WorkerDeath() override {
    ray::Shutdown();
    EXPECT_EQ(testing::holdings(), before_);
  }
  static void start() {
    ray::Init({.num_cpus = 2,
               .object_store_memory = size_t{256} << 20,
               .log_to_driver = false,
               .shutdown_timeout_ms = 100});
  }
  static void expect_others_work() {
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < 50; ++i) refs.push_back(ray::Task(successor).Remote(i));
    for (int i = 0; i < 50; ++i) EXPECT_EQ(*refs[static_cast<size_t>(i)].Get(), i + 1);
    EXPECT_EQ(*ray::Task(total_of).Remote(ones(100'000)).Get(), 100'000.0);
  }

 private:
  const testing::Holdings before_ = [] {
    start();  // what is made once
    ray::Shutdown();
    return testing::holdings();
  }();
};

struct Death {
  const char* how;
  const char* told;
};

void PrintTo(const Death& death, std::ostream* out) { *out << death.how; }

class WaysToDie : public WorkerDeath, public ::testing::WithParamInterface<Death> {};

TEST_P(WaysToDie, AreToldByTasks) {
  const auto healthy = ray::Task(successor).Remote(1);
  try {
    ray::Task(die).SetMaxRetries(1).Remote(std::string(GetParam().how)).Get();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayWorkerException& error) {
    EXPECT_THAT(error.what(), ContainsRegex(GetParam().told));
    EXPECT_THAT(error.what(), HasSubstr("die"));
  }
  EXPECT_EQ(*healthy.Get(), 2);
  expect_others_work();
}

TEST_P(WaysToDie, AreToldByActors) {
  const auto other = ray::Actor(Patient::Create).Remote();
  const auto patient = ray::Actor(Patient::Create).Remote();
  const auto before = patient.Task(&Patient::Count).Remote(std::string());
  const auto death = patient.Task(&Patient::Die).Remote(std::string(GetParam().how));
  const auto after = patient.Task(&Patient::Count).Remote(std::string());
  EXPECT_EQ(*before.Get(), 1);
  for (const auto& call : {death, after}) {
    try {
      call.Get();
      FAIL() << "nothing was thrown";
    } catch (const ray::RayActorException& error) {
      EXPECT_THAT(error.what(), ContainsRegex(GetParam().told));
    }
  }
  EXPECT_EQ(*other.Task(&Patient::Count).Remote(std::string()).Get(), 1);
  expect_others_work();
}

constexpr const char* kAborted = "SIGABRT";
INSTANTIATE_TEST_SUITE_P(Each, WaysToDie,
                         ::testing::Values(Death{"exit", "exited with status 5"},
                                           Death{"_exit", "exited with status 6"}, Death{"abort", kAborted},
                                           Death{"kill", "SIGKILL"}, Death{"fault", "SIGSEGV"},
                                           Death{"terminate", kAborted},
                                           Death{"throw in a destructor", kAborted}),
                         [](const auto& run) {
                           std::string name = run.param.how;
                           std::erase_if(name, [](char letter) { return letter == ' '; });
                           return name;
                         });

TEST_F(WorkerDeath, ByNoiseInItsRingIsToldAndHarmsNobodyElse) {
  for (const char* noise : {"noise 1", "noise 2"}) {
    const auto patient = ray::Actor(Patient::Create).Remote();
    const auto other = ray::Actor(Patient::Create).Remote();
    EXPECT_EQ(*patient.Task(&Patient::Count).Remote(std::string()).Get(), 1);
    EXPECT_THROW(patient.Task(&Patient::Die).Remote(std::string(noise)).Get(), ray::RayActorException);
    EXPECT_THROW(patient.Task(&Patient::Count).Remote(std::string()).Get(), ray::RayActorException);
    EXPECT_EQ(*other.Task(&Patient::Count).Remote(std::string()).Get(), 1);
    EXPECT_THROW(ray::Task(die).SetMaxRetries(1).Remote(std::string(noise)).Get(), ray::RayWorkerException);
    expect_others_work();
  }
}

TEST_F(WorkerDeath, OfTheDoorbellSilencesNobodyElse) {
  const auto patient = ray::Actor(Patient::Create).Remote();
  const auto other = ray::Actor(Patient::Create).Remote();
  EXPECT_EQ(*patient.Task(&Patient::SpoilTheDoorbell).Remote().Get(), 1);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(*other.Task(&Patient::Count).Remote(std::string()).Get(60'000), i + 1);
  }
  EXPECT_EQ(*other.Task(&Patient::Delegate).Remote(1).Get(60'000)->Get(60'000), 2);
}

// The service thread reads their messages then, and sleeps until they ring.
TEST_F(WorkerDeath, OfTheDoorbellLeavesTheOthersWorkWhileNobodyWaits) {
  const auto patient = ray::Actor(Patient::Create).Remote();
  const auto other = ray::Actor(Patient::Create).Remote();
  EXPECT_EQ(*patient.Task(&Patient::SpoilTheDoorbell).Remote().Get(), 1);
  const std::string done = ::testing::TempDir() + "worker_death_" + std::to_string(getpid());
  ray::ObjectRef<int> last = ray::Put(0);
  for (int i = 0; i < 100; ++i) last = ray::Task(successor).Remote(last);
  const auto touched = other.Task(&Patient::Touch).Remote(done, last);
  while (!std::filesystem::exists(done)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(*touched.Get(), 100);
  std::filesystem::remove(done);
}

TEST_F(WorkerDeath, OfTheDescriptorsLeavesTheRest) {
  const auto patient = ray::Actor(Patient::Create).Remote();
  EXPECT_EQ(*patient.Task(&Patient::CloseAll).Remote().Get(), 1);
  EXPECT_EQ(*patient.Task(&Patient::Count).Remote(std::string()).Get(), 1);
  EXPECT_EQ(*patient.Task(&Patient::Delegate).Remote(1).Get()->Get(), 2);
  // A region that it has not yet cannot come any more.
  EXPECT_THROW(patient.Task(&Patient::Total).Remote(ray::Put(ones(1 << 20))).Get(), ray::RayException);
  expect_others_work();
}

TEST_F(WorkerDeath, OfMemoryIsTold) {
  if (kSanitized) GTEST_SKIP() << "sanitizers take all addresses";
  const auto patient = ray::Actor(Patient::Create).Remote();
  ASSERT_EQ(*patient.Task(&Patient::LimitMemory).Remote(int64_t{32} << 20).Get(), 0);
  try {
    patient.Task(&Patient::Ones).Remote(int64_t{64} << 20).Get();
    FAIL() << "nothing was thrown";
  } catch (const ray::RayTaskException& error) {
    EXPECT_THAT(error.what(), HasSubstr("bad_alloc"));
  }
  EXPECT_EQ(*patient.Task(&Patient::Count).Remote(std::string()).Get(), 1);
  // Too little to map the region that it should read: the error may be the call's or the process's.
  EXPECT_THROW(patient.Task(&Patient::Total).Remote(ray::Put(ones(16 << 20))).Get(), ray::RayException);
  expect_others_work();
}

TEST_F(WorkerDeath, IsNotWhatAStopIs) {
  const auto patient = ray::Actor(Patient::Create).Remote();
  const auto other = ray::Actor(Patient::Create).Remote();
  const int pid = *patient.Task(&Patient::Pid).Remote().Get();
  kill(pid, SIGSTOP);
  std::vector<ray::ObjectRef<int>> calls;  // more than its ring holds
  for (int i = 0; i < 5000; ++i) calls.push_back(patient.Task(&Patient::Count).Remote(std::string(500, 'x')));
  EXPECT_EQ(*other.Task(&Patient::Count).Remote(std::string()).Get(), 1);
  expect_others_work();
  EXPECT_THROW(calls[0].Get(1), ray::RayTimeoutException);
  kill(pid, SIGCONT);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(*calls[static_cast<size_t>(i)].Get(), i + 1);
}

TEST_F(WorkerDeath, IsNotWhatAFloodIs) {
  std::vector<ray::ActorHandle<Patient>> talkers;
  for (int i = 0; i < 3; ++i) {
    talkers.push_back(ray::Actor(Patient::Create).Remote());
    talkers.back().Task(&Patient::Talk).Remote();
  }
  const auto other = ray::Actor(Patient::Create).Remote();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(*other.Task(&Patient::Count).Remote(std::string()).Get(), i + 1);
  expect_others_work();
  for (const auto& talker : talkers) talker.Kill();
}

TEST_F(WorkerDeath, ComesToOneThatIsStopped) {
  const auto patient = ray::Actor(Patient::Create).Remote();
  const auto other = ray::Actor(Patient::Create).Remote();
  const int pid = *patient.Task(&Patient::Pid).Remote().Get();
  kill(*other.Task(&Patient::Pid).Remote().Get(), SIGSTOP);  // Shutdown ends it
  kill(pid, SIGSTOP);
  const auto call = patient.Task(&Patient::Count).Remote(std::string());
  kill(pid, SIGKILL);
  EXPECT_THROW(call.Get(), ray::RayActorException);
}

// ---- the process that starts workers

pid_t child_of(pid_t process) {
  const std::string number = std::to_string(process);
  std::ifstream children("/proc/" + number + "/task/" + number + "/children");
  pid_t child = 0;
  if (!(children >> child) || child <= 1)
    throw std::logic_error("no child");  // a signal to 0 would go to all of the group
  return child;
}

/// The zygote's child.
pid_t template_process() { return child_of(child_of(getpid())); }

TEST_F(WorkerDeath, OfTheTemplateIsToldByAllThatNeedIt) {
  const auto patient = ray::Actor(Patient::Create).Remote();
  patient.Task(&Patient::Pid).Remote().Get();
  kill(template_process(), SIGKILL);
  const auto told = [](const auto& work) -> std::string {
    try {
      work();
      return "nothing";
    } catch (const ray::RayException& error) {
      return error.what();
    }
  };
  const auto starts_workers = HasSubstr("the process that starts workers");
  // Until the death is known, calls still may go to workers that die of it.
  EXPECT_THAT(told([&] {
                for (;;) patient.Task(&Patient::Pid).Remote().Get();
              }),
              starts_workers);
  EXPECT_THAT(told([] { ray::Task(successor).Remote(1).Get(); }), starts_workers);
  EXPECT_THAT(told([] { ray::Actor(Patient::Create).Remote().Task(&Patient::Pid).Remote().Get(); }),
              starts_workers);
  EXPECT_EQ(*ray::Put(1).Get(), 1);
  ray::Shutdown();
  start();
  expect_others_work();
}

TEST_F(WorkerDeath, OfTheTemplateEndsTasksThatWait) {
  std::vector<ray::ObjectRef<int>> refs;
  for (int i = 0; i < 200; ++i) refs.push_back(ray::Task(successor).Remote(i));
  kill(template_process(), SIGKILL);
  for (int i = 0; i < 200; ++i) {
    try {
      EXPECT_EQ(*refs[static_cast<size_t>(i)].Get(), i + 1);
    } catch (const ray::RayWorkerException& error) {
      EXPECT_THAT(error.what(), HasSubstr("the process that starts workers"));
    }
  }
}

TEST_F(WorkerDeath, ByShutdownComesThoughTheTemplateIsStopped) {
  expect_others_work();
  kill(template_process(), SIGSTOP);
  ray::Shutdown();
}

}  // namespace
}  // namespace flowray
