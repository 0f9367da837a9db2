// Links: who is told of them when, what becomes of what their calls return, and of damaged messages.

#include <gmock/gmock.h>

#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

using ::testing::HasSubstr;

/// Two actors, of which kFirst's calls kSecond's.
class OwnerLinks : public OwnerTest {
 protected:
  OwnerLinks() : OwnerLinks(limits(1)) {}
  explicit OwnerLinks(const Owner::Limits& limits)
      : OwnerTest(limits), caller(make_actor()), callee(make_actor("called", 1)) {
    made(kFirst, begin(kFirst));
    made(kSecond, begin(kSecond));
  }

  /// The messages of a kind that the worker was sent and has not taken yet.
  template <class Message>
  std::vector<Message> sent(WorkerId worker) {
    std::vector<Message> found;
    for (const SimulatedMessage& message : world.process(worker).to_worker) {
      if (message.kind() == Message::kKind) found.push_back(read_message<Message>(message.bytes(), parts_));
    }
    return found;
  }
  void take_all(WorkerId worker) { world.process(worker).to_worker.clear(); }
  ObjectId call_by_owner(uint64_t number) {
    const std::vector<std::byte> bytes = encode(SimulatedValue{});
    const ValuePart part = part_of(bytes);
    Submit message;
    message.mode = CallMode::kActorCall;
    message.function = {2};
    message.actor = callee;
    message.first_return = object_of(kFirst, number);
    message.function_name = "called";
    message.parts = {&part, 1};
    say(kFirst, message);
    return message.first_return;
  }
  /// Made, and the caller told.
  LinkId make_link() { return make_link_after(0); }
  LinkId make_link_after(uint64_t num_calls) {
    say(kFirst, AskLink{callee, num_calls});
    const auto asked = sent<ray::Linked>(kSecond);
    const LinkId link = asked.at(0).link;
    say(kSecond, LinkMade{link, 0});
    EXPECT_EQ(sent<ray::Linked>(kFirst).size(), 1u);
    take_all(kFirst);
    take_all(kSecond);
    return link;
  }
  /// An object of the worker's, which has a handle.
  ObjectId put_by(WorkerId worker) {
    const std::vector<std::byte> bytes = encode(SimulatedValue{});
    ValuePart part = part_of(bytes);
    part.object = object_of(worker, 500);
    say(worker, PutValue{{&part, 1}});
    return part.object;
  }
  void answer(LinkId link, ObjectId object) {
    const std::vector<std::byte> bytes = encode(SimulatedValue{});
    ValuePart part = part_of(bytes);
    part.object = object;
    say(kSecond, AnswerFor{link, {&part, 1}});
  }

  /// What a call by a link returns.
  static ObjectId linked(WorkerId worker, uint64_t number) {
    return object_of(worker, kFirstLinkedId + number);
  }

  ActorId caller;
  ActorId callee;

 private:
  std::vector<ValuePart> parts_;
};

TEST_F(OwnerLinks, AreOfferedWhenTheCalleeReadsThemAndNoCallIsLeft) {
  call_by_owner(1);
  say(kFirst, AskLink{callee, 1});
  const auto to_callee = sent<ray::Linked>(kSecond);
  ASSERT_EQ(to_callee.size(), 1u);
  EXPECT_EQ(to_callee[0].is_caller, 0u);
  EXPECT_EQ(to_callee[0].peer, kFirst);
  call_by_owner(2);
  const TaskId one = begin(kSecond);
  say(kSecond, LinkMade{to_callee[0].link, 0});
  done(kSecond, one);
  EXPECT_TRUE(sent<ray::Linked>(kFirst).empty()) << "a call would be overtaken";
  done(kSecond, {one.value + 1});
  const auto to_caller = sent<ray::Linked>(kFirst);
  ASSERT_EQ(to_caller.size(), 1u);
  EXPECT_EQ(to_caller[0].link, to_callee[0].link);
  EXPECT_EQ(to_caller[0].is_caller, 1u);
  EXPECT_EQ(to_caller[0].num_calls, 2u) << "with the one since it asked";
}

TEST_F(OwnerLinks, AreRefusedToActorsThatNeedTheOwner) {
  Submission submission = call(CallMode::kMakeActor);
  submission.actor = owner.new_actor();
  submission.terms.max_task_retries = 1;
  owner.submit(submission);
  made({3}, begin({3}));
  say(kFirst, AskLink{submission.actor, 5});
  const auto refused = sent<ray::Linked>(kFirst);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_FALSE(refused[0].link);
  EXPECT_EQ(refused[0].actor, submission.actor);
  say(kFirst, AskLink{caller, 5});
  EXPECT_FALSE(sent<ray::Linked>(kFirst).back().link) << "of itself";
}

TEST_F(OwnerLinks, AreRefusedWhereTheCalleeCannotMapThem) {
  say(kFirst, AskLink{callee, 0});
  say(kSecond, LinkMade{sent<ray::Linked>(kSecond).at(0).link, 1});
  const auto told = sent<ray::Linked>(kFirst);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_FALSE(told[0].link);
}

/// One link for all.
class OwnerOfOneLink : public OwnerLinks {
 protected:
  OwnerOfOneLink() : OwnerLinks(limits_of_one()) {}
  static Owner::Limits limits_of_one() {
    Owner::Limits limits = OwnerTest::limits(1);
    limits.most_links = 1;
    return limits;
  }
};

TEST_F(OwnerOfOneLink, MakesNoSecondOneBeforeTheFirstHasGone) {
  const LinkId link = make_link();
  say(kSecond, AskLink{caller, 4});
  const auto refused = sent<ray::Linked>(kSecond);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_FALSE(refused[0].link);
  say(kFirst, LinkClosed{link});
  say(kSecond, LinkClosed{link});
  take_all(kSecond);
  say(kSecond, AskLink{caller, 24});
  const auto asked = sent<ray::Linked>(kFirst);
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(asked[0].link);
}

TEST_F(OwnerLinks, EndWhereTheCallerCannotMapThem) {
  const LinkId link = make_link();
  say(kFirst, LinkClosed{link});
  ASSERT_EQ(sent<LinkEnded>(kSecond).size(), 1u);
  EXPECT_EQ(sent<LinkEnded>(kSecond)[0].link, link);
  say(kSecond, LinkClosed{link});
  EXPECT_FALSE(world.process(kSecond).shown.contains(link.region().value));
  const LinkId next = make_link_after(40);
  EXPECT_NE(next, link);
}

TEST_F(OwnerLinks, AreRefusedToACallerThatAskedAndThenLetGo) {
  const LinkId link = make_link();
  call_by_owner(1);
  begin(kSecond);
  say(kFirst, AskLink{callee, 1});  // waits for that call
  say(kFirst, LinkClosed{link});
  const auto told = sent<ray::Linked>(kFirst);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_FALSE(told[0].link);
}

TEST_F(OwnerLinks, KeepPromisesOfADeadCaller) {
  const LinkId link = make_link();
  const ObjectId promised = linked(kFirst, 10);
  say(kFirst, Promise{link, promised});
  EXPECT_FALSE(owner.is_ready(promised));
  owner.adopt(promised);
  world.die(owner, kFirst, "was killed by signal 9");
  EXPECT_EQ(sent<LinkEnded>(kSecond).size(), 1u);
  answer(link, promised);
  EXPECT_TRUE(owner.is_ready(promised));
  EXPECT_FALSE(error_of(promised).has_value());
  owner.release(promised);
  EXPECT_FALSE(owner.is_known(promised));
}

TEST_F(OwnerLinks, EndWithAnErrorForPromisesOfADeadCallee) {
  const LinkId link = make_link();
  const ObjectId before = linked(kFirst, 10);
  const ObjectId after = linked(kFirst, 11);
  say(kFirst, Promise{link, before});
  world.die(owner, kSecond, "was killed by signal 9");
  EXPECT_THAT(message_of(error_of(before)), HasSubstr("was killed by signal 9"));
  EXPECT_EQ(sent<LinkEnded>(kFirst).size(), 1u);
  say(kFirst, Promise{link, after});
  EXPECT_THAT(message_of(error_of(after)), HasSubstr("was killed by signal 9"));
}

TEST_F(OwnerLinks, HandOverWhatTheirCalleeAnswers) {
  const LinkId link = make_link();
  const ObjectId object = linked(kFirst, 10);
  answer(link, object);
  ASSERT_EQ(sent<Handed>(kFirst).size(), 1u);
  EXPECT_EQ(sent<Handed>(kFirst)[0].object, object);
  EXPECT_FALSE(owner.is_known(object)) << "its caller has not said that there is such a call";
  say(kFirst, Promise{link, object});  // on its way when the answer came, or for Handed
  EXPECT_TRUE(owner.is_ready(object));
  EXPECT_FALSE(error_of(object).has_value());
  say(kFirst, Release{{&object, 1}});
  EXPECT_FALSE(owner.is_known(object));
}

TEST_F(OwnerLinks, LeaveNothingOfAnAnswerThatNobodyAskedFor) {
  const LinkId link = make_link();
  const ObjectId inner = put_by(kSecond);
  const std::vector<std::byte> bytes = encode(SimulatedValue{.refs = {inner}});
  ValuePart part = part_of(bytes);
  part.object = linked(kFirst, 77);
  say(kSecond, AnswerFor{link, {&part, 1}});
  say(kSecond, Release{{&inner, 1}});
  EXPECT_TRUE(owner.is_known(inner)) << "the answer holds it";
  say(kFirst, LinkClosed{link});
  say(kSecond, LinkClosed{link});
  EXPECT_FALSE(owner.is_known(part.object));
  EXPECT_FALSE(owner.is_known(inner));
}

TEST_F(OwnerLinks, LeaveNothingOfAnAnswerWhoseCallerDies) {
  const LinkId link = make_link();
  const ObjectId inner = put_by(kSecond);
  const std::vector<std::byte> bytes = encode(SimulatedValue{.refs = {inner}});
  ValuePart part = part_of(bytes);
  part.object = linked(kFirst, 77);
  say(kSecond, AnswerFor{link, {&part, 1}});
  say(kSecond, Release{{&inner, 1}});
  world.die(owner, kFirst, "was killed by signal 9");
  EXPECT_FALSE(owner.is_known(inner));
}

TEST_F(OwnerLinks, AnswerNoCallsOfOtherLinks) {
  const LinkId link = make_link();
  const ActorId third = make_actor("third");
  made({3}, begin({3}));
  say(kFirst, AskLink{third, 0});
  const LinkId other = sent<ray::Linked>({3}).at(0).link;
  say({3}, LinkMade{other, 0});
  const ObjectId object = linked(kFirst, 10);
  answer(link, object);
  say(kFirst, Promise{other, object});
  EXPECT_FALSE(owner.is_ready(object)) << "the third actor has not answered";
}

/// A caller that sends the id of what it has put harms itself alone.
TEST_F(OwnerLinks, AreNotTheirCalleesToBlameForWhatTheirCallerSays) {
  const LinkId link = make_link();
  const std::vector<std::byte> bytes = encode(SimulatedValue{});
  ValuePart part = part_of(bytes);
  part.object = linked(kFirst, 10);
  say(kFirst, PutValue{{&part, 1}});
  EXPECT_NO_THROW(answer(link, part.object));
  EXPECT_THROW(say(kFirst, Promise{link, part.object}), errors::DataLossError);
}

TEST_F(OwnerLinks, MayBeClosedBeforeAnAnswerComes) {
  const LinkId link = make_link();
  say(kFirst, LinkClosed{link});
  say(kSecond, LinkClosed{link});
  EXPECT_NO_THROW(answer(link, linked(kFirst, 10)));
  EXPECT_FALSE(owner.is_known(linked(kFirst, 10)));
}

TEST_F(OwnerLinks, AreAnsweredOnceForEachCall) {
  const LinkId link = make_link();
  answer(link, linked(kFirst, 10));
  EXPECT_THROW(answer(link, linked(kFirst, 10)), errors::DataLossError);
}

TEST_F(OwnerLinks, AreOfferedWhenTheLastCallFails) {
  const LinkId link = make_link();
  call_by_owner(1);
  const TaskId one = begin(kSecond);
  say(kFirst, AskLink{callee, 1});
  // Waits for what is not there, and is cancelled.
  const ObjectId missing = submit_task();
  const std::vector<std::byte> bytes = encode(SimulatedValue{});
  const ValuePart part = part_of(bytes);
  Submit message;
  message.mode = CallMode::kActorCall;
  message.function = {2};
  message.actor = callee;
  message.first_return = object_of(kFirst, 2);
  message.function_name = "called";
  message.parts = {&part, 1};
  say(kFirst, Adopt{missing});
  message.refs = {&missing, 1};
  say(kFirst, message);
  done(kSecond, one);
  EXPECT_TRUE(sent<ray::Linked>(kFirst).empty());
  owner.cancel_call(message.first_return, false, true);
  const auto told = sent<ray::Linked>(kFirst);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].link, link);
  EXPECT_EQ(told[0].num_calls, 2u);
}

TEST_F(OwnerLinks, EndBeforeAKillDoes) {
  make_link();
  owner.kill_actor(callee, true);
  ASSERT_EQ(sent<LinkEnded>(kFirst).size(), 1u);
  EXPECT_TRUE(world.process(kSecond).killed);
}

TEST_F(OwnerLinks, CarryCancels) {
  const LinkId link = make_link();
  const ObjectId promised = linked(kFirst, 10);
  say(kFirst, Promise{link, promised});
  EXPECT_THROW(owner.cancel_call(promised, true, true), RayException);
  owner.cancel_call(promised, false, true);
  const auto told = sent<Interrupt>(kSecond);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].task, TaskId{promised.value});
  EXPECT_EQ(told[0].recursive, 1u);
}

TEST_F(OwnerLinks, CarryTheCancelOfACallToWhatItHasCalled) {
  const LinkId link = make_link();
  const ObjectId parent = call_actor(caller);
  const TaskId task = begin(kFirst);
  say(kFirst, Promise{link, linked(kFirst, 10), task});
  owner.cancel_call(parent, false, true);
  EXPECT_EQ(sent<Interrupt>(kSecond).size(), 1u);
  say(kFirst, Promise{link, linked(kFirst, 11), task});  // on its way when the call was cancelled
  EXPECT_EQ(sent<Interrupt>(kSecond).size(), 2u);
}

/// As long as a worker likes, and in a circle.
TEST_F(OwnerLinks, CarryTheCancelOfAChainOfCalls) {
  constexpr uint64_t kCalls = 20'000;
  const LinkId link = make_link();
  say(kFirst, Promise{link, linked(kFirst, 1), {linked(kFirst, kCalls).value}});
  for (uint64_t i = 2; i <= kCalls; ++i)
    say(kFirst, Promise{link, linked(kFirst, i), {linked(kFirst, i - 1).value}});
  owner.cancel_call(linked(kFirst, 1), false, true);
  EXPECT_EQ(sent<Interrupt>(kSecond).size(), kCalls);
}

TEST_F(OwnerLinks, CountCallsThatTheirCalleeReports) {
  const LinkId link = make_link();
  EXPECT_TRUE(link);
  call_by_owner(1);
  done(kSecond, begin(kSecond));
  const uint64_t calls[] = {linked(kFirst, 10).value, 2, 1000, 500 << 1,
                            linked(kFirst, 11).value, 2, 2000, 500 << 1 | 1};
  say(kSecond, RanLinked{calls});
  for (const FunctionRow& function : owner.function_rows()) {
    if (function.name != "called") continue;
    EXPECT_EQ(function.num_failed, 1u);
    EXPECT_GE(function.num_finished, 2u);
  }
  size_t failed = 0;
  owner.history().each([&](const TaskEvent& event) { failed += event.has_failed ? 1 : 0; });
  EXPECT_EQ(failed, 1u);
}

TEST_F(OwnerLinks, AreNotTheOtherEndsToPromise) {
  const LinkId link = make_link();
  EXPECT_THROW(say(kSecond, Promise{link, linked(kSecond, 10)}), errors::DataLossError);
}

TEST_F(OwnerLinks, AreNotTheCallersToAnswer) {
  const LinkId link = make_link();
  const std::vector<std::byte> bytes = encode(SimulatedValue{});
  ValuePart part = part_of(bytes);
  part.object = linked(kFirst, 10);
  EXPECT_THROW(say(kFirst, AnswerFor{link, {&part, 1}}), errors::DataLossError);
}

TEST_F(OwnerLinks, AnswerCallsOfTheirCallerOnly) {
  const LinkId link = make_link();
  EXPECT_THROW(answer(link, linked(kSecond, 10)), errors::DataLossError);
}

TEST_F(OwnerLinks, AnswerNoOtherIdsThanThoseOfCallsByLinks) {
  const LinkId link = make_link();
  EXPECT_THROW(answer(link, object_of(kFirst, 10)),
               errors::DataLossError);  // it may be the caller's next one
}

TEST_F(OwnerLinks, MayHaveGoneWhenTheirEndsSpeakOfThem) {
  const LinkId link = make_link();
  say(kFirst, LinkClosed{link});
  say(kSecond, LinkClosed{link});
  say(kFirst, LinkClosed{link});
  say(kSecond, LinkMade{link, 1});
  const ObjectId promised = linked(kFirst, 10);
  say(kFirst, Promise{link, promised});
  EXPECT_THAT(message_of(error_of(promised)), HasSubstr("has ended without an answer"));
  EXPECT_THROW(say(kFirst, LinkClosed{{link.value + 1}}), errors::DataLossError) << "there was none";
}

TEST_F(OwnerLinks, DropWhatIsAnsweredAfterTheirEnd) {
  const LinkId link = make_link();
  const ObjectId promised = linked(kFirst, 10);
  say(kFirst, Promise{link, promised});
  say(kFirst, LinkClosed{link});
  answer(link, promised);
  EXPECT_FALSE(error_of(promised).has_value());
  answer(link, promised);  // a second time: nobody is told
  EXPECT_TRUE(sent<Handed>(kFirst).empty());
}

TEST_F(OwnerLinks, EndWithAnErrorForPromisesThatTheirCalleeLetsGoOf) {
  const LinkId link = make_link();
  const ObjectId promised = linked(kFirst, 10);
  say(kFirst, Promise{link, promised});
  say(kFirst, LinkClosed{link});
  EXPECT_FALSE(owner.is_ready(promised));
  say(kSecond, LinkClosed{link});
  EXPECT_THAT(message_of(error_of(promised)), HasSubstr("has ended without an answer"));
}

TEST_F(OwnerLinks, AreNotTheirCalleesToEnd) {
  const LinkId link = make_link();
  EXPECT_THROW(say(kSecond, LinkClosed{link}), errors::DataLossError);
}

TEST_F(OwnerLinks, AreUnknownToOthers) {
  make_link();
  make_actor();
  made({3}, begin({3}));
  EXPECT_THROW(say({3}, LinkClosed{{LinkId::kFirst + 1}}), errors::DataLossError);
}

}  // namespace
}  // namespace flowray::ray
