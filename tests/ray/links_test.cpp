// Actors that call each other by links: values, order, references that go on, deaths, what is left.

#include <flowray/ray.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/sanitizers.h"

namespace flowray {
namespace {

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

/// How many links this process has.
int links_of_process() {
  std::ifstream maps("/proc/self/maps");
  int count = 0;
  for (std::string line; std::getline(maps, line);) count += line.find("flowray-link") != std::string::npos;
  return count;
}

int linked_plus_one(int x) { return x + 1; }
int linked_wait(const std::string& path) {
  std::ofstream(path) << "begun";
  while (!ray::IsCancelled()) std::this_thread::yield();
  return 1;
}
int linked_length(const std::vector<ray::ObjectRef<int>>& refs) { return static_cast<int>(refs.size()); }

/// Both ends of links.
class Linked {
 public:
  static Linked* Create() { return new Linked; }

  // ---- what others ask
  int Pid() const { return getpid(); }
  int Links() const { return links_of_process(); }
  int Add(int x) { return sum_ += x; }
  int Note(int x) {
    noted_.push_back(x);
    return x;
  }
  int NoteAfter(int x, int) { return Note(x); }
  int NoteLong(int x, const std::string&) { return Note(x); }
  std::string NoteAndTell(int x, int bytes) {
    Note(x);
    return Text(bytes);
  }
  std::vector<int> Noted() const { return noted_; }
  int Fail(int x) { throw std::out_of_range("no " + std::to_string(x)); }
  std::string Text(int bytes) const { return std::string(static_cast<size_t>(bytes), 't'); }
  ray::ObjectRef<int> Reference(int x) const { return ray::Put(x); }
  int Die() const { return raise(SIGKILL); }
  int Exit() const { ray::ExitActor(); }
  /// Until the call is cancelled.
  int Wait(const std::string& path) const {
    std::ofstream(path) << "begun";
    while (!ray::IsCancelled()) std::this_thread::yield();
    return 1;
  }
  int WaitForFile(const std::string& path) const {
    while (access(path.c_str(), F_OK) != 0) std::this_thread::yield();
    return 1;
  }
  int AskTask(int x) const { return *ray::Task(linked_plus_one).Remote(x).Get(); }
  int Born(const std::string& name) {
    born_ = ray::Actor(Linked::Create).SetName(name).Remote();
    return 1;
  }

  // ---- what they are to ask of others; each begins with calls enough for a link
  int AskOneByOne(const ray::ActorHandle<Linked>& other, int calls) {
    int last = 0;
    for (int i = 0; i < calls; ++i) last = *other.Task(&Linked::Add).Remote(1).Get();
    return last;
  }
  int AskAtOnce(const ray::ActorHandle<Linked>& other, int calls) {
    Greet(other);
    std::vector<ray::ObjectRef<int>> refs;
    for (int i = 0; i < calls; ++i) refs.push_back(other.Task(&Linked::Add).Remote(1));
    int last = 0;
    for (const auto& answer : ray::Get(refs)) {
      if (*answer != last + 1 && last != 0) throw std::logic_error("calls that overtake each other");
      last = *answer;
    }
    return last;
  }
  int NoteInTurn(const ray::ActorHandle<Linked>& other, int calls);
  /// By the link, and through the driver where too many answers were long.
  int NoteForLongAnswers(const ray::ActorHandle<Linked>& other, int calls) {
    Greet(other);
    std::vector<ray::ObjectRef<std::string>> answers;
    for (int i = 0; i < calls; ++i) {
      const int bytes = i % 100 < 60 && i % 5 != 0 ? 20'000 : 10;
      answers.push_back(other.Task(&Linked::NoteAndTell).Remote(i, bytes));
      if (i % 7 == 6 || i % 100 > 80) answers.back().Get();
    }
    ray::Get(answers);
    return links_of_process();
  }
  std::string FailureOf(const ray::ActorHandle<Linked>& other) {
    Greet(other);
    try {
      other.Task(&Linked::Fail).Remote(7).Get();
    } catch (const std::exception& error) {
      return error.what();
    }
    return "a value";
  }
  int AskText(const ray::ActorHandle<Linked>& other, int bytes) {
    Greet(other);
    return static_cast<int>(other.Task(&Linked::Text).Remote(bytes).Get()->size());
  }
  int AskReference(const ray::ActorHandle<Linked>& other) {
    Greet(other);
    return *other.Task(&Linked::Reference).Remote(11).Get()->Get();
  }
  /// References to what a linked call returns, there and not yet: each goes on.
  std::vector<ray::ObjectRef<int>> PassOn(const ray::ActorHandle<Linked>& other, const std::string& path) {
    Greet(other);
    const auto done = other.Task(&Linked::Note).Remote(5);
    done.Get();
    other.Task(&Linked::WaitForFile).Remote(path);
    return {done, other.Task(&Linked::Note).Remote(6)};
  }
  int UseAsArguments(const ray::ActorHandle<Linked>& other) {
    Greet(other);
    const auto one = other.Task(&Linked::Note).Remote(1);
    const auto two = other.Task(&Linked::Note).Remote(2);
    const int task = *ray::Task(linked_plus_one).Remote(one).Get();
    const int inside = *ray::Task(linked_length).Remote(std::vector{one, two}).Get();
    const auto waited = ray::Wait(std::vector{one, two}, 2, kGuardMs);
    return task * 100 + inside * 10 + static_cast<int>(waited.ready.size());
  }
  /// What becomes of a call whose actor dies with it, and of one after that.
  std::string OutliveDeath(const ray::ActorHandle<Linked>& other) {
    Greet(other);
    const std::string death = OutcomeOf(other.Task(&Linked::Die).Remote());
    return death + ", " + OutcomeOf(other.Task(&Linked::Add).Remote(0));
  }
  std::string OutliveExit(const ray::ActorHandle<Linked>& other) {
    Greet(other);
    const std::string end = OutcomeOf(other.Task(&Linked::Exit).Remote());
    return end + ", " + OutcomeOf(other.Task(&Linked::Add).Remote(0));
  }
  /// What was answered, by the link and through the driver, and what was not.
  std::string ReadAfterDeath(const ray::ActorHandle<Linked>& other) {
    Greet(other);
    const auto one = other.Task(&Linked::Note).Remote(1);
    const auto two = other.Task(&Linked::Note).Remote(2);
    const auto text = other.Task(&Linked::Text).Remote(50'000);
    const auto death = other.Task(&Linked::Die).Remote();
    const std::string dead = OutcomeOf(death);
    return OutcomeOf(one) + ", " + OutcomeOf(two) + ", " +
           (text.Get()->size() == 50'000 ? "text" : "another one") + ", " + dead;
  }
  /// Each call is made, and answered, at about the time at which the other process falls asleep.
  int AskAsItFallsAsleep(const ray::ActorHandle<Linked>& other, int calls) {
    std::minstd_rand random(7);
    int last = 0;
    for (int i = 0; i < calls; ++i) {
      linger_us(random() % 80);
      last = *other.Task(&Linked::AddAfter).Remote(1, static_cast<int>(random() % 80)).Get();
    }
    return last;
  }
  int AddAfter(int x, int after_us) {
    linger_us(static_cast<unsigned>(after_us));
    return sum_ += x;
  }
  /// Values that go to the store, and whose references go before they are there, or after that.
  int ForgetTexts(const ray::ActorHandle<Linked>& other, int calls) {
    Greet(other);
    for (int i = 0; i < calls; ++i) {
      const auto call = other.Task(&Linked::Text).Remote(1'000'000);
      if (i % 2 == 0) other.Task(&Linked::Add).Remote(1).Get();
    }
    other.Task(&Linked::Add).Remote(1).Get();
    return links_of_process();
  }
  int KillAndAsk(const ray::ActorHandle<Linked>& other, int old_pid) {
    Greet(other);
    other.Kill(false);
    return *other.Task(&Linked::Pid).Remote().Get() != old_pid ? 1 : 0;
  }
  std::string KillForGoodAndAsk(const ray::ActorHandle<Linked>& other) {
    Greet(other);
    other.Kill();
    return OutcomeOf(other.Task(&Linked::Add).Remote(1));
  }
  std::string CancelRunning(const ray::ActorHandle<Linked>& other, const std::string& path) {
    Greet(other);
    const auto call = other.Task(&Linked::Wait).Remote(path);
    const auto queued = other.Task(&Linked::Add).Remote(1000);
    WaitForFile(path);
    ray::Cancel(queued);
    ray::Cancel(call);
    return std::to_string(*call.Get()) + ", " + OutcomeOf(queued) + ", " +
           std::to_string(*other.Task(&Linked::Add).Remote(0).Get());
  }
  int WaitForThird(const ray::ActorHandle<Linked>& third, const std::string& path) {
    return *third.Task(&Linked::Wait).Remote(path).Get();
  }
  int AskToAsk(const ray::ActorHandle<Linked>& other, const ray::ActorHandle<Linked>& third,
               const std::string& path) {
    return *other.Task(&Linked::WaitForThird).Remote(third, path).Get();
  }
  int WaitForTask(const std::string& path) const;
  int AskForWaiting(const ray::ActorHandle<Linked>& other, const std::string& path) {
    return *other.Task(&Linked::WaitForTask).Remote(path).Get();
  }
  int AskForTask(const ray::ActorHandle<Linked>& other) {
    Greet(other);
    return *other.Task(&Linked::AskTask).Remote(4).Get();
  }
  int FindBorn(const ray::ActorHandle<Linked>& other, int count) {
    Greet(other);
    int found = 0;
    for (int i = 0; i < count; ++i) {
      const std::string name = "born " + std::to_string(i);
      other.Task(&Linked::Born).Remote(name).Get();
      found += ray::GetActor<Linked>(name).has_value() ? 1 : 0;
    }
    return found;
  }
  int LeaveCalls(const ray::ActorHandle<Linked>& other, const std::string& path) {
    Greet(other);
    left_.push_back(other.Task(&Linked::WaitForFile).Remote(path));
    for (int i = 0; i < 10; ++i) left_.push_back(other.Task(&Linked::Add).Remote(1));
    return raise(SIGKILL);
  }
  int TimeOut(const ray::ActorHandle<Linked>& other, const std::string& path) {
    Greet(other);
    const auto call = other.Task(&Linked::WaitForFile).Remote(path);
    int timeouts = 0;
    for (const int timeout_ms : {0, 1, 30}) {
      try {
        call.Get(timeout_ms);
      } catch (const ray::RayTimeoutException&) {
        ++timeouts;
      }
    }
    std::ofstream(path) << "go on";
    return timeouts * 10 + *call.Get();
  }
  /// Calls that last while others take all tickets, and one more each: a Get(), a Wait() and a Cancel().
  std::string OutliveTickets(const ray::ActorHandle<Linked>& other, const std::string& path) {
    Greet(other);
    std::vector<ray::ObjectRef<int>> slow;
    for (int i = 0; i < 3; ++i) slow.push_back(other.Task(&Linked::Wait).Remote(path));
    for (int i = 0; i < 5000; ++i) other.Task(&Linked::Add).Remote(1).Get();
    std::string told = links_of_process() == 1 ? "by a link, " : "";
    try {
      slow[0].Get(30);
    } catch (const ray::RayTimeoutException&) {
      told += "timeout, ";
    }
    if (ray::Wait(std::vector{slow[1]}, 1, 10).ready.empty()) told += "not ready, ";
    for (const auto& call : slow) ray::Cancel(call);
    int sum = 0;
    for (const auto& answer : ray::Get(slow)) sum += *answer;
    return told + std::to_string(sum);
  }
  /// While this process can open nothing, and after that.
  int AskWithoutDescriptors(const ray::ActorHandle<Linked>& other, int calls) {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const rlimit none{0, limit.rlim_max};
    setrlimit(RLIMIT_NOFILE, &none);
    AskOneByOne(other, calls);
    setrlimit(RLIMIT_NOFILE, &limit);
    return AskOneByOne(other, 4 * calls);
  }

 private:
  static void linger_us(unsigned us) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
    while (std::chrono::steady_clock::now() < end) {
    }
  }
  static void Greet(const ray::ActorHandle<Linked>& other) {
    for (int i = 0; i < 20; ++i) other.Task(&Linked::Add).Remote(0).Get();
  }
  template <typename T>
  static std::string OutcomeOf(const ray::ObjectRef<T>& call) {
    try {
      return std::to_string(*call.Get());
    } catch (const ray::RayActorException&) {
      return "dead";
    } catch (const ray::TaskCancelledException&) {
      return "cancelled";
    }
  }

  int sum_ = 0;
  std::vector<int> noted_;
  std::vector<ray::ObjectRef<int>> left_;
  ray::ActorHandle<Linked> born_;
};

/// By the link and, as it takes a reference or is long, through the driver.
int Linked::NoteInTurn(const ray::ActorHandle<Linked>& other, int calls) {
  Greet(other);
  const auto reference = ray::Put(1);
  const std::string text(40'000, 'x');
  for (int i = 0; i < calls; ++i) {
    if (i % 7 == 3) {
      left_.push_back(other.Task(&Linked::NoteAfter).Remote(i, reference));
    } else if (i % 11 == 5) {
      left_.push_back(other.Task(&Linked::NoteLong).Remote(i, text));
    } else {
      left_.push_back(other.Task(&Linked::Note).Remote(i));
    }
    if (i % 50 == 49) left_.back().Get();  // the link is used again
  }
  ray::Get(left_);
  return links_of_process();
}

int Linked::WaitForTask(const std::string& path) const { return *ray::Task(linked_wait).Remote(path).Get(); }

RAY_REMOTE(linked_plus_one, linked_wait, linked_length, &Linked::WaitForThird, &Linked::AskToAsk,
           &Linked::WaitForTask, &Linked::AskForWaiting, Linked::Create, &Linked::Pid, &Linked::Links,
           &Linked::Add, &Linked::Note, &Linked::NoteAfter, &Linked::NoteLong, &Linked::Noted, &Linked::Fail,
           &Linked::Text, &Linked::Reference, &Linked::Die, &Linked::Exit, &Linked::Wait,
           &Linked::WaitForFile, &Linked::AskTask, &Linked::Born, &Linked::AskOneByOne, &Linked::AskAtOnce,
           &Linked::NoteInTurn, &Linked::FailureOf, &Linked::AskText, &Linked::AskReference, &Linked::PassOn,
           &Linked::UseAsArguments, &Linked::OutliveDeath, &Linked::KillAndAsk, &Linked::KillForGoodAndAsk,
           &Linked::CancelRunning, &Linked::AskForTask, &Linked::FindBorn, &Linked::LeaveCalls,
           &Linked::TimeOut, &Linked::OutliveTickets, &Linked::AskWithoutDescriptors, &Linked::OutliveExit,
           &Linked::ReadAfterDeath, &Linked::AskAsItFallsAsleep, &Linked::AddAfter, &Linked::ForgetTexts,
           &Linked::NoteAndTell, &Linked::NoteForLongAnswers);

class Links : public ::testing::Test {
 protected:
  Links() { start(); }
  ~Links() override {
    ray::Shutdown();
    unsetenv("FLOWRAY_LINKS");
    EXPECT_EQ(links_of_process(), 0);
  }

  void start() {
    setenv("FLOWRAY_LINKS", "1", 0);
    ray::Init({.num_cpus = 1, .object_store_memory = size_t{64} << 20, .shutdown_timeout_ms = 100});
    caller = ray::Actor(Linked::Create).Remote();
    callee = ray::Actor(Linked::Create).Remote();
  }
  template <typename T>
  static T value(const ray::ObjectRef<T>& call) {
    return *call.Get(kGuardMs);
  }
  /// That is not there.
  std::string path() const {
    return ::testing::TempDir() + "links_" + std::to_string(getpid()) + "_" +
           ::testing::UnitTest::GetInstance()->current_test_info()->name();
  }

  ray::ActorHandle<Linked> caller;
  ray::ActorHandle<Linked> callee;
};

TEST_F(Links, AreThereOnceAnActorHasCalledAnother) {
  EXPECT_EQ(value(caller.Task(&Linked::AskOneByOne).Remote(callee, 1000)), 1000);
  EXPECT_EQ(value(caller.Task(&Linked::Links).Remote()), 1);
  EXPECT_EQ(value(callee.Task(&Linked::Links).Remote()), 1);
  // And back: a link of its own.
  EXPECT_EQ(value(callee.Task(&Linked::AskOneByOne).Remote(caller, 1000)), 1000);
  EXPECT_EQ(value(callee.Task(&Linked::Links).Remote()), 2);
}

TEST_F(Links, AreNotMadeWhereTheEnvironmentForbidsThem) {
  ray::Shutdown();
  setenv("FLOWRAY_LINKS", "0", 1);
  start();
  unsetenv("FLOWRAY_LINKS");
  EXPECT_EQ(value(caller.Task(&Linked::AskOneByOne).Remote(callee, 1000)), 1000);
  EXPECT_EQ(value(caller.Task(&Linked::Links).Remote()), 0);
}

TEST_F(Links, AreRefusedByInitWhereTheEnvironmentHasAnotherWord) {
  ray::Shutdown();
  setenv("FLOWRAY_LINKS", "maybe", 1);
  try {
    ray::Init({.num_cpus = 1});
    ADD_FAILURE() << "took it";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_NE(error.message().find("FLOWRAY_LINKS is 'maybe'"), std::string::npos) << error.message();
  }
  EXPECT_FALSE(ray::IsInitialized());
}

TEST_F(Links, WakeAProcessThatFallsAsleep) {
  constexpr int kCalls = kSanitized ? 1000 : 10'000;
  EXPECT_EQ(value(caller.Task(&Linked::AskAsItFallsAsleep).Remote(callee, kCalls)), kCalls);
}

TEST_F(Links, LeaveNothingInTheStoreOfAnswersThatNobodyReads) {
  EXPECT_EQ(value(caller.Task(&Linked::ForgetTexts).Remote(callee, 60)), 1);
  // Seven eighths of the store, of which those would have taken all.
  EXPECT_NO_THROW(ray::Put(Array(std::vector<float>((size_t{56} << 20) / 4, 1.0f))));
}

TEST_F(Links, EndWithAnActorThatEndsItself) {
  EXPECT_EQ(value(caller.Task(&Linked::OutliveExit).Remote(callee)), "dead, dead");
}

TEST_F(Links, GiveAnswersThatWereThereBeforeADeath) {
  EXPECT_EQ(value(caller.Task(&Linked::ReadAfterDeath).Remote(callee)), "1, 2, text, dead");
}

TEST_F(Links, KeepTheOrderOfCallsThatAreMadeAtOnce) {
  EXPECT_EQ(value(caller.Task(&Linked::AskAtOnce).Remote(callee, 5000)), 5000);  // more than a ring takes
  EXPECT_EQ(value(caller.Task(&Linked::AskAtOnce).Remote(callee, 300)), 5300);
}

TEST_F(Links, KeepTheOrderWithCallsThatGoThroughTheDriver) {
  constexpr int kCalls = 2000;
  EXPECT_EQ(value(caller.Task(&Linked::NoteInTurn).Remote(callee, kCalls)), 1);
  std::vector<int> expected;
  for (int i = 0; i < kCalls; ++i) expected.push_back(i);
  EXPECT_EQ(value(callee.Task(&Linked::Noted).Remote()), expected);
}

TEST_F(Links, KeepTheOrderWhereMostValuesGoToTheDriver) {
  constexpr int kCalls = 1000;
  EXPECT_EQ(value(caller.Task(&Linked::NoteForLongAnswers).Remote(callee, kCalls)), 1);
  std::vector<int> expected;
  for (int i = 0; i < kCalls; ++i) expected.push_back(i);
  EXPECT_EQ(value(callee.Task(&Linked::Noted).Remote()), expected);
}

TEST_F(Links, CarryErrors) {
  const std::string told = value(caller.Task(&Linked::FailureOf).Remote(callee));
  EXPECT_NE(told.find("'Linked::Fail' failed in process"), std::string::npos) << told;
  EXPECT_NE(told.find("no 7"), std::string::npos) << told;
}

TEST_F(Links, GiveWhatTheyDoNotCarryToTheDriver) {
  for (const int bytes : {10, 16'000, 20'000, 1'000'000})
    EXPECT_EQ(value(caller.Task(&Linked::AskText).Remote(callee, bytes)), bytes);
  EXPECT_EQ(value(caller.Task(&Linked::AskReference).Remote(callee)), 11);
}

TEST_F(Links, ReturnReferencesThatGoOn) {
  const std::string file = path();
  const auto refs = value(caller.Task(&Linked::PassOn).Remote(callee, file));
  ASSERT_EQ(refs.size(), 2u);
  EXPECT_EQ(value(refs[0]), 5);
  // The second one waits, and its caller has gone: the callee answers the driver.
  EXPECT_TRUE(ray::Wait(std::vector{refs[1]}, 1, 0).ready.empty());
  caller.Kill();
  std::ofstream(file) << "go on";
  EXPECT_EQ(value(refs[1]), 6);
  unlink(file.c_str());
}

TEST_F(Links, ReturnReferencesThatAreArguments) {
  EXPECT_EQ(value(caller.Task(&Linked::UseAsArguments).Remote(callee)), 222);
}

TEST_F(Links, EndWithTheirActor) {
  EXPECT_EQ(value(caller.Task(&Linked::OutliveDeath).Remote(callee)), "dead, dead");
  EXPECT_EQ(value(caller.Task(&Linked::Links).Remote()), 0);
  const auto again = ray::Actor(Linked::Create).SetMaxRestarts(1).Remote();
  EXPECT_EQ(value(caller.Task(&Linked::OutliveDeath).Remote(again)), "dead, 0");
}

TEST_F(Links, TakeNoCallAfterAKill) {
  const auto again = ray::Actor(Linked::Create).SetMaxRestarts(-1).Remote();
  for (int i = 0; i < 20; ++i) {
    const int pid = value(again.Task(&Linked::Pid).Remote());
    EXPECT_EQ(value(caller.Task(&Linked::KillAndAsk).Remote(again, pid)), 1);
  }
  EXPECT_EQ(value(caller.Task(&Linked::KillForGoodAndAsk).Remote(callee)), "dead");
}

TEST_F(Links, EndWithTheirCallerAfterItsCalls) {
  const std::string file = path();
  EXPECT_THROW(value(caller.Task(&Linked::LeaveCalls).Remote(callee, file)), ray::RayActorException);
  std::ofstream(file) << "go on";
  const auto other = ray::Actor(Linked::Create).Remote();
  EXPECT_EQ(value(other.Task(&Linked::AskOneByOne).Remote(callee, 100)), 110);
  EXPECT_EQ(value(callee.Task(&Linked::Links).Remote()), 1);
  unlink(file.c_str());
}

TEST_F(Links, CarryCancels) {
  const std::string file = path();
  EXPECT_EQ(value(caller.Task(&Linked::CancelRunning).Remote(callee, file)), "1, cancelled, 0");
  unlink(file.c_str());
}

TEST_F(Links, CarryTheCancelOfACallerToWhatItHasCalled) {
  const auto third = ray::Actor(Linked::Create).Remote();
  EXPECT_EQ(value(caller.Task(&Linked::AskOneByOne).Remote(callee, 20)), 20);
  EXPECT_EQ(value(callee.Task(&Linked::AskOneByOne).Remote(third, 20)), 20);
  const std::string file = path();
  // From the caller to the callee and from there to the third, both by links.
  const auto call = caller.Task(&Linked::AskToAsk).Remote(callee, third, file);
  while (access(file.c_str(), F_OK) != 0) std::this_thread::yield();
  ray::Cancel(call);
  EXPECT_THROW(value(call), ray::RayException);
  EXPECT_EQ(value(third.Task(&Linked::Add).Remote(0)), 20);  // it waits no more
  unlink(file.c_str());
}

TEST_F(Links, CarryTheCancelOfACallToTheTasksItHasMade) {
  EXPECT_EQ(value(caller.Task(&Linked::AskOneByOne).Remote(callee, 20)), 20);
  const std::string file = path();
  const auto call = caller.Task(&Linked::AskForWaiting).Remote(callee, file);
  while (access(file.c_str(), F_OK) != 0) std::this_thread::yield();
  ray::Cancel(call);
  EXPECT_THROW(value(call), ray::RayException);
  EXPECT_EQ(value(ray::Task(linked_plus_one).Remote(1)), 2);  // the one processor is free again
  unlink(file.c_str());
}

TEST_F(Links, LeaveTheProcessorOfACallerThatWaits) {
  const auto greedy = ray::Actor(Linked::Create).SetResource("CPU", 1).Remote();
  EXPECT_EQ(value(greedy.Task(&Linked::AskForTask).Remote(callee)), 5);
}

TEST_F(Links, ShowWhatTheirCalleeHasMade) {
  EXPECT_EQ(value(caller.Task(&Linked::FindBorn).Remote(callee, 20)), 20);
}

TEST_F(Links, KeepTimeouts) {
  const std::string file = path();
  EXPECT_EQ(value(caller.Task(&Linked::TimeOut).Remote(callee, file)), 31);
  unlink(file.c_str());
}

TEST_F(Links, KeepACallApartFromThoseThatOvertakeIt) {
  const auto wide = ray::Actor(Linked::Create).SetMaxConcurrency(4).Remote();
  const std::string file = path();
  EXPECT_EQ(value(caller.Task(&Linked::OutliveTickets).Remote(wide, file)),
            "by a link, timeout, not ready, 3");
  unlink(file.c_str());
}

TEST_F(Links, EndWhereTheirCallerCannotMapThem) {
  if (kSanitized) GTEST_SKIP() << "sanitizers need descriptors themselves";
  EXPECT_EQ(value(caller.Task(&Linked::AskWithoutDescriptors).Remote(callee, 200)), 1000);
  EXPECT_EQ(value(caller.Task(&Linked::Links).Remote()), 1);
  EXPECT_EQ(value(callee.Task(&Linked::Links).Remote()), 1);
}

}  // namespace
}  // namespace flowray
