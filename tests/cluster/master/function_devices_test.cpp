#include "cluster/master/function_devices.h"

#include "cluster/in_process_cluster.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

namespace flowray::cluster {
namespace {

using ::testing::StartsWith;

const Identity kWorker{"worker", 0};

/// "made" calls a function that makes a queue on the ps, an If calls that too, and "pure" calls one that only
/// computes there, all on the task `device`.
constexpr const char* kGraph = R"(
node {{ name: "yes" op: "Const" attr {{ key: "dtype" value {{ type: DT_BOOL }} }}
        attr {{ key: "value" value {{ tensor {{ dtype: DT_BOOL tensor_shape {{}} bool_val: true }} }} }} }}
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
  std::string refusal_of(const std::string& fetch) {
    try {
      client_.run({fetch});
    } catch (const errors::UnimplementedError& error) {
      return error.message();
    }
    return "none";
  }

  InProcessCluster cluster_{{{"ps", 1}, {"worker", 1}}};
  ClusterClient client_{cluster_.member(kWorker)};
};

/// On the worker it would be a second queue, of which nobody on the ps knows.
TEST_F(DevicesInFunctions, AreNotIgnoredWhereSomethingIsToStay) {
  create("/job:worker/task:0");
  const std::string text =
      "Function Size makes queue (FIFOQueueV2) on /job:ps/task:0, but runs on "
      "/job:worker/replica:0/task:0/device:CPU:0, where {{node ";
  EXPECT_THAT(refusal_of("made:0"), StartsWith(text + "made}} calls it\n"));
  EXPECT_THAT(refusal_of("branch:0"), StartsWith(text + "branch}} calls it\n"));
  EXPECT_EQ(client_.run({"pure:0"}).at(0), Array(7));
  client_.close();
}

TEST_F(DevicesInFunctions, MayBeThoseOfTheirCaller) {
  create("/job:ps/task:0");
  EXPECT_EQ(client_.run({"made:0"}).at(0), Array(0));
  EXPECT_EQ(client_.run({"branch:0"}).at(0), Array(0));
  client_.close();
}

}  // namespace
}  // namespace flowray::cluster
