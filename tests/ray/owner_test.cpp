// The owner, message by message: what a worker is sent for what another one said.

#include "ray/owner.h"

#include <flowray/errors.h>
#include <flowray/ray/errors.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ray/value.h"
#include "support/simulated_value.h"
#include "support/simulated_world.h"

namespace flowray::ray {
namespace {

/// A driver and its workers, of which each does what the test says.
class OwnerTest : public ::testing::Test {
 protected:
  explicit OwnerTest(uint32_t num_cpus = 1) : world(num_cpus), owner(world, limits(num_cpus)) {}

  static Owner::Limits limits(uint32_t num_cpus) {
    Owner::Limits limits;
    limits.num_cpus = num_cpus;
    limits.store_bytes = uint64_t{64} << 20;
    limits.most_in_flight = SimulatedWorld::kTickets / 2;
    return limits;
  }

  // ---- the driver

  static StoredValue heap(const std::vector<std::byte>& bytes) {
    StoredValue value;
    value.bytes = Buffer::allocate(bytes.size());
    std::ranges::copy(bytes, value.bytes->data());
    return value;
  }
  /// A call without arguments but `refs`.
  Submission call(CallMode mode, std::vector<ObjectId> refs = {}) {
    refs_ = std::move(refs);
    Submission submission;
    submission.mode = mode;
    submission.function = {1};
    submission.function_name = "called";
    submission.class_name = mode == CallMode::kTask ? "" : "Class";
    submission.cpu_milli = mode == CallMode::kTask ? 1000 : 0;
    submission.num_returns = mode == CallMode::kMakeActor ? 0 : 1;
    if (mode != CallMode::kMakeActor) submission.first_return = owner.new_objects();
    submission.arguments = heap(encode(SimulatedValue{}));
    submission.refs = refs_;
    return submission;
  }
  ObjectId submit(const Submission& submission) {
    owner.submit(submission);
    return submission.first_return;
  }
  ObjectId submit_task(std::vector<ObjectId> refs = {}) {
    return submit(call(CallMode::kTask, std::move(refs)));
  }
  ActorId make_actor(std::string_view name = {}, uint32_t max_restarts = 0, std::vector<ObjectId> refs = {}) {
    Submission submission = call(CallMode::kMakeActor, std::move(refs));
    submission.actor = owner.new_actor();
    submission.name = name;
    submission.max_retries = max_restarts;
    owner.submit(submission);
    return submission.actor;
  }
  ObjectId call_actor(ActorId actor) {
    Submission submission = call(CallMode::kActorCall);
    submission.actor = actor;
    return submit(submission);
  }
  /// What the error in the object's place says; nothing if it is not ready or no error.
  std::optional<DecodedError> error_of(ObjectId object) {
    if (!owner.is_ready(object)) return std::nullopt;
    const StoredValue value = owner.begin_read(object);
    if (value.extent) owner.read_ended(object);
    if (!value.is_error) return std::nullopt;
    internal::ValueView view;
    view.bytes = value.extent ? world.view(value.extent)
                              : std::span(std::as_const(*value.bytes).data(), value.bytes->size_bytes());
    return decode_error(view);
  }

  // ---- the workers

  /// The calls that the worker was sent and has not taken yet.
  std::vector<TaskId> runs(WorkerId worker) {
    std::vector<TaskId> tasks;
    std::vector<ValuePart> parts;
    auto& queue = world.process(worker).to_worker;
    for (const SimulatedMessage& message : queue) {
      if (message.kind() == ray::Run::kKind)
        tasks.push_back(read_message<ray::Run>(message.bytes(), parts).task);
    }
    return tasks;
  }
  /// The worker takes all of its messages and begins the first of its calls.
  TaskId begin(WorkerId worker) {
    if (owner.pid(worker) == 0) say(worker, Started{1000 + worker.value});
    std::vector<ValuePart> parts;
    auto& queue = world.process(worker).to_worker;
    std::optional<TaskId> first;
    for (const SimulatedMessage& message : queue) {
      if (message.kind() != ray::Run::kKind) continue;
      const ray::Run run = read_message<ray::Run>(message.bytes(), parts);
      if (!first && (run.mode != CallMode::kTask || world.begin(worker, run.ticket))) first = run.task;
    }
    queue.clear();
    EXPECT_TRUE(first.has_value()) << "worker " << worker.value << " has nothing to run";
    return first.value_or(TaskId{});
  }
  template <class Message>
  void say(WorkerId worker, const Message& message) {
    world.post(worker, message);
    world.deliver(owner, worker);
  }
  static ValuePart part_of(const std::vector<std::byte>& bytes, bool is_error = false) {
    ValuePart part;
    part.bytes = bytes;
    part.is_error = is_error;
    return part;
  }
  void done(WorkerId worker, TaskId task) {
    const std::vector<std::byte> bytes = encode(SimulatedValue{});
    const ValuePart part = part_of(bytes);
    say(worker, Done{task, kLongNs, {&part, 1}});
  }
  void made(WorkerId worker, TaskId task) { say(worker, Done{task, kLongNs, {}}); }
  /// Writes the value where the worker has a lease and says nothing of it yet.
  ValuePart in_store(WorkerId worker, const std::vector<std::byte>& bytes, bool is_error = false) {
    say(worker, Lease{99, bytes.size()});
    std::vector<ValuePart> parts;
    const SimulatedMessage answer = world.process(worker).to_worker.back();
    world.process(worker).to_worker.pop_back();
    ValuePart part;
    part.extent = {read_message<Leased>(answer.bytes(), parts).slab, 0, bytes.size()};
    part.is_error = is_error;
    std::ranges::copy(bytes, world.data(part.extent));
    return part;
  }
  static ObjectId object_of(WorkerId worker, uint64_t number) {
    return {(uint64_t{worker.value} << 40) + number};
  }

  /// A call that takes so long that no worker is sent two.
  static constexpr uint64_t kLongNs = 1'000'000'000;

  SimulatedWorld world;
  Owner owner;

 private:
  std::vector<ObjectId> refs_;
};

constexpr WorkerId kFirst{1};
constexpr WorkerId kSecond{2};

std::string message_of(const std::optional<DecodedError>& error) {
  return error ? error->failure.message : "no error";
}

TEST_F(OwnerTest, SendsNoTaskToAnIdleWorkerWhileAllProcessorsAreTaken) {
  submit_task();
  const TaskId outer = begin(kFirst);
  const ObjectId awaited = submit_task();
  say(kFirst, Adopt{awaited});
  say(kFirst, GetValues{1, {&awaited, 1}});
  const TaskId inner = begin(kSecond);  // it stands in for the first one, which waits
  done(kSecond, inner);                 // and now it does not

  submit_task();
  EXPECT_EQ(runs(kSecond).size(), 0u);
  done(kFirst, outer);
  EXPECT_EQ(runs(kFirst).size() + runs(kSecond).size(), 1u);
}

TEST_F(OwnerTest, FailsACallWithAnErrorThatLiesInTheStore) {
  const ObjectId failed = submit_task();
  const ObjectId dependent = submit_task({failed});
  const TaskId task = begin(kFirst);
  const ValuePart part = in_store(kFirst, encode_failure("the long story"), true);
  say(kFirst, Done{task, kLongNs, {&part, 1}});

  ASSERT_TRUE(error_of(dependent).has_value());
  EXPECT_EQ(error_of(dependent)->failure.message, "the long story");
  owner.release(failed);
  owner.release(dependent);
  EXPECT_EQ(owner.store().used_bytes(), 0u);
}

TEST_F(OwnerTest, FailsAnActorsCallWithAnErrorThatLiesInTheStore) {
  const ActorId actor = make_actor();
  made(kFirst, begin(kFirst));
  const ObjectId failed = submit_task();
  Submission submission = call(CallMode::kActorCall, {failed});
  submission.actor = actor;
  const ObjectId dependent = submit(submission);
  const TaskId task = begin(kSecond);
  const ValuePart part = in_store(kSecond, encode_failure("the long story"), true);
  say(kSecond, Done{task, kLongNs, {&part, 1}});

  ASSERT_TRUE(error_of(dependent).has_value());
  EXPECT_EQ(error_of(dependent)->failure.message, "the long story");
}

TEST_F(OwnerTest, TellsTheCallsOfAnActorWhyItsConstructorFailedAtLength) {
  const ActorId actor = make_actor();
  const ObjectId waiting = call_actor(actor);
  const TaskId task = begin(kFirst);
  const ValuePart part = in_store(kFirst, encode_failure("the long story"), true);
  say(kFirst, Done{task, kLongNs, {&part, 1}});

  for (const ObjectId object : {waiting, call_actor(actor)}) {
    ASSERT_TRUE(error_of(object).has_value());
    EXPECT_EQ(error_of(object)->kind, ErrorKind::kActor);
    EXPECT_NE(error_of(object)->failure.message.find("the long story"), std::string::npos);
  }
  EXPECT_EQ(owner.store().used_bytes(), 0u);
}

TEST_F(OwnerTest, TakesNoneOfACallsValuesIfOneIsDamaged) {
  Submission two = call(CallMode::kTask);
  two.num_returns = 2;
  two.first_return = owner.new_objects(2);
  owner.submit(two);
  const TaskId task = begin(kFirst);
  const std::vector<std::byte> damaged(100);
  const ValuePart parts[] = {in_store(kFirst, encode(SimulatedValue{})), part_of(damaged)};
  EXPECT_THROW(say(kFirst, Done{task, kLongNs, parts}), errors::DataLossError);

  EXPECT_FALSE(owner.is_ready(two.first_return));
  EXPECT_EQ(owner.store().used_bytes(), 0u);
  world.die(owner, kFirst, "was killed");
  for (const uint64_t i : {0, 1}) {
    ASSERT_TRUE(error_of({two.first_return.value + i}).has_value());
    EXPECT_EQ(error_of({two.first_return.value + i})->kind, ErrorKind::kWorker);
  }
}

TEST_F(OwnerTest, FailsATaskThatNoProcessCanBeStartedFor) {
  world.refuse_processes(true);
  const ObjectId failed = submit_task();
  ASSERT_TRUE(error_of(failed).has_value());
  EXPECT_EQ(error_of(failed)->kind, ErrorKind::kWorker);
  EXPECT_NE(error_of(failed)->failure.message.find("too many processes"), std::string::npos);
  EXPECT_EQ(owner.num_workers(), 0u);
  EXPECT_EQ(owner.num_tasks(), 0u);

  world.refuse_processes(false);
  submit_task();
  EXPECT_EQ(owner.num_workers(), 1u);
}

TEST_F(OwnerTest, FailsATaskWhoseWorkersDieBeforeTheyComeUp) {
  const ObjectId failed = submit_task();
  for (const uint32_t worker : {1, 2, 3}) {
    EXPECT_FALSE(owner.is_ready(failed));
    world.die(owner, {worker}, "exited with status 1");
  }
  ASSERT_TRUE(error_of(failed).has_value());
  EXPECT_NE(
      message_of(error_of(failed)).find("the last 3 died before they came up; this one exited with status 1"),
      std::string::npos)
      << message_of(error_of(failed));
  EXPECT_EQ(owner.num_workers(), 0u);

  submit_task();  // may be the system is better now
  say({4}, Started{1234});
  EXPECT_EQ(runs({4}).size(), 1u);
}

TEST_F(OwnerTest, EndsAnActorWhoseProcessesDieBeforeTheyComeUp) {
  const ActorId actor = make_actor({}, kForever);
  for (const uint32_t worker : {1, 2, 3}) world.die(owner, {worker}, "exited with status 1");
  EXPECT_EQ(owner.num_workers(), 0u);
  EXPECT_EQ(message_of(error_of(call_actor(actor))),
            "The actor Class is dead: its process exited with status 1.");
}

TEST_F(OwnerTest, FailsACallOfAnActorThatNoProcessCanBeStartedFor) {
  world.refuse_processes(true);
  const ObjectId failed = call_actor(make_actor());
  ASSERT_TRUE(error_of(failed).has_value());
  EXPECT_EQ(error_of(failed)->kind, ErrorKind::kActor);
  EXPECT_NE(error_of(failed)->failure.message.find("too many processes"), std::string::npos);
  EXPECT_EQ(owner.num_tasks(), 0u);
}

class OwnerOfTwoProcessors : public OwnerTest {
 protected:
  OwnerOfTwoProcessors() : OwnerTest(2) {}
};

TEST_F(OwnerOfTwoProcessors, MakesDoWithTheProcessesThereAre) {
  submit_task();
  world.refuse_processes(true);
  const ObjectId waits = submit_task();
  EXPECT_FALSE(error_of(waits).has_value());
  done(kFirst, begin(kFirst));
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(owner.is_ready(waits));
  EXPECT_FALSE(error_of(waits).has_value());
}

TEST_F(OwnerOfTwoProcessors, GoesOnWithTheProcessThatCameUp) {
  submit_task();
  say(kFirst, Started{1234});
  const ObjectId waits = submit_task();
  for (const uint32_t worker : {2, 3, 4}) world.die(owner, {worker}, "exited with status 1");
  EXPECT_EQ(owner.num_workers(), 1u);
  EXPECT_FALSE(owner.is_ready(waits));
  done(kFirst, begin(kFirst));
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(owner.is_ready(waits));
  EXPECT_EQ(message_of(error_of(waits)), "no error");
}

/// A task or an actor that asks for so many thousandths of a processor.
Submission asking(Submission submission, uint32_t cpu_milli) {
  submission.cpu_milli = cpu_milli;
  return submission;
}

TEST_F(OwnerOfTwoProcessors, RunsAsManyHalvesOfAProcessorAsThereAre) {
  world.cpu_milli_of = [](uint64_t) { return 500; };
  for (int i = 0; i < 5; ++i) submit(asking(call(CallMode::kTask), 500));
  EXPECT_EQ(owner.num_workers(), 4u);
  done({2}, begin({2}));
  EXPECT_EQ(runs({2}).size(), 1u);
}

TEST_F(OwnerOfTwoProcessors, RunsATaskOfTwoProcessorsAlone) {
  submit_task();
  const ObjectId large = submit(asking(call(CallMode::kTask), 2000));
  EXPECT_EQ(owner.num_workers(), 1u);
  done(kFirst, begin(kFirst));
  const ObjectId small = submit_task();
  EXPECT_EQ(owner.num_workers(), 1u);
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(owner.is_ready(large));
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(owner.is_ready(small));
}

TEST_F(OwnerOfTwoProcessors, RunsWhatFitsBesideATaskThatDoesNot) {
  submit_task();
  submit(asking(call(CallMode::kTask), 2000));
  submit_task();
  EXPECT_EQ(owner.num_workers(), 2u) << "the third fits beside the first";
}

TEST_F(OwnerOfTwoProcessors, RefusesATaskThatAsksForMoreThanThereIs) {
  const ObjectId failed = submit(asking(call(CallMode::kTask), 2001));
  EXPECT_EQ(message_of(error_of(failed)),
            "called asks for 2.001 of the resource CPU, and the runtime has 2 in all: it would wait for "
            "ever. Ask for less, or "
            "give Init more num_cpus.");
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerOfTwoProcessors, RefusesAnActorThatAsksForMoreThanThereIs) {
  Submission submission = asking(call(CallMode::kMakeActor), 3000);
  submission.actor = owner.new_actor();
  owner.submit(submission);
  EXPECT_NE(message_of(error_of(call_actor(submission.actor))).find("asks for 3 of the resource CPU"),
            std::string::npos);
  EXPECT_EQ(owner.num_workers(), 0u);
}

TEST_F(OwnerOfTwoProcessors, HoldsTheProcessorsOfAnActorWhileItLives) {
  Submission submission = asking(call(CallMode::kMakeActor), 1500);
  submission.actor = owner.new_actor();
  submission.max_retries = 1;
  owner.submit(submission);
  made(kFirst, begin(kFirst));
  const ObjectId waits = submit_task();
  EXPECT_EQ(owner.num_workers(), 1u);

  say(kFirst, GetValues{1, {&waits, 1}});  // an actor that waits needs no processor
  done(kSecond, begin(kSecond));
  EXPECT_TRUE(owner.is_ready(waits));

  submit_task();
  EXPECT_EQ(runs(kSecond).size(), 0u);
  world.die(owner, kFirst, "ended");  // what asks for more comes first: it is made again
  EXPECT_EQ(owner.num_workers(), 2u);
  EXPECT_EQ(runs(kSecond).size(), 0u);
  owner.kill_actor(submission.actor, false);
  world.die(owner, {3}, "was killed");
  EXPECT_EQ(runs(kSecond).size(), 1u);
}

TEST_F(OwnerOfTwoProcessors, ForgetsAnActorThatIsKilledWhileItWaitsForProcessors) {
  submit_task();
  Submission submission = asking(call(CallMode::kMakeActor), 2000);
  submission.actor = owner.new_actor();
  owner.submit(submission);
  const ObjectId failed = call_actor(submission.actor);
  owner.kill_actor(submission.actor, false);
  EXPECT_TRUE(error_of(failed).has_value());
  EXPECT_EQ(owner.num_tasks(), 1u);
  EXPECT_EQ(owner.num_workers(), 1u);
}

TEST_F(OwnerTest, RefusesReferencesOfAnEarlierRuntime) {
  const ObjectId stale{123456};
  EXPECT_THROW(submit_task({stale}), RayException);
  SimulatedValue value;
  value.refs = {stale};
  EXPECT_THROW(owner.put(owner.new_objects(), heap(encode(value))), RayException);
  Submission submission = call(CallMode::kTask);
  submission.arguments = {nullptr, owner.allocate(encode(value).size()), false};
  std::ranges::copy(encode(value), world.data(submission.arguments.extent));
  EXPECT_THROW(owner.submit(submission), RayException);

  EXPECT_EQ(owner.num_objects(), 0u);
  EXPECT_EQ(owner.num_tasks(), 0u);
  EXPECT_EQ(owner.num_workers(), 0u);
  EXPECT_EQ(owner.store().used_bytes(), 0u);
}

TEST_F(OwnerTest, MakesNoSecondActorOfOneName) {
  const ActorId first = make_actor("the one");
  const ActorId second = make_actor("the one");
  EXPECT_EQ(owner.find_actor("the one"), first);
  const ObjectId failed = call_actor(second);
  ASSERT_TRUE(error_of(failed).has_value());
  EXPECT_NE(error_of(failed)->failure.message.find("'the one' is taken"), std::string::npos);
  EXPECT_EQ(owner.num_workers(), 1u);

  owner.kill_actor(first, false);
  const ActorId third = make_actor("the one");
  EXPECT_EQ(owner.find_actor("the one"), third);
}

TEST_F(OwnerTest, MakesAnActorAgainWhoseProcessDies) {
  const ActorId actor = make_actor("phoenix", 1);
  made(kFirst, begin(kFirst));
  const ObjectId in_flight = call_actor(actor);
  world.die(owner, kFirst, "was killed by signal 9");
  EXPECT_EQ(
      message_of(error_of(in_flight)),
      "The actor Class 'phoenix' (pid 1001) is dead: its process was killed by signal 9; it is made again "
      "(restart 1 of 1), and "
      "calls that were not yet sent to it go to the new one.");

  const ObjectId early = call_actor(actor);  // its constructor has not run yet
  EXPECT_EQ(owner.find_actor("phoenix"), actor);
  EXPECT_EQ(runs(kSecond).size(), 1u);
  made(kSecond, begin(kSecond));
  done(kSecond, begin(kSecond));
  EXPECT_TRUE(owner.is_ready(early));
  EXPECT_EQ(message_of(error_of(early)), "no error");

  world.die(owner, kSecond, "ended");
  EXPECT_EQ(owner.num_workers(), 0u) << "it may be made again once only";
  EXPECT_EQ(message_of(error_of(call_actor(actor))),
            "The actor Class 'phoenix' (pid 1002) is dead: its process ended.");
  EXPECT_EQ(owner.find_actor("phoenix"), ActorId{});
}

TEST_F(OwnerTest, MakesAnActorAgainWhoseConstructorDidNotLiveToItsEnd) {
  const ActorId actor = make_actor({}, 1);
  const ObjectId waiting = call_actor(actor);
  begin(kFirst);
  world.die(owner, kFirst, "ended");
  made(kSecond, begin(kSecond));
  done(kSecond, begin(kSecond));
  EXPECT_TRUE(owner.is_ready(waiting));
  EXPECT_EQ(message_of(error_of(waiting)), "no error");
}

TEST_F(OwnerTest, HoldsTheArgumentsOfAnActorThatCanBeMadeAgain) {
  const ObjectId argument = owner.new_objects();
  owner.put(argument, heap(encode(SimulatedValue{})));
  make_actor({}, 1, {argument});
  made(kFirst, begin(kFirst));
  owner.release(argument);
  EXPECT_TRUE(owner.is_known(argument));
  world.die(owner, kFirst, "ended");
  made(kSecond, begin(kSecond));
  EXPECT_FALSE(owner.is_known(argument)) << "it was made for the last time";
}

TEST_F(OwnerTest, LetsTheArgumentsOfAKilledActorGo) {
  const ObjectId argument = owner.new_objects();
  owner.put(argument, heap(encode(SimulatedValue{})));
  const ActorId actor = make_actor({}, kForever, {argument});
  made(kFirst, begin(kFirst));
  owner.release(argument);
  owner.kill_actor(actor, false);
  EXPECT_FALSE(owner.is_known(argument));
  world.die(owner, kFirst, "was killed");
  EXPECT_EQ(owner.num_workers(), 0u);
}

TEST_F(OwnerTest, MakesAnActorAgainThatIsKilledButMayRestart) {
  const ActorId actor = make_actor({}, kForever);
  for (uint32_t i = 1; i <= 20; ++i) {
    const WorkerId worker{i};
    made(worker, begin(worker));
    const ObjectId in_flight = call_actor(actor);
    owner.kill_actor(actor, true);
    EXPECT_TRUE(world.process(worker).killed);
    const ObjectId later = call_actor(actor);
    EXPECT_EQ(runs(worker).size(), i == 1 ? 1u : 2u)
        << "what is called after the kill does not go to the old process";
    world.die(owner, worker, "was killed by signal 9");
    const std::string text = message_of(error_of(in_flight));
    EXPECT_NE(text.find(fmt::format("killed by Kill(false); it is made again (restart {})", i)),
              std::string::npos)
        << text;
    EXPECT_FALSE(owner.is_ready(later));
  }
  owner.kill_actor(actor, false);
  EXPECT_EQ(owner.num_tasks(), 1u) << "the constructor, which runs until the process is dead";
  world.die(owner, {21}, "was killed by signal 9");
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerTest, EndsAnActorThatIsKilledAndHasNoRestartLeft) {
  const ActorId actor = make_actor();
  made(kFirst, begin(kFirst));
  owner.kill_actor(actor, true);
  EXPECT_EQ(message_of(error_of(call_actor(actor))),
            "The actor Class (pid 1001) is dead: it was killed by Kill().");
}

TEST_F(OwnerTest, DoesNotMakeAnActorAgainWhoseConstructorThrows) {
  const ActorId actor = make_actor({}, kForever);
  const std::vector<std::byte> error = encode_failure("not today");
  const ValuePart part = part_of(error, true);
  say(kFirst, Done{begin(kFirst), kLongNs, {&part, 1}});
  world.die(owner, kFirst, "was killed");
  EXPECT_EQ(owner.num_workers(), 0u);
  EXPECT_NE(message_of(error_of(call_actor(actor))).find("not today"), std::string::npos);
}

/// What no worker in its right mind says: each is said by one that runs a task of the driver's and has an
/// object of its own.
class OwnerHearsNonsense : public OwnerTest {
 protected:
  OwnerHearsNonsense() : OwnerTest(2) {
    drivers_object = owner.new_objects();
    owner.put(drivers_object, heap(encode(SimulatedValue{})));
    other_actor = make_actor("other");
    made(kFirst, begin(kFirst));
    victim = submit_task();
    task = begin(kSecond);
    own = object_of(kSecond, 1);
    part = part_of(bytes);
    part.object = own;
    say(kSecond, PutValue{{&part, 1}});
    awaited = submit_task();
  }

  /// The worker is to blame, the error of its call says so, and nobody else suffers.
  template <class Message>
  void refuses(const Message& message, const std::string& reason) {
    const size_t objects = owner.num_objects();
    const size_t tasks = owner.num_tasks();
    EXPECT_THROW(say(kSecond, message), errors::DataLossError);
    EXPECT_EQ(owner.num_objects(), objects);
    EXPECT_EQ(owner.num_tasks(), tasks);
    EXPECT_FALSE(owner.is_ready(victim));
    say(kSecond, Done{task, kLongNs, {&part, 1}});  // too late: nothing is heard of it any more
    EXPECT_FALSE(owner.is_ready(victim));

    world.die(owner, kSecond, "was killed");
    ASSERT_TRUE(error_of(victim).has_value());
    const std::string text = error_of(victim)->failure.message;
    EXPECT_NE(text.find("it sent what cannot be"), std::string::npos) << text;
    EXPECT_NE(text.find(reason), std::string::npos) << text;
    EXPECT_FALSE(owner.is_known(own)) << "only the dead worker had it";
    EXPECT_TRUE(owner.is_ready(drivers_object));
    EXPECT_EQ(owner.find_actor("other"), other_actor);
  }
  Submit submission(std::span<const ObjectId> refs = {}) {
    Submit message;
    message.function = {1};
    message.first_return = object_of(kSecond, 10);
    message.refs = refs;
    message.parts = {&part, 1};
    return message;
  }

  const std::vector<std::byte> bytes = encode(SimulatedValue{});
  ValuePart part;
  ObjectId drivers_object, own, victim, awaited;
  ActorId other_actor;
  TaskId task;
};

constexpr ObjectId kNobodys{987654321};

TEST_F(OwnerHearsNonsense, DoneOfACallThatItDoesNotHave) { refuses(Done{{4711}, 1, {}}, "4711"); }
TEST_F(OwnerHearsNonsense, DoneWithFewerValues) { refuses(Done{task, 1, {}}, "0 values of 1"); }
TEST_F(OwnerHearsNonsense, ValueThatItGaveBefore) { refuses(PutValue{{&part, 1}}, "not its to give"); }
TEST_F(OwnerHearsNonsense, ValueForAnotherOnesObject) {
  part.object = drivers_object;
  refuses(PutValue{{&part, 1}}, "not its to give");
}
TEST_F(OwnerHearsNonsense, ValueThatRefersToNothing) {
  SimulatedValue value;
  value.refs = {kNobodys};
  const std::vector<std::byte> with_ref = encode(value);
  part.bytes = with_ref;
  part.object = object_of(kSecond, 2);
  refuses(PutValue{{&part, 1}}, "object 987654321 is unknown");
}
TEST_F(OwnerHearsNonsense, ValueThatIsAnErrorOnlyByItsMark) {
  part.is_error = true;
  part.object = object_of(kSecond, 2);
  refuses(PutValue{{&part, 1}}, "is an error");
}
TEST_F(OwnerHearsNonsense, ValueInARegionOfOthers) {
  part.extent = owner.allocate(100);
  part.bytes = {};
  part.object = object_of(kSecond, 2);
  refuses(PutValue{{&part, 1}}, "is not its to write");
}
TEST_F(OwnerHearsNonsense, CallForAnotherOnesObject) {
  Submit message = submission();
  message.first_return = awaited;
  refuses(message, "not its to give");
}
TEST_F(OwnerHearsNonsense, CallWithAnUnknownArgument) {
  refuses(submission({&kNobodys, 1}), "object 987654321 is unknown");
}
TEST_F(OwnerHearsNonsense, CallOfNoMode) {
  Submit message = submission();
  message.mode = static_cast<CallMode>(7);
  refuses(message, "damaged submission");
}
TEST_F(OwnerHearsNonsense, ActorThatExists) {
  Submit message = submission();
  message.mode = CallMode::kMakeActor;
  message.actor = other_actor;
  refuses(message, "not its to give");
}
TEST_F(OwnerHearsNonsense, GetOfNothing) {
  refuses(GetValues{1, {&kNobodys, 1}}, "object 987654321 is unknown");
}
TEST_F(OwnerHearsNonsense, SameRequestTwice) {
  say(kSecond, GetValues{1, {&awaited, 1}});
  refuses(WaitFor{1, 1, {&own, 1}}, "the request 1 twice");
}
TEST_F(OwnerHearsNonsense, WaitForMoreThanItNames) { refuses(WaitFor{1, 2, {&own, 1}}, "2 of 1 objects"); }
TEST_F(OwnerHearsNonsense, HandleOfNothing) { refuses(Adopt{kNobodys}, "object 987654321 is unknown"); }
TEST_F(OwnerHearsNonsense, MessageForWorkers) { refuses(Forget{{1}}, "unknown kind 9"); }

}  // namespace
}  // namespace flowray::ray
