// Placement groups.

#include <gmock/gmock.h>

#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

using ::testing::HasSubstr;
using Gpus = std::vector<uint32_t>;

/// Four processors and two GPUs.
class OwnerGroups : public OwnerTest {
 protected:
  OwnerGroups() : OwnerTest(with_gpus()) {}

  static Owner::Limits with_gpus() {
    Owner::Limits limits = OwnerTest::limits(4);
    limits.resources = {{"GPU", 2000}};
    return limits;
  }
  ObjectId make_group(const std::vector<NamedResources>& bundles,
                      GroupStrategy strategy = GroupStrategy::kPack) {
    const std::string text = bundles_text(bundles);
    const ObjectId id = owner.new_objects();
    owner.make_group({id, static_cast<uint32_t>(strategy), "a group", text});
    return id;
  }
  ObjectId submit_in(ObjectId group, uint32_t bundle, uint64_t cpu_milli, uint64_t gpu_milli = 0) {
    text_ = resources_text({{"GPU", gpu_milli}});
    Submission submission = call(CallMode::kTask);
    submission.terms.resources.cpu_milli = cpu_milli;
    submission.terms.group = group;
    submission.terms.bundle = bundle;
    submission.resources = text_;
    return submit(submission);
  }
  uint64_t free_cpus() { return owner.resources(internal::WhichResources::kFree)["CPU"]; }
  Gpus gpus_of(WorkerId worker) {
    std::vector<ValuePart> parts;
    for (const SimulatedMessage& message : world.process(worker).to_worker) {
      if (message.kind() != ray::Run::kKind) continue;
      const ray::Run run = read_message<ray::Run>(message.bytes(), parts);
      return {run.gpus.begin(), run.gpus.end()};
    }
    return {};
  }

 private:
  std::string text_;
};

TEST_F(OwnerGroups, SetResourcesAside) {
  const ObjectId group = make_group({{{"CPU", 2000}}, {{"CPU", 1000}, {"GPU", 1000}}});
  EXPECT_TRUE(owner.is_ready(group));
  EXPECT_EQ(free_cpus(), 1000u);
  submit_task();
  submit_task();
  EXPECT_EQ(owner.num_workers(), 1u) << "there is one processor beside the group's";
  submit_in(group, 0, 1000);
  submit_in(group, 0, 1000);
  submit_in(group, 0, 1000);
  EXPECT_EQ(owner.num_workers(), 3u) << "two run in its bundle, the third waits";
  submit_in(group, kAnyBundle, 1000, 1000);
  EXPECT_EQ(gpus_of({4}), Gpus{0});
  owner.remove_group(group);
  EXPECT_EQ(free_cpus(), 0u) << "those that are being ended compute still";
  EXPECT_EQ(owner.num_workers(), 4u);
}

TEST_F(OwnerGroups, WaitUntilAllOfTheirBundlesFit) {
  for (int i = 0; i < 3; ++i) submit_task();
  const ObjectId group = make_group({{{"CPU", 1000}}, {{"CPU", 1000}}});
  EXPECT_FALSE(owner.is_ready(group));
  EXPECT_EQ(free_cpus(), 1000u) << "nothing of it is set aside before";
  done(kFirst, begin(kFirst));
  EXPECT_TRUE(owner.is_ready(group));
  EXPECT_EQ(free_cpus(), 0u);
}

TEST_F(OwnerGroups, AreNeverThereIfTheyMustBeSpread) {
  EXPECT_FALSE(owner.is_ready(make_group({{{"CPU", 1}}, {{"CPU", 1}}}, GroupStrategy::kStrictSpread)));
  EXPECT_TRUE(owner.is_ready(make_group({{{"CPU", 1000}}}, GroupStrategy::kStrictSpread)));
  EXPECT_FALSE(owner.is_ready(make_group({{{"CPU", 9000}}})));
}

TEST_F(OwnerGroups, HavePartsOfAGpu) {
  const ObjectId first = make_group({{{"GPU", 500}}, {{"GPU", 1000}}});
  const ObjectId second = make_group({{{"GPU", 500}}});
  ASSERT_TRUE(owner.is_ready(first));
  ASSERT_TRUE(owner.is_ready(second));
  submit_in(first, 0, 0, 500);
  submit_in(second, 0, 0, 250);
  submit_in(second, 0, 0, 250);
  submit_in(second, 0, 0, 250);
  EXPECT_EQ(gpus_of(kFirst), Gpus{0});
  EXPECT_EQ(gpus_of(kSecond), Gpus{0});
  EXPECT_EQ(gpus_of({3}), Gpus{0});
  EXPECT_EQ(owner.num_workers(), 3u);
}

TEST_F(OwnerGroups, FailWhatTheyHaveNoRoomFor) {
  const ObjectId group = make_group({{{"CPU", 2000}}, {{"CPU", 1000}}});
  EXPECT_THAT(message_of(error_of(submit_in(group, 1, 2000))), HasSubstr("cannot fit into"));
  EXPECT_THAT(message_of(error_of(submit_in(group, 7, 1000))), HasSubstr("cannot fit into"));
  EXPECT_THAT(message_of(error_of(submit_in({group.value + 1000}, 0, 1000))), HasSubstr("was removed"));
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerGroups, EndWhatRunsInThemWhenTheyAreRemoved) {
  const ObjectId group = make_group({{{"CPU", 1000}}});
  Submission made = call(CallMode::kMakeActor);
  made.function = {2};
  made.actor = owner.new_actor();
  made.terms.resources.cpu_milli = 1000;
  made.terms.group = group;
  owner.submit(made);
  const ObjectId asked = call_actor(made.actor);
  const ObjectId waits = submit_in(group, kAnyBundle, 1000);
  const ObjectId pending = make_group({{{"CPU", 8000}}});
  owner.remove_group(group);
  owner.remove_group(pending);
  EXPECT_TRUE(world.process(kFirst).killed);
  EXPECT_THAT(message_of(error_of(asked)), HasSubstr("its placement group was removed"));
  EXPECT_THAT(message_of(error_of(waits)), HasSubstr("The placement group 'a group' was removed."));
  EXPECT_THAT(message_of(error_of(pending)), HasSubstr("was removed"));
  world.die(owner, kFirst, "was killed");
  EXPECT_EQ(free_cpus(), 4000u);
  EXPECT_EQ(owner.num_tasks(), 0u);
}

TEST_F(OwnerGroups, AreToldOfOneAfterTheOther) {
  const ObjectId first = make_group({{{"CPU", 1000}}});
  const ObjectId second = make_group({{{"CPU", 1000}, {"GPU", 500}}});
  submit_task();
  begin(kFirst);
  std::vector<ValuePart> parts;
  const auto ask = [&](ObjectId after) {
    say(kFirst, AskGroup{1, after});
    return read_message<ToldGroup>(world.process(kFirst).to_worker.back().bytes(), parts);
  };
  EXPECT_EQ(ask({}).group, first);
  const ToldGroup told = ask(first);
  EXPECT_EQ(told.group, second);
  EXPECT_EQ(told.name, "a group");
  EXPECT_EQ(read_bundles(told.bundles), (std::vector<NamedResources>{{{"CPU", 1000}, {"GPU", 500}}}));
  EXPECT_FALSE(ask(second).group);
}

TEST_F(OwnerGroups, RefuseDamagedOnes) {
  submit_task();
  begin(kFirst);
  EXPECT_THROW(say(kFirst, MakeGroup{object_of(kFirst, 1), 0, "", ""}), errors::DataLossError);
}

TEST_F(OwnerGroups, RefuseIdsThatAreNotAWorkersToGive) {
  submit_task();
  begin(kFirst);
  const std::string bundles = bundles_text(std::vector<NamedResources>{{{"CPU", 1000}}});
  EXPECT_THROW(say(kFirst, MakeGroup{{3}, 0, "", bundles}), errors::DataLossError);
}

TEST(Bundles, AreTheSameAfterTheWire) {
  const std::vector<NamedResources> bundles = {{{"CPU", 1}, {"a b", 2}}, {{"x", 3}}};
  EXPECT_EQ(read_bundles(bundles_text(bundles)), bundles);
  EXPECT_TRUE(read_bundles("").empty());
  using namespace std::string_literals;
  for (const std::string& text :
       {"CPU"s, "CPU\0"s, "CPU\0001"s, "CPU\0001\0"s, "CPU\0x\0\0"s, "CPU\0001\0\0x"s})
    EXPECT_THROW(read_bundles(text), errors::DataLossError) << text;
}

}  // namespace
}  // namespace flowray::ray
