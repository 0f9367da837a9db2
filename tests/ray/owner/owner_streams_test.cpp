// Calls that give their values one by one.

#include <gtest/gtest.h>

#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

using internal::NextItem;

class OwnerStreams : public OwnerTest {
 protected:
  ObjectId submit_stream(uint32_t most_ahead = 0, uint32_t is_stream = 1) {
    Submission submission = call(CallMode::kTask);
    submission.terms.is_stream = is_stream;
    submission.terms.most_ahead = most_ahead;
    submission.terms.max_retries = 1;
    return submit(submission);
  }
  ObjectId give(WorkerId worker, TaskId task, uint64_t index, uint64_t number) {
    SimulatedValue value;
    value.number = number;
    const std::vector<std::byte> bytes = encode(value);
    ValuePart part = part_of(bytes);
    part.object = object_of(worker, number);
    say(worker, Give{task, index, {&part, 1}});
    return part.object;
  }
  void fail(WorkerId worker, TaskId task) {
    const std::vector<std::byte> bytes = encode_failure("no more");
    const ValuePart part = part_of(bytes, true);
    say(worker, Done{task, kLongNs, {&part, 1}});
  }
  /// How many it was told to be taken; nothing if it was not told.
  std::optional<uint64_t> told_taken(WorkerId worker) {
    std::optional<uint64_t> told;
    std::vector<ValuePart> parts;
    for (const SimulatedMessage& message : world.process(worker).to_worker) {
      if (message.kind() == Taken::kKind) told = read_message<Taken>(message.bytes(), parts).count;
    }
    return told;
  }
  bool is_interrupted(WorkerId worker) {
    const auto& sent = world.process(worker).to_worker;
    return std::ranges::any_of(sent, [](const auto& message) { return message.kind() == Interrupt::kKind; });
  }
  FoundNext answer(WorkerId worker) {
    std::vector<ValuePart> parts;
    const SimulatedMessage& message = world.process(worker).to_worker.back();
    EXPECT_EQ(message.kind(), FoundNext::kKind);
    return read_message<FoundNext>(message.bytes(), parts);
  }
};

TEST_F(OwnerStreams, GiveEachValueAsItComes) {
  const ObjectId stream = submit_stream();
  const TaskId task = begin(kFirst);
  EXPECT_EQ(owner.next_item(stream), NextItem::kNotYet);
  const ObjectId first = give(kFirst, task, 0, 7);
  const ObjectId second = give(kFirst, task, 1, 8);
  EXPECT_EQ(owner.next_item(stream), NextItem::kItem);
  EXPECT_EQ(owner.take_item(stream), first);
  EXPECT_TRUE(owner.is_ready(first));
  EXPECT_EQ(owner.take_item(stream), second);
  EXPECT_EQ(owner.next_item(stream), NextItem::kNotYet);
  EXPECT_FALSE(owner.is_ready(stream));
  done(kFirst, task);
  EXPECT_EQ(owner.next_item(stream), NextItem::kEnd);
  EXPECT_TRUE(owner.is_ready(stream));
  for (const ObjectId object : {first, second, stream}) owner.release(object);
  EXPECT_EQ(owner.num_objects(), 0u);
  EXPECT_FALSE(told_taken(kFirst).has_value()) << "it may be ahead by any number";
}

TEST_F(OwnerStreams, EndWithTheError) {
  const ObjectId stream = submit_stream();
  const TaskId task = begin(kFirst);
  give(kFirst, task, 0, 7);
  fail(kFirst, task);
  owner.release(owner.take_item(stream));
  ASSERT_EQ(owner.next_item(stream), NextItem::kItem);
  const ObjectId last = owner.take_item(stream);
  EXPECT_EQ(message_of(error_of(last)), "no more");
  EXPECT_EQ(owner.next_item(stream), NextItem::kEnd);
  EXPECT_FALSE(error_of(stream).has_value()) << "that it has ended is not an error";
  owner.release(last);
  owner.release(stream);
  EXPECT_EQ(owner.num_objects(), 0u);
}

TEST_F(OwnerStreams, TellHowManyAreTaken) {
  const ObjectId stream = submit_stream(2);
  const TaskId task = begin(kFirst);
  give(kFirst, task, 0, 7);
  give(kFirst, task, 1, 8);
  EXPECT_FALSE(told_taken(kFirst).has_value());
  owner.release(owner.take_item(stream));
  EXPECT_EQ(told_taken(kFirst), 1u);
  owner.release(stream);
  EXPECT_EQ(told_taken(kFirst), ~uint64_t{0}) << "nobody waits for the rest";
  give(kFirst, task, 2, 9);
  done(kFirst, task);
  EXPECT_EQ(owner.num_objects(), 0u);
}

TEST_F(OwnerStreams, AreNotGivenTwiceByACallThatIsRunAgain) {
  const ObjectId stream = submit_stream(5);
  const TaskId task = begin(kFirst);
  const ObjectId first = give(kFirst, task, 0, 7);
  EXPECT_EQ(owner.take_item(stream), first);
  world.die(owner, kFirst, "died");
  EXPECT_EQ(begin(kSecond), task);
  give(kSecond, task, 0, 7);
  EXPECT_EQ(told_taken(kSecond), 1u) << "which it does not know";
  EXPECT_EQ(owner.next_item(stream), NextItem::kNotYet);
  const ObjectId second = give(kSecond, task, 1, 8);
  EXPECT_EQ(owner.take_item(stream), second);
  done(kSecond, task);
  EXPECT_EQ(owner.next_item(stream), NextItem::kEnd);
}

TEST_F(OwnerStreams, AnswerAWorkerThatWaits) {
  const ObjectId stream = submit_stream();
  const TaskId task = begin(kFirst);
  const ActorId actor = [&] {
    Submission submission = call(CallMode::kMakeActor);
    submission.function = {2};
    submission.actor = owner.new_actor();
    owner.submit(submission);
    return submission.actor;
  }();
  made(kSecond, begin(kSecond));
  EXPECT_EQ(owner.living_actors(), std::vector<ActorId>{actor});
  say(kSecond, Adopt{stream});
  say(kSecond, AskNext{1, stream, 1});
  const ObjectId first = give(kFirst, task, 0, 7);
  EXPECT_EQ(answer(kSecond).item, first);
  say(kSecond, AskNext{2, stream, 1});
  say(kSecond, Cancel{2});
  EXPECT_EQ(answer(kSecond).what, NextItem::kNotYet);
  say(kSecond, AskNext{3, stream, 0});
  give(kFirst, task, 1, 8);
  EXPECT_EQ(answer(kSecond).what, NextItem::kItem);
  EXPECT_FALSE(answer(kSecond).item) << "it was only asked whether there is one";
  say(kSecond, AskNext{4, stream, 1});
  EXPECT_TRUE(answer(kSecond).item);
  say(kSecond, AskNext{5, stream, 1});
  done(kFirst, task);
  EXPECT_EQ(answer(kSecond).what, NextItem::kEnd);
}

TEST_F(OwnerStreams, AreCancelledWhenNobodyCanRead) {
  const ObjectId stream = submit_stream(0, kStreamOfReader);
  const TaskId task = begin(kFirst);
  give(kFirst, task, 0, 7);
  owner.adopt(stream);
  owner.release(stream);
  EXPECT_FALSE(is_interrupted(kFirst));
  owner.release(stream);
  EXPECT_TRUE(is_interrupted(kFirst));
  give(kFirst, task, 1, 8);
  fail(kFirst, task);
  EXPECT_EQ(owner.num_tasks(), 0u);
  EXPECT_EQ(owner.num_objects(), 0u);
}

TEST_F(OwnerStreams, DoNotRunAgainWhenNobodyCanRead) {
  const ObjectId stream = submit_stream(0, kStreamOfReader);
  begin(kFirst);
  owner.release(stream);
  world.die(owner, kFirst, "was killed by signal 9");
  EXPECT_EQ(owner.num_tasks(), 0u);
  EXPECT_EQ(owner.num_objects(), 0u);
}

TEST_F(OwnerStreams, DoNotBeginWhenNobodyCanRead) {
  submit_task();
  begin(kFirst);
  const ObjectId waiting = submit_stream(0, kStreamOfReader);
  const ObjectId behind = submit_task();
  owner.release(waiting);
  EXPECT_EQ(owner.num_tasks(), 2u);
  EXPECT_TRUE(owner.is_known(behind));
  EXPECT_FALSE(owner.is_known(waiting));
}

TEST_F(OwnerStreams, AreNotCancelledWhenTheyAreDone) {
  const ObjectId stream = submit_stream(0, kStreamOfReader);
  done(kFirst, begin(kFirst));
  owner.release(stream);
  EXPECT_FALSE(is_interrupted(kFirst));
  EXPECT_EQ(owner.num_objects(), 0u);
}

TEST_F(OwnerStreams, RefuseWhatCannotBeGiven) {
  submit_stream();
  const TaskId task = begin(kFirst);
  EXPECT_THROW(give(kFirst, {task.value + 50}, 0, 7), errors::DataLossError);
}

TEST_F(OwnerStreams, RefuseAValueThatIsNotTheNext) {
  submit_stream();
  const TaskId task = begin(kFirst);
  EXPECT_THROW(give(kFirst, task, 1, 7), errors::DataLossError);
}

TEST_F(OwnerStreams, RefuseValuesOfOtherCalls) {
  submit_task();
  const TaskId task = begin(kFirst);
  EXPECT_THROW(give(kFirst, task, 0, 7), errors::DataLossError);
}

}  // namespace
}  // namespace flowray::ray
