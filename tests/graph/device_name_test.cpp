#include "graph/device_name.h"

#include <gtest/gtest.h>

namespace flowray::graph {
namespace {

TEST(DeviceName, ReadsAndWritesItsParts) {
  const auto full = DeviceName::parse("/job:worker/replica:0/task:12/device:GPU:3");
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(*full, (DeviceName{.job = "worker", .replica = 0, .task = 12, .type = "GPU", .index = 3}));
  EXPECT_EQ(full->to_string(), "/job:worker/replica:0/task:12/device:GPU:3");
  EXPECT_EQ(DeviceName::parse("/cpu:1")->to_string(), "/device:CPU:1");
  EXPECT_EQ(DeviceName::parse("/job:ps/device:gpu:*")->to_string(), "/job:ps/device:GPU:*");
  EXPECT_EQ(DeviceName::parse("")->to_string(), "");
  EXPECT_EQ(DeviceName::parse("/job:*/task:*")->to_string(), "");
  EXPECT_EQ(DeviceName::parse_local("cpu:0")->to_string(), "/device:CPU:0");
}

TEST(DeviceName, RefusesWhatIsNone) {
  for (const char* text :
       {"cpu:0", "/job:", "/job:1a", "/job:a-b", "/task:x", "/device:CPU:", "/foo:1", "/job"}) {
    EXPECT_FALSE(DeviceName::parse(text).has_value()) << text;
  }
  EXPECT_FALSE(DeviceName::parse_local("").has_value());
}

TEST(DeviceName, MeansAllDevicesThatItsPartsFit) {
  const auto full = *DeviceName::parse("/job:worker/replica:0/task:1/device:CPU:0");
  for (const char* text :
       {"", "/job:worker", "/task:1", "/device:CPU:*", "/job:worker/replica:0/task:1/device:CPU:0"}) {
    EXPECT_TRUE(DeviceName::parse(text)->includes(full)) << text;
  }
  for (const char* text : {"/job:ps", "/task:0", "/device:GPU:*", "/device:CPU:1"}) {
    EXPECT_FALSE(DeviceName::parse(text)->includes(full)) << text;
  }
  EXPECT_TRUE(DeviceName::parse("/task:1/device:GPU:7")->includes_task_of(full));
  EXPECT_FALSE(DeviceName::parse("/task:0/device:CPU:0")->includes_task_of(full));
}

TEST(DeviceName, TakesWhatIsOpenFromAnother) {
  auto name = *DeviceName::parse("/task:1/device:CPU:0");
  name.fill_in(*DeviceName::parse("/job:ps/task:0/device:GPU:2"));
  EXPECT_EQ(name.to_string(), "/job:ps/task:1/device:CPU:0");
}

TEST(DeviceName, NamesThePartThatTwoDisagreeOn) {
  const auto conflict = [](const char* a, const char* b) {
    return DeviceName::parse(a)->conflict_with(*DeviceName::parse(b));
  };
  EXPECT_EQ(conflict("/job:a/task:0", "/job:b/task:1"), "jobs");
  EXPECT_EQ(conflict("/replica:0", "/replica:1"), "replicas");
  EXPECT_EQ(conflict("/task:0", "/task:1"), "tasks");
  EXPECT_EQ(conflict("/cpu:0", "/gpu:0"), "types");
  EXPECT_EQ(conflict("/cpu:0", "/cpu:1"), "ids");
  EXPECT_EQ(conflict("/job:a", "/task:1/cpu:0"), std::nullopt);
}

}  // namespace
}  // namespace flowray::graph
