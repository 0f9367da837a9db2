#include "cluster/master/placed_step.h"

#include "cluster/in_process_cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

namespace flowray::cluster {
namespace {

using ::testing::StartsWith;

const Identity kWorker{"worker", 0};

/// "fill" fills a queue of the ps. "made" calls a function that asks how full it is, an If calls that too,
/// and "pure" calls one that only computes there, all on the task `device`.
constexpr const char* kGraph = R"(
node {{ name: "yes" op: "Const" attr {{ key: "dtype" value {{ type: DT_BOOL }} }}
        attr {{ key: "value" value {{ tensor {{ dtype: DT_BOOL tensor_shape {{}} bool_val: true }} }} }} }}
node {{ name: "queue" op: "FIFOQueueV2" device: "/job:ps/task:0"
        attr {{ key: "component_types" value {{ list {{ type: DT_FLOAT }} }} }}
        attr {{ key: "shared_name" value {{ s: "shared" }} }} }}
node {{ name: "one" op: "Const" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }}
        attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{}} float_val: 1 }} }} }} }}
node {{ name: "fill" op: "QueueEnqueueV2" input: "queue" input: "one"
        attr {{ key: "Tcomponents" value {{ list {{ type: DT_FLOAT }} }} }} }}
node {{ name: "made" op: "StatefulPartitionedCall" device: "{0}"
        attr {{ key: "Tin" value {{ list {{}} }} }}
        attr {{ key: "Tout" value {{ list {{ type: DT_INT32 }} }} }}
        attr {{ key: "f" value {{ func {{ name: "Size" }} }} }} }}
node {{ name: "branch" op: "If" device: "{0}" input: "yes"
        attr {{ key: "Tcond" value {{ type: DT_BOOL }} }}
        attr {{ key: "Tin" value {{ list {{}} }} }}
        attr {{ key: "Tout" value {{ list {{ type: DT_INT32 }} }} }}
        attr {{ key: "then_branch" value {{ func {{ name: "Outer" }} }} }}
        attr {{ key: "else_branch" value {{ func {{ name: "Seven" }} }} }} }}
node {{ name: "pure" op: "PartitionedCall" device: "{0}"
        attr {{ key: "Tin" value {{ list {{}} }} }}
        attr {{ key: "Tout" value {{ list {{ type: DT_INT32 }} }} }}
        attr {{ key: "f" value {{ func {{ name: "Seven" }} }} }} }}
library {{
  function {{
    signature {{ name: "Size" output_arg {{ name: "n" type: DT_INT32 }} is_stateful: true }}
    node_def {{ name: "queue" op: "FIFOQueueV2" device: "/job:ps/task:0"
               attr {{ key: "component_types" value {{ list {{ type: DT_FLOAT }} }} }}
               attr {{ key: "shared_name" value {{ s: "shared" }} }} }}
    node_def {{ name: "size" op: "QueueSizeV2" input: "queue:handle:0" }}
    ret {{ key: "n" value: "size:size:0" }}
  }}
  function {{
    signature {{ name: "Outer" output_arg {{ name: "n" type: DT_INT32 }} is_stateful: true }}
    node_def {{ name: "inner" op: "StatefulPartitionedCall"
               attr {{ key: "Tin" value {{ list {{}} }} }}
               attr {{ key: "Tout" value {{ list {{ type: DT_INT32 }} }} }}
               attr {{ key: "f" value {{ func {{ name: "Size" }} }} }} }}
    ret {{ key: "n" value: "inner:output:0" }}
  }}
  function {{
    signature {{ name: "Seven" output_arg {{ name: "n" type: DT_INT32 }} }}
    node_def {{ name: "seven" op: "Const" device: "/job:ps/task:0"
               attr {{ key: "dtype" value {{ type: DT_INT32 }} }}
               attr {{ key: "value"
                       value {{ tensor {{ dtype: DT_INT32 tensor_shape {{}} int_val: 7 }} }} }} }}
    ret {{ key: "n" value: "seven:output:0" }}
  }}
}})";

class DevicesInFunctions : public ::testing::Test {
 protected:
  void create(const std::string& device) {
    client_.create(wire::from_text_format<wire::GraphDef>(fmt::format(kGraph, device)));
  }

  InProcessCluster cluster_{{{"ps", 1}, {"worker", 1}}};
  ClusterClient client_{cluster_.member(kWorker)};
};

/// The queue of the ps is that which others fill, and not a second one on the worker.
TEST_F(DevicesInFunctions, AreWhereTheirNodesRun) {
  create("/job:worker/task:0");
  EXPECT_EQ(client_.run({"made:0"}).at(0), Array(0));
  client_.run({"fill"});
  EXPECT_EQ(client_.run({"made:0"}).at(0), Array(1));
  EXPECT_EQ(client_.run({"branch:0"}).at(0), Array(1));
  client_.run({"fill"});
  const auto values = client_.run({"branch:0", "pure:0", "made:0"});
  EXPECT_EQ(values.at(0), Array(2));
  EXPECT_EQ(values.at(1), Array(7));
  EXPECT_EQ(values.at(2), Array(2));
  client_.close();
}

TEST_F(DevicesInFunctions, MayBeThoseOfTheirCaller) {
  create("/job:ps/task:0");
  client_.run({"fill"});
  EXPECT_EQ(client_.run({"made:0"}).at(0), Array(1));
  EXPECT_EQ(client_.run({"branch:0"}).at(0), Array(1));
  client_.close();
}

TEST_F(DevicesInFunctions, ThatNoTaskHasAreRefused) {
  std::string text = fmt::format(kGraph, "/job:worker/task:0");
  const std::string wish = R"(op: "Const" device: "/job:ps/task:0")";
  text.replace(text.find(wish), wish.size(), R"(op: "Const" device: "/job:ps/task:7")");
  client_.create(wire::from_text_format<wire::GraphDef>(text));
  try {
    client_.run({"pure:0"});
    FAIL() << "there is no such task";
  } catch (const errors::InvalidArgumentError& error) {
    EXPECT_THAT(error.message(), StartsWith("Cannot assign a device for operation pure/seven: "));
  }
  client_.close();
}

}  // namespace
}  // namespace flowray::cluster
