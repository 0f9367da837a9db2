#include <vector>

#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

/// A store of 16 MiB.
class OwnerSpills : public OwnerTest {
 protected:
  OwnerSpills() : OwnerTest(small_store()) {}

  static Owner::Limits small_store() {
    Owner::Limits limits = OwnerTest::limits(2);
    limits.store_bytes = 16 * kMiB;
    return limits;
  }
  /// A value of the driver's in the store.
  ObjectId put(size_t mib) {
    SimulatedValue value;
    const ObjectId object = owner.new_objects();
    value.number = object.value;
    value.padding_bytes = mib * kMiB;
    const std::vector<std::byte> bytes = encode(value);
    StoredValue stored;
    stored.extent = owner.allocate(bytes.size());
    std::ranges::copy(bytes, world.data(stored.extent));
    owner.put(object, stored);
    return object;
  }
  uint64_t number_in(ObjectId object) {
    const StoredValue value = owner.begin_read(object);
    const uint64_t number = decode(world.view(value.extent)).number;
    owner.read_ended(object);
    return number;
  }
  /// The messages of that kind that the worker has and has not taken.
  size_t count(WorkerId worker, uint32_t kind) {
    return static_cast<size_t>(std::ranges::count_if(
        world.process(worker).to_worker, [&](const auto& message) { return message.kind() == kind; }));
  }
  Leased leased_to(WorkerId worker) {
    std::vector<ValuePart> parts;
    return read_message<Leased>(world.process(worker).to_worker.back().bytes(), parts);
  }
};

TEST_F(OwnerSpills, WhatNobodyReadsAndBringsItBack) {
  std::vector<ObjectId> objects;
  for (int i = 0; i < 6; ++i) objects.push_back(put(5));
  EXPECT_GT(owner.spilled_bytes(), 15 * kMiB);
  for (const ObjectId object : objects) EXPECT_EQ(number_in(object), object.value);
  for (const ObjectId object : objects) owner.release(object);
  EXPECT_EQ(owner.spilled_bytes(), 0u);
  EXPECT_EQ(world.num_spilled(), 0u);
  EXPECT_EQ(owner.num_objects(), 0u);
}

TEST_F(OwnerSpills, NothingThatIsBeingRead) {
  const ObjectId first = put(5);
  const ObjectId second = put(5);
  owner.begin_read(first);
  owner.begin_read(second);
  EXPECT_THROW(put(9), StoreFullError);
  EXPECT_EQ(owner.spilled_bytes(), 0u);
  owner.read_ended(first);
  put(5);
  put(5);
  EXPECT_GT(owner.spilled_bytes(), 0u);
}

TEST_F(OwnerSpills, AndTellsOfAValueThatIsDamagedOnDisk) {
  const ObjectId damaged = put(9);
  put(9);
  ASSERT_GT(owner.spilled_bytes(), 0u);
  world.damage_spilled();
  const auto error = error_of(damaged);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->kind, ErrorKind::kUnreconstructable);
  EXPECT_EQ(world.num_spilled(), 1u);  // the other one, which went to make room
}

TEST_F(OwnerSpills, ArgumentsThatWaitForTheirCall) {
  submit_task();
  submit_task();  // no processor is left
  const ObjectId argument = put(9);
  const ObjectId result = submit_task({argument});
  put(9);
  ASSERT_GT(owner.spilled_bytes(), 0u);
  done(kFirst, begin(kFirst));
  EXPECT_EQ(owner.spilled_bytes() > 0, true);  // the other one went for it
  std::vector<ValuePart> parts;
  const auto run = read_message<ray::Run>(world.process(kFirst).to_worker.back().bytes(), parts);
  ASSERT_EQ(run.parts.size(), 2u);
  EXPECT_EQ(decode(world.view(run.parts[1].extent)).number, argument.value);
  EXPECT_FALSE(owner.is_ready(result));
}

TEST_F(OwnerSpills, AndLetsAWorkerWaitForRoomThatOthersMayLetGo) {
  submit_task();
  submit_task();
  const TaskId first = begin(kFirst);
  const TaskId second = begin(kSecond);
  const ObjectId object = put(9);
  owner.begin_read(object);
  say(kFirst, Lease{1, 9 * kMiB});
  EXPECT_EQ(count(kFirst, Leased::kKind), 0u);  // the second one computes
  EXPECT_TRUE(owner.room_may_come());
  owner.read_ended(object);
  ASSERT_EQ(count(kFirst, Leased::kKind), 1u);
  EXPECT_TRUE(static_cast<bool>(leased_to(kFirst).slab));
  done(kFirst, first);
  done(kSecond, second);
}

TEST_F(OwnerSpills, ButDoesNotTakeCallsThatWereSentAheadForSuchAsCompute) {
  submit_task();
  const std::vector<std::byte> bytes = encode(SimulatedValue{});
  const ValuePart part = part_of(bytes);
  say(kFirst, Done{begin(kFirst), 1, {&part, 1}});  // so short that several are sent at a time
  for (int i = 0; i < 8; ++i) submit_task();
  begin(kFirst);
  begin(kSecond);
  owner.begin_read(put(9));
  say(kFirst, Lease{1, 9 * kMiB});
  EXPECT_EQ(count(kFirst, Leased::kKind), 0u);  // the second one computes
  say(kSecond, Lease{1, 9 * kMiB});
  EXPECT_EQ(count(kFirst, Leased::kKind) + count(kSecond, Leased::kKind), 1u);  // now somebody has to fail
}

TEST_F(OwnerSpills, ButNotWhereNobodyComputes) {
  submit_task();
  submit_task();
  begin(kFirst);
  const TaskId second = begin(kSecond);
  owner.begin_read(put(9));
  say(kFirst, Lease{1, 9 * kMiB});
  EXPECT_EQ(count(kFirst, Leased::kKind), 0u);
  done(kSecond, second);  // nobody is left who could let go of anything
  ASSERT_EQ(count(kFirst, Leased::kKind), 1u);
  EXPECT_FALSE(static_cast<bool>(leased_to(kFirst).slab));
  EXPECT_FALSE(leased_to(kFirst).text.empty());
}

}  // namespace
}  // namespace flowray::ray
