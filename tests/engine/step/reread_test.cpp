// Values read of reference variables, and the updates that they are read before.

#include "engine/step/reread.h"

#include "engine/engine_fixture.h"

namespace flowray::engine {
namespace {

class RereadValues : public EngineTest {
 protected:
  RereadValues() { interpreter_can_follow_ = false; }
  graph::Node* after(graph::Node* node, graph::Node* before) {
    node->add_control_input(before);
    return node;
  }
};

TEST_F(RereadValues, ShowWhatAnEarlierUpdateMadeOfThem) {
  const auto count = variable("count", Array(3.0f));
  const auto read = builder.op("Identity", {count}, {}, "count/read");
  graph::Node* add = builder.node("AssignAdd", {count, builder.constant(1.0f)});
  graph::Node* doubled = after(builder.node("AddV2", {read, read}), add);
  EXPECT_EQ(run({doubled->output(0)})[0], Array(8.0f));  // as in TensorFlow: (3 + 1) twice
  EXPECT_EQ(run({doubled->output(0)})[0], Array(10.0f));
}

TEST_F(RereadValues, StayAsTheyWereForWhoeverComesBefore) {
  const auto count = variable("count", Array(3.0f));
  const auto read = builder.op("Identity", {count}, {}, "count/read");
  const auto before = builder.op("Neg", {read});
  graph::Node* add = builder.node("AssignAdd", {count, before});
  graph::Node* later = after(builder.node("Square", {read}), add);
  const auto results = run({before, later->output(0)});
  EXPECT_EQ(results[0], Array(-3.0f));
  EXPECT_EQ(results[1], Array(0.0f));
}

TEST_F(RereadValues, AreThoseOfTheVariableThatWasUpdated) {
  const auto a = variable("a", Array(1.0f));
  const auto b = variable("b", Array(5.0f));
  const auto of_b = builder.op("Identity", {b});
  graph::Node* add = builder.node("AssignAdd", {a, builder.constant(1.0f)});
  const std::vector<graph::Endpoint> fetches{after(builder.node("Neg", {of_b}), add)->output(0)};
  EXPECT_EQ(to_text(reread_updated(prune({{}, fetches, {}}))), to_text(prune({{}, fetches, {}})));
}

}  // namespace
}  // namespace flowray::engine
