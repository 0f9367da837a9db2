#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ray/owner/owner.h"
#include "ray/owner/owner_fixture.h"

namespace flowray::ray {
namespace {

/// Four processors, a GPU, and three pieces of something that is called "stamp".
class OwnerResources : public OwnerTest {
 protected:
  OwnerResources() : OwnerResources(with_gpu()) {}
  explicit OwnerResources(const Owner::Limits& limits) : OwnerTest(limits) {}

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
    submission.function = {2};
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

/// A program may ask for ever new ones, and give each call an environment of its own.
TEST_F(OwnerResources, ForgetsWhatNoCallAsksForAnyMore) {
  const auto submit_in = [&](const std::string& environment, uint64_t cpu_milli) {
    Submission submission = call(CallMode::kTask);
    submission.environment = environment;
    submission.terms.resources.cpu_milli = cpu_milli;
    return submit(submission);
  };
  const ActorId actor = make_actor_asking({{"stamp", 2500}});
  made(kFirst, begin(kFirst));
  const ObjectId waiting = submit_asking({{"stamp", 750}});
  const ObjectId refused = submit_asking({{"stomp", 750}});
  EXPECT_TRUE(owner.is_ready(refused));
  std::vector<ValuePart> parts;
  for (uint32_t i = 0; i < 5000; ++i) {
    const std::string environment = std::to_string(i) + std::string(100, 'x');
    const ObjectId result = submit_in(environment, 1 + i % 4000);
    const WorkerId worker = world.started().empty() ? kSecond : world.started().back();
    const auto& queue = world.process(worker).to_worker;
    ASSERT_FALSE(queue.empty());
    EXPECT_EQ(read_message<ray::Run>(queue.back().bytes(), parts).environment, environment);
    done(worker, begin(worker));
    ASSERT_TRUE(owner.is_ready(result));
    owner.release(result);
  }
  EXPECT_LT(owner.num_resource_kinds(), 700u);
  EXPECT_FALSE(owner.is_ready(waiting));
  owner.kill_actor(actor, false);
  world.die(owner, kFirst, "was killed by SIGKILL");
  for (const WorkerId worker : world.started()) {
    if (!runs(worker).empty()) done(worker, begin(worker));
  }
  EXPECT_TRUE(owner.is_ready(waiting));
}

/// As many processors as there can be tasks, and three GPUs.
class OwnerGpus : public OwnerResources {
 protected:
  OwnerGpus() : OwnerResources(three()) {}

  static Owner::Limits three() {
    Owner::Limits limits = OwnerTest::limits(16);
    limits.resources = {{"GPU", 3000}};
    return limits;
  }
  using Gpus = std::vector<uint32_t>;
  /// Of the worker's first call.
  Gpus gpus_of(WorkerId worker) {
    std::vector<ValuePart> parts;
    for (const SimulatedMessage& message : world.process(worker).to_worker) {
      if (message.kind() != ray::Run::kKind) continue;
      const ray::Run run = read_message<ray::Run>(message.bytes(), parts);
      return {run.gpus.begin(), run.gpus.end()};
    }
    return {};
  }
};

// The order of events is one that was tried with Ray 2.60.
TEST_F(OwnerGpus, GivesAPartOfTheOneThatHasLeastLeft) {
  const uint64_t milli[] = {500, 600, 300, 200, 300, 500};
  const Gpus expected = {0, 1, 1, 0, 0, 2};
  for (uint32_t i = 0; i < 6; ++i) {
    make_actor_asking({{"GPU", milli[i]}});
    EXPECT_EQ(gpus_of({i + 1}), Gpus{expected[i]}) << i;
  }
  submit_asking({{"GPU", 1000}});
  submit_asking({{"GPU", 600}});
  EXPECT_EQ(owner.num_workers(), 6u) << "there is more than half of one left, in parts of three";
}

TEST_F(OwnerGpus, GivesWholeOnesThatNobodyUses) {
  submit_asking({{"GPU", 250}});
  submit_asking({{"GPU", 2000}});
  EXPECT_EQ(gpus_of(kSecond), (Gpus{1, 2}));
  submit_asking({{"GPU", 1000}});
  EXPECT_EQ(owner.num_workers(), 2u);
  done(kFirst, begin(kFirst));
  EXPECT_EQ(gpus_of(kFirst), Gpus{0});
}

TEST_F(OwnerGpus, TellsCallsWithoutGpusSo) {
  submit_asking({{"GPU", 1000}});
  done(kFirst, begin(kFirst));
  submit_task();
  EXPECT_EQ(gpus_of(kFirst), Gpus{});
  const ActorId actor = make_actor_asking({{"GPU", 1000}});
  EXPECT_EQ(gpus_of(kSecond), Gpus{0});
  made(kSecond, begin(kSecond));
  call_actor(actor);
  EXPECT_EQ(gpus_of(kSecond), Gpus{}) << "it has heard of them when it was made";
  submit_asking({{"GPU", 1000}});
  EXPECT_EQ(gpus_of({3}), Gpus{1}) << "the actor keeps its own";
}

TEST_F(OwnerGpus, TellsWhatIsFree) {
  using internal::WhichResources;
  submit_asking({{"GPU", 250}});
  const ActorId actor = make_actor_asking({{"GPU", 2000}});
  NamedResources expected = {{"CPU", 15000}, {"GPU", 750}, {"object_store_memory", 64'000ull << 20}};
  EXPECT_EQ(owner.resources(WhichResources::kFree), expected);
  begin(kFirst);
  say(kFirst, AskResources{7, WhichResources::kFree});
  std::vector<ValuePart> parts;
  const SimulatedMessage& answer = world.process(kFirst).to_worker.back();
  ASSERT_EQ(answer.kind(), ToldResources::kKind);
  EXPECT_EQ(read_resources(read_message<ToldResources>(answer.bytes(), parts).text), expected);
  owner.kill_actor(actor, false);
  world.die(owner, kSecond, "was killed by SIGKILL");
  expected = {{"CPU", 15000}, {"GPU", 2750}, {"object_store_memory", 64'000ull << 20}};
  EXPECT_EQ(owner.resources(WhichResources::kFree), expected);
  expected = {{"CPU", 16000}, {"GPU", 3000}, {"object_store_memory", 64'000ull << 20}};
  EXPECT_EQ(owner.resources(WhichResources::kAll), expected);
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
