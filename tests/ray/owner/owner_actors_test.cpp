// Actors: their names, and how they are made again.

#include <fmt/format.h>

#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

class OwnerOfActors : public OwnerTest {};

TEST_F(OwnerOfActors, MakesNoSecondActorOfOneName) {
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

TEST_F(OwnerOfActors, FindsNoneOfThoseWithoutANameByTheEmptyOne) {
  make_actor({});
  EXPECT_EQ(owner.find_actor(""), ActorId{});
}

TEST_F(OwnerOfActors, MakesAnActorAgainWhoseProcessDies) {
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

TEST_F(OwnerOfActors, KeepsTheLastCheckpointForTheNextProcess) {
  make_actor("phoenix", 1);
  const auto checkpoint_told = [&](WorkerId worker) {
    std::vector<ValuePart> parts;
    return read_message<BecomeActor>(world.process(worker).to_worker.front().bytes(), parts).checkpoint;
  };
  EXPECT_FALSE(checkpoint_told(kFirst));
  made(kFirst, begin(kFirst));
  const std::vector<std::byte> bytes = encode(SimulatedValue{});
  ValuePart part = part_of(bytes);
  for (const uint64_t number : {7, 8}) {
    part.object = object_of(kFirst, number);
    say(kFirst, KeepCheckpoint{{&part, 1}});
  }
  EXPECT_FALSE(owner.is_known(object_of(kFirst, 7)));
  world.die(owner, kFirst, "was killed by signal 9");
  EXPECT_EQ(checkpoint_told(kSecond), object_of(kFirst, 8));
  EXPECT_TRUE(owner.is_ready(object_of(kFirst, 8)));
  made(kSecond, begin(kSecond));
  world.die(owner, kSecond, "ended");
  EXPECT_EQ(owner.num_objects(), 0u) << "it is not made again";
}

TEST_F(OwnerOfActors, TakesNoCheckpointOfAnActorThatIsDead) {
  const ActorId actor = make_actor("phoenix", 1);
  made(kFirst, begin(kFirst));
  owner.kill_actor(actor, false);
  const std::vector<std::byte> bytes = encode(SimulatedValue{});
  ValuePart part = part_of(bytes);
  part.object = object_of(kFirst, 7);
  say(kFirst, KeepCheckpoint{{&part, 1}});
  EXPECT_EQ(owner.num_objects(), 0u);
}

TEST_F(OwnerOfActors, MakesAnActorAgainWhoseConstructorDidNotLiveToItsEnd) {
  const ActorId actor = make_actor({}, 1);
  const ObjectId waiting = call_actor(actor);
  begin(kFirst);
  world.die(owner, kFirst, "ended");
  end_pause(actor);
  made(kSecond, begin(kSecond));
  done(kSecond, begin(kSecond));
  EXPECT_TRUE(owner.is_ready(waiting));
  EXPECT_EQ(message_of(error_of(waiting)), "no error");
}

TEST_F(OwnerOfActors, HoldsTheArgumentsOfAnActorThatCanBeMadeAgain) {
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

TEST_F(OwnerOfActors, LetsTheArgumentsOfAKilledActorGo) {
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

TEST_F(OwnerOfActors, MakesAnActorAgainThatIsKilledButMayRestart) {
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

TEST_F(OwnerOfActors, EndsAnActorThatIsKilledAndHasNoRestartLeft) {
  const ActorId actor = make_actor();
  made(kFirst, begin(kFirst));
  owner.kill_actor(actor, true);
  EXPECT_EQ(message_of(error_of(call_actor(actor))),
            "The actor Class (pid 1001) is dead: it was killed by Kill().");
}

TEST_F(OwnerOfActors, DoesNotMakeAnActorAgainWhoseConstructorThrows) {
  const ActorId actor = make_actor({}, kForever);
  const std::vector<std::byte> error = encode_failure("not today");
  const ValuePart part = part_of(error, true);
  say(kFirst, Done{begin(kFirst), kLongNs, {&part, 1}});
  world.die(owner, kFirst, "was killed");
  EXPECT_EQ(owner.num_workers(), 0u);
  EXPECT_NE(message_of(error_of(call_actor(actor))).find("not today"), std::string::npos);
}

TEST_F(OwnerOfActors, MakesThoseWhoseConstructorsCrashAgainAfterLongerAndLongerPauses) {
  const ActorId actor = make_actor("", 1000);
  std::vector<uint32_t> pauses;
  for (uint32_t worker = 1; worker <= 12; ++worker) {
    begin({worker});
    world.die(owner, {worker}, "crashed");
    ASSERT_EQ(world.pauses().size(), 1u);
    EXPECT_TRUE(world.started().empty());
    pauses.push_back(world.pauses()[0].ms);
    world.pauses().clear();
    owner.on_pause_over(actor);
  }
  EXPECT_EQ(pauses, (std::vector<uint32_t>{10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 5120, 5120}));
  // One that has answered a call begins again without a pause.
  const WorkerId last{13};
  made(last, begin(last));
  call_actor(actor);
  done(last, begin(last));
  world.die(owner, last, "crashed");
  EXPECT_TRUE(world.pauses().empty());
  EXPECT_EQ(world.started().size(), 1u);
}

TEST_F(OwnerOfActors, MakesThoseThatDieWithoutAnAnswerAgainAfterLongerAndLongerPauses) {
  const ActorId actor = make_actor("", kForever);
  std::vector<uint32_t> pauses;
  for (uint32_t worker = 1; worker <= 5; ++worker) {
    made({worker}, begin({worker}));
    world.die(owner, {worker}, "crashed");
    pauses.push_back(world.pauses().empty() ? 0 : world.pauses()[0].ms);
    if (!world.pauses().empty()) end_pause(actor);
  }
  EXPECT_EQ(pauses, (std::vector<uint32_t>{0, 10, 20, 40, 80})) << "the first may have been an accident";
}

TEST_F(OwnerOfActors, MakesThoseAtOnceThatAreToldToEnd) {
  const ActorId actor = make_actor("", kForever);
  for (uint32_t worker = 1; worker <= 3; ++worker) {
    made({worker}, begin({worker}));
    owner.kill_actor(actor, true);
    world.die(owner, {worker}, "was killed by signal 9");
    EXPECT_TRUE(world.pauses().empty());
  }
}

TEST_F(OwnerOfActors, MakesNoneAfterAPauseThatWasKilledMeanwhile) {
  const ActorId actor = make_actor("", 1000);
  const ObjectId call = call_actor(actor);
  begin(kFirst);
  world.die(owner, kFirst, "crashed");
  owner.kill_actor(actor, false);
  EXPECT_NE(message_of(error_of(call)).find("Kill()"), std::string::npos);
  owner.on_pause_over(actor);
  EXPECT_TRUE(world.started().empty());
}

TEST_F(OwnerOfActors, CountsTheCallsOfEachCallerThatAreNotDone) {
  const ActorId actor = make_actor();
  EXPECT_EQ(owner.pending_calls(actor, {}), 0u);
  call_actor(actor);
  call_actor(actor);
  EXPECT_EQ(owner.pending_calls(actor, {}), 2u) << "the constructor is not done";
  made(kFirst, begin(kFirst));
  EXPECT_EQ(owner.pending_calls(actor, {}), 2u);
  EXPECT_EQ(owner.pending_calls(actor, kFirst), 0u);
  done(kFirst, begin(kFirst));
  EXPECT_EQ(owner.pending_calls(actor, {}), 1u);
  say(kFirst, AskPendingCalls{7, actor});
  std::vector<ValuePart> parts;
  const SimulatedMessage answer = world.process(kFirst).to_worker.back();
  ASSERT_EQ(answer.kind(), ToldPendingCalls::kKind);
  EXPECT_EQ(read_message<ToldPendingCalls>(answer.bytes(), parts).count, 0u);
  world.die(owner, kFirst, "ended");
  EXPECT_EQ(owner.pending_calls(actor, {}), 0u);
  EXPECT_EQ(owner.pending_calls({99}, {}), 0u);
}

/// What the actor says holds for calls that say nothing of their own.
class OwnerOfRetriedCalls : public OwnerOfActors {
 protected:
  ActorId make(uint32_t max_task_retries) {
    Submission submission = call(CallMode::kMakeActor);
    submission.actor = owner.new_actor();
    submission.terms.max_retries = kForever;
    submission.terms.max_task_retries = max_task_retries;
    owner.submit(submission);
    made(kFirst, begin(kFirst));
    return submission.actor;
  }
  /// How long the actor waits after the death of its process, in ms.
  uint32_t pause_after_death(ActorId actor, WorkerId worker) {
    world.die(owner, worker, "crashed");
    if (world.pauses().empty()) return 0;
    const uint32_t ms = world.pauses()[0].ms;
    end_pause(actor);
    return ms;
  }
  ObjectId call_of(ActorId actor, uint32_t max_task_retries, bool retry_exceptions = false) {
    Submission submission = call(CallMode::kActorCall);
    submission.actor = actor;
    submission.terms.max_task_retries = max_task_retries;
    submission.terms.retry_exceptions = retry_exceptions ? 1 : 0;
    return submit(submission);
  }
  void thrown(WorkerId worker, TaskId task, bool is_final = false) {
    const std::vector<std::byte> bytes = encode_failure("no");
    const ValuePart part = part_of(bytes, true);
    say(worker, Done{task, kLongNs, {&part, 1}, 1, 0, is_final ? 1u : 0u});
  }
};

TEST_F(OwnerOfRetriedCalls, ThatCrashEachTimeAreSentAgainAfterLongerAndLongerPauses) {
  const ActorId actor = make(kForever);
  const ObjectId crashes = call_of(actor, 0);
  std::vector<uint32_t> pauses{pause_after_death(actor, kFirst)};
  for (uint32_t worker = 2; worker <= 5; ++worker) {
    made({worker}, begin({worker}));
    EXPECT_EQ(runs({worker}).size(), 1u);
    pauses.push_back(pause_after_death(actor, {worker}));
  }
  EXPECT_EQ(pauses, (std::vector<uint32_t>{0, 10, 20, 40, 80}));
  EXPECT_FALSE(owner.is_ready(crashes));
}

TEST_F(OwnerOfRetriedCalls, ThatCrashEachTimeBesideOthersThatDoNotWaitAsWell) {
  const ActorId actor = make(kForever);
  call_of(actor, 0);  // crashes
  begin(kFirst);
  std::vector<uint32_t> pauses;
  for (uint32_t worker = 1; worker <= 4; ++worker) {
    if (worker > 1) {
      made({worker}, begin({worker}));
      begin({worker});
    }
    call_of(actor, 0);
    done({worker}, begin({worker}));
    pauses.push_back(pause_after_death(actor, {worker}));
  }
  EXPECT_EQ(pauses, (std::vector<uint32_t>{0, 0, 10, 20}));
}

TEST_F(OwnerOfRetriedCalls, ThatGoWellInTheEndEndThePauses) {
  const ActorId actor = make(kForever);
  call_of(actor, 0);
  pause_after_death(actor, kFirst);
  made(kSecond, begin(kSecond));
  EXPECT_EQ(pause_after_death(actor, kSecond), 10u);
  made({3}, begin({3}));
  done({3}, begin({3}));
  EXPECT_EQ(pause_after_death(actor, {3}), 0u);
}

TEST_F(OwnerOfRetriedCalls, AreSentAgainAsTheActorOrTheCallSays) {
  const ActorId actor = make(1);
  const ObjectId of_actor = call_of(actor, 0);
  const ObjectId never = call_of(actor, 1);
  const ObjectId always = call_of(actor, kForever);
  world.die(owner, kFirst, "ended");
  EXPECT_TRUE(error_of(never).has_value());
  made(kSecond, begin(kSecond));
  EXPECT_EQ(runs(kSecond).size(), 2u);
  world.die(owner, kSecond, "ended");
  EXPECT_TRUE(error_of(of_actor).has_value());
  EXPECT_FALSE(owner.is_ready(always));
}

TEST_F(OwnerOfRetriedCalls, AreRunAgainForWhatTheyThrowUnlessThatIsFinal) {
  const ActorId actor = make(0);
  const ObjectId without = call_of(actor, 0, true);
  thrown(kFirst, begin(kFirst));
  EXPECT_TRUE(error_of(without).has_value());
  const ObjectId twice = call_of(actor, 3, true);
  for (int i = 0; i < 2; ++i) {
    thrown(kFirst, begin(kFirst));
    EXPECT_FALSE(owner.is_ready(twice));
  }
  thrown(kFirst, begin(kFirst));
  EXPECT_TRUE(error_of(twice).has_value());
  const ObjectId final = call_of(actor, kForever, true);
  thrown(kFirst, begin(kFirst), true);
  EXPECT_TRUE(error_of(final).has_value());
}

TEST_F(OwnerOfRetriedCalls, AreNotRunAgainByAnActorThatWasKilled) {
  const ActorId actor = make(0);
  const ObjectId called = call_of(actor, kForever, true);
  const TaskId task = begin(kFirst);
  owner.kill_actor(actor, false);
  thrown(kFirst, task);
  world.die(owner, kFirst, "was killed by signal 9");
  EXPECT_TRUE(error_of(called).has_value());
}

TEST_F(OwnerOfActors, RemembersDeadOnesForAWhile) {
  ActorId first;
  ActorId last;
  for (uint32_t i = 1; i <= 3000; ++i) {
    last = make_actor();
    if (i == 1) first = last;
    owner.kill_actor(last, false);
    world.die(owner, {i}, "was killed");
  }
  EXPECT_LE(owner.num_actors(), 1000u);
  EXPECT_NE(message_of(error_of(call_actor(last))).find("Kill()"), std::string::npos);
  EXPECT_NE(message_of(error_of(call_actor(first))).find("dead for long"), std::string::npos);
}

TEST_F(OwnerOfActors, EndsAnActorForGoodThatExits) {
  const ActorId actor = make_actor({}, kForever);
  made(kFirst, begin(kFirst));
  const ObjectId exits = call_actor(actor);
  begin(kFirst);
  say(kFirst, ExitActorCall());
  EXPECT_TRUE(world.process(kFirst).killed);
  world.die(owner, kFirst, "was killed by SIGKILL");
  EXPECT_EQ(message_of(error_of(exits)),
            "The actor Class (pid 1001) is dead: it ended itself by ExitActor().");
  EXPECT_EQ(owner.num_workers(), 0u);
}

/// An actor that runs several calls at a time, on a machine with one processor, which it asks for.
class OwnerOfAThreadedActor : public OwnerTest {
 protected:
  static constexpr uint32_t kConcurrency = 3;
  OwnerOfAThreadedActor() {
    Submission submission = call(CallMode::kMakeActor);
    submission.actor = actor = owner.new_actor();
    submission.terms.max_concurrency = kConcurrency;
    submission.terms.num_threads = 2;
    submission.terms.resources.cpu_milli = 1000;
    owner.submit(submission);
  }
  std::vector<TaskId> calls(int count) {
    for (int i = 0; i < count; ++i) returned.push_back(call_actor(actor));
    return runs(kFirst);
  }

  ActorId actor;
  std::vector<ObjectId> returned;
};

TEST_F(OwnerOfAThreadedActor, TellsItsProcessBeforeAllElse) {
  const auto& queue = world.process(kFirst).to_worker;
  ASSERT_EQ(queue.size(), 2u);
  std::vector<ValuePart> parts;
  ASSERT_EQ(queue.front().kind(), BecomeActor::kKind);
  const auto told = read_message<BecomeActor>(queue.front().bytes(), parts);
  EXPECT_EQ(told.actor, actor);
  EXPECT_EQ(told.max_concurrency, kConcurrency);
  EXPECT_EQ(told.num_threads, 2u);
}

TEST_F(OwnerOfAThreadedActor, HearsOfItsCallsInAnyOrder) {
  made(kFirst, begin(kFirst));
  const std::vector<TaskId> sent = calls(3);
  for (const size_t i : {2, 0, 1}) {
    EXPECT_FALSE(owner.is_ready(returned[i]));
    done(kFirst, sent[i]);
    EXPECT_TRUE(owner.is_ready(returned[i]));
  }
}

TEST_F(OwnerOfAThreadedActor, IsSentAsManyMoreAsMayGoUnanswered) {
  made(kFirst, begin(kFirst));
  EXPECT_EQ(calls(1000).size(), SimulatedWorld::kTickets / 2 + kConcurrency - 1);
}

TEST_F(OwnerOfAThreadedActor, LeavesItsProcessorWhenAllOfItsCallsWait) {
  made(kFirst, begin(kFirst));
  const std::vector<TaskId> sent = calls(2);
  const ObjectId awaited = submit_task();
  say(kFirst, Adopt{awaited});
  say(kFirst, GetValues{1, {&awaited, 1}});
  EXPECT_EQ(owner.num_workers(), 1u) << "one of two calls goes on";
  say(kFirst, GetValues{2, {&awaited, 1}});
  EXPECT_EQ(owner.num_workers(), 2u);
}

}  // namespace
}  // namespace flowray::ray
