// The golden bytes are those of TensorFlow 2.21's event_pb2.Event(...).SerializeToString().

#include "wire/event.h"

#include "support/hexadecimal.h"

#include <gtest/gtest.h>

#include <string>

namespace flowray::wire {
namespace {

using testing::to_hexadecimal;

TEST(Event, OfTheVersionIsTensorFlowsBytes) {
  EXPECT_EQ(to_hexadecimal(encode_file_version(1700000000.25, "brain.Event:2")),
            "0900001040fc54d9411a0d627261696e2e4576656e743a32");
}

TEST(Event, OfScalarsIsTensorFlowsBytes) {
  const SummaryValue values[] = {{"loss", 0.1f}, {"nothing", 0.0f}};
  EXPECT_EQ(to_hexadecimal(encode_summary_event(1700000000.5, 300, values)),
            "0900002040fc54d94110ac022a1d0a0b0a046c6f737315cdcccc3d0a0e0a076e6f7468696e671500000000");
}

TEST(Event, OfANegativeStepWithoutValuesIsTensorFlowsBytes) {
  EXPECT_EQ(to_hexadecimal(encode_summary_event(2.0, -1, {})),
            "09000000000000004010ffffffffffffffffff012a00");
}

// event_pb2.Event(wall_time=1.5, step=2,
// graph_def=graph_pb2.GraphDef(node=[NodeDef(name="a", op="NoOp")]).SerializeToString())
TEST(Event, OfAGraphIsTensorFlowsBytes) {
  const std::string graph_def =
      "\x0a\x09\x0a\x01"
      "a"
      "\x12\x04NoOp";
  EXPECT_EQ(to_hexadecimal(encode_graph_event(1.5, 2, graph_def)),
            "09000000000000f83f1002220b0a090a016112044e6f4f70");
}

}  // namespace
}  // namespace flowray::wire
