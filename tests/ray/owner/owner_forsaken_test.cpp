// Actors that end with the last handle to them.

#include <gmock/gmock.h>

#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

using ::testing::HasSubstr;

class OwnerForsaken : public OwnerTest {
 protected:
  /// With one handle, the driver's.
  ActorId make_counted(uint32_t max_restarts = 0, std::vector<ObjectId> refs = {}) {
    Submission submission = call(CallMode::kMakeActor, std::move(refs));
    submission.function = {2};
    submission.actor = owner.new_actor();
    submission.terms.max_retries = max_restarts;
    submission.terms.is_counted = 1;
    owner.submit(submission);
    return submission.actor;
  }
  static ObjectId share_of(ActorId actor) { return {actor.value}; }
  bool is_told_to_exit(WorkerId worker) {
    return std::ranges::any_of(world.process(worker).to_worker,
                               [](const SimulatedMessage& message) { return message.kind() == Exit::kKind; });
  }
  /// A value of the driver's that holds the actor.
  ObjectId put_holding(ActorId actor) {
    SimulatedValue value;
    value.refs = {share_of(actor)};
    const ObjectId object = owner.new_objects();
    owner.put(object, heap(encode(value)));
    return object;
  }
};

TEST_F(OwnerForsaken, EndsWithItsLastHandleWhenItsCallsAreDone) {
  const ActorId actor = make_counted();
  const ObjectId result = call_actor(actor);
  owner.release(share_of(actor));
  made(kFirst, begin(kFirst));
  EXPECT_FALSE(is_told_to_exit(kFirst)) << "a call is there";
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(owner.is_ready(result));
  EXPECT_FALSE(error_of(result).has_value());
  EXPECT_TRUE(is_told_to_exit(kFirst));
  EXPECT_TRUE(owner.living_actors().empty());
  EXPECT_FALSE(world.process(kFirst).killed);
  EXPECT_THAT(message_of(error_of(call_actor(actor))), HasSubstr("all references to it were removed"))
      << "by the one that found it by its name";
  world.die(owner, kFirst, "exited with status 0");
  EXPECT_FALSE(owner.is_known(share_of(actor)));
}

TEST_F(OwnerForsaken, LivesWhileAValueOrAProcessHoldsIt) {
  const ActorId actor = make_counted();
  made(kFirst, begin(kFirst));
  const ObjectId value = put_holding(actor);
  owner.release(share_of(actor));
  EXPECT_FALSE(is_told_to_exit(kFirst));
  const ObjectId reading = submit_task({value});
  const TaskId task = begin(kSecond);
  say(kSecond, Adopt{share_of(actor)});
  owner.release(value);
  done(kSecond, task);
  owner.release(reading);
  EXPECT_FALSE(is_told_to_exit(kFirst));
  const ObjectId share = share_of(actor);
  say(kSecond, Release{{&share, 1}});
  EXPECT_TRUE(is_told_to_exit(kFirst));
}

TEST_F(OwnerForsaken, EndsWithTheProcessThatHasItsLastHandle) {
  const ActorId actor = make_counted();
  made(kFirst, begin(kFirst));
  submit_task();
  begin(kSecond);
  say(kSecond, Adopt{share_of(actor)});
  owner.release(share_of(actor));
  EXPECT_FALSE(is_told_to_exit(kFirst));
  world.die(owner, kSecond, "died");
  EXPECT_TRUE(is_told_to_exit(kFirst));
}

TEST_F(OwnerForsaken, MayTakeAShareInItselfWhileItsProcessRuns) {
  const ActorId actor = make_counted();
  call_actor(actor);
  made(kFirst, begin(kFirst));
  owner.release(share_of(actor));
  const TaskId last = begin(kFirst);
  say(kFirst, Adopt{share_of(actor)});
  done(kFirst, last);
  EXPECT_FALSE(is_told_to_exit(kFirst)) << "it holds itself";
  const ObjectId share = share_of(actor);
  say(kFirst, Release{{&share, 1}});
  EXPECT_TRUE(is_told_to_exit(kFirst));
  say(kFirst, Adopt{share_of(actor)});  // too late, and nobody's fault
}

TEST_F(OwnerForsaken, IsNotMadeWhereItHasNotBegun) {
  const ObjectId missing = submit_task();
  const ActorId actor = make_counted(0, {missing});
  owner.release(share_of(actor));
  EXPECT_TRUE(owner.living_actors().empty());
  done(kFirst, begin(kFirst));
  EXPECT_EQ(owner.num_workers(), 1u);
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerForsaken, IsNotMadeAgain) {
  const ActorId actor = make_counted(3);
  call_actor(actor);
  made(kFirst, begin(kFirst));
  owner.release(share_of(actor));
  world.die(owner, kFirst, "died");
  EXPECT_TRUE(owner.living_actors().empty());
  EXPECT_EQ(owner.num_workers(), 0u);
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerForsaken, IsMadeAgainForCallsThatWait) {
  const ObjectId missing = submit_task();
  const ActorId actor = make_counted(1);
  Submission waiting = call(CallMode::kActorCall, {missing});
  waiting.actor = actor;
  const ObjectId result = submit(waiting);
  made(kSecond, begin(kSecond));
  owner.release(share_of(actor));
  world.die(owner, kSecond, "died");
  ASSERT_EQ(owner.num_workers(), 2u);
  const WorkerId third{3};
  made(third, begin(third));
  done(kFirst, begin(kFirst));
  done(third, begin(third));
  EXPECT_FALSE(error_of(result).has_value());
  EXPECT_TRUE(owner.is_ready(result));
  EXPECT_TRUE(is_told_to_exit(third));
}

TEST_F(OwnerForsaken, IsKilledIfItDoesNotEndInTime) {
  const ActorId actor = make_counted();
  made(kFirst, begin(kFirst));
  owner.release(share_of(actor));
  ASSERT_EQ(world.pauses().size(), 1u);
  EXPECT_EQ(world.pauses()[0].ms, 30'000u);
  EXPECT_FALSE(world.process(kFirst).killed);
  end_pause(actor);
  EXPECT_TRUE(world.process(kFirst).killed);
}

TEST_F(OwnerForsaken, DoesNotConcernActorsWhoseHandlesDoNotCount) {
  const ActorId actor = make_actor();
  made(kFirst, begin(kFirst));
  EXPECT_EQ(owner.living_actors(), std::vector<ActorId>{actor});
  EXPECT_FALSE(owner.is_known(share_of(actor)));
}

}  // namespace
}  // namespace flowray::ray
