// Tasks, their values and the processors and processes they need.

#include "ray/owner/owner.h"

#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

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
  two.terms.num_returns = 2;
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
  for (const uint32_t worker : {1, 2, 3}) {
    if (worker > 1) end_pause(actor);
    world.die(owner, {worker}, "exited with status 1");
  }
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
  submission.terms.resources.cpu_milli = cpu_milli;
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
  EXPECT_EQ(
      message_of(error_of(failed)),
      "called asks for {CPU: 2.001} of the runtime's resources, and there are {CPU: 2} in all: it would wait "
      "for ever.\nAsk for less, or give Init more num_cpus, num_gpus or resources.");
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerOfTwoProcessors, RefusesAnActorThatAsksForMoreThanThereIs) {
  Submission submission = asking(call(CallMode::kMakeActor), 3000);
  submission.actor = owner.new_actor();
  owner.submit(submission);
  EXPECT_NE(
      message_of(error_of(call_actor(submission.actor))).find("asks for {CPU: 3} of the runtime's resources"),
      std::string::npos);
  EXPECT_EQ(owner.num_workers(), 0u);
}

TEST_F(OwnerOfTwoProcessors, HoldsTheProcessorsOfAnActorWhileItLives) {
  Submission submission = asking(call(CallMode::kMakeActor), 1500);
  submission.actor = owner.new_actor();
  submission.terms.max_retries = 1;
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

}  // namespace
}  // namespace flowray::ray
