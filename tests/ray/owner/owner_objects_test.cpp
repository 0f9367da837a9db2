#include "ray/owner/owner_fixture.h"

#include <string>
#include <vector>

namespace flowray::ray {
namespace {

class OwnerObjects : public OwnerTest {};

/// Its first letters, and more than a message holds.
const std::string kLongText = "it went wrong: " + std::string(300'000, 'x');

TEST_F(OwnerObjects, ThatAreLongErrorsAreShortenedForTheCallsThatFailWithThem) {
  const ObjectId first = submit_task();
  const ObjectId second = submit_task({first});
  const TaskId task = begin(kFirst);
  const ValuePart error = in_store(kFirst, encode_failure(kLongText), true);
  say(kFirst, Done{task, kLongNs, {&error, 1}});
  EXPECT_EQ(message_of(error_of(first)), kLongText);  // where it was thrown it is whole
  const std::string told = message_of(error_of(second));
  EXPECT_LT(told.size(), kInlineBytes);
  EXPECT_TRUE(told.starts_with("it went wrong: xxx")) << told.substr(0, 100);
  EXPECT_TRUE(told.ends_with(" more bytes)")) << told.substr(told.size() - 100);
  // It can be sent: the world knows how long a message may be.
  say(kFirst, GetValues{1, {&second, 1}});
  EXPECT_EQ(world.process(kFirst).to_worker.back().kind(), Value::kKind);
}

TEST_F(OwnerObjects, ThatAreLongErrorsOfAConstructorAreShortenedForItsCalls) {
  const ActorId actor = make_actor();
  const ObjectId call = call_actor(actor);
  const TaskId task = begin(kFirst);
  const ValuePart error = in_store(kFirst, encode_failure(kLongText), true);
  say(kFirst, Done{task, kLongNs, {&error, 1}});
  const std::string told = message_of(error_of(call));
  EXPECT_LT(told.size(), kInlineBytes);
  EXPECT_NE(told.find("it went wrong: xxx"), std::string::npos) << told.substr(0, 200);
}

TEST_F(OwnerObjects, ThatAreDamagedLongErrorsAreReplaced) {
  const ObjectId first = submit_task();
  const ObjectId second = submit_task({first});
  const TaskId task = begin(kFirst);
  std::vector<std::byte> bytes = encode_failure(kLongText);
  bytes[16] = std::byte{0xC1};  // no msgpack begins so
  const ValuePart error = in_store(kFirst, bytes, true);
  say(kFirst, Done{task, kLongNs, {&error, 1}});
  const std::string told = message_of(error_of(second));
  EXPECT_NE(told.find("cannot be read"), std::string::npos) << told;
}

TEST_F(OwnerObjects, TooLongForAMessageAreNotTakenInOne) {
  submit_task();
  begin(kFirst);
  SimulatedValue value;
  value.padding_bytes = kInlineBytes;
  const std::vector<std::byte> bytes = encode(value);
  ValuePart part = part_of(bytes);
  part.object = object_of(kFirst, 1);
  EXPECT_THROW(say(kFirst, PutValue{{&part, 1}}), errors::DataLossError);
}

TEST_F(OwnerObjects, ThatNobodyWaitsForAnyMoreAreNotWaitedFor) {
  submit_task();
  begin(kFirst);
  const ObjectId never = submit_task();
  const ObjectId other = submit_task();
  for (uint64_t poll = 1; poll <= 100; ++poll) {
    say(kFirst, GetValues{2 * poll, {&never, 1}});
    say(kFirst, Cancel{2 * poll});
    const std::vector<ObjectId> both{never, other};
    say(kFirst, WaitFor{2 * poll + 1, 1, both});
    say(kFirst, Cancel{2 * poll + 1});
  }
  EXPECT_EQ(owner.num_interests(), 0u);
  say(kFirst, GetValues{1000, {&never, 1}});
  EXPECT_EQ(owner.num_interests(), 1u);
  world.die(owner, kFirst, "died");
  EXPECT_EQ(owner.num_interests(), 0u);
}

TEST_F(OwnerObjects, OfASmallSizeAloneComeTogether) {
  submit_task();
  begin(kFirst);
  SimulatedValue value;
  value.number = 7;
  const ObjectId small = owner.new_objects();
  owner.put(small, heap(encode(value)));
  value.padding_bytes = 100'000;
  const std::vector<std::byte> bytes = encode(value);
  const ObjectId large = owner.new_objects();
  StoredValue stored;
  stored.extent = owner.allocate(bytes.size());
  std::ranges::copy(bytes, world.data(stored.extent));
  owner.put(large, stored);
  const ObjectId late = submit_task();
  const std::vector<ObjectId> asked{small, large, late};
  auto& queue = world.process(kFirst).to_worker;
  queue.clear();
  say(kFirst, GetValues{1, asked, 1});
  ASSERT_EQ(queue.size(), 2u);
  std::vector<ValuePart> parts;
  const auto first = read_message<Value>(queue[0].bytes(), parts);
  EXPECT_EQ(first.index, 0u);
  EXPECT_EQ(decode(parts[0].bytes).number, 7u);
  const auto second = read_message<Value>(queue[1].bytes(), parts);
  EXPECT_EQ(second.index, 1u);
  EXPECT_EQ(parts[0].object, large);
  EXPECT_TRUE(parts[0].bytes.empty());
  EXPECT_FALSE(parts[0].extent);
  owner.release(large);
  EXPECT_FALSE(owner.is_known(large));  // nobody was given it to read
  EXPECT_EQ(owner.num_interests(), 1u);
  say(kFirst, Cancel{1});
  EXPECT_EQ(owner.num_interests(), 0u);
}

/// A worker that reads a value, and says of parts of it that they are values.
class OwnerLends : public OwnerTest {
 protected:
  OwnerLends() {
    SimulatedValue value;
    value.number = 5;
    value.padding_bytes = 100'000;
    const std::vector<std::byte> bytes = encode(value);
    whole_ = owner.new_objects();
    StoredValue stored;
    stored.extent = owner.allocate(bytes.size());
    std::ranges::copy(bytes, world.data(stored.extent));
    extent_ = stored.extent;
    owner.put(whole_, stored);
    result_ = submit_task({whole_});
    task_ = begin(kFirst);
  }
  /// All of it, but for `from` bytes at the beginning.
  ValuePart lent(uint64_t from = 0) const {
    ValuePart part;
    part.extent = {extent_.slab, extent_.offset + from, extent_.size_bytes - from};
    part.lender = whole_;
    return part;
  }
  void return_it(const ValuePart& part) { say(kFirst, Done{task_, kLongNs, {&part, 1}}); }

  ObjectId whole_;
  ObjectId result_;
  Extent extent_;
  TaskId task_;
};

TEST_F(OwnerLends, AValueToOneThatIsTheSame) {
  return_it(lent());
  owner.release(whole_);
  say(kFirst, ReadEnded{std::vector{whole_}});
  EXPECT_EQ(owner.begin_read(result_).extent, extent_);
  EXPECT_EQ(decode(world.view(extent_)).number, 5u);
  owner.read_ended(result_);
  EXPECT_EQ(owner.num_objects(), 2u);  // it is there as long as the other one
  owner.release(result_);
  EXPECT_EQ(owner.num_objects(), 0u);
  EXPECT_EQ(owner.store().used_bytes(), 0u);
}

TEST_F(OwnerLends, UntilItHasSaidWhatItReadsNoMoreRoomMayCome) {
  EXPECT_TRUE(owner.room_may_come());  // the task runs
  return_it(lent());
  EXPECT_TRUE(owner.room_may_come());
  const uint64_t before = owner.num_room_events();
  say(kFirst, ReadEnded{});  // it keeps the argument
  EXPECT_FALSE(owner.room_may_come());
  EXPECT_GT(owner.num_room_events(), before);
}

TEST_F(OwnerLends, NothingToAProcessThatDoesNotReadIt) {
  const ObjectId other = owner.new_objects();
  owner.put(other, heap(encode(SimulatedValue{})));
  ValuePart part = lent();
  part.lender = other;
  EXPECT_THROW(return_it(part), errors::DataLossError);
}

TEST_F(OwnerLends, NothingOfAnObjectThatThereIsNot) {
  ValuePart part = lent();
  part.lender = {12345};
  EXPECT_THROW(return_it(part), errors::DataLossError);
}

TEST_F(OwnerLends, NothingBesideTheValue) {
  ValuePart part = lent();
  part.extent.size_bytes += 64;
  EXPECT_THROW(return_it(part), errors::DataLossError);
}

TEST_F(OwnerLends, NothingBeforeTheValue) {
  ValuePart part = lent();
  part.extent.offset -= 64;
  EXPECT_THROW(return_it(part), errors::DataLossError);
}

TEST_F(OwnerLends, NothingInAnotherRegion) {
  ValuePart part = lent();
  ++part.extent.slab.value;
  EXPECT_THROW(return_it(part), errors::DataLossError);
}

TEST_F(OwnerLends, WhatIsNoValueAsALostOne) {
  return_it(lent(64));
  const auto error = error_of(result_);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind, ErrorKind::kUnreconstructable);
  owner.release(whole_);
  owner.release(result_);
  say(kFirst, ReadEnded{std::vector{whole_}});
  EXPECT_EQ(owner.num_objects(), 0u);
}

TEST_F(OwnerObjects, ThatAWorkerReadsWhereItWroteThemStayUntilItHasEnded) {
  submit_task();
  const TaskId task = begin(kFirst);
  SimulatedValue value;
  value.number = 9;
  value.padding_bytes = 100'000;
  ValuePart part = in_store(kFirst, encode(value));
  part.object = object_of(kFirst, 1);
  say(kFirst, PutValue{{&part, 1}, 1});
  say(kFirst, Release{std::vector{part.object}});
  EXPECT_TRUE(owner.is_known(part.object));
  ValuePart lent;
  lent.extent = part.extent;
  lent.lender = part.object;
  say(kFirst, Done{task, kLongNs, {&lent, 1}});
  EXPECT_EQ(owner.store().used_bytes(), part.extent.size_bytes);
  say(kFirst, ReadEnded{std::vector{part.object}});
  EXPECT_TRUE(owner.is_known(part.object));  // what was returned lies there
  world.die(owner, kFirst, "was killed");
  EXPECT_TRUE(owner.is_known(part.object));
}

TEST_F(OwnerObjects, ThatADeadWorkerHasReadWhereItWroteThemGo) {
  submit_task();
  begin(kFirst);
  ValuePart part = in_store(kFirst, encode(SimulatedValue{}));
  part.object = object_of(kFirst, 1);
  say(kFirst, PutValue{{&part, 1}, 1});
  EXPECT_TRUE(owner.is_known(part.object));
  world.die(owner, kFirst, "was killed");
  EXPECT_FALSE(owner.is_known(part.object));
  EXPECT_EQ(owner.store().used_bytes(), 0u);
}

}  // namespace
}  // namespace flowray::ray
