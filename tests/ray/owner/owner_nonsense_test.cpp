// What the owner does about workers that are out of their mind.

#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

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
TEST_F(OwnerHearsNonsense, CheckpointsOfATask) { refuses(KeepCheckpoint{{&part, 1}}, "damaged checkpoint"); }
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
TEST_F(OwnerHearsNonsense, ValueThatItReadsAndThatLiesNowhere) {
  part.object = object_of(kSecond, 2);
  refuses(PutValue{{&part, 1}, 1}, "a value that is not its own in the store");
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
TEST_F(OwnerHearsNonsense, ActorWithoutCallsAtATime) {
  Submit message = submission();
  message.terms.max_concurrency = 0;
  refuses(message, "a damaged submission");
}
TEST_F(OwnerHearsNonsense, EndOfAnActorThatItIsNot) { refuses(ExitActorCall(), "not an actor's"); }
TEST_F(OwnerHearsNonsense, CancelOfNothing) {
  refuses(CancelCall{1, kNobodys, 0, 0}, "unknown to its owner");
}
TEST_F(OwnerHearsNonsense, MessageForWorkers) { refuses(Forget{{1}}, "unknown kind 9"); }

}  // namespace
}  // namespace flowray::ray
