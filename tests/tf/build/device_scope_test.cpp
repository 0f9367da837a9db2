// Device scopes as TensorFlow 2.21's tf.device has them: what comes out of each was read off there.
#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/device_functions.h>
#include <flowray/tf/graph.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/session.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/error_words.h"

namespace flowray {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string device_of_constant() { return tf::constant(1.0f).op().device(); }

std::string inside(const char* outer, const char* inner) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto first = tf::device(outer);
  const auto second = tf::device(inner);
  return device_of_constant();
}

TEST(Device, InnerScopesDecideAndOuterOnesFillIn) {
  EXPECT_EQ(inside("/job:ps/task:1", "/cpu:0"), "/job:ps/task:1/device:CPU:0");
  EXPECT_EQ(inside("/gpu:0", "/cpu:1"), "/device:CPU:1");
  EXPECT_EQ(inside("/job:ps", "/job:worker/device:GPU:3"), "/job:worker/device:GPU:3");
  EXPECT_EQ(inside("/job:ps", ""), "/job:ps");
}

TEST(Device, IsWrittenInManyWays) {
  EXPECT_EQ(inside("", "/gpu:*"), "/device:GPU:*");
  EXPECT_EQ(inside("", "cpu:0"), "/device:CPU:0");
  EXPECT_EQ(inside("", "/cpu"), "/device:CPU:*");
  EXPECT_EQ(inside("", "/device:gpu:1"), "/device:GPU:1");
  EXPECT_EQ(inside("", "CPU:0/"), "/device:CPU:0");
  EXPECT_EQ(inside("", "/job:a//task:1"), "/job:a/task:1");
}

std::string refusal(const char* name) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  try {
    const auto device = tf::device(name);
  } catch (const ValueError& error) {
    return testing::without_line(error);
  }
  return "nothing was thrown";
}

TEST(Device, RefusesWhatIsNone) {
  EXPECT_THAT(
      refusal("nonsense"),
      StartsWith("Unknown attribute 'nonsense' is encountered while parsing the device spec: 'nonsense'."));
  EXPECT_THAT(refusal("/foo:1"),
              StartsWith("Unknown attribute 'foo' is encountered while parsing the device spec: '/foo:1'."));
  EXPECT_THAT(
      refusal("/device:CPU"),
      StartsWith("Unknown attribute 'device' is encountered while parsing the device spec: '/device:CPU'."));
  EXPECT_EQ(refusal("/job:x/cpu:0/gpu:1"),
            "Multiple device types are not allowed while parsing the device spec: /job:x/cpu:0/gpu:1.");
  EXPECT_EQ(refusal("/task:x"), "invalid literal for int() with base 10: 'x'");
}

TEST(Device, AScopeThatIsRefusedLeavesNothingOpen) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  EXPECT_THROW((void)tf::device("/foo:1"), ValueError);
  EXPECT_EQ(device_of_constant(), "");
}

TEST(Device, OfAnImportedNodeIsFilledInByTheScopesAround) {
  tf::GraphDef message;
  {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    tf::constant(1.0f, {.name = "plain"});
    const auto task = tf::device("/job:worker/task:1");
    tf::constant(1.0f, {.name = "on_task"});
    const auto other = tf::device("/job:a/device:CPU:1");
    tf::constant(1.0f, {.name = "on_device"});
    message = graph.as_graph_def();
  }
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto around = tf::device("/job:ps/device:CPU:0");
  tf::import_graph_def(message, {.name = "i"});
  EXPECT_EQ(graph.get_operation_by_name("i/plain").device(), "/job:ps/device:CPU:0");
  EXPECT_EQ(graph.get_operation_by_name("i/on_task").device(), "/job:worker/task:1/device:CPU:0");
  EXPECT_EQ(graph.get_operation_by_name("i/on_device").device(), "/job:a/task:1/device:CPU:1");
}

TEST(Device, OfAnImportedNodeIsThatOfWhatItIsToStandWith) {
  tf::GraphDef message;
  {
    const tf::Graph graph;
    const auto scope = graph.as_default();
    const auto other = tf::device("/job:worker/task:1");
    tf::constant(1.0f, {.name = "a"});
    message = graph.as_graph_def();
  }
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto b = [] {
    const auto job = tf::device("/job:x");
    return tf::constant(2.0f, {.name = "b"});
  }();
  const auto around = tf::device("/cpu:3");
  const auto beside = tf::colocate_with(b.op());
  tf::import_graph_def(message, {.name = "i"});
  EXPECT_EQ(graph.get_operation_by_name("i/a").device(), "/job:x");
  EXPECT_THAT(graph.to_string(), HasSubstr("i/a = Const() _class=loc:@b "));
}

TEST(Device, ALocalSessionRefusesAGpuUnlessPlacementIsSoft) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto device = tf::device("/gpu:0");
  const tf::Tensor x = tf::constant(1.5f, {.name = "x"});
  try {
    (void)tf::Session().run(x);
    FAIL();
  } catch (const tf::errors::InvalidArgumentError& error) {
    EXPECT_THAT(
        error.message(),
        StartsWith(
            "Cannot assign a device for operation x: {{node x}} was explicitly assigned to /device:GPU:0 but "
            "available devices are [ /job:localhost/replica:0/task:0/device:CPU:0 ]. Make sure the device "
            "specification refers to a valid device."));
  }
  EXPECT_EQ(tf::Session({.allow_soft_placement = true}).run(x), Array(1.5f));
}

tf::DeviceFunction always(const std::string& device) {
  return [device](const tf::Operation&) { return device; };
}

TEST(Device, AFunctionEndsItsOwnScopeWhateverElseIsOpen) {
  const tf::Graph one;
  const tf::Graph two;
  std::optional<tf::DeviceFunctionGuard> of_one(std::in_place, one.get(), always("/job:one"));
  const tf::DeviceFunctionGuard of_two(two.get(), always("/job:two"));
  of_one.reset();
  {
    const auto scope = one.as_default();
    EXPECT_EQ(device_of_constant(), "");
  }
  const auto scope = two.as_default();
  EXPECT_EQ(device_of_constant(), "/job:two");
}

TEST(Device, AColocationBeginsDevicesAnewAndThenDecides) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::Operation nowhere = tf::constant(1.0f).op();
  const tf::Operation there = [] {
    const auto device = tf::device("/job:a");
    return tf::constant(1.0f).op();
  }();
  const auto outer = tf::device("/job:o");
  const auto function = tf::device(always("/job:f"));
  {
    const auto with = tf::colocate_with(nowhere);
    EXPECT_EQ(device_of_constant(), "");
    {
      const auto inner = tf::device("/cpu:1");
      EXPECT_EQ(device_of_constant(), "/device:CPU:1");
    }
    const auto inner = tf::device(always("/job:g"));
    EXPECT_EQ(device_of_constant(), "/job:g");
  }
  {
    const auto with = tf::colocate_with(there);
    const auto inner = tf::device(always("/job:g"));
    EXPECT_EQ(device_of_constant(), "/job:a");
  }
  EXPECT_EQ(device_of_constant(), "/job:f");
}

TEST(Device, VariablesGoToTheTaskWithTheFewestBytes) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const tf::contrib::training::GreedyLoadBalancingStrategy greedy(2,
                                                                  tf::contrib::training::byte_size_load_fn);
  const auto devices = tf::device(tf::train::replica_device_setter({.ps_tasks = 2, .ps_strategy = greedy}));
  std::vector<std::string> chosen;
  for (const int64_t size : {100, 10, 10, 200, 5}) {
    chosen.push_back(tf::Variable(tf::zeros({size})).op().device());
  }
  // 400 bytes are on 0; 40, 80, then 880 on 1; then 0 again.
  const std::string first = "/job:ps/task:0";
  const std::string second = "/job:ps/task:1";
  EXPECT_EQ(chosen, (std::vector<std::string>{first, second, second, second, first}));
  EXPECT_EQ(greedy.loads(), (std::vector<double>{420, 880}));
  EXPECT_THROW(tf::contrib::training::byte_size_load_fn(tf::no_op()), ValueError);
  EXPECT_EQ(tf::contrib::training::byte_size_load_fn(tf::placeholder(tf::float64).op()), 8);
  EXPECT_THROW(
      tf::contrib::training::GreedyLoadBalancingStrategy(0, tf::contrib::training::byte_size_load_fn),
      ValueError);
}

}  // namespace
}  // namespace flowray
