// Placement over two tasks of a cluster and over one local CPU; the texts are TensorFlow 2.21's.
#include "engine/step/place.h"

#include "engine/engine_fixture.h"

#include <gmock/gmock.h>

namespace flowray::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

class Place : public EngineTest {
 protected:
  /// Makes a node while `name` is the device of the scope.
  template <class Make>
  auto on(const char* name, Make make) {
    graph.scopes().devices.push_back(name);
    auto made = make();
    graph.scopes().devices.pop_back();
    return made;
  }
  graph::Endpoint constant_on(const char* device, const char* name) {
    return on(device, [&] { return builder.constant(1.0f, name); });
  }
  std::vector<uint32_t> placed(const std::vector<graph::Endpoint>& fetches, bool soft = false) {
    return place(prune({{}, fetches, {}}), {{worker_, ps_}, soft});
  }
  std::string refusal(const graph::Endpoint& fetch, const DeviceSet& set) {
    try {
      (void)place(prune({{}, {&fetch, 1}, {}}), set);
    } catch (const errors::InvalidArgumentError& error) {
      return error.message();
    }
    return "nothing was thrown";
  }

  const graph::DeviceName worker_ = *graph::DeviceName::parse("/job:worker/replica:0/task:0/device:CPU:0");
  const graph::DeviceName ps_ = *graph::DeviceName::parse("/job:ps/replica:0/task:0/device:CPU:0");
};

TEST_F(Place, TakesTheFirstDeviceThatANodeAsksForAndTheFirstOfAllWhereItAsksForNone) {
  const auto a = constant_on("/job:ps", "a");
  const auto b = constant_on("/job:ps/task:0/device:CPU:0", "b");
  const auto c = builder.constant(1.0f, "c");
  const auto d = constant_on("/device:CPU:0", "d");
  const auto sum = builder.op("AddN", {a, b, c, d}, {}, "sum");
  EXPECT_THAT(placed({sum}), ElementsAre(1, 1, 0, 0, 0));
}

TEST_F(Place, KeepsUpdatesWithTheirVariableAndHandlesWithTheirResource) {
  const graph::Attrs attrs = {{"dtype", DType::kFloat32}, {"shape", Shape({})}};
  const auto w = on("/job:ps", [&] { return builder.op("VariableV2", {}, attrs, "w"); });
  const auto one = builder.constant(1.0f, "one");
  const auto updated = builder.op("AssignAdd", {w, one}, {}, "updated");
  const auto read = builder.op("Identity", {updated}, {}, "read");
  const auto twice = builder.op("AddV2", {read, read}, {}, "twice");
  EXPECT_THAT(placed({twice}), ElementsAre(1, 0, 1, 1, 0));

  const auto handle = on("/job:ps", [&] { return builder.op("VarHandleOp", {}, attrs, "handle"); });
  const auto value = builder.op("ReadVariableOp", {handle}, {{"dtype", DType::kFloat32}}, "value");
  const auto doubled = builder.op("AddV2", {value, value}, {}, "doubled");
  EXPECT_THAT(placed({doubled}), ElementsAre(1, 1, 0));
}

TEST_F(Place, TakesTheDeviceOfAVariableBeforeThatOfItsUpdate) {
  const graph::Attrs attrs = {{"dtype", DType::kFloat32}, {"shape", Shape({})}};
  const auto w = on("/job:ps", [&] { return builder.op("VariableV2", {}, attrs, "w"); });
  const auto one = builder.constant(1.0f, "one");
  const auto updated = on("/job:worker", [&] { return builder.op("AssignAdd", {w, one}, {}, "updated"); });
  EXPECT_THAT(placed({updated}), ElementsAre(1, 0, 1));
}

TEST_F(Place, KeepsTogetherWhatNamesOneClassWhetherItsNodeIsInTheStepOrNot) {
  const graph::Attrs in_class = {{"_class", std::vector<std::string>{"loc:@elsewhere"}}};
  const auto a = on("/job:ps", [&] {
    return builder.op("Fill",
                      {builder.constant(Array(std::vector<int32_t>{2}), "dims"), builder.constant(1.0f, "v")},
                      in_class, "a");
  });
  const auto b = builder.op("Neg", {a}, in_class, "b");
  const auto c = builder.op("Neg", {b}, {{"_class", std::vector<std::string>{"loc:@b"}}}, "c");
  const auto d = builder.op("Neg", {c}, {}, "d");
  EXPECT_THAT(placed({d}), ElementsAre(1, 1, 1, 1, 1, 0));
}

TEST_F(Place, RefusesADeviceThatIsNotThere) {
  const auto gpu = constant_on("/job:ps/device:GPU:0", "gpu");
  EXPECT_THAT(
      refusal(gpu, {{worker_, ps_}}),
      StartsWith(
          "Cannot assign a device for operation gpu: {{node gpu}} was explicitly assigned to "
          "/job:ps/device:GPU:0 but available devices are [ /job:worker/replica:0/task:0/device:CPU:0, "
          "/job:ps/replica:0/task:0/device:CPU:0 ]. Make sure the device specification refers to a valid "
          "device."));
  EXPECT_THAT(placed({gpu}, /*soft=*/true), ElementsAre(1));
  const auto other = constant_on("/job:chief", "other");
  EXPECT_THAT(refusal(other, {{worker_, ps_}, true}),
              StartsWith("Cannot assign a device for operation other"));
  const auto none = constant_on("/job:", "none");
  EXPECT_THAT(refusal(none, {{worker_}}), StartsWith("Malformed device specification '/job:' in node: "));
}

TEST_F(Place, RefusesToSeparateWhatMustBeTogether) {
  const auto x = constant_on("/job:a", "x");
  const graph::Attrs with_x = {{"_class", std::vector<std::string>{"loc:@x"}}};
  const auto y = on("/job:b", [&] { return builder.op("Neg", {x}, with_x, "y"); });
  EXPECT_EQ(
      refusal(y, {{worker_, ps_}, true}),
      "Cannot colocate nodes {{colocation_node y}} and {{colocation_node x}}: Cannot merge devices with "
      "incompatible jobs: '/job:b' and '/job:a'\n\t [[{{node y}}]]");
  const auto z = on("/device:CPU:0", [&] { return builder.constant(1.0f, "z"); });
  const auto u = on("/device:CPU:1", [&] {
    return builder.op("Neg", {z}, {{"_class", std::vector<std::string>{"loc:@z"}}}, "u");
  });
  EXPECT_EQ(
      refusal(u, {{worker_}}),
      "Cannot colocate nodes {{colocation_node u}} and {{colocation_node z}}: Cannot merge devices with "
      "incompatible ids: '/device:CPU:1' and '/device:CPU:0'\n\t [[{{node u}}]]");
  EXPECT_THAT(placed({u}, /*soft=*/true), ElementsAre(0, 0));
}

TEST_F(Place, IsAskedByASessionBeforeItRunsAnything) {
  interpreter_can_follow_ = false;
  const auto far = constant_on("/job:worker/task:1", "far");
  EXPECT_THROW((void)run({far}), errors::InvalidArgumentError);
  const auto near = constant_on("/job:localhost/replica:0/task:0/device:CPU:0", "near");
  EXPECT_EQ(run({near})[0], Array(1.0f));
  // What a step does not need is not looked at.
  EXPECT_EQ(run({builder.op("Neg", {near})})[0], Array(-1.0f));
}

}  // namespace
}  // namespace flowray::engine
