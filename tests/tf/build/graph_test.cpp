// A graph's elements by name and by handle.
#include <flowray/tf.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace flowray::tf {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class AsGraphElement : public ::testing::Test {
 protected:
  Graph graph_;
  GraphScope scope_ = graph_.as_default();
};

template <class Error, class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(AsGraphElement, FindsByName) {
  const Tensor sum = tf::add(tf::constant(1.f), tf::constant(2.f), {.name = "sum"});
  const GraphElement tensor = graph_.as_graph_element("sum:0");
  EXPECT_EQ(tensor.tensor().name(), "sum:0");
  EXPECT_EQ(tensor.operation, sum.op());
  const GraphElement operation = graph_.as_graph_element("sum");
  EXPECT_EQ(operation.operation, sum.op());
  EXPECT_EQ(operation.value_index, -1);
  EXPECT_EQ(graph_.as_graph_element("sum", {.allow_tensor = false}).operation, sum.op());
  EXPECT_EQ(graph_.as_graph_element("sum:0", {.allow_operation = false}).tensor().name(), "sum:0");
}

TEST_F(AsGraphElement, SaysWhatANameIsNot) {
  tf::constant(1.f, {.name = "one"});
  EXPECT_THAT(error_of<ValueError>([&] { (void)graph_.as_graph_element("one:0", {.allow_tensor = false}); }),
              HasSubstr("Name 'one:0' appears to refer to a Tensor, not a Operation."));
  EXPECT_THAT(error_of<ValueError>([&] { (void)graph_.as_graph_element("one", {.allow_operation = false}); }),
              HasSubstr("The name 'one' refers to an Operation, not a Tensor."));
  EXPECT_THAT(error_of<KeyError>([&] { (void)graph_.as_graph_element("two"); }),
              HasSubstr("The name 'two' refers to an Operation not in the graph."));
  EXPECT_THAT(error_of<KeyError>([&] { (void)graph_.as_graph_element("two:0"); }),
              HasSubstr("The name 'two:0' refers to a Tensor which does not exist."));
  EXPECT_THAT(error_of<ValueError>([&] {
                (void)graph_.as_graph_element("one", {.allow_tensor = false, .allow_operation = false});
              }),
              HasSubstr("allow_tensor and allow_operation can't both be False."));
}

TEST_F(AsGraphElement, GivesBackWhatIsOfTheGraph) {
  const Tensor one = tf::constant(1.f);
  EXPECT_EQ(graph_.as_graph_element(one).node(), one.node());
  EXPECT_EQ(graph_.as_graph_element(one.op()), one.op());
  const Variable variable(3.f, {.name = "v"});
  EXPECT_EQ(graph_.as_graph_element(variable).name(), "v:0");
}

TEST_F(AsGraphElement, RefusesWhatIsOfAnotherGraph) {
  const Tensor here = tf::constant(1.f);
  const Variable variable(3.f, {.name = "v"});
  const Graph other;
  EXPECT_THAT(error_of<ValueError>([&] { (void)other.as_graph_element(here); }),
              HasSubstr("Tensor(\"Const:0\", shape=(), dtype=float32) is not an element of this graph."));
  EXPECT_THAT(error_of<ValueError>([&] { (void)other.as_graph_element(here.op()); }),
              HasSubstr(" is not an element of this graph."));
  EXPECT_THAT(error_of<ValueError>([&] { (void)other.as_graph_element(variable); }),
              HasSubstr(" is not an element of this graph."));
  EXPECT_THAT(error_of<ValueError>([&] { (void)other.as_graph_element(Tensor()); }),
              StartsWith("None values not supported."));
}

// What TensorFlow 2.21's print(operation) shows.
TEST(OperationText, IsItsNodeDef) {
  Graph graph;
  auto scope = graph.as_default();
  auto a = placeholder(float32, {2, None}, {.name = "a"});
  std::ostringstream text;
  text << add(a, constant(1.5f, {.name = "b"}), {.name = "sum"}).op();
  EXPECT_EQ(text.str(), R"(name: "sum"
op: "AddV2"
input: "a"
input: "b"
attr {
  key: "T"
  value {
    type: DT_FLOAT
  }
}
)");
  std::ostringstream unset;
  unset << Operation();
  EXPECT_EQ(unset.str(), "None");
}

}  // namespace
}  // namespace flowray::tf
