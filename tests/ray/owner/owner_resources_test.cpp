#include <gtest/gtest.h>

#include <string>

#include "ray/owner/owner.h"
#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

/// Four processors, a GPU, and three pieces of something that is called "stamp".
class OwnerResources : public OwnerTest {
 protected:
  OwnerResources() : OwnerTest(with_gpu()) {}

  static Owner::Limits with_gpu() {
    Owner::Limits limits = OwnerTest::limits(4);
    limits.resources = {{"GPU", 1000}, {"stamp", 3000}};
    return limits;
  }
  ObjectId submit_asking(const NamedResources& resources) {
    text_ = resources_text(resources);
    Submission submission = call(CallMode::kTask);
    submission.resources = text_;
    return submit(submission);
  }
  ActorId make_actor_asking(const NamedResources& resources) {
    text_ = resources_text(resources);
    Submission submission = call(CallMode::kMakeActor);
    submission.actor = owner.new_actor();
    submission.resources = text_;
    owner.submit(submission);
    return submission.actor;
  }

 private:
  std::string text_;
};

TEST_F(OwnerResources, RunsAsManyTasksAsWhatIsNamedIsThereFor) {
  for (int i = 0; i < 3; ++i) submit_asking({{"stamp", 1500}});
  EXPECT_EQ(owner.num_workers(), 2u) << "the third waits";
  submit_task();
  EXPECT_EQ(owner.num_workers(), 3u) << "and holds up nobody who asks for less";
  done(kFirst, begin(kFirst));
  EXPECT_EQ(runs(kFirst).size(), 1u);
}

TEST_F(OwnerResources, SharesAGpuInFractions) {
  for (int i = 0; i < 3; ++i) submit_asking({{"GPU", 500}});
  EXPECT_EQ(owner.num_workers(), 2u);
}

TEST_F(OwnerResources, HoldsAnActorsGpuUntilItsProcessEnds) {
  const ActorId actor = make_actor_asking({{"GPU", 1000}});
  made(kFirst, begin(kFirst));
  const ObjectId waiting = submit_asking({{"GPU", 250}});
  EXPECT_EQ(owner.num_workers(), 1u);
  owner.kill_actor(actor, false);
  world.die(owner, kFirst, "was killed by SIGKILL");
  EXPECT_EQ(owner.num_workers(), 1u);
  done(kSecond, begin(kSecond));
  EXPECT_TRUE(owner.is_ready(waiting));
}

TEST_F(OwnerResources, HoldsTheGpuOfATaskThatWaits) {
  const ObjectId first = submit_asking({{"GPU", 1000}});
  begin(kFirst);
  const ObjectId missing = submit_asking({{"GPU", 1000}});
  say(kFirst, Adopt{missing});
  say(kFirst, GetValues{1, {&missing, 1}});
  EXPECT_EQ(owner.num_workers(), 1u) << "its memory stays taken, as that of a processor does not";
  EXPECT_FALSE(owner.is_ready(first));
}

TEST_F(OwnerResources, RefusesWhatThereNeverWillBe) {
  EXPECT_EQ(message_of(error_of(submit_asking({{"GPU", 2000}, {"stamp", 1000}}))),
            "called asks for {CPU: 1, GPU: 2, stamp: 1} of the runtime's resources, and there are "
            "{CPU: 4, GPU: 1, stamp: 3} in all: it would wait for ever.\n"
            "Ask for less, or give Init more num_cpus, num_gpus or resources.");
  EXPECT_NE(message_of(error_of(submit_asking({{"stomp", 1}}))).find("stomp: 0.001"), std::string::npos);
  EXPECT_EQ(owner.num_tasks(), 0u);
  EXPECT_EQ(owner.num_workers(), 0u);
}

class OwnerWithoutGpus : public OwnerResources {
 protected:
  OwnerWithoutGpus() : owner_(world, undeclared()) {}
  static Owner::Limits undeclared() {
    Owner::Limits limits = OwnerTest::limits(4);
    limits.grants_gpus = true;
    return limits;
  }
  Owner owner_;
};

TEST_F(OwnerWithoutGpus, GrantsThemAllAndWarnsOnce) {
  const std::string text = resources_text({{"GPU", 4000}});
  for (int i = 0; i < 3; ++i) {
    Submission submission = call(CallMode::kTask);
    submission.first_return = owner_.new_objects();
    submission.resources = text;
    owner_.submit(submission);
  }
  EXPECT_EQ(owner_.num_workers(), 3u);
  ASSERT_EQ(world.warnings.size(), 1u);
  EXPECT_EQ(world.warnings[0].find("'called' asks for a GPU, and this machine has none"), 0u);
}

TEST(Resources, AreTheSameAfterTheWire) {
  const NamedResources resources = {{"GPU", 500}, {"a b=c,", 4'000'000'000}};
  EXPECT_EQ(read_resources(resources_text(resources)), resources);
  EXPECT_EQ(read_resources(""), NamedResources());
}

TEST(Resources, ThatAreDamagedAreRefused) {
  using namespace std::string_literals;
  for (const std::string& text :
       {"GPU"s, "GPU\0"s, "GPU\0001"s, "GPU\0x\0"s, "GPU\000\0"s, "GPU\0 1\0"s, "GPU\01\0rest"s}) {
    EXPECT_THROW(read_resources(text), errors::DataLossError) << text;
  }
}

}  // namespace
}  // namespace flowray::ray
