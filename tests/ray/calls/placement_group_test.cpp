// Placement groups in real processes.

#include <flowray/ray.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flowray {
namespace {

constexpr int kGuardMs = 60'000;

std::vector<std::string> gpus() { return ray::GetGpuIds(); }

bool makes_a_group() {
  const ray::PlacementGroup group = ray::CreatePlacementGroup({"of a task", {{{"CPU", 1}}}});
  const bool is_there = group.Wait(60) && ray::GetPlacementGroup("of a task").GetID() == group.GetID();
  ray::RemovePlacementGroup(group.GetID());
  return is_there;
}

class Member {
 public:
  static Member* Create() { return new Member; }
  int One() const { return 1; }
};
RAY_REMOTE(gpus, makes_a_group, Member::Create, &Member::One);

class PlacementGroups : public ::testing::Test {
 protected:
  PlacementGroups() { ray::Init({.num_cpus = 3, .num_gpus = 1}); }
  ~PlacementGroups() override { ray::Shutdown(); }
};

TEST_F(PlacementGroups, AreAsRaysHeadersHaveThem) {
  ray::PlacementGroupCreationOptions options{"first", {{{"CPU", 1}}, {{"CPU", 1}, {"GPU", 1}}}};
  options.strategy = ray::PlacementStrategy::STRICT_PACK;
  const ray::PlacementGroup group = ray::CreatePlacementGroup(options);
  EXPECT_TRUE(group.Wait(60));
  EXPECT_FALSE(group.Empty());
  EXPECT_EQ(group.GetID().size(), 16u);
  const ray::PlacementGroup found = ray::GetPlacementGroupById(group.GetID());
  EXPECT_EQ(found.GetName(), "first");
  EXPECT_EQ(found.GetStrategy(), ray::PlacementStrategy::STRICT_PACK);
  EXPECT_EQ(found.GetState(), ray::PlacementGroupState::CREATED);
  EXPECT_EQ(found.GetBundles(), options.bundles);
  EXPECT_EQ(ray::GetAllPlacementGroups().size(), 1u);
  EXPECT_EQ(*ray::Task(gpus).SetResource("GPU", 1).SetPlacementGroup(group, 1).Remote().Get(kGuardMs),
            std::vector<std::string>{"0"});
  const auto member = ray::Actor(Member::Create).SetResource("CPU", 1).SetPlacementGroup(group, 0).Remote();
  EXPECT_EQ(*member.Task(&Member::One).Remote().Get(kGuardMs), 1);
  ray::RemovePlacementGroup(group.GetID());
  EXPECT_THROW(member.Task(&Member::One).Remote().Get(kGuardMs), ray::RayActorException);
  EXPECT_EQ(ray::GetPlacementGroupById(group.GetID()).GetState(), ray::PlacementGroupState::REMOVED);
  EXPECT_TRUE(ray::GetPlacementGroup("first").Empty());
  EXPECT_TRUE(ray::GetPlacementGroupById("none").Empty());
}

TEST_F(PlacementGroups, AreNotThereWhereTheyCannotBe) {
  ray::PlacementGroupCreationOptions options{"", {{{"CPU", 1}}, {{"CPU", 1}}}};
  options.strategy = ray::PlacementStrategy::STRICT_SPREAD;
  EXPECT_FALSE(ray::CreatePlacementGroup(options).Wait(0));
  EXPECT_THROW(ray::CreatePlacementGroup({"", {}}), ray::RayException);
  EXPECT_THROW(ray::CreatePlacementGroup({"", {{{"CPU", 0}}}}), ray::RayException);
  EXPECT_THROW(ray::CreatePlacementGroup({std::string(5000, 'x'), {{{"CPU", 1}}}}), ray::RayException);
  EXPECT_THROW(ray::PlacementGroup().Wait(1), ray::RayException);
}

TEST_F(PlacementGroups, AreMadeByTasks) { EXPECT_TRUE(*ray::Task(makes_a_group).Remote().Get(kGuardMs)); }

}  // namespace
}  // namespace flowray
