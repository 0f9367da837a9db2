// Programs in a simulation of crashes, delays and lost messages (flowray/ray/testing.h).

#include <flowray/ray.h>
#include <flowray/ray/testing.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace flowray {
namespace {

using ::testing::HasSubstr;

class Bank {
 public:
  static Bank* Create() { return new Bank; }
  /// Twice is once.
  int Pay(int number, int amount) {
    if (paid_.insert(number).second) balance_ += amount;
    return balance_;
  }
  /// Twice is twice.
  int PayBlindly(int amount) { return balance_ += amount; }
  int Balance() const { return balance_; }
  std::pair<std::vector<int>, int> checkpoint() const { return {{paid_.begin(), paid_.end()}, balance_}; }
  void restore(const std::pair<std::vector<int>, int>& state) {
    paid_ = {state.first.begin(), state.first.end()};
    balance_ = state.second;
  }

 private:
  std::set<int> paid_;
  int balance_ = 0;
};
class Forgetful {
 public:
  static Forgetful* Create() { return new Forgetful; }
  int Add(int x) { return sum_ += x; }
  bool WasMadeAgain() const { return ray::WasCurrentActorRestarted(); }
  int AddTo(ray::ActorHandle<Forgetful> other, int x) const {
    return *other.Task(&Forgetful::Add).Remote(x).Get();
  }
  int WaitFor(std::vector<ray::ObjectRef<int>> never) const { return *never[0].Get(); }
  void End() { ray::ExitActor(); }

 private:
  int sum_ = 0;
};
class Woven {
 public:
  static Woven* Create() { return new Woven; }
  ray::Async<int> Sum(std::vector<ray::ObjectRef<int>> refs) {
    int sum = 0;
    for (const auto& ref : refs) sum += *co_await ref;
    co_return sum;
  }
};

int simulated_square(int x) { return x * x; }
int simulated_sum(int n) {
  std::vector<ray::ObjectRef<int>> squares;
  for (int i = 0; i < n; ++i) squares.push_back(ray::Task(simulated_square).SetMaxRetries(-1).Remote(i));
  int sum = 0;
  for (const auto& square : squares) sum += *square.Get();
  return sum;
}
int simulated_wait(std::vector<ray::ObjectRef<int>> refs) { return *refs[0].Get(); }
int simulated_name() {
  if (!ray::GetActor<Forgetful>("named"))
    ray::Actor(Forgetful::Create).SetName("named").SetMaxRestarts(-1).SetMaxTaskRetries(-1).Remote();
  return 1;
}
int simulated_throw(int x) { throw std::out_of_range("no " + std::to_string(x)); }
ray::Generator<int> simulated_count(int n) {
  for (int i = 0; i < n; ++i) co_yield i;
}

RAY_REMOTE(Bank::Create, &Bank::Pay, &Bank::PayBlindly, &Bank::Balance, Forgetful::Create, &Forgetful::Add,
           &Forgetful::WasMadeAgain, &Forgetful::AddTo, &Forgetful::WaitFor, &Forgetful::End, Woven::Create,
           &Woven::Sum, simulated_square, simulated_sum, simulated_wait, simulated_name, simulated_throw,
           simulated_count);

/// That never comes: the actor waits for itself.
ray::ObjectRef<int> never_there() {
  const auto actor = ray::Actor(Forgetful::Create).Remote();
  return actor.Task(&Forgetful::AddTo).Remote(actor, 1);
}

constexpr ray::testing::Faults kBad{.crash = 0.03, .lost_call = 0.03, .lost_answer = 0.03, .delay = 0.1};

TEST(Simulations, RunsTasksActorsAndValues) {
  ray::testing::Explore(20, {}, [](ray::testing::Simulation& simulation) {
    EXPECT_EQ(*ray::Task(simulated_square).Remote(ray::Put(3)).Get(), 9);
    EXPECT_EQ(*ray::Task(simulated_sum).Remote(4).Get(), 14);
    EXPECT_THROW(ray::Task(simulated_throw).Remote(1).Get(), ray::RayTaskException);
    const auto one = ray::Actor(Forgetful::Create).SetName("one").Remote();
    const auto two = ray::Actor(Forgetful::Create).Remote();
    EXPECT_EQ(*two.Task(&Forgetful::AddTo).Remote(one, 5).Get(), 5);
    EXPECT_EQ(ray::GetActor<Forgetful>("one")->ID(), one.ID());
    int next = 0;
    for (const auto& ref : ray::Task(simulated_count).SetGeneratorBackpressure(1).Remote(3))
      EXPECT_EQ(*ref.Get(), next++);
    EXPECT_EQ(next, 3);
    one.Task(&Forgetful::End).Remote();
    EXPECT_THROW(one.Task(&Forgetful::Add).Remote(1).Get(), ray::RayActorException);
    EXPECT_EQ(simulation.NumCrashes() + simulation.NumLost(), 0);
  });
}

TEST(Simulations, CallsOfOneCallerBeginInTheirOrder) {
  std::set<std::vector<int>> orders;
  ray::testing::Explore(50, {}, [&](ray::testing::Simulation&) {
    const auto sum = ray::Actor(Forgetful::Create).Remote();
    const auto other = ray::Actor(Forgetful::Create).Remote();
    std::vector<ray::ObjectRef<int>> refs;
    refs.push_back(other.Task(&Forgetful::AddTo).Remote(sum, 100));
    refs.push_back(sum.Task(&Forgetful::Add).Remote(1));
    refs.push_back(sum.Task(&Forgetful::Add).Remote(2));
    std::vector<int> values;
    for (const auto& ref : refs) values.push_back(*ref.Get());
    EXPECT_LT(values[1], values[2]);
    orders.insert(values);
  });
  EXPECT_EQ(orders.size(), 3u) << "the other caller's comes first, between them, or last";
}

TEST(Simulations, CoroutinesGoOn) {
  ray::testing::Explore(20, {}, [](ray::testing::Simulation&) {
    const auto woven = ray::Actor(Woven::Create).Remote();
    std::vector<ray::ObjectRef<int>> sums;
    for (int i = 0; i < 3; ++i) {
      sums.push_back(woven.Task(&Woven::Sum)
                         .Remote(std::vector{ray::Task(simulated_square).Remote(i),
                                             ray::Task(simulated_square).Remote(2)}));
    }
    for (int i = 0; i < 3; ++i) EXPECT_EQ(*sums[static_cast<size_t>(i)].Get(), i * i + 4);
  });
}

TEST(Simulations, CoroutinesHearThatTheyAreCancelled) {
  ray::testing::Explore(20, {}, [](ray::testing::Simulation&) {
    const auto woven = ray::Actor(Woven::Create).Remote();
    const std::vector never{never_there()};
    const auto sum = woven.Task(&Woven::Sum).Remote(never);
    EXPECT_TRUE(ray::Wait(never, 1, 10).ready.empty()) << "all that can happen has: the coroutine awaits";
    ray::Cancel(sum);
    EXPECT_THROW(sum.Get(), ray::TaskCancelledException);
    EXPECT_EQ(*woven.Task(&Woven::Sum).Remote(std::vector{ray::Put(3)}).Get(), 3) << "the actor goes on";
  });
}

TEST(Simulations, GeneratorsGiveAllWhateverGoesWrong) {
  ray::testing::Explore(100, kBad, [](ray::testing::Simulation&) {
    std::vector<int> values;
    for (const auto& ref : ray::Task(simulated_count).SetGeneratorBackpressure(1).SetMaxRetries(-1).Remote(8))
      values.push_back(*ref.Get());
    EXPECT_EQ(values, (std::vector{0, 1, 2, 3, 4, 5, 6, 7}));
  });
}

TEST(Simulations, NamesAreOfActorsThatAreMade) {
  ray::testing::Explore(50, {.crash = 0.3}, [](ray::testing::Simulation& simulation) {
    ray::Task(simulated_name).SetMaxRetries(-1).Remote().Get();
    simulation.SetFaults({});
    EXPECT_EQ(*ray::GetActor<Forgetful>("named")->Task(&Forgetful::Add).Remote(5).Get(), 5);
  });
}

TEST(Simulations, DeadlinesPassWhereNothingElseCanHappen) {
  ray::testing::Explore(20, {}, [](ray::testing::Simulation&) {
    const std::vector never{never_there()};
    const auto task = ray::Task(simulated_wait).SetDeadline(50).Remote(never);
    try {
      task.Get();
      ADD_FAILURE();
    } catch (const ray::TaskCancelledException& error) {
      EXPECT_THAT(error.what(), HasSubstr("Its deadline of 50 ms has passed: its process was ended."));
    }
    const auto actor = ray::Actor(Forgetful::Create).Remote();
    const auto call = actor.Task(&Forgetful::AddTo).SetDeadline(50).Remote(actor, 1);
    EXPECT_THROW(call.Get(), ray::TaskCancelledException);
    EXPECT_EQ(*actor.Task(&Forgetful::Add).Remote(5).Get(), 5) << "what it has called is cancelled, too";
    EXPECT_EQ(*ray::Task(simulated_square).SetDeadline(1).Remote(3).Get(), 9) << "no time passes";
  });
}

TEST(Simulations, DeadlinesPassByDelays) {
  int late = 0;
  ray::testing::Explore(100, {.delay = 0.2}, [&](ray::testing::Simulation&) {
    const auto sum = ray::Task(simulated_sum).SetDeadline(50).Remote(4);
    try {
      EXPECT_EQ(*sum.Get(), 14);
    } catch (const ray::TaskCancelledException& error) {
      EXPECT_THAT(error.what(), HasSubstr("Its deadline of 50 ms has passed: it"));
      ++late;
    }
  });
  EXPECT_GT(late, 10);
  EXPECT_LT(late, 90);
}

TEST(Simulations, WhatIsPromisedHoldsWhateverGoesWrong) {
  int crashes = 0;
  int lost = 0;
  ray::testing::Explore(100, kBad, [&](ray::testing::Simulation& simulation) {
    const auto bank = ray::Actor(Bank::Create).SetMaxRestarts(-1).SetMaxTaskRetries(-1).Remote();
    for (int i = 0; i < 5; ++i) EXPECT_GE(*bank.Task(&Bank::Pay).Remote(i, 10).Get(), 10 * (i + 1));
    EXPECT_EQ(*bank.Task(&Bank::Balance).Remote().Get(), 50);
    EXPECT_EQ(*ray::Task(simulated_sum).SetMaxRetries(-1).Remote(4).Get(), 14);
    crashes += simulation.NumCrashes();
    lost += simulation.NumLost();
  });
  EXPECT_GT(crashes, 30);
  EXPECT_GT(lost, 30);
}

TEST(Simulations, FindWhatAProgramHasNotThoughtOf) {
  std::string found;
  try {
    ray::testing::Explore(300, kBad, [](ray::testing::Simulation&) {
      const auto bank = ray::Actor(Bank::Create).SetMaxRestarts(-1).SetMaxTaskRetries(-1).Remote();
      for (int i = 0; i < 5; ++i) bank.Task(&Bank::PayBlindly).Remote(10).Get();
      const int balance = *bank.Task(&Bank::Balance).Remote().Get();
      if (balance != 50) throw std::logic_error("the balance is " + std::to_string(balance));
    });
  } catch (const ray::RayException& error) {
    found = error.what();
  }
  EXPECT_THAT(found, HasSubstr("FLOWRAY_SIMULATION_SEED="));
  EXPECT_THAT(found, HasSubstr("the balance is"));
  EXPECT_THAT(found, HasSubstr("was lost"));
}

TEST(Simulations, AreTheSameForASeed) {
  const auto trace_of = [](uint64_t seed) {
    ray::testing::Simulation simulation(seed, kBad);
    const auto bank = ray::Actor(Bank::Create).SetMaxRestarts(-1).SetMaxTaskRetries(-1).Remote();
    std::vector<ray::ObjectRef<int>> calls;
    for (int i = 0; i < 10; ++i) calls.push_back(bank.Task(&Bank::Pay).Remote(i, 10));
    ray::Wait(calls, 10, 1000);
    ray::Task(simulated_sum).SetMaxRetries(-1).Remote(4).Get();
    return simulation.Trace();
  };
  EXPECT_EQ(trace_of(7), trace_of(7));
  EXPECT_NE(trace_of(7), trace_of(8));
}

TEST(Simulations, CrashAnActorWhenTheyAreTold) {
  ray::testing::Simulation simulation(1);
  const auto actor = ray::Actor(Forgetful::Create).SetMaxRestarts(1).Remote();
  EXPECT_EQ(*actor.Task(&Forgetful::Add).Remote(1).Get(), 1);
  simulation.Crash(actor);
  EXPECT_TRUE(*actor.Task(&Forgetful::WasMadeAgain).Remote().Get());
  EXPECT_EQ(*actor.Task(&Forgetful::Add).Remote(1).Get(), 1);
  simulation.Crash(actor);
  EXPECT_THROW(actor.Task(&Forgetful::Add).Remote(1).Get(), ray::RayActorException);
  EXPECT_EQ(simulation.NumCrashes(), 2);
}

TEST(Simulations, SayWhatWaitsWhereNothingCanHappen) {
  ray::testing::Simulation simulation(1);
  const auto one = ray::Actor(Forgetful::Create).Remote();
  const auto waits_for_itself = one.Task(&Forgetful::WaitFor);
  std::vector<ray::ObjectRef<int>> behind{one.Task(&Forgetful::AddTo).Remote(one, 1)};
  try {
    waits_for_itself.Remote(behind).Get();
    FAIL();
  } catch (const ray::RayException& error) {
    EXPECT_THAT(error.what(), HasSubstr("It waits: Forgetful::AddTo (2)"));
  }
  EXPECT_FALSE(ray::Wait(behind, 1, 10).ready.size() == 1) << "its time is over, as nothing else can happen";
}

TEST(Simulations, TakeThePlaceOfTheRuntime) {
  const ray::testing::Simulation simulation(1);
  EXPECT_TRUE(ray::IsInitialized());
  EXPECT_THROW(ray::testing::Simulation(2), ray::RayException);
  EXPECT_THROW(ray::Init(), ray::RayException);
  EXPECT_THROW(ray::testing::Explore(1, {.crash = 2}, [](ray::testing::Simulation&) {}), ray::RayException);
}

}  // namespace
}  // namespace flowray
