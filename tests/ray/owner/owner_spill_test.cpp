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
  /// Until no value is on its way to disk.
  void end_spills() {
    while (!world.leaving().empty()) world.end_spill(owner, world.leaving()[0]);
  }
  /// Asks again after values have gone to disk.
  Extent allocate(uint64_t bytes) {
    for (;;) {
      try {
        return owner.allocate(bytes);
      } catch (const StoreFullError&) {
        if (world.leaving().empty()) throw;
        end_spills();
      }
    }
  }
  /// A value of the driver's in the store.
  ObjectId put(size_t mib) {
    SimulatedValue value;
    const ObjectId object = owner.new_objects();
    value.number = object.value;
    value.padding_bytes = mib * kMiB;
    const std::vector<std::byte> bytes = encode(value);
    StoredValue stored;
    stored.extent = allocate(bytes.size());
    std::ranges::copy(bytes, world.data(stored.extent));
    owner.put(object, stored);
    return object;
  }
  uint64_t number_in(ObjectId object) {
    for (;;) {
      try {
        const StoredValue value = owner.begin_read(object);
        const uint64_t number = decode(world.view(value.extent)).number;
        owner.read_ended(object);
        return number;
      } catch (const StoreFullError&) {
        if (world.leaving().empty()) throw;
        end_spills();
      }
    }
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
  EXPECT_THROW(owner.begin_read(damaged), StoreFullError);  // there is no room before the other one has gone
  end_spills();
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
  EXPECT_EQ(runs(kFirst).size(), 0u);
  end_spills();  // the other one goes for it
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
  end_spills();
  ASSERT_EQ(count(kFirst, Leased::kKind), 1u);
  EXPECT_TRUE(static_cast<bool>(leased_to(kFirst).slab));
  done(kFirst, first);
  done(kSecond, second);
}

TEST_F(OwnerSpills, WhileTheyStayReadable) {
  const ObjectId read = put(5);
  const ObjectId let_go = put(5);
  EXPECT_THROW(owner.allocate(14 * kMiB), StoreFullError);
  EXPECT_TRUE(owner.room_may_come());
  ASSERT_EQ(world.leaving(), (std::vector<ObjectId>{read, let_go}));
  EXPECT_EQ(number_in(read), read.value);
  owner.begin_read(read);
  owner.release(let_go);
  EXPECT_TRUE(owner.is_known(let_go));  // its place is not given to others
  EXPECT_EQ(owner.store().used_bytes() > 10 * kMiB, true);
  end_spills();
  EXPECT_FALSE(owner.is_known(let_go));
  EXPECT_EQ(owner.store().used_bytes() > 10 * kMiB, false);
  EXPECT_EQ(owner.spilled_bytes(), 0u);  // one is being read, nobody wants the other one
  EXPECT_EQ(world.num_spilled(), 0u);
  EXPECT_FALSE(owner.room_may_come());
  owner.read_ended(read);
  put(14);
  EXPECT_EQ(world.num_spilled(), 1u);
}

TEST_F(OwnerSpills, UnlessTheDiskIsFullAndTellsOfThat) {
  const ObjectId kept = put(9);
  world.fill_disk(true);
  for (int i = 0; i < 2; ++i) {  // a later request makes it try again
    try {
      put(9);
      FAIL() << "there is room";
    } catch (const StoreFullError& error) {
      EXPECT_NE(error.message().find("ObjectRefs of the driver\nthe disk is full"), std::string::npos)
          << error.message();
    }
  }
  EXPECT_EQ(number_in(kept), kept.value);
  world.fill_disk(false);
  put(9);
  EXPECT_GT(owner.spilled_bytes(), 9 * kMiB);
}

/// A value of 5 MiB, `whole`, and one that a task returned of it, which shares its room.
class OwnerSpillsShared : public OwnerSpills {
 protected:
  OwnerSpillsShared() {
    whole = put(5);
    shared = submit_task({whole});
    const TaskId task = begin(kFirst);
    ValuePart part;
    part.extent = owner.begin_read(whole).extent;
    owner.read_ended(whole);
    part.lender = whole;
    say(kFirst, Done{task, kLongNs, {&part, 1}});
    say(kFirst, ReadEnded{});
  }
  void end_reading() { say(kFirst, ReadEnded{std::vector{whole}}); }

  ObjectId whole, shared;
};

TEST_F(OwnerSpillsShared, NothingThatSharesTheRoomOfWhatIsBeingRead) {
  put(5);
  EXPECT_THROW(owner.allocate(5 * kMiB), StoreFullError);
  EXPECT_EQ(std::ranges::count(world.leaving(), shared), 0);
  end_spills();
  EXPECT_TRUE(static_cast<bool>(owner.allocate(5 * kMiB)));
  EXPECT_EQ(world.num_spilled(), 1u);
}

TEST_F(OwnerSpillsShared, FirstWhatHasRoomOfItsOwn) {
  end_reading();
  put(5);
  EXPECT_THROW(owner.allocate(5 * kMiB), StoreFullError);
  EXPECT_EQ(std::ranges::count(world.leaving(), shared), 0);
  end_spills();
  EXPECT_TRUE(static_cast<bool>(owner.allocate(5 * kMiB)));
}

TEST_F(OwnerSpillsShared, EnoughAtOnceWhereRoomIsShared) {
  end_reading();
  const std::vector<ObjectId> others{put(2), put(2), put(2)};
  EXPECT_THROW(owner.allocate(6 * kMiB), StoreFullError);
  EXPECT_EQ(world.leaving(), others);  // what shares room gives none
  end_spills();
  EXPECT_TRUE(static_cast<bool>(owner.allocate(6 * kMiB)));
}

TEST_F(OwnerSpillsShared, BothWhereNothingElseIsLeft) {
  end_reading();
  EXPECT_TRUE(static_cast<bool>(allocate(14 * kMiB)));
  EXPECT_EQ(world.num_spilled(), 2u);
  owner.release(whole);
  owner.release(shared);
  EXPECT_EQ(owner.num_objects(), 0u);
  EXPECT_EQ(owner.spilled_bytes(), 0u);
  EXPECT_EQ(world.num_spilled(), 0u);
}

TEST_F(OwnerSpillsShared, OneAloneWhereNobodyWantsTheOther) {
  end_reading();
  owner.release(whole);
  EXPECT_TRUE(static_cast<bool>(allocate(14 * kMiB)));
  EXPECT_EQ(world.num_spilled(), 1u);
  owner.release(shared);
  EXPECT_EQ(owner.num_objects(), 0u);
}

TEST_F(OwnerSpills, AndLetsAWorkerWaitForTheDisk) {
  submit_task();
  begin(kFirst);
  put(9);
  say(kFirst, Lease{1, 9 * kMiB});
  EXPECT_EQ(count(kFirst, Leased::kKind), 0u);
  end_spills();
  ASSERT_EQ(count(kFirst, Leased::kKind), 1u);
  EXPECT_TRUE(static_cast<bool>(leased_to(kFirst).slab));
}

TEST_F(OwnerSpills, AndTellsAWorkerThatTheDiskIsFull) {
  submit_task();
  begin(kFirst);
  put(9);
  world.fill_disk(true);
  say(kFirst, Lease{1, 9 * kMiB});
  EXPECT_EQ(count(kFirst, Leased::kKind), 0u);
  end_spills();
  ASSERT_EQ(count(kFirst, Leased::kKind), 1u);
  EXPECT_FALSE(static_cast<bool>(leased_to(kFirst).slab));
  EXPECT_NE(leased_to(kFirst).text.find("the disk is full"), std::string_view::npos);
}

TEST_F(OwnerSpills, NothingForRoomThatIsOnlyWantedIfItIsFree) {
  submit_task();
  begin(kFirst);
  const ObjectId first = put(5);
  say(kFirst, Lease{1, 2 * kMiB, 1});
  ASSERT_EQ(count(kFirst, Leased::kKind), 1u);
  EXPECT_TRUE(static_cast<bool>(leased_to(kFirst).slab));
  // Values have half of the store for themselves.
  say(kFirst, Lease{2, 4 * kMiB, 1});
  ASSERT_EQ(count(kFirst, Leased::kKind), 2u);
  EXPECT_FALSE(static_cast<bool>(leased_to(kFirst).slab));
  say(kFirst, Lease{3, uint64_t{1} << 63, 1});
  ASSERT_EQ(count(kFirst, Leased::kKind), 3u);
  EXPECT_FALSE(static_cast<bool>(leased_to(kFirst).slab));
  EXPECT_TRUE(world.leaving().empty());
  EXPECT_EQ(number_in(first), first.value);
}

TEST_F(OwnerSpills, AndBringsTheArgumentsOfConstructorsBack) {
  submit_task();
  submit_task();
  const TaskId first = begin(kFirst);
  begin(kSecond);
  const ObjectId argument = put(9);
  put(9);
  const ActorId actor = make_actor("", 0, {argument});
  EXPECT_EQ(world.started().size(), 2u);  // it is not made before its argument is there
  end_spills();
  ASSERT_EQ(world.started().size(), 3u);
  const WorkerId its = world.started().back();
  std::vector<ValuePart> parts;
  const auto run = read_message<ray::Run>(world.process(its).to_worker.back().bytes(), parts);
  EXPECT_EQ(decode(world.view(run.parts[1].extent)).number, argument.value);
  EXPECT_EQ(owner.living_actors(), std::vector<ActorId>{actor});
  done(kFirst, first);
}

TEST_F(OwnerSpills, AndWaitsForWhatADyingProcessHas) {
  const ObjectId held = put(9);
  const ActorId actor = make_actor("", 0, {held});
  made(kFirst, begin(kFirst));  // it keeps the array
  EXPECT_FALSE(owner.room_may_come());
  owner.kill_actor(actor, false);
  EXPECT_THROW(owner.allocate(9 * kMiB), StoreFullError);
  EXPECT_TRUE(owner.room_may_come());
  world.die(owner, kFirst, "was killed");
  put(9);
}

TEST_F(OwnerSpills, ButDoesNotTakeCallsThatWereSentAheadForSuchAsCompute) {
  submit_task();
  const std::vector<std::byte> bytes = encode(SimulatedValue{});
  const ValuePart part = part_of(bytes);
  say(kFirst, Done{begin(kFirst), 10'000, {&part, 1}});  // so short that several are sent at a time
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
