// GraphDef of the language: exported, imported, run; files that TensorFlow reads where
// FLOWRAY_ORACLE_PYTHON names a Python that has it. What a message holds is tested with every golden
// program (tests/support/golden_graph.cpp).

#include <flowray/tf.h>
#include <flowray/tf/graph_def.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "support/child_process.h"
#include "support/error_words.h"
#include "support/idx_files.h"

namespace flowray {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TestFolder;

/// y = 3 x + 1
tf::GraphDef line() {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  tf::add(tf::multiply(x, 3.0f, {.name = "product"}), 1.0f, {.name = "y"});
  return graph.as_graph_def();
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class E>
std::string message_of(auto&& f) {
  try {
    f();
  } catch (const E& error) {
    return testing::without_line(error);
  }
  return "nothing was thrown";
}

TEST(GraphDef, RunsAfterItWasImported) {
  const tf::GraphDef message = tf::GraphDef::from_string(line().serialize_to_string());
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto elements = tf::import_graph_def(message, {.return_elements = {"y:0", "x:0", "product"}});
  ASSERT_EQ(elements.size(), 3u);
  EXPECT_EQ(elements[0].tensor().name(), "import/y:0");
  EXPECT_EQ(elements[2].operation.name(), "import/product");
  EXPECT_EQ(message_of<TypeError>([&] { elements[2].tensor(); }),
            "'import/product' was asked for as an operation, not as a tensor");
  tf::Session session(graph);
  EXPECT_EQ(session.run(elements[0].tensor(), {{elements[1].tensor(), {1.0f, 2.0f}}}), Array({4.0f, 7.0f}));
}

TEST(GraphDef, ImportedIntoABranchOrALoopRunsThere) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  const auto imported = [](const tf::Tensor& of) {
    return tf::import_graph_def(line(), {.input_map = {{"x", of}}, .return_elements = {"y:0"}})[0].tensor();
  };
  const auto chosen = tf::cond(x < 5.0, [&] { return imported(x); }, [&] { return -x; });
  const auto repeated =
      tf::while_loop([](tf::Tensor a) { return a < 100.0; }, [&](tf::Tensor a) { return imported(a); }, {x},
                     {.shape_invariants = {tf::TensorShape::unknown_rank()}})[0];
  tf::Session session(graph);
  EXPECT_EQ(session.run(chosen, {{x, 2.0f}}), Array(7.0f));
  EXPECT_EQ(session.run(chosen, {{x, 6.0f}}), Array(-6.0f));
  EXPECT_EQ(session.run(repeated, {{x, 2.0f}}), Array(202.0f));  // 7, 22, 67, 202
}

TEST(GraphDef, WhoseInputIsOfAnotherLoopIsRefusedAsAWhole) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::Tensor inside;
  tf::while_loop([](tf::Tensor a) { return a < 3.0; }, [&](tf::Tensor a) { return inside = a + 1.0; }, {1.0});
  const std::string before = graph.to_string();
  EXPECT_THAT(
      message_of<ValueError>([&] { tf::import_graph_def(line(), {.input_map = {{"x", inside}}}); }),
      StartsWith(
          "Cannot use 'while/add' as input to 'import/product' because 'while/add' is in a while loop. "
          "See info log for more details."));
  EXPECT_EQ(graph.to_string(), before);
}

TEST(GraphDef, IsImportedIntoAScopeOfItsOwnEachTime) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::import_graph_def(line());
  tf::import_graph_def(line());
  tf::import_graph_def(line(), {.name = "other"});
  for (const char* name : {"import/y", "import_1/y", "other/y"})
    EXPECT_EQ(graph.get_operation_by_name(name).type(), "AddV2");
}

TEST(GraphDef, WithoutNodesAddsNone) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::import_graph_def(tf::GraphDef::from_string(""));
  EXPECT_TRUE(graph.get_operations().empty());
}

TEST(GraphDef, TakesTensorsForItsInputs) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto two = tf::constant(2.0f);
  const auto y = tf::import_graph_def(line(), {.input_map = {{"x", two}}, .return_elements = {"y:0"}});
  tf::Session session(graph);
  EXPECT_EQ(session.run(y[0].tensor()), Array(7.0f));
  EXPECT_EQ(message_of<ValueError>([&] { tf::import_graph_def(line(), {.input_map = {{"zz:0", two}}}); }),
            "Attempted to map inputs that were not found in graph_def: [zz:0]");
}

TEST(GraphDef, ThatIsWrongIsAValueError) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  tf::import_graph_def(line(), {.name = ""});
  const auto before = graph.get_operations().size();
  EXPECT_EQ(message_of<ValueError>([] { tf::import_graph_def(line(), {.name = ""}); }),
            "Node name 'x' already exists in the Graph");
  EXPECT_THAT(message_of<ValueError>([] { tf::import_graph_def(line(), {.return_elements = {"zz:0"}}); }),
              StartsWith("Requested return tensor 'zz:0' not found in graph def"));
  EXPECT_EQ(graph.get_operations().size(), before);
  EXPECT_THROW(tf::GraphDef::from_string("no message"), tf::errors::DataLossError);
}

TEST(GraphDef, TakesTheDeviceOfTheScope) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto device = tf::device("/job:ps/task:0");
  tf::import_graph_def(line(), {.name = ""});
  EXPECT_EQ(graph.get_operation_by_name("y").device(), "/job:ps/task:0");
}

TEST(GraphDef, AsTextIsProtobufsTextForm) {
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto a = tf::constant(0.5f, {.name = "a"});
  const auto first = tf::control_dependencies({a});
  tf::no_op("done");
  EXPECT_EQ(graph.as_graph_def({.add_shapes = true}).to_string(), R"(node {
  name: "a"
  op: "Const"
  attr {
    key: "_output_shapes"
    value {
      list {
        shape {
        }
      }
    }
  }
  attr {
    key: "dtype"
    value {
      type: DT_FLOAT
    }
  }
  attr {
    key: "value"
    value {
      tensor {
        dtype: DT_FLOAT
        tensor_shape {
        }
        float_val: 0.5
      }
    }
  }
}
node {
  name: "done"
  op: "NoOp"
  input: "^a"
}
versions {
  producer: 2474
}
)");
}

TEST(WriteGraph, WritesTextOrBytes) {
  const TestFolder folder;
  const tf::GraphDef message = line();
  const auto logdir = folder.path() / "a" / "b";
  EXPECT_EQ(tf::train::write_graph(message, logdir, "graph.pbtxt"), logdir / "graph.pbtxt");
  EXPECT_EQ(bytes_of(logdir / "graph.pbtxt"), message.to_string());
  tf::train::write_graph(message, logdir, "graph.pb", {.as_text = false});
  EXPECT_EQ(bytes_of(logdir / "graph.pb"), message.serialize_to_string());
  std::ofstream(folder.path() / "file") << "no folder";
  EXPECT_THROW(tf::train::write_graph(message, folder.path() / "file" / "x", "graph.pb"),
               tf::errors::OpError);
}

constexpr const char* kImporter = R"(
import os, sys
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import tensorflow.compat.v1 as tf
from google.protobuf import text_format
tf.disable_v2_behavior()
binary, text = tf.GraphDef(), tf.GraphDef()
binary.ParseFromString(open(sys.argv[1] + "/graph.pb", "rb").read())
text_format.Parse(open(sys.argv[1] + "/graph.pbtxt").read(), text)
assert binary == text
for name in os.listdir(sys.argv[1] + "/log"):
    for event in tf.train.summary_iterator(sys.argv[1] + "/log/" + name):
        if event.graph_def:
            shown = tf.GraphDef.FromString(event.graph_def)
            print(len(shown.node) == len(binary.node), "_output_shapes" in shown.node[0].attr)
tf.import_graph_def(binary, name="")
with tf.Session() as session:
    print([v.tolist() for v in session.run(["y:0", "init"], {"x:0": [1.0, 2.0]})[:1]])
    print(session.run("w/read:0").tolist())
)";

TEST(GraphDef, IsImportedAndRunByTensorFlow) {
  const char* python = std::getenv("FLOWRAY_ORACLE_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "FLOWRAY_ORACLE_PYTHON names no Python with TensorFlow";
  const TestFolder folder;
  const tf::Graph graph;
  const auto scope = graph.as_default();
  const auto x = tf::placeholder(tf::float32, {tf::None}, {.name = "x"});
  tf::add(tf::multiply(x, 3.0f), 1.0f, {.name = "y"});
  const tf::Variable w(tf::constant({{1.0f, 2.0f}}), {.name = "w"});
  tf::group({w.initializer()}, "init");
  tf::train::write_graph(graph, folder.path(), "graph.pb", {.as_text = false});
  tf::train::write_graph(graph, folder.path(), "graph.pbtxt");
  tf::summary::FileWriter(folder.path() / "log", graph).close();
  testing::ChildProcess process({python, "-c", kImporter, folder.path().string()});
  EXPECT_EQ(process.wait(), 0) << process.errors();
  EXPECT_EQ(process.output(), "True True\n[[4.0, 7.0]]\n[[1.0, 2.0]]\n");
}

}  // namespace
}  // namespace flowray
