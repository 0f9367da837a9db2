// Calls that are cancelled: before they begin, while they run, while they wait, and what they have called.

#include <flowray/ray.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

#include "support/own_processes.h"

namespace flowray {
namespace {

/// Only a hang takes this long.
constexpr int kGuardMs = 60'000;

/// Where calls say that they have come so far, and are kept until they may go on.
class Gate {
 public:
  static Gate* Create() { return new Gate; }
  void Pass() { ++passed_; }
  int Passed() const { return passed_; }
  /// Of a threaded gate: waits for so many.
  void Await(int count) const {
    while (passed_ < count) std::this_thread::yield();
  }

 private:
  std::atomic<int> passed_{0};
};
using GateHandle = ray::ActorHandle<Gate>;

int cancellable_add_one(int n) { return n + 1; }
int run_until_cancelled(GateHandle gate) {
  gate.Task(&Gate::Pass).Remote();
  while (!ray::IsCancelled()) std::this_thread::yield();
  return 5;
}
int throw_when_cancelled(GateHandle gate) {
  run_until_cancelled(gate);
  throw ray::TaskCancelledException("I was told to stop.");
}
int run_for_ever(GateHandle gate) {
  gate.Task(&Gate::Pass).Remote().Get();
  for (;;) pause();
}
/// Waits for what does not come; the second time it is not told again.
int wait_for(GateHandle gate, std::vector<ray::ObjectRef<int>> value, bool by_wait) {
  gate.Task(&Gate::Pass).Remote();
  try {
    if (by_wait) {
      ray::Wait(value, 1, -1);
    } else {
      value[0].Get();
    }
  } catch (const ray::TaskCancelledException&) {
    if (!ray::IsCancelled()) return -1;
    if (*ray::Put(7).Get() != 7) return -2;
    throw;
  }
  return 0;
}
int parent_of(GateHandle gate, int depth) {
  if (depth == 0) return run_until_cancelled(gate);
  return *ray::Task(parent_of).Remote(gate, depth - 1).Get();
}
int cancel_other(std::vector<ray::ObjectRef<int>> other, bool force) {
  ray::Cancel(other[0], {.force = force});
  return 1;
}
int get_other(std::vector<ray::ObjectRef<int>> other) { return *other[0].Get(); }

class Cancellable {
 public:
  static Cancellable* Create() { return new Cancellable; }
  int Run(GateHandle gate) { return run_until_cancelled(gate); }
  int Count() { return ++count_; }
  void CallWhenCancelled(GateHandle gate) {
    answer_ = ray::internal::backend().answer_later();
    answer_->when_cancelled([this] {
      answer_->results()[0].write_nil();
      answer_->send(true);
    });
    gate.Task(&Gate::Pass).Remote();
  }

 private:
  int count_ = 0;
  std::unique_ptr<ray::internal::LaterAnswer> answer_;
};

RAY_REMOTE(Gate::Create, &Gate::Pass, &Gate::Passed, &Gate::Await, cancellable_add_one, run_until_cancelled,
           throw_when_cancelled, run_for_ever, wait_for, parent_of, cancel_other, get_other);
RAY_REMOTE(Cancellable::Create, &Cancellable::Run, &Cancellable::Count, &Cancellable::CallWhenCancelled);

class Cancelling : public ::testing::Test {
 protected:
  Cancelling() {
    ray::Init({.num_cpus = 1, .object_store_memory = size_t{256} << 20, .shutdown_timeout_ms = 100});
    gate = ray::Actor(Gate::Create).SetMaxConcurrency(2).Remote();
  }
  ~Cancelling() override { ray::Shutdown(); }

  void await(int passed) const { gate.Task(&Gate::Await).Remote(passed).Get(kGuardMs); }
  template <typename T>
  static std::string cancelled_text(const ray::ObjectRef<T>& ref) {
    try {
      ref.Get(kGuardMs);
    } catch (const ray::TaskCancelledException& error) {
      return error.what();
    } catch (const std::exception& error) {
      return std::string("another error: ") + error.what();
    }
    return "a value";
  }

  GateHandle gate;
};

TEST_F(Cancelling, KeepsATaskFromBeginning) {
  const auto running = ray::Task(run_until_cancelled).Remote(gate);
  await(1);
  const auto waiting = ray::Task(cancellable_add_one).Remote(1);
  const auto dependent = ray::Task(cancellable_add_one).Remote(waiting);
  ray::Cancel(waiting);
  EXPECT_EQ(cancelled_text(waiting), "Task: cancellable_add_one was cancelled. It had not begun.");
  EXPECT_EQ(cancelled_text(dependent), "Task: cancellable_add_one was cancelled. It had not begun.");
  ray::Cancel(running);
  EXPECT_EQ(*running.Get(kGuardMs), 5) << "what it returns all the same is its result";
  ray::Cancel(running);  // is done
  EXPECT_EQ(*running.Get(), 5);
}

TEST_F(Cancelling, LeavesWhatWasPut) {
  const auto value = ray::Put(3);
  ray::Cancel(value);
  EXPECT_EQ(*value.Get(), 3);
}

TEST_F(Cancelling, EndsATaskThatThrowsOfIt) {
  const auto running = ray::Task(throw_when_cancelled).Remote(gate);
  await(1);
  ray::Cancel(running);
  EXPECT_EQ(cancelled_text(running), "I was told to stop.");
  EXPECT_EQ(*ray::Task(cancellable_add_one).Remote(1).Get(kGuardMs), 2) << "the worker goes on";
}

TEST_F(Cancelling, WakesATaskThatWaitsAndTellsItOnce) {
  const auto cancellable = ray::Actor(Cancellable::Create).Remote();
  const auto awaited = cancellable.Task(&Cancellable::Run).Remote(gate);
  int passed = 1;
  await(passed);
  for (const bool by_wait : {false, true}) {
    const auto waiting = ray::Task(wait_for).Remote(gate, std::vector<ray::ObjectRef<int>>{awaited}, by_wait);
    await(++passed);
    ray::Cancel(waiting);
    EXPECT_EQ(cancelled_text(waiting), "Task: wait_for was cancelled. It waited for a value.");
  }
  EXPECT_THROW(awaited.Get(0), ray::RayTimeoutException);
}

TEST_F(Cancelling, EndsTheProcessOfATaskByForce) {
  const auto running = ray::Task(run_for_ever).SetMaxRetries(-1).Remote(gate);
  await(1);
  ray::Cancel(running, {.force = true});
  EXPECT_EQ(cancelled_text(running), "Task: run_for_ever was cancelled. Its process was ended.");
  EXPECT_EQ(*ray::Task(cancellable_add_one).Remote(1).Get(kGuardMs), 2);
}

TEST_F(Cancelling, ReachesWhatTheCallHasCalled) {
  const auto parent = ray::Task(parent_of).Remote(gate, 3);
  await(1);
  ray::Cancel(parent);
  EXPECT_EQ(cancelled_text(parent), "Task: parent_of was cancelled. It waited for a value.");
  // The innermost one has ended, too, or its processor would not be free.
  EXPECT_EQ(*ray::Task(cancellable_add_one).Remote(1).Get(kGuardMs), 2);
}

TEST_F(Cancelling, LeavesWhatTheCallHasCalledIfAskedTo) {
  const auto parent = ray::Task(parent_of).Remote(gate, 1);
  await(1);
  ray::Cancel(parent, {.recursive = false});
  EXPECT_EQ(cancelled_text(parent), "Task: parent_of was cancelled. It waited for a value.");
  const auto next = ray::Task(cancellable_add_one).Remote(1);
  EXPECT_THROW(next.Get(0), ray::RayTimeoutException) << "its child has the only processor";
}

TEST_F(Cancelling, KeepsAnActorsCallFromBeginning) {
  const auto cancellable = ray::Actor(Cancellable::Create).Remote();
  const auto running = cancellable.Task(&Cancellable::Run).Remote(gate);
  await(1);
  const auto first = cancellable.Task(&Cancellable::Count).Remote();
  const auto second = cancellable.Task(&Cancellable::Count).Remote();
  ray::Cancel(first);
  ray::Cancel(running);
  EXPECT_EQ(*running.Get(kGuardMs), 5);
  EXPECT_EQ(cancelled_text(first), "Task: Cancellable::Count was cancelled. It had not begun.");
  EXPECT_EQ(*second.Get(kGuardMs), 1);
}

TEST_F(Cancelling, LetsAnActorsCallsPassOneWhoseArgumentDoesNotCome) {
  const auto never = ray::Task(run_for_ever).Remote(gate);
  await(1);
  const auto waits = gate.Task(&Gate::Await).Remote(never);  // in the gate's line
  const auto behind = gate.Task(&Gate::Passed).Remote();
  ray::Cancel(waits);
  EXPECT_EQ(cancelled_text(waits), "Task: Gate::Await was cancelled. It had not begun.");
  EXPECT_EQ(*behind.Get(kGuardMs), 1);
  ray::Cancel(never, {.force = true});
  EXPECT_EQ(cancelled_text(never), "Task: run_for_ever was cancelled. Its process was ended.");
}

TEST_F(Cancelling, OfActorsCallsKnowsNoForce) {
  const auto cancellable = ray::Actor(Cancellable::Create).Remote();
  const auto running = cancellable.Task(&Cancellable::Run).Remote(gate);
  await(1);
  for (const bool in_worker : {false, true}) {
    try {
      if (in_worker) {
        ray::Task(cancel_other).Remote(std::vector<ray::ObjectRef<int>>{running}, true).Get(kGuardMs);
      } else {
        ray::Cancel(running, {.force = true});
      }
      ADD_FAILURE() << "it was cancelled";
    } catch (const ray::RayException& error) {
      EXPECT_NE(std::string(error.what()).find("force=True is not supported for actor tasks."),
                std::string::npos)
          << error.what();
    }
  }
  ray::Task(cancel_other).Remote(std::vector<ray::ObjectRef<int>>{running}, false).Get(kGuardMs);
  EXPECT_EQ(*running.Get(kGuardMs), 5);
}

TEST_F(Cancelling, OfAnotherCallIsATasksErrorToWhoGetsIt) {
  const auto running = ray::Task(throw_when_cancelled).Remote(gate);
  await(1);
  const auto other =
      ray::Task(get_other).SetResource("CPU", 0.001).Remote(std::vector<ray::ObjectRef<int>>{running});
  ray::Cancel(running);
  EXPECT_EQ(cancelled_text(running), "I was told to stop.");
  try {
    other.Get(kGuardMs);
    FAIL() << "it has a value";
  } catch (const ray::RayTaskException& error) {
    EXPECT_EQ(error.failure().class_name, "flowray::ray::TaskCancelledException");
  }
}

TEST_F(Cancelling, TellsWhoAnswersLater) {
  ray::internal::CallOptions options;
  ray::internal::fill_function(options, ray::internal::FunctionKey::of(Cancellable::Create),
                               typeid(Cancellable::Create));
  options.max_concurrency = 10;
  options.answers_later = true;
  ray::internal::EncoderLease arguments;
  (*arguments).begin_list(0);
  const ray::ActorHandle<Cancellable> cancellable(
      ray::internal::create_actor(options, typeid(&Cancellable::Create), *arguments));
  const auto call = cancellable.Task(&Cancellable::CallWhenCancelled).Remote(gate);
  await(1);
  ray::Cancel(call);
  call.Get(kGuardMs);
}

TEST(LocalCancelling, ComesTooLate) {
  ray::Init({.local_mode = true});
  const auto done = ray::Task(cancellable_add_one).Remote(1);
  ray::Cancel(done);
  EXPECT_EQ(*done.Get(), 2);
  EXPECT_FALSE(ray::IsCancelled());
  ray::Shutdown();
}

}  // namespace
}  // namespace flowray
