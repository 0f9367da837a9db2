// Branches and loops in sessions. Expectations are those of TensorFlow's Python.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <flowray/tf/array.h>
#include <flowray/tf/control_flow.h>
#include <flowray/tf/graph_def.h>
#include <flowray/tf/math.h>
#include <flowray/tf/operators.h>
#include <flowray/tf/session.h>
#include <flowray/tf/variable.h>

#include <sstream>
#include <string>
#include <vector>

#include "wire/graph_def.h"

namespace flowray {
namespace {

using ::testing::ElementsAre;
using Values = std::vector<tf::BranchValue>;

class ControlFlow : public ::testing::Test {
 protected:
  void SetUp() override { tf::reset_default_graph(); }
};

TEST_F(ControlFlow, ACaseOfOnePairGivesWhatItsFunctionDoes) {
  const auto p = tf::placeholder(tf::boolean, {}, {.name = "p"});
  const auto give_one = tf::Branch([] { return Values{1, tf::constant(2.5)}; });
  for (const bool exclusive : {false, true}) {
    const std::vector<tf::Tensor> results = tf::case_({{p, give_one}}, {.exclusive = exclusive});
    ASSERT_EQ(results.size(), 2U);
    tf::Session session;
    EXPECT_EQ(session.run(results[0], {{p, true}}).item<int32_t>(), 1);
    EXPECT_EQ(session.run(results[1], {{p, true}}).item<float>(), 2.5F);
    EXPECT_THROW(session.run(results[0], {{p, false}}), errors::InvalidArgumentError);
  }
}

TEST_F(ControlFlow, ACaseOfOnePairRunsTheOperationThatItsFunctionGives) {
  const auto p = tf::placeholder(tf::boolean, {}, {.name = "p"});
  tf::Variable v(1.0, {.name = "v"});
  const auto result = tf::case_({{p, tf::Branch([&] { return Values{tf::group({v.assign_add(2.0)})}; })}},
                                {.exclusive = true});
  ASSERT_EQ(result.size(), 1U);
  tf::Session session;
  session.run(v.initializer());
  session.run(result[0], {{p, true}});
  EXPECT_EQ(session.run(v).item<float>(), 3.0F);
}

/// "x = Placeholder(^pivot)" and so on: the lines of a listing without attributes, of the nodes whose names
/// begin so.
std::vector<std::string> nodes_below(const std::string& prefix) {
  std::vector<std::string> nodes;
  std::istringstream listing(tf::get_default_graph().to_string());
  for (std::string line; std::getline(listing, line);) {
    if (line.starts_with(prefix))
      nodes.push_back(line.substr(prefix.size(), line.find(')') + 1 - prefix.size()));
  }
  return nodes;
}

TEST_F(ControlFlow, ACallOfAFunctionWaitsForItsBranchOrLoop) {
  const auto message = tf::GraphDef::from_string(wire::encode(wire::from_text_format<wire::GraphDef>(
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "
      "node { name: 'direct' op: 'F' input: 'x' } "
      "node { name: 'call' op: 'PartitionedCall' input: 'x' attr { key: 'f' value { func { name: 'F' } } } "
      "       attr { key: 'Tin' value { list { type: DT_FLOAT } } } "
      "       attr { key: 'Tout' value { list { type: DT_FLOAT } } } } "
      "library { function { signature { name: 'F' input_arg { name: 'a' type: DT_FLOAT } "
      "                                 output_arg { name: 'y' type: DT_FLOAT } } "
      "                     ret { key: 'y' value: 'a' } } }")));
  const auto x = tf::placeholder(tf::float32, {}, {.name = "x"});
  tf::import_graph_def(message, {.name = "known"});
  tf::cond(
      x < 1.0,
      [&] {
        tf::import_graph_def(message);
        return x;
      },
      [&] { return x; });
  tf::while_loop([](tf::Tensor a) { return a < 3.0; },
                 [&](tf::Tensor a) {
                   tf::import_graph_def(message);
                   return a + 1.0;
                 },
                 {x});
  EXPECT_THAT(nodes_below("cond/import/"),
              ElementsAre("x = Placeholder(^cond/switch_t)", "direct = F(cond/import/x, ^cond/switch_t)",
                          "call = PartitionedCall(cond/import/x)"));
  EXPECT_THAT(nodes_below("while/import/"),
              ElementsAre("x = Placeholder(^while/Identity)", "direct = F(while/import/x, ^while/Identity)",
                          "call = PartitionedCall(while/import/x, ^while/Identity)"));
}

}  // namespace
}  // namespace flowray
